// What random blocks are made of: numbers, axes and names.
#pragma once

#include "random_block.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

namespace residua::random_graph {

// lanes - 1, lanes, lanes + 1 of all instruction sets and both scalars, and primes
inline constexpr std::array widths{1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19};
inline constexpr std::array wide{31, 32, 33, 37};  // a panel of floats and more

/// A value of a function while it is written: its shape, and whose tokens it has.
struct local {
  shape_value shape{};
  int tokens = 0;
};

/// An operation, what it may be applied to, and its size in nodes.
struct known_operation {
  operation_pointer what;
  std::optional<axis_value> takes{};    // the feature axis; none: any
  std::optional<shape_value> stream{};  // the whole shape, where only one will do
  int nodes = 1;
};

/// The names taken below one branch, and the operations that only it may use.
struct naming {
  std::set<std::string, std::less<>> taken;
  std::vector<known_operation> operations;
};

/// Draws from a seed, and keeps what is drawn alive in the block.
class choices {
 public:
  choices(random_block& into, std::uint64_t seed) : made_(into), source_(seed) {}

 protected:
  double share() { return static_cast<double>(source_.bits() >> 11) * 0x1p-53; }
  bool chance(double probability) { return share() < probability; }
  int between(int low, int high) { return low + static_cast<int>(source_.bits() % static_cast<std::uint64_t>(high - low + 1)); }
  template <class List>
  typename List::value_type pick(List const& list) {
    return list[static_cast<std::size_t>(source_.bits() % list.size())];
  }
  std::int64_t width() { return long_ ? between(1, 9) : chance(0.05) ? pick(wide) : pick(widths); }

  // names and axes

  std::string_view keep(std::string text) { return made_.names.emplace_back(std::move(text)); }
  std::string fresh(std::string const& prefix) { return prefix + std::to_string(counters_[prefix]++); }

  axis_value make_axis(std::string const& prefix, std::int64_t extent, double at_run_time = 0.3) {
    axis_value axis{keep(fresh(prefix)), extent};
    if (chance(at_run_time)) {
      made_.lengths.emplace(axis.name, extent);
      axis.extent = graph::run_time;
    }
    families_[std::string(axis.name)] = {axis};
    return axis;
  }
  std::int64_t extent(axis_value const& axis) const {
    return static_cast<std::int64_t>(reference::length_of(made_.lengths, axis));
  }

  shape_value make_stream() {
    int const leading = between(1, 3);
    std::int64_t const rows = long_ ? between(85, 180) : 0;
    shape_value shape{.rank = static_cast<std::size_t>(leading) + 1};
    for (int i = 0; i < leading; ++i) {
      bool const of_tokens = i + 1 == leading;
      std::int64_t length = leading == 1 ? pick(std::array{1, 2, 3, 5, 7, 9, 13}) : leading == 2 ? between(1, 5) : between(1, 3);
      if (long_) length = of_tokens ? rows / (leading == 1 ? 1 : leading == 2 ? 2 : 4) : 2;
      shape.axes[static_cast<std::size_t>(i)] = make_axis("L", length, 0.6);
    }
    shape.axes[shape.rank - 1] = make_axis("w", width());
    return shape;
  }
  /// Of the same sequences, of its own length and width or of the stream's.
  shape_value make_memory() {
    shape_value shape = stream_;
    if (chance(0.25)) shape.axes[shape.rank - 2] = make_axis("S", 1, 0);  // a condition for each sequence
    else if (!chance(0.2)) shape.axes[shape.rank - 2] = make_axis("S", long_ ? between(40, 90) : between(1, 9), 0.6);
    if (!chance(0.4)) shape.axes[shape.rank - 1] = make_axis("w", width());
    return shape;
  }
  /// An axis of the same extent under another name.
  axis_value alias(axis_value const& axis) {
    std::vector<axis_value>& family = families_.at(std::string(axis.name));
    if (family.size() < 3) {
      axis_value other{keep(fresh(std::string(axis.name) + "_as_")), axis.extent};
      if (other.extent == graph::run_time) made_.lengths.emplace(other.name, extent(axis));
      family.push_back(other);
      for (axis_value const& each : std::vector(family)) families_[std::string(each.name)] = family;
    }
    axis_value other = axis;
    while (other == axis) other = pick(families_.at(std::string(axis.name)));
    return other;
  }
  bool related(axis_value const& a, axis_value const& b) const {
    auto const& family = families_.at(std::string(a.name));
    return std::ranges::find(family, b) != family.end();
  }

  std::string name(naming& scope, std::string const& prefix, std::initializer_list<char const*> words) {
    std::vector<std::string> free;
    for (char const* word : words)
      if (&scope != &root_ && !scope.taken.contains(word)) free.emplace_back(word);
    std::string const chosen = free.empty() ? fresh(prefix) : pick(free);
    scope.taken.insert(chosen);
    return chosen;
  }

  random_block& made_;
  reference::noise source_;
  bool long_ = false;  // more tokens than a tile has rows
  shape_value stream_{};
  naming root_;
  std::map<std::string, int> counters_;
  std::map<std::string, std::vector<axis_value>> families_;  // axes of one extent, by each one's name
};

}  // namespace residua::random_graph
