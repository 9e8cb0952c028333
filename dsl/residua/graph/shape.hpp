#pragma once
#include <array>
#include <cstddef>
#include <residua/graph/axis.hpp>

namespace residua::graph {

inline constexpr std::size_t most_axes = 4;

/// A shape as a value of the graph: up to four axes, feature axis last.
struct shape_value {
  std::array<axis_value, most_axes> axes{};
  std::size_t rank = 0;

  constexpr axis_value const& feature() const { return axes[rank - 1]; }
  constexpr bool operator==(shape_value const&) const = default;
};

/// Whether two axes have one name; such a shape could not be read.
constexpr bool names_repeat(shape_value const& shape) {
  for (std::size_t i = 0; i < shape.rank; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (shape.axes[i].name == shape.axes[j].name) return true;
  return false;
}

/// Whether two shapes are over the same sequences: they agree in every axis before that of the tokens.
constexpr bool same_sequences(shape_value const& a, shape_value const& b) {
  if (a.rank != b.rank) return false;
  for (std::size_t i = 0; i + 2 < a.rank; ++i)
    if (!(a.axes[i] == b.axes[i])) return false;
  return true;
}

/// Whether two shapes are over the same tokens: they agree in every axis but that of the features.
constexpr bool same_tokens(shape_value const& a, shape_value const& b) {
  return same_sequences(a, b) && a.axes[a.rank - 2] == b.axes[b.rank - 2];
}

/// Writes (B, T, d = 768).
constexpr void write(writer& out, shape_value const& shape) {
  out.add("(");
  for (std::size_t i = 0; i < shape.rank; ++i) {
    if (i > 0) out.add(", ");
    write(out, shape.axes[i]);
  }
  out.add(")");
}

}  // namespace residua::graph
