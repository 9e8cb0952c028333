#include "mutations.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace residua::runner_test {

namespace {

using codegen::block_plan;
using codegen::home;
using codegen::indexed;
using codegen::opcode;
using codegen::tile_program;
using reference::noise;

/// One of the places that `collect` finds, or null.
template <class Place, class Collect>
Place* any_of(noise& source, Collect const& collect) {
  std::vector<Place*> found;
  collect([&](Place& each) { found.push_back(&each); });
  return found.empty() ? nullptr : found[source.bits() % found.size()];
}

std::array<tile_program*, 3> programs(block_plan& plan) { return {&plan.forward, &plan.jvp, &plan.vjp}; }

/// An instruction for which `fits(instruction, program)`.
template <class Fits>
codegen::instruction* instruction_where(block_plan& plan, noise& source, Fits const& fits) {
  return any_of<codegen::instruction>(source, [&](auto const& add) {
    for (tile_program* p : programs(plan))
      for (codegen::stage& stage : p->code.stages)
        for (codegen::instruction& i : stage.instructions)
          if (fits(i, *p)) add(i);
  });
}

bool is_sum(opcode what) { return what == opcode::add || what == opcode::subtract || what == opcode::hadamard; }

/// A value in another's buffer of the same width.
bool wrong_slot(block_plan& plan, noise& source) {
  struct place {
    codegen::value* of;
    int slot;
  };
  std::vector<place> found;
  for (tile_program* p : programs(plan))
    for (std::size_t at = 0; at < p->code.stages.size(); ++at)
      for (codegen::instruction const& i : p->code.stages[at].instructions)
        for (int result : i.results) {
          codegen::value& v = p->code[result];
          if (v.slot < 0 || v.base >= 0 || (v.place != home::tile && v.place != home::held)) continue;
          auto const& buffers = p->memory[at].buffers;
          for (std::size_t slot = 0; slot < buffers.size(); ++slot)
            if (static_cast<int>(slot) != v.slot && buffers[slot].width == v.width) found.push_back({&v, static_cast<int>(slot)});
        }
  if (found.empty()) return false;
  place const chosen = found[source.bits() % found.size()];
  chosen.of->slot = chosen.slot;
  return true;
}

bool no_epilogue_part(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const&) { return !each.epilogue.empty(); });
  if (!i) return false;
  i->epilogue.erase(i->epilogue.begin() + static_cast<std::ptrdiff_t>(source.bits() % i->epilogue.size()));
  return true;
}

bool no_bias(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const&) { return each.with_bias; });
  if (i) i->with_bias = false;
  return i != nullptr;
}

bool swapped_operands(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const&) {
    return each.what == opcode::subtract && each.inputs[0] != each.inputs[1];
  });
  if (i) std::swap(i->inputs[0], i->inputs[1]);
  return i != nullptr;
}

bool another_operation(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const&) { return is_sum(each.what); });
  if (i) i->what = i->what == opcode::add ? opcode::subtract : opcode::add;
  return i != nullptr;
}

bool no_instruction(block_plan& plan, noise& source) {
  auto* const stage = any_of<codegen::stage>(source, [&](auto const& add) {
    for (tile_program* p : programs(plan))
      for (codegen::stage& each : p->code.stages)
        if (!each.instructions.empty()) add(each);
  });
  if (!stage) return false;
  stage->instructions.erase(stage->instructions.begin() +
                            static_cast<std::ptrdiff_t>(source.bits() % stage->instructions.size()));
  return true;
}

bool no_gradient_sum(block_plan& plan, noise& source) {
  auto* const stage = any_of<codegen::stage>(source, [&](auto const& add) {
    for (codegen::stage& each : plan.vjp.code.stages)
      if (!each.sums.empty()) add(each);
  });
  if (!stage) return false;
  stage->sums.erase(stage->sums.begin() + static_cast<std::ptrdiff_t>(source.bits() % stage->sums.size()));
  return true;
}

/// Every layer reads what belongs to the first.
template <std::map<int, indexed> codegen::stage_memory::* List>
bool no_step(block_plan& plan, noise& source) {
  auto* const at = any_of<indexed>(source, [&](auto const& add) {
    for (tile_program* p : programs(plan))
      for (codegen::stage_memory& each : p->memory)
        for (auto& [key, found] : each.*List)
          if (found.step != 0) add(found);
  });
  if (!at) return false;
  if (at->step < 0) at->first += at->step;
  at->step = 0;
  return true;
}

bool a_layer_less(block_plan& plan, noise& source) {
  auto* const segment = any_of<codegen::segment>(source, [&](auto const& add) {
    for (tile_program* p : programs(plan))
      for (codegen::segment& each : p->code.segments)
        if (each.times > 1) add(each);
  });
  if (segment) --segment->times;
  return segment != nullptr;
}

bool joined_elsewhere(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const& p) {
    return each.what == opcode::join && each.inputs.size() > 1 && each.inputs[0].value != each.inputs[1].value &&
           p.code[each.inputs[0].value].width.extent == p.code[each.inputs[1].value].width.extent;
  });
  if (i) std::swap(i->columns[0], i->columns[1]);
  return i != nullptr;
}

bool other_columns(block_plan& plan, noise& source) {
  struct place {
    tile_program* program;
    int value;
  };
  std::vector<place> found;
  for (tile_program* p : programs(plan))
    for (codegen::stage const& stage : p->code.stages)
      for (codegen::instruction const& i : stage.instructions)
        for (codegen::operand const& each : i.inputs)
          if (each.how == codegen::access::tile && p->code[each.value].base >= 0 && p->code[each.value].first > 0)
            found.push_back({p, each.value});
  if (found.empty()) return false;
  place const chosen = found[source.bits() % found.size()];
  chosen.program->code[chosen.value].first = 0;
  return true;
}

bool no_partial(block_plan& plan, noise& source) {
  auto* const i = instruction_where(plan, source, [](auto const& each, auto const&) {
    return each.what == opcode::norm_vjp && std::ranges::any_of(each.partials, [](int p) { return p >= 0; });
  });
  if (!i) return false;
  *std::ranges::find_if(i->partials, [](int p) { return p >= 0; }) = -1;
  return true;
}

/// The keys of a step are kept from the wrong place.
bool cached_elsewhere(block_plan& plan, noise& source) {
  for (codegen::cached_value& each : plan.cached)
    for (codegen::cached_value& other : plan.cached)
      if (&each != &other && each.width == other.width && each.tokens == other.tokens) {
        (void)source.bits();
        std::swap(each.written, other.written);
        return true;
      }
  return false;
}

constexpr std::array list{
    mutation{"a value in another's buffer", wrong_slot},
    mutation{"an epilogue part is missing", no_epilogue_part},
    mutation{"a bias is missing", no_bias},
    mutation{"a difference is turned around", swapped_operands},
    mutation{"another operation", another_operation},
    mutation{"an instruction is missing", no_instruction},
    mutation{"a gradient sum is missing", no_gradient_sum},
    mutation{"a parameter's step is missing", no_step<&codegen::stage_memory::parameters>},
    mutation{"a matrix's step is missing", no_step<&codegen::stage_memory::rows>},
    mutation{"a layer less", a_layer_less},
    mutation{"columns joined in other places", joined_elsewhere},
    mutation{"other columns of a value", other_columns},
    mutation{"a norm's gain has no gradient", no_partial},
    mutation{"keys and values exchanged in the cache", cached_elsewhere},
};

}  // namespace

std::span<mutation const> all_mutations() { return list; }

}  // namespace residua::runner_test
