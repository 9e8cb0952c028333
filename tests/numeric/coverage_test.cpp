// What the compiled blocks of this folder are chosen for: between them they have every kind of instruction, home, access, part
// of an epilogue, segment and section of a header, so that emission is proved where kernels are compared. A kind that is added
// and stands in none of them fails here.
#define BOOST_TEST_MODULE coverage
#include "attention_blocks.hpp"
#include "model_blocks.hpp"
#include "stream_blocks.hpp"

#include <boost/test/unit_test.hpp>
#include <residua/codegen/pipeline.hpp>
#include <set>
#include <string>

namespace {

using namespace residua::codegen;

/// The blocks that kernel_test, attention_test and streams_test compile.
std::vector<block_plan> const& compiled() {
  static std::vector<block_plan> const plans = [] {
    std::vector<block_plan> list;
    auto add = [&](auto block) { list.push_back(plan_block(std::string(block.name), block.view())); };
    add(model_blocks::gpt2_mlp);
    add(model_blocks::post_gated);
    add(model_blocks::small);
    add(model_blocks::layers);
    add(model_blocks::mixed);
    add(model_blocks::image);
    add(model_blocks::tokens);
    add(model_blocks::identity);
    add(model_blocks::nothing);
    add(model_blocks::widening);
    add(model_blocks::awkward);
    add(model_blocks::every_part);
    add(model_blocks::terms);
    add(model_blocks::numbers);
    add(attention_blocks::pre_norm);
    add(attention_blocks::post_norm);
    add(attention_blocks::parallel);
    add(attention_blocks::grouped);
    add(attention_blocks::capped);
    add(attention_blocks::local);
    add(attention_blocks::layers);
    add(attention_blocks::decoder);
    add(attention_blocks::decoders);
    add(attention_blocks::unread);
    add(attention_blocks::shared);
    add(attention_blocks::aligned);
    add(attention_blocks::conditioned_twice);
    add(stream_blocks::residual);
    add(stream_blocks::class_attention);
    add(stream_blocks::apart);
    add(stream_blocks::mixed);
    add(stream_blocks::decoder);
    add(stream_blocks::widen);
    add(stream_blocks::merge);
    add(stream_blocks::reader);
    return list;
  }();
  return plans;
}

template <class Visit>
void for_each_program(Visit const& visit) {
  for (block_plan const& block : compiled())
    for (tile_program const* tile : {&block.forward, &block.jvp, &block.vjp}) visit(block, *tile);
}

/// Enumerators count through; `last` is the last one.
template <class Enumeration>
void require_all(std::set<Enumeration> const& seen, Enumeration last, std::string const& what) {
  for (int i = 0; i <= static_cast<int>(last); ++i)
    BOOST_TEST(seen.contains(static_cast<Enumeration>(i)), what << " " << i << " is in no compiled block");
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_instruction_access_and_epilogue_part) {
  std::set<opcode> seen, fused;
  std::set<residua::codegen::access> reads;
  bool kept = false, reversed = false, biased = false;
  for_each_program([&](block_plan const&, tile_program const& tile) {
    for (stage const& each : tile.code.stages)
      for (instruction const& i : each.instructions) {
        seen.insert(i.what);
        biased = biased || i.with_bias;
        for (operand const& input : i.inputs) reads.insert(input.how);
        for (epilogue_part const& part : i.epilogue) {
          kept = kept || part.keep;
          reversed = reversed || (part.what == opcode::subtract && part.reversed);
          if (!part.keep) fused.insert(part.what);
        }
      }
  });
  require_all(seen, opcode::attend_vjp_keys, "opcode");
  require_all(reads, residua::codegen::access::whole, "access");
  for (opcode part : {opcode::add, opcode::subtract, opcode::hadamard, opcode::activate, opcode::slope, opcode::scale,
                      opcode::scale_by, opcode::scale_columns, opcode::scale_rows, opcode::add_term})
    BOOST_TEST(fused.contains(part), "part " << static_cast<int>(part) << " is in no compiled epilogue");
  BOOST_TEST((kept && reversed && biased));
}

BOOST_AUTO_TEST_CASE(every_home_row_and_segment) {
  std::set<home> homes;
  std::set<whole_row::kind> rows;
  bool layered_rows = false, forward = false, backward = false, long_segment = false, sums_of_layers = false;
  for_each_program([&](block_plan const&, tile_program const& tile) {
    for (value const& each : tile.code.values) homes.insert(each.place);
    for (whole_row const& row : tile.whole) {
      rows.insert(row.is);
      layered_rows = layered_rows || row.layers > 1;
    }
    for (segment const& each : tile.code.segments) {
      if (each.times == 1) continue;
      long_segment = long_segment || each.size > 1;
      for (auto const& [first, turns] : each.parameters) (turns.back() > first ? forward : backward) = true;
      for (std::size_t at = each.first; at < each.first + each.size; ++at)
        sums_of_layers = sums_of_layers || !tile.code.stages[at].sums.empty();
    }
  });
  require_all(homes, home::partial, "home");
  require_all(rows, whole_row::kind::seen, "row");
  BOOST_TEST((layered_rows && forward && backward && long_segment && sums_of_layers));
}

BOOST_AUTO_TEST_CASE(every_section_of_a_header) {
  bool widths = false, renamed = false, memory = false, steps = false, nothing_to_learn = false;
  bool streams = false, results = false, own_tokens = false, steps_of_several = false;
  std::set<std::size_t> ranks;
  std::set<std::size_t> axes;  // of parameters: scalars, vectors, matrices
  for (block_plan const& block : compiled()) {
    widths = widths || !block.run_time_widths.empty();
    renamed = renamed || !block.renamed_widths.empty();
    memory = memory || block.graph.reads_memory();
    streams = streams || block.graph.streams > 2;
    results = results || block.graph.outputs.size() > block.graph.streams;
    for (int at : block.graph.outputs) own_tokens = own_tokens || block.graph[at].tokens != 0;
    steps_of_several = steps_of_several || (block.graph.streams > 1 && block.can_step());
    steps = steps || block.can_step();
    nothing_to_learn = nothing_to_learn || block.parameters.all().empty();
    ranks.insert(block.graph.input().shape.rank);
    for (parameter_tensor const& each : block.parameters.all()) axes.insert(each.shape.size());
  }
  BOOST_TEST((widths && renamed && memory && steps && nothing_to_learn));
  BOOST_TEST((streams && results && own_tokens && steps_of_several));
  BOOST_TEST((ranks == std::set<std::size_t>{2, 3, 4}));
  BOOST_TEST((axes == std::set<std::size_t>{0, 1, 2}));
}
