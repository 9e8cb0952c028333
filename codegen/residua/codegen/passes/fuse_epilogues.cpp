#include <algorithm>
#include <optional>
#include <residua/codegen/passes/fuse_epilogues.hpp>

namespace residua::codegen {

namespace {

bool is_product(instruction const& i) { return i.what == code::multiply || i.what == code::multiply_transposed; }

/// The pointwise operation of `i` as a part of an epilogue of the product that gives `product`.
std::optional<epilogue_part> as_part(instruction const& i, int product) {
  auto const mentions = std::ranges::count(i.inputs, product);
  if (mentions != 1) return std::nullopt;
  switch (i.what) {
    case code::activate:
    case code::scale:
    case code::scale_by:
    case code::scale_columns: return epilogue_part{.what = i.what, .node = i.node};
    case code::add:
    case code::subtract:
    case code::hadamard: {
      bool const first = i.inputs[0] == product;
      return epilogue_part{.what = i.what, .node = i.node, .other = i.inputs[first ? 1 : 0], .reversed = !first};
    }
    case code::slope:
      if (i.inputs[1] != product) return std::nullopt;
      return epilogue_part{.what = i.what, .node = i.node, .other = i.inputs[0]};
    default: return std::nullopt;
  }
}

int count_uses(program const& p, int value) {
  int uses = 0;
  for (stage const& each : p.stages) {
    for (instruction const& i : each.instructions)
      for (int read : reads_of(i)) uses += p.base_of(read) == value;
    for (gradient_sum const& sum : each.sums) uses += (sum.a == value) + (sum.b == value);
  }
  return uses;
}

/// Whether a value is finished before instruction `position` of a stage starts; arguments and those of earlier stages are.
bool is_before(program const& p, stage const& within, int value, std::size_t position) {
  for (std::size_t i = position; i < within.instructions.size(); ++i)
    for (int written : writes_of(within.instructions[i]))
      if (written == p.base_of(value)) return false;
  return true;
}

void fuse_epilogues(program& p, stage& within) {
  std::vector<instruction>& list = within.instructions;
  for (std::size_t at = 0; at < list.size(); ++at) {
    if (!is_product(list[at])) continue;
    for (std::size_t next = at + 1; next < list.size();) {
      int const product = list[at].result;
      std::optional<epilogue_part> const part = as_part(list[next], product);
      if (!part || (part->other >= 0 && !is_before(p, within, part->other, at))) {
        ++next;
        continue;
      }
      if (count_uses(p, product) > 1 || p[product].place != home::tile)
        list[at].epilogue.push_back({.other = product, .keep = true});
      list[at].epilogue.push_back(*part);
      list[at].result = list[next].result;
      list.erase(list.begin() + static_cast<std::ptrdiff_t>(next));
      next = at + 1;
    }
  }
}

}  // namespace

void fuse_epilogues(program& p) {
  for (stage& each : p.stages) fuse_epilogues(p, each);
}

}  // namespace residua::codegen
