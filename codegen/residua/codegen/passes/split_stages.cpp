#include <algorithm>
#include <map>
#include <residua/codegen/names.hpp>
#include <residua/codegen/passes/split_stages.hpp>
#include <stdexcept>

namespace residua::codegen {

namespace {

/// Where an instruction runs: how many others have to be done before, whose tokens it runs over, for which layer. What has the
/// same level is independent.
struct place {
  int level = 0;
  int tokens = 0;
  layer_of layer{};

  /// The block's own stream comes last in a level, next to its layer's other stages: what is computed of another stream alone
  /// has the first level in every layer.
  auto operator<=>(place const& other) const {
    if (level != other.level) return level <=> other.level;
    if (tokens != other.tokens) return other.tokens <=> tokens;
    return layer <=> other.layer;
  }
  bool operator==(place const&) const = default;
};

class splitting {
 public:
  explicit splitting(program& p) : p_(p), written_(p.values.size()) {}

  void run() {
    stage const all = std::move(p_.stages[0]);
    for (instruction const& i : all.instructions) {
      place const at = place_of(i);
      for (int value : writes_of(i)) written_[base(value)] = at;
      stages_[at].instructions.push_back(i);
    }
    for (gradient_sum const& sum : all.sums)
      if (sum.b >= 0) stages_[place_of(sum)].sums.push_back(sum);
    give_shares(all.sums);
    for (auto& [at, each] : stages_) {
      each.tokens = at.tokens;
      each.layer = at.layer;
      make_whole(at.level, each);
    }
    p_.stages.clear();
    for (auto& [at, each] : stages_) p_.stages.push_back(std::move(each));
    if (p_.stages.empty()) p_.stages.resize(1);
  }

 private:
  std::size_t base(int value) const { return static_cast<std::size_t>(p_.base_of(value)); }

  /// The first level at which something of this layer can read a value.
  int level_after(operand const& read, layer_of layer) const {
    if (p_[p_.base_of(read.value)].place == home::argument) return 0;
    place const& when = written_[base(read.value)];
    return when.level + (read.how == access::whole || when.layer != layer ? 1 : 0);
  }

  place place_of(instruction const& i) const {
    place at{0, i.results.empty() ? p_[i.inputs[0].value].tokens : p_[i.results[0]].tokens, i.layer};
    for (operand const& read : reads_of(i)) {
      if (read.how == access::tile && p_[read.value].tokens != at.tokens)
        throw std::invalid_argument(
            "residua: " + p_[read.value].name +
            " has the tokens of another stream than what it is combined with; only an attention reads both");
      at.level = std::max(at.level, level_after(read, at.layer));
    }
    return at;
  }

  place place_of(gradient_sum const& sum) const {
    return {std::max(level_after(tile_of(sum.a), sum.layer), level_after(tile_of(sum.b), sum.layer)), p_[sum.a].tokens,
            sum.layer};
  }

  /// A vector's share of a gradient lies in the scratch of one stage.
  void give_shares(std::vector<gradient_sum> const& sums) {
    std::set<std::string, std::less<>> taken;
    for (value const& each : p_.values) taken.insert(each.name);
    unique_names names(std::move(taken));
    std::set<int> given;
    for (auto& [at, each] : stages_) {
      std::map<int, int> own;  // of this stage, in place of the program's
      for (instruction& i : each.instructions)
        for (int& partial : i.partials) {
          if (partial < 0) continue;
          int const shared = partial;
          auto const [known, fresh] = own.try_emplace(shared, shared);
          if (fresh) {
            if (!given.insert(shared).second) {
              value copy = p_[shared];
              copy.name = names(copy.name);
              known->second = p_.add_value(std::move(copy));
            }
            for (gradient_sum const& sum : sums)
              if (sum.b < 0 && sum.a == shared)
                each.sums.push_back({.parameter = sum.parameter, .a = known->second, .layer = at.layer});
          }
          partial = known->second;
        }
    }
  }

  /// What this stage reads for all tokens, or from an earlier stage, is kept for all tokens.
  void make_whole(int level, stage const& reader) {
    auto keep = [&](operand const& read) {
      std::size_t const owner = base(read.value);
      home& lives = p_.values[owner].place;
      if ((lives == home::tile || lives == home::held) && (read.how == access::whole || written_[owner].level < level))
        lives = home::whole;
    };
    for (instruction const& i : reader.instructions)
      for (operand const& read : reads_of(i)) keep(read);
    for (gradient_sum const& sum : reader.sums)
      if (sum.b >= 0) {
        keep(tile_of(sum.a));
        keep(tile_of(sum.b));
      }
  }

  program& p_;
  std::vector<place> written_;  // of each value: where it is
  std::map<place, stage> stages_;
};

}  // namespace

void split_stages(program& p) { splitting(p).run(); }

}  // namespace residua::codegen
