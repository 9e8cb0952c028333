#include <algorithm>
#include <optional>
#include <residua/codegen/internal_error.hpp>
#include <residua/codegen/names.hpp>
#include <residua/codegen/passes/assign_buffers.hpp>
#include <residua/codegen/passes/assign_memory.hpp>
#include <tuple>

namespace residua::codegen {

namespace {

/// Some columns of an entry that holds values, or all of them; or what a cache holds in place of them.
struct view {
  int of = -1;
  std::int64_t first = 0;
  bool is_part = false;
  bool is_seen = false;

  bool is_entry() const { return !is_part && !is_seen; }
  auto operator<=>(view const&) const = default;
};

class assignment {
 public:
  assignment(program p, block_plan const& block, std::vector<cached_value>& cached)
      : block_(block), cached_(cached), done_{.code = std::move(p)}, entry_(done_.code.values.size(), -1) {}

  tile_program run() {
    program& p = done_.code;
    add_ports(home::argument);
    add_ports(home::result);
    for (segment const& each : p.segments) add_values_between(each);
    for (stage const& each : p.stages) done_.memory.push_back(assign_buffers(p, each));
    for (segment const& each : p.segments)
      for (std::size_t at = each.first; at < each.first + each.size; ++at) find_all(each, p.stages[at], done_.memory[at]);
    for (cached_value& each : cached_) {
      value const& kept = p[each.value];
      each.written = find({view_of(each.value)}, kept, kept.name).first;
      each.seen = find({seen(each.value)}, kept, kept.name + "_seen").first;
    }
    return std::move(done_);
  }

 private:
  program const& code() const { return done_.code; }
  value const& value_at(int at) const { return done_.code[at]; }
  int& entry(int value) { return entry_[static_cast<std::size_t>(value)]; }

  // Rows that hold values.

  int add_row(whole_row row) {
    row.entry = entries_;
    if (!row.name.empty()) row.name = names_(row.name);
    entries_ += row.layers;
    done_.whole.push_back(std::move(row));
    return done_.whole.back().entry;
  }

  whole_row row_of(whole_row::kind is, value const& v) const {
    return {.is = is, .name = v.name, .meaning = v.meaning, .tokens = v.tokens, .width = v.width};
  }

  /// Arguments or results, by kind and then by stream: as the call has them.
  void add_ports(home place) {
    std::vector<int> list;
    for (int at = 0; at < static_cast<int>(code().values.size()); ++at)
      if (value_at(at).place == place) list.push_back(at);
    std::ranges::sort(list, {}, [&](int at) { return std::tuple(value_at(at).at.is, value_at(at).at.stream, at); });
    for (std::size_t k = 0; k < list.size(); ++k) {
      whole_row row = row_of(place == home::argument ? whole_row::kind::argument : whole_row::kind::result, value_at(list[k]));
      row.of = static_cast<int>(k);
      entry(list[k]) = add_row(std::move(row));
    }
  }

  /// The values that a segment's turns leave: turn by turn in one row, as far as they are no results.
  void add_values_between(segment const& within) {
    for (std::size_t at = within.first; at < within.first + within.size; ++at)
      for (instruction const& i : code().stages[at].instructions)
        for (int written : writes_of(i)) {
          bool continues = false;
          for (int turn = 0; turn < within.times; ++turn) {
            int const value = segment::in_turn(within.values, written, turn);
            bool const is_between = value_at(value).place == home::whole;
            if (is_between && continues) {
              ++done_.whole.back().layers;
              entry(value) = entries_++;
            } else if (is_between) {
              whole_row row = row_of(whole_row::kind::between, value_at(value));
              row.name = value_at(written).name;
              entry(value) = add_row(std::move(row));
            }
            continues = is_between;
          }
        }
  }

  // What stages find where.

  view view_of(int value) {
    int const owner = code().base_of(value);
    if (entry(owner) < 0) internal_error(value_at(owner).name + " has no entry");
    return {.of = entry(owner), .first = owner == value ? 0 : value_at(value).first, .is_part = owner != value};
  }
  view seen(int value) {
    view made = view_of(value);
    made.is_seen = true;
    return made;
  }

  /// The entry of each turn's view. What is no entry, or not at one distance from turn to turn, gets rows of its own.
  indexed find(std::vector<view> turns, value const& like, std::string const& name) {
    if (std::ranges::all_of(turns, [&](view const& each) { return each == turns[0]; })) turns.resize(1);
    if (std::optional<indexed> const there = entries_of(turns)) return *there;
    int const first = entries_;
    lists_[turns] = first;
    for (std::size_t t = 0; t < turns.size(); ++t) {
      known_.try_emplace(turns[t], entries_);
      if (t > 0 && is_next(turns[t - 1], turns[t])) {
        ++done_.whole.back().layers;
        ++entries_;
        continue;
      }
      whole_row row = row_of(turns[t].is_seen ? whole_row::kind::seen : whole_row::kind::part, like);
      row.name = t == 0 ? name : "";
      row.of = turns[t].of;
      row.first = turns[t].first;
      add_row(std::move(row));
    }
    return {first, turns.size() < 2 ? 0 : 1};
  }

  /// Whether two views are of two layers of one row.
  static bool is_next(view const& a, view const& b) {
    return b == view{.of = a.of + 1, .first = a.first, .is_part = a.is_part, .is_seen = a.is_seen};
  }

  whole_row const* row_at(int entry) const {
    auto const behind = std::ranges::upper_bound(done_.whole, entry, {}, [](whole_row const& row) { return row.entry; });
    return &*std::prev(behind);
  }

  /// Of views that have entries already, at one distance in one row.
  std::optional<indexed> entries_of(std::vector<view> const& turns) const {
    if (auto const list = lists_.find(turns); list != lists_.end()) return indexed{list->second, turns.size() < 2 ? 0 : 1};
    std::vector<int> entries;
    for (view const& each : turns) {
      auto const known = known_.find(each);
      if (!each.is_entry() && known == known_.end()) return std::nullopt;
      entries.push_back(each.is_entry() ? each.of : known->second);
    }
    int const step = turns.size() < 2 ? 0 : entries[1] - entries[0];
    for (std::size_t t = 1; t < turns.size(); ++t)
      if (entries[t] - entries[t - 1] != step || row_at(entries[t]) != row_at(entries[0])) return std::nullopt;
    return indexed{entries[0], step};
  }

  void find_all(segment const& within, stage const& here, stage_memory& memory) {
    for (instruction const& i : here.instructions) {
      for (operand const& each : reads_of(i))
        if (each.how == access::whole) find_whole(within, i, each.value, here, memory);
        else find_rows(within, each.value, here, memory);
      for (int value : writes_of(i)) find_rows(within, value, here, memory);
      find_of_node(within, i.node, memory);
      for (epilogue_part const& part : i.epilogue) find_of_node(within, part.node, memory);
    }
    for (gradient_sum const& sum : here.sums) {
      find_parameter(within, sum.parameter, memory);
      for (int value : {sum.a, sum.b})
        if (value >= 0) find_rows(within, value, here, memory);
    }
  }

  /// A value's own name; where turns have values of several rows, it is the stack's.
  std::string name_of_turns(std::vector<view> const& turns, value const& first, stage const& here) const {
    if (turns.size() < 2 || !turns[0].is_entry()) return first.name;
    graph::writer path;
    graph::write_path(path, block_.graph, here.layer.stack);
    std::string const stack = flat(std::string(path.view()));
    return first.name.find(stack) == std::string::npos ? stack + "_" + first.name : first.name;
  }

  void find_rows(segment const& within, int value, stage const& here, stage_memory& memory) {
    int const owner = code().base_of(value);
    if (!is_whole(value_at(owner).place) || memory.rows.contains(owner)) return;
    std::vector<view> turns;
    for (int turn = 0; turn < within.times; ++turn) turns.push_back(view_of(segment::in_turn(within.values, owner, turn)));
    memory.rows[owner] = find(turns, value_at(owner), name_of_turns(turns, value_at(owner), here));
  }

  void find_whole(segment const& within, instruction const& i, int value, stage const& here, stage_memory& memory) {
    if (memory.all.contains(value)) return;
    std::vector<view> turns;
    for (int turn = 0; turn < within.times; ++turn) {
      int const of_turn = segment::in_turn(within.values, value, turn);
      auto const reader =
          std::ranges::find(block_.attentions, segment::in_turn(within.nodes, i.node, turn), &attention_use::node);
      bool const keeps = std::ranges::find(cached_, of_turn, &cached_value::value) != cached_.end();
      bool const in_cache = keeps && (reader == block_.attentions.end() || reader->cached >= 0);
      turns.push_back(in_cache ? seen(of_turn) : view_of(of_turn));
    }
    std::string const name = name_of_turns(turns, value_at(value), here);
    memory.all[value] = find(turns, value_at(value), turns[0].is_seen ? name + "_seen" : name);
  }

  void find_of_node(segment const& within, int node, stage_memory& memory) {
    if (node < 0) return;
    for (calculus::role each : calculus::every_role)
      if (int const parameter = block_.parameters.find(block_.graph[node], each); parameter >= 0)
        find_parameter(within, parameter, memory);
    auto place = [&](int of) {
      auto const found = std::ranges::find(block_.attentions, of, &attention_use::node);
      return static_cast<int>(found - block_.attentions.begin());
    };
    if (calculus::rule_of(block_.graph[node]).couples_tokens)
      memory.attentions[node] = {place(node),
                                 within.times < 2 ? 0 : place(segment::in_turn(within.nodes, node, 1)) - place(node)};
  }

  static void find_parameter(segment const& within, int parameter, stage_memory& memory) {
    memory.parameters[parameter] = {parameter,
                                    within.times < 2 ? 0 : segment::in_turn(within.parameters, parameter, 1) - parameter};
  }

  block_plan const& block_;
  std::vector<cached_value>& cached_;
  tile_program done_;
  std::vector<int> entry_;  // of each value that a row holds
  int entries_ = 0;
  unique_names names_;
  std::map<view, int> known_;               // the entries of parts and of what is seen
  std::map<std::vector<view>, int> lists_;  // the first entries of turns that have rows of their own
};

}  // namespace

tile_program assign_memory(program p, block_plan const& block, std::vector<cached_value>& cached) {
  return assignment(std::move(p), block, cached).run();
}

}  // namespace residua::codegen
