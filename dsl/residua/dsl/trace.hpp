#pragma once
#include <residua/dsl/report/report.hpp>
#include <vector>

namespace residua::dsl {

/// One address for each operation type: the same operation used twice is one type, so it shares its parameters.
template <class Operation>
inline constexpr char identity_of = 0;

/// Records a block's operations while its function runs, in constant evaluation. An expression is an index into
/// the trace, so that a chain costs one node a step however long its history is.
class trace {
 public:
  constexpr trace() {
    owners_.push_back({});
    scopes_.push_back({});
  }

  /// Records a node, or finds it where the same operation has been applied to the same values in this place already.
  /// `tokens`: of these; otherwise of the first operand's.
  constexpr int add(node made, int tokens = -1) {
    made.call = call_;
    if (made.scope == 0) made.scope = scope_;
    made.tokens = tokens >= 0 ? tokens : (*this)[made.operands[0]].tokens;
    if (made.operation == op::input) return push(made);
    int const latest = graph::latest_operand(made);
    auto last = [&]() -> int& { return latest < 0 ? last_term_ : uses_of(latest).last_node; };
    for (int known = last(); known >= 0; known = uses_of(known).node_before)
      if (graph::computes_alike((*this)[known], made)) return known;
    int const at = push(made);
    uses_of(at).node_before = last();
    return last() = at;
  }

  /// A stream that the block reads, with these tokens.
  constexpr int add_input(shape_value const& shape, std::string_view name, int tokens) {
    inputs_.push_back(add({.operation = op::input, .shape = shape, .symbol = name}, tokens));
    return inputs_.back();
  }

  /// The scope `name` below the current one. Names it for the operation of this identity, or finds it where the same
  /// operation has it already; another operation's name is a mistake.
  constexpr int scope_of(std::string_view name, std::uint32_t name_hash, char const* identity, std::source_location where,
                         int layer = -1) {
    std::uint32_t const key = (name_hash ^ static_cast<std::uint32_t>(scope_)) + static_cast<std::uint32_t>(layer) * 31u;
    int& bucket = buckets_[key % buckets_.size()];
    for (int i = bucket; i != 0; i = owners_[static_cast<std::size_t>(i)].next) {
      scope const& found = scopes_[static_cast<std::size_t>(i)];
      if (found.parent != scope_ || found.layer != layer || found.name != name) continue;
      owner const& first = owners_[static_cast<std::size_t>(i)];
      if (first.identity != identity) add_report(name_taken(name, where, first.where));
      return i;
    }
    scopes_.push_back({scope_, name, layer});
    owners_.push_back({identity, bucket, line_.line() == 0 ? where : line_});
    return bucket = static_cast<int>(scopes_.size()) - 1;
  }

  /// Notes that a number has this name: one in a block, and one in each layer, whose block it is.
  constexpr void name_constant(std::string_view name, double value, std::source_location where) {
    if (!is_identifier(name)) return add_report(report(mistake::not_an_identifier, where).named("name", name));
    if (reads_as_factor(name)) return add_report(report(mistake::reads_as_factor, where).named("name", name));
    int const layer = layer_scope(scope_);
    for (std::size_t i = constants_.size(); i > 0; --i) {
      named_number const& known = constants_[i - 1];
      if (known.layer != layer || known.name != name) continue;
      if (known.value != value)
        add_report(report(mistake::two_numbers, where).say({"name \"", name, "\""}).say_place("first at ", known.where));
      return;
    }
    constants_.push_back({name, value, layer, where});
  }

  /// Runs `body` with its names below `scope`.
  template <class Body>
  constexpr auto within(int scope, Body const& body) {
    int const outside = scope_;
    scope_ = scope;
    auto result = body();
    scope_ = outside;
    return result;
  }

  /// Runs `body`, whose mistakes are told at the line `where`: that of the outermost, where one stands in another.
  template <class Body>
  constexpr auto on_line(std::source_location where, Body const& body) {
    std::source_location const outside = line_;
    if (line_.line() == 0) line_ = where;
    auto result = body();
    line_ = outside;
    return result;
  }

  /// The result of a branch that has been applied to the same values in this place already; -1: it has not.
  constexpr int result_of(int scope, int argument, int memory = -1) const {
    for (int known = uses_of(argument).last_call; known >= 0; known = calls_before_[static_cast<std::size_t>(known)]) {
      call const& found = calls_[static_cast<std::size_t>(known)];
      if (found.scope == scope && found.memory == memory && found.around == call_) return found.result;
    }
    return -1;
  }
  /// Opens a branch: what is recorded until `close` belongs to it.
  constexpr int open(int scope, int argument, int memory = -1) {
    calls_.push_back(
        {.scope = scope, .around = call_, .begin = static_cast<int>(nodes_.size()), .argument = argument, .memory = memory});
    call_ = static_cast<int>(calls_.size()) - 1;
    calls_before_.push_back(uses_of(argument).last_call);
    return uses_of(argument).last_call = call_;
  }
  constexpr void close(int opened, int result) {
    call& done = calls_[static_cast<std::size_t>(opened)];
    done.end = static_cast<int>(nodes_.size());
    done.result = result;
    call_ = done.around;
  }

  /// Keeps the first report; the others may follow from it.
  constexpr void add_report(report const& found) {
    if (report_) return;
    report_ = found;
    if (line_.line() != 0) report_.where = line_;
  }
  constexpr poisoned poison(report const& found) {
    add_report(found);
    return {found};
  }
  /// Answers a question about a stream's numbers, which has no answer here: yes and no in turn, so that every loop ends.
  constexpr bool answer(report const& found) {
    add_report(found);
    return answer_ = !answer_;
  }

  constexpr node const& operator[](int at) const { return nodes_[static_cast<std::size_t>(at)]; }
  constexpr std::vector<node> const& nodes() const { return nodes_; }
  constexpr std::vector<int> const& inputs() const { return inputs_; }
  constexpr std::vector<scope> const& scopes() const { return scopes_; }
  constexpr std::vector<call> const& calls() const { return calls_; }
  constexpr report const& first_report() const { return report_; }

 private:
  /// What has been made of a value already, each list from its last to its first.
  struct value_uses {
    int last_node = -1;    // whose latest operand it is
    int node_before = -1;  // of the node that it is itself, in the list of its own latest operand
    int last_call = -1;    // whose argument it is
  };
  constexpr value_uses& uses_of(int at) { return uses_[static_cast<std::size_t>(at)]; }
  constexpr value_uses const& uses_of(int at) const { return uses_[static_cast<std::size_t>(at)]; }

  constexpr int push(node const& made) {
    nodes_.push_back(made);
    uses_.push_back({});
    return static_cast<int>(nodes_.size()) - 1;
  }

  /// A constant with a name.
  struct named_number {
    std::string_view name{};
    double value = 0;
    int layer = 0;  // the scope of the layer that it stands in, or the block's
    std::source_location where{};
  };
  constexpr int layer_scope(int scope) const {
    while (scope > 0 && scopes_[static_cast<std::size_t>(scope)].layer < 0)
      scope = scopes_[static_cast<std::size_t>(scope)].parent;
    return scope;
  }

  struct owner {
    char const* identity = nullptr;
    int next = 0;  // in the same bucket
    std::source_location where{};
  };

  constexpr report name_taken(std::string_view name, std::source_location where, std::source_location before) const {
    std::string_view const branch = scopes_[static_cast<std::size_t>(scope_)].name;
    report found(mistake::name_taken, where);
    found.say({"name \"", name, "\""});
    if (!branch.empty()) found.say({"in branch \"", branch, "\""});
    return found.say_place("taken at ", before);
  }

  std::vector<node> nodes_;
  std::vector<value_uses> uses_;  // of each node
  std::vector<int> inputs_;
  std::vector<scope> scopes_;
  std::vector<call> calls_;
  std::vector<int> calls_before_;  // of each call: the one before of the same argument
  std::vector<named_number> constants_;
  std::vector<owner> owners_;  // of each scope
  std::array<int, 64> buckets_{};
  report report_{};
  std::source_location line_{};
  bool answer_ = false;
  int last_term_ = -1;  // the last node without operands
  int scope_ = 0;
  int call_ = -1;
};

}  // namespace residua::dsl
