#include <algorithm>
#include <map>
#include <residua/codegen/passes/split_stages.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

/// A stage's place: how many others have to be done before, and whose tokens it runs over.
using place = std::pair<int, rows_of>;

class splitting {
 public:
  explicit splitting(program& p) : p_(p), level_(p.values.size(), 0) {}

  void run() {
    stage const all = std::move(p_.stages[0]);
    std::map<place, stage> stages;
    for (instruction const& i : all.instructions) {
      place const at{level_of(i), rows_of_instruction(i)};
      for (int value : writes_of(i)) level_[base(value)] = at.first;
      stages[at].instructions.push_back(i);
    }
    for (gradient_sum const& sum : all.sums) {
      if (sum.b < 0) continue;  // a share: below, for each stage that has one
      place const at{std::max(level_[base(sum.a)], level_[base(sum.b)]), p_[sum.a].rows};
      stages[at].sums.push_back(sum);
    }
    for (auto& [at, each] : stages) each.rows = at.second;
    give_shares(stages, all.sums);
    for (auto const& [at, each] : stages) make_whole(at.first, each);
    p_.stages.clear();
    for (auto& [at, each] : stages) p_.stages.push_back(std::move(each));
    if (p_.stages.empty()) p_.stages.resize(1);
  }

 private:
  std::size_t base(int value) const { return static_cast<std::size_t>(p_.base_of(value)); }

  int level_of(instruction const& i) const {
    int level = 0;
    for (std::size_t k = 0; k < i.inputs.size(); ++k) {
      bool const there = is_argument(p_[p_.base_of(i.inputs[k])].place);
      if (!there) level = std::max(level, level_[base(i.inputs[k])] + (reads_whole(i.what, k) ? 1 : 0));
    }
    return level;
  }

  rows_of rows_of_instruction(instruction const& i) const {
    rows_of const rows = i.result >= 0 ? p_[i.result].rows : p_[i.inputs[0]].rows;
    for (std::size_t k = 0; k < i.inputs.size(); ++k)
      if (!reads_whole(i.what, k) && p_[i.inputs[k]].rows != rows)
        throw std::invalid_argument(
            "residua: " + p_[i.inputs[k]].name +
            " has the tokens of another stream than what it is combined with; only an attention reads both");
    return rows;
  }

  /// A vector's share of a gradient lies in the scratch of one stage.
  void give_shares(std::map<place, stage>& stages, std::vector<gradient_sum> const& sums) {
    std::map<int, place> first;
    std::map<std::pair<int, place>, int> shares;
    for (auto& [at, each] : stages)
      for (instruction& i : each.instructions)
        for (int& partial : i.partials) {
          if (partial < 0) continue;
          auto const known = shares.find({partial, at});
          int const own = partial;
          if (known != shares.end()) {
            partial = known->second;
            continue;
          }
          if (!first.try_emplace(own, at).second) {
            value copy = p_[own];
            auto taken = [&] { return std::ranges::find(p_.values, copy.name, &value::name) != p_.values.end(); };
            while (taken()) copy.name += "_" + std::to_string(std::distance(stages.begin(), stages.find(at)));
            partial = p_.add_value(std::move(copy));
          }
          shares[{own, at}] = partial;
          for (gradient_sum const& sum : sums)
            if (sum.b < 0 && sum.a == own) each.sums.push_back({sum.parameter, partial, -1});
        }
  }

  /// What this stage reads for all tokens, or from an earlier stage, is kept for all tokens.
  void make_whole(int level, stage const& reader) {
    auto keep = [&](int value, bool whole) {
      std::size_t const owner = base(value);
      home& lives = p_.values[owner].place;
      if ((lives == home::tile || lives == home::kept) && (whole || level_[owner] < level)) lives = home::whole;
    };
    for (instruction const& i : reader.instructions) {
      for (std::size_t k = 0; k < i.inputs.size(); ++k) keep(i.inputs[k], reads_whole(i.what, k));
      for (epilogue_part const& part : i.epilogue)
        if (part.other >= 0 && !part.keep) keep(part.other, false);
    }
    for (gradient_sum const& sum : reader.sums)
      if (sum.b >= 0) {
        keep(sum.a, false);
        keep(sum.b, false);
      }
  }

  program& p_;
  std::vector<int> level_;  // of each value: its stage's place
};

}  // namespace

void split_stages(program& p) { splitting(p).run(); }

}  // namespace residua::codegen
