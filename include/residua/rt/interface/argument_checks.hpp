// The checks of a kernel's arguments; each throws std::invalid_argument that names tensor, axis, what it is and must be.
#pragma once

#include <residua/rt/interface/cache.hpp>
#include <residua/rt/interface/tensor.hpp>

#include <algorithm>
#include <array>
#include <functional>

namespace residua::rt {

/// A tensor with these axes.
template <class Real, class T, std::size_t Rank>
void check_tensor(std::string_view name, T const& t, std::array<extent_rule, Rank> const& rules) {
  static_assert(std::is_same_v<std::remove_const_t<typename T::value_type>, Real>,
                "the tensor's element type is not the kernel's");
  require_shape(name, t, rules);
}

/// A tensor with these axes, of which the first `shared` are as long as those of x.
template <class Real, class T, class X, std::size_t Rank>
void check_tensor_as(std::string_view name, T const& t, std::array<extent_rule, Rank> rules, X const& x, std::size_t shared,
                     std::string_view origin = "as in x") {
  for (std::size_t i = 0; i < shared; ++i) rules[i] = {rules[i].axis, static_cast<index>(x.shape()[i]), origin};
  check_tensor<Real>(name, t, rules);
  // a rule of extent 0 allows any, so an axis on which x is empty is compared here
  for (std::size_t i = 0; i < shared; ++i)
    if (rules[i].extent == 0 && t.shape()[i] != 0)
      throw std::invalid_argument(std::string(name) + ": axis " + std::string(rules[i].axis) + " is " +
                                  std::to_string(t.shape()[i]) + ", must be 0 (" + std::string(origin) + ")");
}

template <class A, class B>
void require_apart(std::string_view name, A const& a, B const& b) {
  std::less<> const before;
  if (before(tensor_data(a), tensor_data(b) + b.size()) && before(tensor_data(b), tensor_data(a) + a.size()))
    throw std::invalid_argument(std::string(name) + ": overlaps another argument");
}
/// The same against several.
template <class A, class... Others>
void require_apart_from_all(std::string_view name, A const& a, Others const&... others) {
  (require_apart(name, a, others), ...);
}

/// One length for each sequence, none longer than its tokens.
inline index const* check_lengths(std::string_view name, std::span<index const> lengths, index sequences, index tokens) {
  if (lengths.empty()) return nullptr;
  if (static_cast<index>(lengths.size()) != sequences)
    throw std::invalid_argument(std::string(name) + ": has " + std::to_string(lengths.size()) + " elements, must have " +
                                std::to_string(sequences) + ", one for each sequence");
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < 0 || lengths[i] > tokens)
      throw std::invalid_argument(std::string(name) + ": element " + std::to_string(i) + " is " + std::to_string(lengths[i]) +
                                  ", must be 0 to " + std::to_string(tokens));
  return lengths.data();
}

/// A cache of this kernel, with its present parameters, and of as many sequences.
template <class Real>
void check_cache(token_cache<Real> const& cache, index revision, call_sequences const& s) {
  if (!cache.is_of(revision))
    throw std::invalid_argument(
        "cache: is another kernel's, or from before update, or was moved from; make it with this kernel's make_cache");
  if (cache.sequences() != s.count)
    throw std::invalid_argument("cache: is of " + std::to_string(cache.sequences()) + " sequences, must be of " +
                                std::to_string(s.count) + " (as in x)");
}

/// A tensor's shape as an array.
template <std::size_t Rank, class T>
std::array<std::size_t, Rank> shape_array(T const& t) {
  std::array<std::size_t, Rank> shape;
  std::copy_n(t.shape().begin(), Rank, shape.begin());
  return shape;
}

}  // namespace residua::rt
