// What every generated parameters struct is made of: tensors born at their shape, and what visits them.
#pragma once

#include <residua/rt/interface/tensor_view.hpp>
#include <residua/rt/io/parameters.hpp>

#include <xtensor/xtensor.hpp>

#include <array>
#include <initializer_list>
#include <stdexcept>
#include <string_view>

namespace residua::rt {

template <class Real, std::size_t Rank>
using tensor = xt::xtensor<Real, Rank, xt::layout_type::row_major>;

namespace detail {

/// Throws std::invalid_argument where a tensor of these extents cannot be.
inline void check_product(index bytes, std::initializer_list<index> extents) {
  bool negative = false, large = false;
  for (index each : extents) {
    negative = negative || each < 0;
    large = __builtin_mul_overflow(bytes, each, &bytes) || large;
  }
  if (!negative && !large) return;
  std::string text;
  for (index each : extents) text += (text.empty() ? "" : ", ") + std::to_string(each);
  throw std::invalid_argument("extents: a tensor of (" + text + ") has " + (negative ? "less than no" : "too many") +
                              " elements");
}

}  // namespace detail

/// A tensor of zeros: zeros<float>(768, 3072). Throws std::invalid_argument where an extent is negative or their product is
/// more than memory can hold.
template <class Real, class... Extents>
tensor<Real, sizeof...(Extents)> zeros(Extents... extents) {
  detail::check_product(sizeof(Real), {static_cast<index>(extents)...});
  std::array<std::size_t, sizeof...(Extents)> const shape{static_cast<std::size_t>(extents)...};
  return tensor<Real, sizeof...(Extents)>(shape, Real(0));
}

/// The path of a parameter in a layer of a stack: h.3.N.weight. Takes no memory, as visiting the gradients of a call takes none.
template <std::size_t Before, std::size_t After>
class layer_path {
 public:
  layer_path(char const (&stack)[Before], std::size_t layer, char const (&rest)[After]) {
    add(stack);
    text_[size_++] = '.';
    char digits[20];
    std::size_t count = 0;
    do digits[count++] = static_cast<char>('0' + layer % 10);
    while (layer /= 10);
    while (count > 0) text_[size_++] = digits[--count];
    text_[size_++] = '.';
    add(rest);
  }

  operator std::string_view() const { return {text_, size_}; }

 private:
  void add(std::string_view part) { size_ += part.copy(text_ + size_, part.size()); }

  char text_[Before + After + 22];
  std::size_t size_ = 0;
};

/// Takes the tensors of a parameters struct, one after the other, in the order of the block's list.
template <class Real>
struct tensor_visitor {
  virtual void visit(tensor_view<Real> const& t) = 0;

 protected:
  ~tensor_visitor() = default;
};

/// Any block's parameters, or their gradients.
template <class Real>
struct any_parameters {
  void* of = nullptr;
  void (*visit)(void* of, tensor_visitor<Real>& visitor) = nullptr;
};

/// `p` for those who do not know its type; found by its for_each. Who was given a constant one only reads it.
template <class Real, class Parameters>
any_parameters<Real> any_of(Parameters const& p) {
  return {const_cast<Parameters*>(&p), [](void* of, tensor_visitor<Real>& visitor) {
            for_each(*static_cast<Parameters*>(of), [&](std::string_view, auto& t) { visitor.visit(t); });
          }};
}

/// The tensors of a parameters struct, for reading and writing files.
template <class Real, class Parameters>
std::vector<parameter_slot<Real>> slots_of(Parameters& p) {
  std::vector<parameter_slot<Real>> slots;
  for_each(p, [&](std::string_view path, auto& t) {
    slots.push_back({std::string(path), {t.shape().begin(), t.shape().end()}, const_cast<Real*>(t.data())});
  });
  return slots;
}

}  // namespace residua::rt
