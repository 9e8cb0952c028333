#include <residua/codegen/check_program.hpp>
#include <residua/codegen/internal_error.hpp>

namespace residua::codegen {

namespace {

struct limits {
  std::size_t least = 0;
  std::size_t most = 0;

  bool allow(std::size_t count) const { return least <= count && count <= most; }
};

/// How many inputs and results an instruction has.
struct arity {
  limits inputs;
  limits results{1, 1};
};

arity arity_of(opcode what) {
  constexpr std::size_t any = static_cast<std::size_t>(-1);
  switch (what) {
    case opcode::zero:
    case opcode::repeat: return {{0, 0}};
    case opcode::copy:
    case opcode::multiply:
    case opcode::multiply_transposed:
    case opcode::norm:
    case opcode::activate:
    case opcode::scale:
    case opcode::scale_by:
    case opcode::scale_columns:
    case opcode::row_means:
    case opcode::spread_means:
    case opcode::repeat_sequences:
    case opcode::sum_sequences:
    case opcode::add_term:
    case opcode::subtract_term:
    case opcode::subtract_from_term:
    case opcode::rope:
    case opcode::rope_transposed: return {{1, 1}};
    case opcode::norm_jvp:
    case opcode::norm_vjp:
    case opcode::slope:
    case opcode::add:
    case opcode::subtract:
    case opcode::hadamard:
    case opcode::scale_rows:
    case opcode::row_dots:
    case opcode::attend_dots: return {{2, 2}};
    case opcode::sum:
    case opcode::column_sums: return {{1, 1}, {0, 0}};
    case opcode::column_dots:
    case opcode::dot: return {{2, 2}, {0, 0}};
    case opcode::join: return {{1, any}};
    case opcode::attend: return {{3, 3}, {1, 2}};
    case opcode::attend_jvp: return {{6, 6}, {2, 2}};
    case opcode::attend_vjp_queries: return {{6, 6}};
    case opcode::attend_vjp_keys: return {{6, 6}, {2, 2}};
  }
  internal_error("an instruction that is none");
}

/// Every stage stands in one segment, and a segment's lists have an entry for each turn.
void check_segments(program const& p) {
  if (p.segments.empty()) return;
  std::size_t covered = 0;
  for (segment const& each : p.segments) {
    if (each.first != covered) break;
    covered += each.size;
    for (auto const* lists : {&each.values, &each.nodes, &each.parameters})
      for (auto const& [first, list] : *lists)
        if (list.size() != static_cast<std::size_t>(each.times) || list[0] != first)
          internal_error("a segment's turns do not start with the first");
  }
  if (covered != p.stages.size()) internal_error("stage " + std::to_string(covered) + " is in no segment");
}

/// Runs over a program's stages as they are done, and knows where each value was written.
class checking {
 public:
  checking(program const& p, form now) : p_(p), form_(now), written_(p.values.size(), never) {
    for (std::size_t i = 0; i < p.values.size(); ++i)
      if (p.values[i].place == home::argument || p.values[i].place == home::partial) written_[i] = always;
  }

  void run() {
    for (stage const& each : expanded(p_)) {
      check(each);
      ++now_;
    }
    for (std::size_t i = 0; i < p_.values.size(); ++i)
      if (p_.values[i].place == home::result && written_[i] == never) internal_error(p_.values[i].name + " is never written");
  }

 private:
  static constexpr int never = -1, always = -2;

  int& written(int value) { return written_[static_cast<std::size_t>(value)]; }

  void check(stage const& here) {
    for (instruction const& i : here.instructions) {
      check_arity(i);
      for (operand const& each : reads_of(i)) read(here, each);
      for (int value : writes_of(i)) write(here, value);
    }
    for (gradient_sum const& sum : here.sums)
      for (int value : {sum.a, sum.b})
        if (value >= 0 && written(p_.base_of(value)) == never)
          internal_error(p_[p_.base_of(value)].name + " is summed but never written");
  }

  void check_arity(instruction const& i) {
    arity const takes = arity_of(i.what);
    if (takes.inputs.allow(i.inputs.size()) && takes.results.allow(i.results.size())) return;
    std::string const made = i.results.empty() ? "an instruction without a result" : p_[i.results[0]].name;
    internal_error(made + " is made of " + std::to_string(i.inputs.size()) + " inputs with " + std::to_string(i.results.size()) +
                   " results");
  }

  void read(stage const& here, operand const& each) {
    int const owner = p_.base_of(each.value);
    int const when = written(owner);
    if (when == never) internal_error(p_[owner].name + " is read before it is written");
    if (form_ == form::lowered) return;
    if (each.how == access::tile && p_[owner].tokens != here.tokens)
      internal_error(p_[owner].name + " has other tokens than its stage");
    if (when == always) return;
    bool const lives_in_one = p_[owner].place == home::tile || p_[owner].place == home::held;
    if (lives_in_one && when != now_) internal_error(p_[owner].name + " is read in another stage than it lives in");
    if (each.how == access::whole && when == now_) internal_error(p_[owner].name + " is read whole in the stage that writes it");
  }

  void write(stage const& here, int value) {
    if (written(value) != never) internal_error(p_[value].name + " is written twice");
    if (form_ == form::staged && p_[value].tokens != here.tokens)
      internal_error(p_[value].name + " has other tokens than its stage");
    written(value) = now_;
  }

  program const& p_;
  form form_;
  std::vector<int> written_;  // of each value: in which of the stages as they run
  int now_ = 0;
};

}  // namespace

void check_program(program const& p, form now) {
  check_segments(p);
  checking(p, now).run();
}

}  // namespace residua::codegen
