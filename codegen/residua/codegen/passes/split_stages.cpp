#include <algorithm>
#include <map>
#include <optional>
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
    stage all = std::move(p_.stages[0]);
    std::vector<place> places;
    for (instruction const& i : all.instructions) {
      places.push_back(place_of(i));
      note_place(i, places.back());
    }
    delay(all.instructions, places);
    for (std::size_t at = 0; at < places.size(); ++at)
      stages_[places[at]].instructions.push_back(std::move(all.instructions[at]));
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

  void note_place(instruction const& i, place const& at) {
    for (int value : writes_of(i)) written_[base(value)] = at;
  }

  /// What is made of nothing, or of cotangents that come in alone, could run first of all, and would have to be kept for all
  /// tokens until the points are there. It runs where it is needed first.
  void delay(std::vector<instruction> const& list, std::vector<place>& places) {
    std::vector<char> const of_cotangents = made_of_cotangents(list);
    std::map<int, int> needed;                     // of each value: the last level that it can have
    std::map<std::pair<int, layer_of>, int> next;  // of a token space and layer: the level of the instruction behind
    for (std::size_t at = list.size(); at-- > 0;) {
      instruction const& i = list[at];
      place& here = places[at];
      if (of_cotangents[at] != 0) {
        std::optional<int> last;
        if (i.results.empty() && next.contains({here.tokens, here.layer})) last = next.at({here.tokens, here.layer});
        for (int value : i.results) {
          bool const waits = p_[value].place != home::result && needed.contains(value);
          int const level = waits ? needed.at(value) : here.level;
          last = std::min(last.value_or(level), level);
        }
        here.level = std::max(here.level, last.value_or(here.level));
        note_place(i, here);
      }
      for (operand const& read : i.inputs) {
        int const owner = p_.base_of(read.value);
        int const level = here.level - (read.how == access::whole || written_[base(owner)].layer != here.layer ? 1 : 0);
        auto const [known, fresh] = needed.try_emplace(owner, level);
        if (!fresh) known->second = std::min(known->second, level);
      }
      next[{here.tokens, here.layer}] = here.level;
    }
  }

  /// Of each instruction.
  std::vector<char> made_of_cotangents(std::vector<instruction> const& list) const {
    std::set<int> values;
    for (int at = 0; at < static_cast<int>(p_.values.size()); ++at)
      if (p_[at].place == home::argument && p_[at].at.is == port::kind::cotangent) values.insert(at);
    std::vector<char> made;
    for (instruction const& i : list) {
      bool const all =
          std::ranges::all_of(i.inputs, [&](operand const& read) { return values.contains(p_.base_of(read.value)); });
      made.push_back(all ? 1 : 0);
      if (all) values.insert(i.results.begin(), i.results.end());
    }
    return made;
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
