// The border between xtensor and the kernels: what a kernel accepts, the checks, and the view it works on.
// A kernel is handed row-major contiguous memory and never copies it.
#pragma once

#include <residua/rt/core/matrix.hpp>

#include <concepts>
#include <cstddef>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>

namespace residua::rt {

/// Anything with memory, a shape and strides: xt::xtensor, xt::xarray, xt::adapt over foreign memory, views of them.
/// That it is row-major and contiguous is known only at run time for some; require_shape checks.
template <class Tensor>
concept contiguous_tensor = requires(std::remove_reference_t<Tensor>& t) {
  { *t.data() } -> std::convertible_to<typename std::remove_reference_t<Tensor>::value_type>;
  { t.data_offset() } -> std::convertible_to<std::size_t>;
  { t.shape().size() } -> std::convertible_to<std::size_t>;
  t.shape()[0];
  t.strides()[0];
};

/// One axis that a tensor must have: `extent` <= 0 allows any, `origin` says where the extent comes from ("as in x").
struct extent_rule {
  std::string_view axis;
  index extent = 0;
  std::string_view origin = {};
};

/// The first element, also of a view with an offset.
template <contiguous_tensor Tensor>
auto* tensor_data(Tensor&& t) {
  return t.data() + t.data_offset();
}

/// The extent of one axis.
template <contiguous_tensor Tensor>
index extent(Tensor const& t, std::size_t axis) {
  return static_cast<index>(t.shape()[axis]);
}

/// The product of all extents but the last: the rows of a stream.
template <contiguous_tensor Tensor>
index leading_extent(Tensor const& t) {
  index rows = 1;
  for (std::size_t axis = 0; axis + 1 < t.shape().size(); ++axis) rows *= extent(t, axis);
  return rows;
}

/// A stream (..., d) as the matrix (product of the leading extents, d) over the same memory.
template <contiguous_tensor Tensor>
auto as_matrix(Tensor&& t) {
  using value_type = std::remove_pointer_t<decltype(tensor_data(t))>;
  index const columns = t.shape().size() == 0 ? 1 : extent(t, t.shape().size() - 1);
  return matrix<value_type>{tensor_data(t), leading_extent(t), columns, columns};
}

namespace detail {

inline std::string join(std::span<index const> values) {
  std::string text = "(";
  for (std::size_t i = 0; i < values.size(); ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

/// Throws unless shape and strides (empty: not checked) are those of a row-major contiguous tensor that meets the rules.
inline void check_shape(std::string_view tensor_name, std::span<index const> shape, std::span<index const> strides,
                        std::span<extent_rule const> rules) {
  std::string const who(tensor_name);
  if (shape.size() != rules.size()) {
    std::string axes;
    for (extent_rule const& rule : rules) axes += (axes.empty() ? "" : ", ") + std::string(rule.axis);
    throw std::invalid_argument(who + ": rank is " + std::to_string(shape.size()) + " " + join(shape) + ", must be " +
                                std::to_string(rules.size()) + " (" + axes + ")");
  }
  bool empty = false;
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    extent_rule const& rule = rules[axis];
    empty = empty || shape[axis] == 0;
    if (rule.extent > 0 && shape[axis] != rule.extent)
      throw std::invalid_argument(who + ": axis " + std::string(rule.axis) + " is " + std::to_string(shape[axis]) + ", must be " +
                                  std::to_string(rule.extent) +
                                  (rule.origin.empty() ? "" : " (" + std::string(rule.origin) + ")"));
  }
  if (empty) return;
  index expected = 1;
  for (std::size_t axis = strides.size(); axis-- > 0; expected *= shape[axis])
    if (shape[axis] != 1 && strides[axis] != expected)
      throw std::invalid_argument(who + ": not row-major and contiguous: axis " + std::string(rules[axis].axis) + " has stride " +
                                  std::to_string(strides[axis]) + ", must have " + std::to_string(expected) +
                                  "; assign it to an xt::xtensor first");
}

}  // namespace detail

/// Throws std::invalid_argument unless t has one axis for each rule, of that extent, and is row-major and contiguous:
/// "x: axis d is 64, must be 768", "dx: axis T is 3, must be 4 (as in x)", "x: rank is 2 (8, 768), must be 3 (B, T, d)",
/// "x: not row-major and contiguous: axis T has stride 1, must have 768; ...".
/// An extent of 0 passes where the rule allows any: the tensor is empty.
template <contiguous_tensor Tensor>
void require_shape(std::string_view tensor_name, Tensor const& t, std::span<extent_rule const> rules) {
  constexpr std::size_t most = 32;
  std::size_t const rank = t.shape().size();
  if (rank > most)
    throw std::invalid_argument(std::string(tensor_name) + ": rank is " + std::to_string(rank) + ", at most 32 is supported");
  index shape[most], strides[most];
  for (std::size_t axis = 0; axis < rank; ++axis) {
    shape[axis] = static_cast<index>(t.shape()[axis]);
    strides[axis] = static_cast<index>(t.strides()[axis]);
  }
  detail::check_shape(tensor_name, {shape, rank}, {strides, rank}, rules);
}

}  // namespace residua::rt
