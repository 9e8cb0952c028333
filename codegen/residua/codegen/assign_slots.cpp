#include <algorithm>
#include <residua/codegen/assign_slots.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

/// The values that an instruction reads, its epilogue included.
std::vector<int> reads_of(instruction const& i) {
  std::vector<int> list = i.inputs;
  for (epilogue_part const& part : i.epilogue)
    if (part.other >= 0 && !part.keep) list.push_back(part.other);
  return list;
}

std::vector<int> writes_of(instruction const& i) {
  std::vector<int> list;
  if (i.result >= 0) list.push_back(i.result);
  for (epilogue_part const& part : i.epilogue)
    if (part.keep) list.push_back(part.other);
  return list;
}

}  // namespace

std::vector<slot> assign_slots(program& p) {
  std::vector<std::size_t> last_read(p.values.size(), 0);
  for (std::size_t at = 0; at < p.instructions.size(); ++at)
    for (int value : reads_of(p.instructions[at])) last_read[static_cast<std::size_t>(value)] = at;

  std::vector<slot> slots;
  std::vector<std::size_t> free_after;  // the last instruction that reads the slot's present value
  for (std::size_t at = 0; at < p.instructions.size(); ++at)
    for (int value : writes_of(p.instructions[at])) {
      if (p[value].place != home::tile) continue;
      std::size_t chosen = 0;
      while (chosen < slots.size() && !(slots[chosen].width == p[value].width && free_after[chosen] < at)) ++chosen;
      if (chosen == slots.size()) {
        slots.push_back({p[value].width});
        free_after.push_back(0);
      }
      p[value].slot = static_cast<int>(chosen);
      free_after[chosen] = std::max(at, last_read[static_cast<std::size_t>(value)]);
    }
  return slots;
}

void check_program(program const& p) {
  std::vector<bool> written(p.values.size(), false);
  for (std::size_t i = 0; i < p.values.size(); ++i) {
    home const place = p.values[i].place;
    written[i] = place == home::input || place == home::tangent || place == home::cotangent || place == home::partial;
  }
  auto fail = [&](std::string const& what, int value) {
    throw std::logic_error("residua: internal error: " + p[value].name + " " + what);
  };
  for (instruction const& i : p.instructions) {
    for (int value : reads_of(i))
      if (!written[static_cast<std::size_t>(value)]) fail("is read before it is written", value);
    for (int value : writes_of(i)) {
      if (written[static_cast<std::size_t>(value)]) fail("is written twice", value);
      written[static_cast<std::size_t>(value)] = true;
    }
  }
  for (gradient_sum const& sum : p.sums)
    for (int value : {sum.a, sum.b})
      if (value >= 0 && !written[static_cast<std::size_t>(value)]) fail("is summed but never written", value);
}

}  // namespace residua::codegen
