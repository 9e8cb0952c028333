#pragma once
#include <cstdint>
#include <limits>
#include <residua/graph/writer.hpp>

namespace residua::graph {

/// The extent of an axis whose length is chosen at run time.
inline constexpr std::int64_t run_time = std::numeric_limits<std::int64_t>::min();

/// An axis as a value of the graph.
struct axis_value {
  std::string_view name{};
  std::int64_t extent = run_time;

  constexpr bool operator==(axis_value const&) const = default;
};

/// Writes d = 768, or B where the extent is chosen at run time.
constexpr void write(writer& out, axis_value const& axis) {
  out.add(axis.name);
  if (axis.extent == run_time) return;
  out.add(" = ");
  out.add_integer(axis.extent);
}

}  // namespace residua::graph
