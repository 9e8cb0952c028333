#pragma once
#include <residua/codegen/graph_facts.hpp>
#include <residua/codegen/parameter_list.hpp>
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// One row of the table of matrices that are there for all tokens while a program runs.
struct whole_row {
  enum class kind : unsigned char { argument, result, between, part, seen };  // as rt::whole_description
  kind is = kind::between;
  std::string name{};  // the emitted enumerator; empty where the row goes on with the layers of the one before
  std::string meaning{};
  int of = -1;  // an argument's or result's place among the call's arguments or results; of `part` and `seen`: the entry, of
                // layers the first
  int tokens = 0;
  axis_value width;
  std::int64_t first = 0;  // of `part` and `seen`: the first column
  int layers = 1;          // so many entries in a row
  int entry = 0;           // the first of them
};

/// A place in a table or list, and how far on that of the next turn is.
struct indexed {
  int first = 0;
  int step = 0;

  bool operator==(indexed const&) const = default;
};

/// One scratch buffer of a stage.
struct slot {
  axis_value width;
};

/// What a stage's tiles work in, and where they find what is outside. The maps are by the value, parameter or node of the
/// first turn.
struct stage_memory {
  std::vector<slot> buffers{};          // tile and held values, by value::slot
  std::vector<axis_value> partials{};   // by value::slot of a partial
  std::map<int, indexed> rows{};        // values that own a matrix in the table: the entry of which a tile has its rows
  std::map<int, indexed> all{};         // values that are read whole: the entry, columns and what a cache holds included
  std::map<int, indexed> parameters{};  // in block_plan::parameters
  std::map<int, indexed> attentions{};  // of nodes, in block_plan::attentions
};

/// A program with all memory assigned: what the C++ target writes and the runner runs.
struct tile_program {
  program code{};
  std::vector<stage_memory> memory{};  // of each stage
  std::vector<whole_row> whole{};      // entries count through: the next row starts behind this one's layers
};

/// An attention of the block, in the order of its nodes.
struct attention_use {
  int node = -1;
  int queries = 0;  // token spaces
  int keys = 0;
  int cached = -1;  // the place of its keys in block_plan::cached
};

/// A value of the forward program that a cache keeps: keys or values of an attention.
struct cached_value {
  int value = -1;
  std::int64_t width = 0;
  std::int64_t window = 0;  // of the attentions that read it; 0: all tokens
  int tokens = 0;           // 0: of the streams; otherwise of a memory
  int seen = -1;            // the entry that attention reads
  int written = -1;         // the entry of the value itself
  int stage = 0;            // after which it is there, in the order in which stages run
};

/// One block, lowered and scheduled: all that the targets and the runner read.
struct block_plan {
  std::string name;  // the C++ identifier: header, namespace
  graph_view graph;
  graph_facts facts;
  parameter_list parameters;
  std::vector<axis_value> run_time_widths{};                        // members of the generated `extents`
  std::vector<std::pair<axis_value, axis_value>> renamed_widths{};  // of those, the pairs that must agree: new, old
  std::vector<attention_use> attentions{};
  std::vector<cached_value> cached{};
  tile_program forward{};
  tile_program jvp{};
  tile_program vjp{};

  /// Whether tokens read what their sequence has one row of.
  bool has_conditions() const;
  bool has_attention() const { return !attentions.empty(); }
  /// Whether the block can be computed token by token, with a cache.
  bool can_step() const { return !cached.empty(); }
};

/// Lowers and schedules a block by the passes of pipeline.hpp. Throws std::invalid_argument where streams are combined that
/// have tokens of their own.
block_plan plan_block(std::string name, graph_view const& graph);

}  // namespace residua::codegen
