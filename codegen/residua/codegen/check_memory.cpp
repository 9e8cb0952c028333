#include <algorithm>
#include <residua/codegen/check_program.hpp>
#include <residua/codegen/internal_error.hpp>

namespace residua::codegen {

namespace {

/// While a value stands in its buffer: from the instruction that writes it to the last that reads it.
struct life {
  int value = -1;
  std::size_t begin = 0;
  std::size_t end = 0;
};

std::vector<life> lives_in(program const& p, stage const& within) {
  std::vector<life> lives;
  for (std::size_t at = 0; at < within.instructions.size(); ++at) {
    for (operand const& read : reads_of(within.instructions[at]))
      for (life& each : lives)
        if (each.value == p.base_of(read.value)) each.end = std::max(each.end, at);
    for (int value : writes_of(within.instructions[at])) {
      if (p[value].place == home::tile) lives.push_back({value, at, at});
      if (p[value].place == home::held) lives.push_back({value, at, within.instructions.size()});
    }
  }
  return lives;
}

void check_buffers(program const& p, stage const& within, stage_memory const& memory) {
  std::vector<life> const lives = lives_in(p, within);
  for (std::size_t i = 0; i < lives.size(); ++i) {
    value const& one = p[lives[i].value];
    if (one.slot < 0 || one.slot >= static_cast<int>(memory.buffers.size())) internal_error(one.name + " has no buffer");
    if (!(memory.buffers[static_cast<std::size_t>(one.slot)].width == one.width))
      internal_error(one.name + " is not as wide as its buffer");
    for (std::size_t k = 0; k < i; ++k)
      if (p[lives[k].value].slot == one.slot && lives[k].begin <= lives[i].end && lives[i].begin <= lives[k].end)
        internal_error(p[lives[k].value].name + " and " + one.name + " share a buffer while both are alive");
  }
  for (gradient_sum const& sum : within.sums)
    for (int value : {sum.a, sum.b})
      if (value >= 0 && p[p.base_of(value)].place == home::tile) internal_error(p[value].name + " is summed but not held");
}

void check_partials(program const& p, stage const& within, stage_memory const& memory) {
  std::map<int, int> owners;  // of each partial of the stage
  for (instruction const& i : within.instructions)
    for (int partial : i.partials) {
      if (partial < 0) continue;
      value const& each = p[partial];
      if (each.slot < 0 || each.slot >= static_cast<int>(memory.partials.size())) internal_error(each.name + " has no partial");
      if (!(memory.partials[static_cast<std::size_t>(each.slot)] == each.width))
        internal_error(each.name + " is not as wide as its partial");
      if (owners.try_emplace(each.slot, partial).first->second != partial)
        internal_error(p[owners[each.slot]].name + " and " + each.name + " share a partial");
    }
}

/// What an entry is: one that holds values, and the columns of it.
struct region {
  int entry = -1;
  std::int64_t first = 0;
  axis_value width;

  bool operator==(region const&) const = default;
};

/// The table, entry by entry.
std::vector<region> regions_of(tile_program const& p) {
  std::vector<region> regions;
  for (whole_row const& row : p.whole) {
    if (row.entry != static_cast<int>(regions.size()))
      internal_error("the entries of " + row.name + " overlap those of another row");
    bool const is_alias = row.is == whole_row::kind::part || row.is == whole_row::kind::seen;
    for (int layer = 0; layer < row.layers; ++layer) {
      int const own = static_cast<int>(regions.size());
      if (is_alias && (row.of < 0 || row.of + layer >= own)) internal_error(row.name + " is a part of no entry");
      regions.push_back(is_alias ? region{row.of + layer, row.first, row.width} : region{own, 0, row.width});
    }
  }
  return regions;
}

/// Whether what stages find is what they look for, turn by turn.
class entry_check {
 public:
  explicit entry_check(tile_program const& p) : p_(p), regions_(regions_of(p)) {}

  void run() {
    for (segment const& each : p_.code.segments)
      for (int turn = 0; turn < each.times; ++turn)
        for (std::size_t at = each.first; at < each.first + each.size; ++at) check(each, turn, at);
  }

 private:
  value const& value_at(int at) const { return p_.code[at]; }

  void check(segment const& within, int turn, std::size_t at) {
    stage_memory const& memory = p_.memory[at];
    auto rows = [&](int of_first) {
      int const owner = p_.code.base_of(of_first);
      if (is_whole(value_at(owner).place)) check_place(memory.rows, owner, segment::in_turn(within.values, owner, turn), turn);
    };
    for (instruction const& i : p_.code.stages[at].instructions) {
      for (operand const& each : reads_of(i))
        if (each.how == access::tile) rows(each.value);
        else check_place(memory.all, each.value, segment::in_turn(within.values, each.value, turn), turn);
      for (int value : writes_of(i)) rows(value);
    }
    for (gradient_sum const& sum : p_.code.stages[at].sums) {
      rows(sum.a);
      if (sum.b >= 0) rows(sum.b);
    }
    for (auto const& [parameter, place] : memory.parameters)
      if (place.first + place.step * turn != segment::in_turn(within.parameters, parameter, turn))
        internal_error("parameter " + std::to_string(parameter) + " is not found in turn " + std::to_string(turn));
  }

  /// The value of a turn stands at its place: in columns that are its own, or its base's.
  void check_place(std::map<int, indexed> const& places, int of_first, int value, int turn) {
    auto const found = places.find(of_first);
    if (found == places.end()) internal_error(value_at(value).name + " is not listed where its stage looks");
    int const entry = found->second.first + found->second.step * turn;
    if (entry < 0 || entry >= static_cast<int>(regions_.size()))
      internal_error(value_at(value).name + " has an entry behind the table");
    region const& here = regions_[static_cast<std::size_t>(entry)];
    int const owner = p_.code.base_of(value);
    std::int64_t const first = owner == value ? 0 : value_at(value).first;
    if (here.first != first || !(here.width == value_at(value).width))
      internal_error(value_at(value).name + " has other columns than its entry");
    auto const [known, fresh] = owners_.try_emplace(here.entry, owner);
    if (known->second != owner) internal_error(value_at(known->second).name + " and " + value_at(owner).name + " share an entry");
    auto const [at, is_new] = entries_.try_emplace(owner, here.entry);
    if (at->second != here.entry) internal_error(value_at(owner).name + " has two entries");
  }

  tile_program const& p_;
  std::vector<region> regions_;
  std::map<int, int> owners_;   // of each entry that holds values: the value
  std::map<int, int> entries_;  // and the other way round
};

}  // namespace

void check_memory(tile_program const& p) {
  for (std::size_t at = 0; at < p.code.stages.size(); ++at) {
    check_buffers(p.code, p.code.stages[at], p.memory[at]);
    check_partials(p.code, p.code.stages[at], p.memory[at]);
  }
  entry_check(p).run();
}

}  // namespace residua::codegen
