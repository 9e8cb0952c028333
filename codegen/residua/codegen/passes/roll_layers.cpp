#include <algorithm>
#include <residua/codegen/names.hpp>
#include <residua/codegen/passes/roll_layers.hpp>

namespace residua::codegen {

namespace {

/// What a turn has in place of the first turn's values, nodes and parameters.
struct correspondence {
  std::map<int, int> values{};
  std::map<int, int> nodes{};
  std::map<int, int> parameters{};
};

/// Whether two operations differ in their place only.
bool alike(node a, node const& b) {
  if ((a.attention == nullptr) != (b.attention == nullptr)) return false;
  if (a.attention != nullptr && !(*a.attention == *b.attention)) return false;
  a.operands = b.operands;
  a.scope = b.scope;
  a.call = b.call;
  a.attention = b.attention;
  return a == b;
}

/// Compares stages of the first turn with those of a later one, and collects what corresponds.
class comparison {
 public:
  comparison(program const& p, block_plan const& block) : p_(p), block_(block) {}

  bool agree(stage const& a, stage const& b) {
    if (a.tokens != b.tokens || a.instructions.size() != b.instructions.size() || a.sums.size() != b.sums.size()) return false;
    return std::ranges::equal(a.instructions, b.instructions, [&](auto const& x, auto const& y) { return agree(x, y); }) &&
           std::ranges::equal(a.sums, b.sums, [&](auto const& x, auto const& y) { return agree(x, y); });
  }

  correspondence const& found() const { return found_; }

 private:
  bool agree(instruction const& a, instruction const& b) {
    auto same_read = [&](operand const& x, operand const& y) { return x.how == y.how && values_agree(x.value, y.value); };
    auto same_value = [&](int x, int y) { return values_agree(x, y); };
    return a.what == b.what && a.with_bias == b.with_bias && a.columns == b.columns && nodes_agree(a.node, b.node) &&
           std::ranges::equal(a.inputs, b.inputs, same_read) && std::ranges::equal(a.results, b.results, same_value) &&
           std::ranges::equal(a.partials, b.partials, same_value) &&
           std::ranges::equal(a.epilogue, b.epilogue, [&](auto const& x, auto const& y) { return agree(x, y); });
  }

  bool agree(epilogue_part const& a, epilogue_part const& b) {
    return a.what == b.what && a.reversed == b.reversed && a.keep == b.keep && nodes_agree(a.node, b.node) &&
           values_agree(a.other, b.other);
  }

  bool agree(gradient_sum const& a, gradient_sum const& b) {
    return parameters_agree(a.parameter, b.parameter) && values_agree(a.a, b.a) && values_agree(a.b, b.b);
  }

  /// Whether b can stand for a, and always does. Entries of the table stand for one another, whoever owns their memory.
  bool values_agree(int a, int b) {
    if (a < 0 || b < 0) return a == b;
    value const& x = p_[a];
    value const& y = p_[b];
    bool const same_home = x.place == y.place || (is_whole(x.place) && is_whole(y.place));
    return found_.values.try_emplace(a, b).first->second == b && same_home && x.width == y.width && x.tokens == y.tokens &&
           x.first == y.first && values_agree(x.base, y.base);
  }

  bool nodes_agree(int a, int b) {
    if (a < 0 || b < 0) return a == b;
    if (found_.nodes.try_emplace(a, b).first->second != b || !alike(block_.graph[a], block_.graph[b])) return false;
    return std::ranges::all_of(calculus::every_role, [&](calculus::role each) {
      return parameters_agree(block_.parameters.find(block_.graph[a], each), block_.parameters.find(block_.graph[b], each));
    });
  }

  bool parameters_agree(int a, int b) {
    if (a < 0 || b < 0) return a == b;
    return found_.parameters.try_emplace(a, b).first->second == b && block_.parameters[a].shape == block_.parameters[b].shape;
  }

  program const& p_;
  block_plan const& block_;
  correspondence found_;
};

/// A run of equal layers: `size` stages a turn, and the turns after the first.
struct run_of_layers {
  std::size_t size = 1;
  std::vector<correspondence> later{};

  std::size_t stages() const { return size * (later.size() + 1); }
};

class rolling {
 public:
  rolling(program& p, block_plan const& block) : p_(p), block_(block) {}

  void run() {
    std::vector<stage> kept;
    for (std::size_t at = 0; at < p_.stages.size();) {
      run_of_layers const best = longest_run(at);
      p_.segments.push_back(segment_of(best, kept.size()));
      for (std::size_t k = at; k < at + best.stages(); ++k)
        for (instruction const& i : p_.stages[k].instructions)
          if (!best.later.empty()) remember_writer(i);
      for (std::size_t k = 0; k < best.size; ++k) kept.push_back(p_.stages[at + k]);
      at += best.stages();
    }
    p_.stages = std::move(kept);
    drop_numbers();
  }

 private:
  run_of_layers longest_run(std::size_t first) const {
    run_of_layers best;
    for (std::size_t size = 1; first + 2 * size <= p_.stages.size() && is_turn(first, size); ++size) {
      run_of_layers const made = run_from(first, size);
      if (!made.later.empty() && made.stages() > best.stages()) best = made;
    }
    return best;
  }

  /// A turn has whole layers' stages: one layer of a stack.
  bool is_turn(std::size_t first, std::size_t size) const {
    auto const begin = p_.stages.begin() + static_cast<std::ptrdiff_t>(first);
    return std::all_of(begin, begin + static_cast<std::ptrdiff_t>(size), [&](stage const& each) {
      return each.layer.stack >= 0 && (each.layer.stack != begin->layer.stack || each.layer == begin->layer);
    });
  }

  run_of_layers run_from(std::size_t first, std::size_t size) const {
    run_of_layers made{.size = size};
    for (std::size_t at = first + size; at + size <= p_.stages.size(); at += size) {
      comparison turn(p_, block_);
      for (std::size_t k = 0; k < size; ++k)
        if (!turn.agree(p_.stages[first + k], p_.stages[at + k]) || !follow(first + k, at + k, first + size + k)) return made;
      correspondence const& second = made.later.empty() ? turn.found() : made.later.front();
      if (!is_steady(turn.found(), second, static_cast<int>(made.later.size()) + 1)) return made;
      made.later.push_back(turn.found());
    }
    return made;
  }

  /// Whether stages are of one stack's layers, as far apart as their turns; `second`: of the second turn.
  bool follow(std::size_t first, std::size_t at, std::size_t second) const {
    layer_of const from = p_.stages[first].layer, to = p_.stages[at].layer;
    int const step = p_.stages[second].layer.layer - from.layer;
    int const turns = static_cast<int>((at - first) / (second - first));
    return from.stack == to.stack && (step == 1 || step == -1) && to.layer - from.layer == step * turns;
  }

  /// Whether parameters and attentions lie at one distance from turn to turn.
  bool is_steady(correspondence const& turn, correspondence const& second, int turns) const {
    auto place = [&](int of) {
      return std::ranges::find(block_.attentions, of, &attention_use::node) - block_.attentions.begin();
    };
    return std::ranges::all_of(turn.parameters,
                               [&](auto const& each) {
                                 auto const& [of_first, here] = each;
                                 return here - of_first == turns * (second.parameters.at(of_first) - of_first);
                               }) &&
           std::ranges::all_of(turn.nodes, [&](auto const& each) {
             auto const& [of_first, here] = each;
             return place(here) - place(of_first) == turns * (place(second.nodes.at(of_first)) - place(of_first));
           });
  }

  segment segment_of(run_of_layers const& run, std::size_t first) const {
    segment made{.first = first, .size = run.size, .times = static_cast<int>(run.later.size()) + 1};
    collect(made.values, run, &correspondence::values);
    collect(made.nodes, run, &correspondence::nodes);
    collect(made.parameters, run, &correspondence::parameters);
    return made;
  }

  static void collect(std::map<int, std::vector<int>>& into, run_of_layers const& run,
                      std::map<int, int> correspondence::* which) {
    for (correspondence const& turn : run.later)
      for (auto const& [of_first, here] : turn.*which) {
        std::vector<int>& list = into[of_first];
        if (list.empty()) list.push_back(of_first);
        list.push_back(here);
      }
    std::erase_if(
        into, [](auto const& each) { return std::ranges::all_of(each.second, [&](int here) { return here == each.first; }); });
  }

  /// Names the values of rolled stages without the number of the layer that wrote them.
  void drop_numbers() {
    std::set<std::string, std::less<>> taken;
    for (value const& each : p_.values) taken.insert(each.name);
    unique_names names(std::move(taken));
    for (segment const& each : p_.segments)
      for (std::size_t at = each.first; each.times > 1 && at < each.first + each.size; ++at)
        for_each_value(p_.stages[at], [&](int value) {
          auto const writer = writers_.find(value);
          if (writer == writers_.end()) return;
          drop_number(p_[value], writer->second, names);
          writers_.erase(writer);
        });
  }

  void remember_writer(instruction const& i) {
    for (int value : writes_of(i)) writers_[value] = i.layer;
    for (int partial : i.partials)
      if (partial >= 0) writers_[partial] = i.layer;
  }

  void drop_number(value& of, layer_of layer, unique_names& names) const {
    graph::writer path;
    graph::write_path(path, block_.graph, layer.stack);
    std::string const stack(path.view());
    of.meaning = without_layer(of.meaning, stack, layer.layer, '.');
    std::string const name = without_layer(of.name, flat(stack), layer.layer);
    if (name != of.name) of.name = names(name);
  }

  template <class Action>
  static void for_each_value(stage const& in, Action const& act) {
    for (instruction const& i : in.instructions) {
      for (operand const& each : reads_of(i)) act(each.value);
      for (int each : writes_of(i)) act(each);
      for (int each : i.partials) act(each);
    }
    for (gradient_sum const& sum : in.sums)
      for (int each : {sum.a, sum.b}) act(each);
  }

  program& p_;
  block_plan const& block_;
  std::map<int, layer_of> writers_;  // of the values that rolled stages write, in all turns
};

}  // namespace

void roll_layers(program& p, block_plan const& block) { rolling(p, block).run(); }

}  // namespace residua::codegen
