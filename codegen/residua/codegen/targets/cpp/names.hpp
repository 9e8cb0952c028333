// Identifiers in a block's source.
#pragma once
#include <map>
#include <residua/codegen/block_plan.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace residua::codegen {

/// Gives what a block's author named one identifier each: F.up.weight becomes F_up_weight_, a second one F_up_weight_2_.
/// All end in an underscore. No keyword does, nor a macro that the source meets, nor anything that the emitted code
/// declares for itself; so none of these can collide with a name, whatever it is.
class identifiers {
 public:
  std::string operator()(std::string_view path);

 private:
  std::set<std::string, std::less<>> taken_;
};

/// The names of one block's source, and which of them its functions use.
class source_names {
 public:
  explicit source_names(block_plan const& block);

  /// p::F_up_weight_, by the parameter's place in the list.
  std::string parameter(int place);
  /// options::A_q_, by the node of an attention or rotation.
  std::string options(int node);
  /// sizes::d_, by the axis.
  std::string size(axis_value const& axis) const;

  /// The enumerator or constant alone.
  std::string const& parameter_name(int place) const { return parameters_[static_cast<std::size_t>(place)]; }
  std::string const& options_name(int node) const { return options_.at(node); }
  std::vector<std::string> const& size_names() const { return sizes_; }

  std::set<int> const& used_parameters() const { return used_parameters_; }
  std::set<int> const& used_options() const { return used_options_; }

  /// An extent in a function: 768, or t.sizes[sizes::d_] where it is chosen at run time.
  std::string extent(axis_value const& axis) const;
  /// An extent in a table: {768}, or {.chosen = sizes::d_}.
  std::string width(axis_value const& axis) const;

 private:
  block_plan const& block_;
  std::vector<std::string> parameters_;
  std::vector<std::string> sizes_;
  std::map<int, std::string> options_;
  std::set<int> used_parameters_;
  std::set<int> used_options_;
};

/// One program and its names.
struct named_program {
  named_program(std::string_view called, tile_program const& program);

  std::string_view name;  // forward: of the enumeration of its matrices, and of its functions before a number
  tile_program const& tile;
  std::vector<std::string> values;  // of each value: its identifier in a function
  std::vector<std::string> whole;   // of each row of the table that has a name: its enumerator

  std::string const& value(int at) const { return values[static_cast<std::size_t>(at)]; }
  /// forward::attn_k_, in the layers of a stack forward::attn_k_ + t.layer
  std::string entry(indexed at) const;
  /// Whether stages run several times, as the layers of a stack.
  bool has_layers() const;
};

/// `base` and so many entries on: base + 3 + 2 * t.layer
std::string stepped(std::string base, int offset, int step);

}  // namespace residua::codegen
