// The checks of a kernel's arguments; each throws std::invalid_argument that names tensor, axis, what it is and must be.
#pragma once

#include <residua/rt/interface/tensor_view.hpp>

#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace residua::rt {

/// What an argument is called: `prefix` of what a stream has ("d", "g.") and the stream's own name.
struct argument_name {
  std::string_view prefix;
  std::string_view own;

  std::string text() const { return std::string(prefix) + std::string(own); }
};

/// One axis that a tensor must have: `extent` <= 0 allows any, unless it is an argument's, whose name is `origin`.
struct extent_rule {
  std::string_view axis;
  index extent = 0;
  std::string_view origin = {};  // "x" where the extent is that of x
};

inline constexpr std::size_t most_axes = 8;  // of a stream or a parameter

namespace detail {

inline std::string join(index const* values, std::size_t count) {
  std::string text = "(";
  for (std::size_t i = 0; i < count; ++i) text += (i ? ", " : "") + std::to_string(values[i]);
  return text + ")";
}

[[noreturn]] inline void wrong_argument(argument_name const& name, std::string const& what) {
  throw std::invalid_argument(name.text() + ": " + what);
}

[[noreturn]] inline void wrong_extent(argument_name const& name, index is, extent_rule const& must) {
  wrong_argument(name, "axis " + std::string(must.axis) + " is " + std::to_string(is) + ", must be " +
                           std::to_string(must.extent) +
                           (must.origin.empty() ? "" : " (as in " + std::string(must.origin) + ")"));
}

}  // namespace detail

/// A row-major contiguous tensor that meets the rules, with memory where it has elements:
/// "x: axis d is 64, must be 768", "dx: axis T is 3, must be 4 (as in x)", "x: rank is 2 (8, 768), must be 3 (B, T, d)",
/// "x: not row-major and contiguous: axis T has stride 1, must have 768; ...".
inline void check_tensor(argument_name const& name, tensor_extents const& t, void const* data,
                         std::span<extent_rule const> rules) {
  if (t.rank > tensor_extents::most)
    detail::wrong_argument(name, "rank is " + std::to_string(t.rank) + ", at most 32 is supported");
  if (t.rank != rules.size()) {
    std::string axes;
    for (extent_rule const& rule : rules) axes += (axes.empty() ? "" : ", ") + std::string(rule.axis);
    detail::wrong_argument(name, "rank is " + std::to_string(t.rank) + " " + detail::join(t.shape, t.rank) + ", must be " +
                                     std::to_string(rules.size()) + " (" + axes + ")");
  }
  bool empty = false;
  for (std::size_t axis = 0; axis < rules.size(); ++axis) {
    empty = empty || t.shape[axis] == 0;
    if (rules[axis].extent > 0 && t.shape[axis] != rules[axis].extent) detail::wrong_extent(name, t.shape[axis], rules[axis]);
  }
  index expected = 1;
  for (std::size_t axis = t.rank; axis-- > 0 && !empty; expected *= t.shape[axis])
    if (t.shape[axis] != 1 && t.strides[axis] != expected)
      detail::wrong_argument(name, "not row-major and contiguous: axis " + std::string(rules[axis].axis) + " has stride " +
                                       std::to_string(t.strides[axis]) + ", must have " + std::to_string(expected) +
                                       "; assign it to an xt::xtensor first");
  for (std::size_t axis = 0; axis < rules.size(); ++axis)
    if (!rules[axis].origin.empty() && t.shape[axis] != rules[axis].extent)
      detail::wrong_extent(name, t.shape[axis], rules[axis]);
  if (!empty && data == nullptr)
    detail::wrong_argument(name, "has a shape but no memory; it was moved from, or adapts a null pointer");
}

/// Two tensors that share no element.
template <class A, class B>
void require_apart(argument_name const& name, tensor_view<A> const& a, tensor_view<B> const& b) {
  std::less<void const*> const before;
  if (before(a.data, b.data + b.size()) && before(b.data, a.data + a.size()))
    detail::wrong_argument(name, "overlaps another argument");
}

/// One length for each sequence, none longer than its tokens.
inline index const* check_lengths(std::string_view name, std::span<index const> lengths, index sequences, index tokens) {
  if (lengths.empty()) return nullptr;
  if (static_cast<index>(lengths.size()) != sequences)
    detail::wrong_argument({name, {}}, "has " + std::to_string(lengths.size()) + " elements, must have " +
                                           std::to_string(sequences) + ", one for each sequence");
  for (std::size_t i = 0; i < lengths.size(); ++i)
    if (lengths[i] < 0 || lengths[i] > tokens)
      detail::wrong_argument({name, {}}, "element " + std::to_string(i) + " is " + std::to_string(lengths[i]) +
                                             ", must be 0 to " + std::to_string(tokens));
  return lengths.data();
}

}  // namespace residua::rt
