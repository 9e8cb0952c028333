#include <algorithm>
#include <residua/codegen/passes/assign_buffers.hpp>

namespace residua::codegen {

namespace {

std::vector<slot> buffers_of(program& p, stage const& within) {
  std::vector<std::size_t> last_read(p.values.size(), 0);
  for (std::size_t at = 0; at < within.instructions.size(); ++at)
    for (operand const& read : reads_of(within.instructions[at])) last_read[static_cast<std::size_t>(p.base_of(read.value))] = at;

  std::vector<slot> slots;
  std::vector<std::size_t> free_after;  // the last instruction that reads the slot's present value
  for (std::size_t at = 0; at < within.instructions.size(); ++at)
    for (int value : writes_of(within.instructions[at])) {
      home const place = p[value].place;
      if (place != home::tile && place != home::held) continue;
      std::size_t chosen = place == home::held ? slots.size() : 0;
      while (chosen < slots.size() && !(slots[chosen].width == p[value].width && free_after[chosen] < at)) ++chosen;
      if (chosen == slots.size()) {
        slots.push_back({p[value].width});
        free_after.push_back(0);
      }
      p[value].slot = static_cast<int>(chosen);
      std::size_t const end = place == home::held ? within.instructions.size() : last_read[static_cast<std::size_t>(value)];
      free_after[chosen] = std::max(at, end);
    }
  return slots;
}

std::vector<axis_value> partials_of(program& p, stage const& within) {
  std::vector<axis_value> widths;
  for (instruction const& i : within.instructions)
    for (int partial : i.partials) {
      if (partial < 0 || p[partial].slot >= 0) continue;
      p[partial].slot = static_cast<int>(widths.size());
      widths.push_back(p[partial].width);
    }
  return widths;
}

}  // namespace

stage_memory assign_buffers(program& p, stage const& within) {
  return {.buffers = buffers_of(p, within), .partials = partials_of(p, within)};
}

}  // namespace residua::codegen
