#include <algorithm>
#include <optional>
#include <residua/codegen/fuse_epilogues.hpp>

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
  for (instruction const& i : p.instructions) {
    uses += static_cast<int>(std::ranges::count(i.inputs, value));
    for (epilogue_part const& part : i.epilogue) uses += part.other == value && !part.keep;
  }
  for (gradient_sum const& sum : p.sums) uses += (sum.a == value) + (sum.b == value);
  return uses;
}

/// Whether a value is finished before instruction `position` starts; arguments always are.
bool is_before(program const& p, int value, std::size_t position) {
  for (std::size_t i = position; i < p.instructions.size(); ++i) {
    if (p.instructions[i].result == value) return false;
    for (epilogue_part const& part : p.instructions[i].epilogue)
      if (part.keep && part.other == value) return false;
  }
  return true;
}

}  // namespace

void fuse_epilogues(program& p) {
  for (std::size_t at = 0; at < p.instructions.size(); ++at) {
    if (!is_product(p.instructions[at])) continue;
    for (std::size_t next = at + 1; next < p.instructions.size();) {
      int const product = p.instructions[at].result;
      std::optional<epilogue_part> const part = as_part(p.instructions[next], product);
      if (!part || (part->other >= 0 && !is_before(p, part->other, at))) {
        ++next;
        continue;
      }
      if (count_uses(p, product) > 1 || p[product].place != home::tile)
        p.instructions[at].epilogue.push_back({.other = product, .keep = true});
      p.instructions[at].epilogue.push_back(*part);
      p.instructions[at].result = p.instructions[next].result;
      p.instructions.erase(p.instructions.begin() + static_cast<std::ptrdiff_t>(next));
      next = at + 1;
    }
  }
}

}  // namespace residua::codegen
