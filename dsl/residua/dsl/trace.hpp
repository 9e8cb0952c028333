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

  constexpr int add(node made) {
    made.call = call_;
    if (made.scope == 0) made.scope = scope_;
    if (made.operands[0] >= 0) made.tokens = (*this)[made.operands[0]].tokens;
    nodes_.push_back(made);
    return static_cast<int>(nodes_.size()) - 1;
  }

  /// A stream that the block reads, with these tokens.
  constexpr int add_input(shape_value const& shape, std::string_view name, int tokens) {
    inputs_.push_back(add({.operation = op::input, .tokens = tokens, .shape = shape, .symbol = name}));
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
    owners_.push_back({identity, bucket, where});
    return bucket = static_cast<int>(scopes_.size()) - 1;
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

  /// Opens a branch: what is recorded until `close` belongs to it.
  constexpr int open(int scope, int argument, int memory = -1) {
    calls_.push_back(
        {.scope = scope, .around = call_, .begin = static_cast<int>(nodes_.size()), .argument = argument, .memory = memory});
    return call_ = static_cast<int>(calls_.size()) - 1;
  }
  constexpr void close(int opened, int result) {
    call& done = calls_[static_cast<std::size_t>(opened)];
    done.end = static_cast<int>(nodes_.size());
    done.result = result;
    call_ = done.around;
  }

  /// Keeps the first report; the others may follow from it.
  constexpr void add_report(report const& found) {
    if (!report_) report_ = found;
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
  std::vector<int> inputs_;
  std::vector<scope> scopes_;
  std::vector<call> calls_;
  std::vector<owner> owners_;  // of each scope
  std::array<int, 64> buckets_{};
  report report_{};
  bool answer_ = false;
  int scope_ = 0;
  int call_ = -1;
};

}  // namespace residua::dsl
