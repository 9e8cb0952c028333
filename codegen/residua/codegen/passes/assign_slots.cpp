#include <algorithm>
#include <residua/codegen/passes/assign_slots.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

std::vector<slot> assign_slots(program& p, stage const& within) {
  std::vector<std::size_t> last_read(p.values.size(), 0);
  for (std::size_t at = 0; at < within.instructions.size(); ++at)
    for (int value : reads_of(within.instructions[at])) last_read[static_cast<std::size_t>(p.base_of(value))] = at;

  std::vector<slot> slots;
  std::vector<std::size_t> free_after;  // the last instruction that reads the slot's present value
  for (std::size_t at = 0; at < within.instructions.size(); ++at)
    for (int value : writes_of(within.instructions[at])) {
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

/// Whether a value is gone when its stage is over.
bool is_of_one_stage(home place) { return place == home::tile || place == home::kept; }

}  // namespace

std::vector<std::vector<slot>> assign_slots(program& p) {
  std::vector<std::vector<slot>> slots;
  for (stage const& each : p.stages) slots.push_back(assign_slots(p, each));
  return slots;
}

void check_program(program const& p) {
  constexpr int never = -1, always = -2;
  std::vector<int> written(p.values.size(), never);  // the stage
  for (std::size_t i = 0; i < p.values.size(); ++i)
    if (is_argument(p.values[i].place) || p.values[i].place == home::partial) written[i] = always;
  auto fail = [&](std::string const& what, int value) {
    throw std::logic_error("residua: internal error: " + p[value].name + " " + what);
  };
  auto read = [&](int value, int now, bool whole) {
    int const owner = p.base_of(value);
    int const when = written[static_cast<std::size_t>(owner)];
    if (when == never) fail("is read before it is written", owner);
    if (when == always) return;
    if (is_of_one_stage(p[owner].place) && when != now) fail("is read in another stage than it lives in", owner);
    if (whole && when == now) fail("is read whole in the stage that writes it", owner);
  };
  for (int now = 0; now < static_cast<int>(p.stages.size()); ++now) {
    stage const& each = p.stages[static_cast<std::size_t>(now)];
    for (instruction const& i : each.instructions) {
      for (std::size_t k = 0; k < i.inputs.size(); ++k) read(i.inputs[k], now, p.stages.size() > 1 && reads_whole(i.what, k));
      for (epilogue_part const& part : i.epilogue)
        if (part.other >= 0 && !part.keep) read(part.other, now, false);
      for (int value : writes_of(i)) {
        if (written[static_cast<std::size_t>(value)] != never) fail("is written twice", value);
        written[static_cast<std::size_t>(value)] = now;
      }
    }
    for (gradient_sum const& sum : each.sums)
      for (int value : {sum.a, sum.b})
        if (value >= 0 && written[static_cast<std::size_t>(p.base_of(value))] == never)
          fail("is summed but never written", value);
  }
}

}  // namespace residua::codegen
