#include "operation_maker.hpp"

#include <residua/calculus/text/expression.hpp>

namespace residua::random_graph {

namespace {

constexpr std::array literals{0.5, 2.0, -1.5, 0.25, 3.0, 1.0 / 3, 0.1, -1.0, 1.0};

class author : public operation_maker {
 public:
  author(random_block& into, std::uint64_t seed, limits const& most) : operation_maker(into, seed), most_nodes_(most.most_nodes) {
    if (most.long_streams && chance(0.04)) long_ = true;
    if (long_) most_nodes_ = std::min(most_nodes_, 14);
    stream_ = make_stream();
    features_ = {stream_.feature()};
    for (int i = between(1, 3); i > 0; --i) features_.push_back(make_axis("w", width()));
    if (chance(0.25)) memory_ = make_memory();
  }

  void write() {
    if (chance(0.2)) blocks_.push_back(make_inner_block(between(1, 4), false));
    if (chance(0.15)) blocks_.push_back(make_stack(false));
    shape_value result = stream_;
    function body;
    double const kind = share();
    if (kind < 0.25) {  // a stack alone
      known_operation const whole = make_stack(memory_.has_value());
      body.steps.push_back({.is = step::kind::apply, .a = 0, .b = memory_ ? 1 : -1, .what = whole.what});
      body.result = memory_ ? 2 : 1;
    } else {
      if (kind < 0.35) result = with_feature(stream_, pick(features_));
      nodes_ = 0;
      body = write_function(root_, {stream_, 0}, memory_, result, between(2, 7), 0);
    }
    record(body);
  }

 private:
  // operations that are made of others

  known_operation make_branch(naming& scope, local const& takes, axis_value const& makes, int depth) {
    naming inside;
    int const before = nodes_;
    operation made{.is = operation::kind::branch, .name = name(scope, "F", {"mlp", "F", "inner"})};
    bool const renames_before = std::exchange(renames_, false);
    if (chance(0.4)) made.functions = {write_pipeline(inside, takes, makes, depth + 1)};
    else made.functions = {write_function(inside, takes, {}, with_feature(takes.shape, makes), between(1, 4), depth + 1)};
    bool const fixed = renames_;
    renames_ = fixed || renames_before;
    int const nodes = nodes_ - before;
    nodes_ = before;
    return add(&scope, std::move(made), takes.shape.feature(), nodes, fixed ? std::optional(takes.shape) : std::nullopt);
  }

  known_operation make_inner_block(int steps, bool with_memory) {
    nodes_ = 0;
    operation made{.is = operation::kind::block};
    made.functions = {write_function(root_, {stream_, 0}, with_memory ? memory_ : std::nullopt, stream_, steps, 0)};
    return add(nullptr, std::move(made), stream_.feature(), nodes_, stream_);
  }

  /// Equal layers, layers of two kinds, or layers that know their index.
  known_operation make_stack(bool with_memory) {
    int const layers = long_ ? 2 : between(1, 5);
    int const whole = std::exchange(most_nodes_, std::max(4, most_nodes_ * 2 / (layers + 1)));
    operation made{.is = operation::kind::stack, .name = fresh("h")};
    function const first = make_inner_block(between(1, 4), with_memory).what->functions[0];
    int nodes = layers * nodes_;
    double const kind = share();
    function const second = kind < 0.25 ? make_inner_block(between(1, 3), with_memory).what->functions[0] : first;
    nodes = std::max(nodes, layers * nodes_);
    int const other_from = between(0, layers);
    for (int layer = 0; layer < layers; ++layer) {
      made.functions.push_back(layer < other_from ? first : second);
      if (kind < 0.85) continue;
      function& last = made.functions.back();  // x + first(x) / (index + 1)
      int const arguments = with_memory ? 2 : 1;
      last.steps.push_back({.is = step::kind::multiple, .a = last.result, .factor = 1.0 / (layer + 1)});
      last.result = arguments + static_cast<int>(last.steps.size());
      last.steps.push_back({.is = step::kind::add, .a = 0, .b = last.result - 1});
    }
    most_nodes_ = whole;
    return add(nullptr, std::move(made), stream_.feature(), nodes + 2 * layers, stream_);
  }

  // functions

  /// The values of a function while it is written.
  struct writing {
    naming& scope;
    function body{};
    std::vector<local> values{};
    int depth = 0;

    int add(step made, local what) {
      body.steps.push_back(std::move(made));
      values.push_back(what);
      return static_cast<int>(values.size()) - 1;
    }
    local const& operator[](int at) const { return values[static_cast<std::size_t>(at)]; }
  };

  int apply(writing& w, known_operation const& operation, int a, int b = -1) {
    nodes_ += operation.nodes;
    local made = w[a];
    if (operation.what->is == operation::kind::linear) made.shape = with_feature(made.shape, operation.what->makes);
    if (auto const found = results_.find(operation.what.get()); found != results_.end())
      made.shape = with_feature(made.shape, found->second);
    return w.add({.is = step::kind::apply, .a = a, .b = b, .what = operation.what}, made);
  }
  int apply_branch(writing& w, int a, axis_value const& makes) {
    known_operation const branch = make_branch(w.scope, w[a], makes, w.depth);
    results_.emplace(branch.what.get(), makes);
    return apply(w, branch, a);
  }
  int rename(writing& w, int a, axis_value const& from, axis_value const& to) {
    ++nodes_;
    local made = w[a];
    if (!(from == made.shape.feature())) renames_ = true;
    for (std::size_t i = 0; i < made.shape.rank; ++i)
      if (made.shape.axes[i] == from) made.shape.axes[i] = to;
    return w.add({.is = step::kind::renamed, .a = a, .from = from, .to = to}, made);
  }
  int two(writing& w, step::kind kind, int a, int b) {
    ++nodes_;
    return w.add({.is = kind, .a = a, .b = b}, w[a]);
  }

  /// The value with the axes of `shape`: renamed where that is enough, through an operation where it is not.
  int to_shape(writing& w, int at, shape_value const& shape) {
    for (std::size_t i = 0; i + 1 < shape.rank; ++i)
      if (!(w[at].shape.axes[i] == shape.axes[i])) at = rename(w, at, w[at].shape.axes[i], shape.axes[i]);
    axis_value const have = w[at].shape.feature(), wanted = shape.feature();
    if (have == wanted) return at;
    if (families_.contains(std::string(have.name)) && related(have, wanted) && chance(0.5)) return rename(w, at, have, wanted);
    if (w.depth < 2 && nodes_ < most_nodes_ && chance(0.3)) return apply_branch(w, at, wanted);
    return apply(w, make_linear(w.scope, have, wanted), at);
  }

  int scaled(writing& w, int at) {
    int const kind = between(0, 6);
    if (kind > 3) {
      std::vector<known_operation> fits;
      for (known_operation const& each : w.scope.operations)
        if ((each.what->is == operation::kind::scalar || each.what->is == operation::kind::vector) &&
            (!each.takes || *each.takes == w[at].shape.feature()))
          fits.push_back(each);
      if (!fits.empty() && chance(0.4)) return apply(w, pick(fits), at);
      return apply(w, kind < 6 ? make_scalar(w.scope) : make_vector(w.scope, w[at].shape.feature()), at);
    }
    ++nodes_;
    step made{.is = step::kind::multiple, .a = at};
    if (kind == 0) made.factor = chance(0.05) ? 0 : pick(literals);
    else if (kind == 1) made.factor = 1 / pick(std::array{2.0, 3.0, 0.5});
    else if (kind == 2) made.factor = pick(std::array{0.7, 2.83, -0.3, 1.5}), made.symbol = keep(fresh("c"));
    else made.factor = -1;
    return w.add(made, w[at]);
  }

  /// A term beside a value, on either side; or a learned vector as a value of its own.
  int with_term(writing& w, int at) {
    nodes_ += 2;
    step made{.is = step::kind::with_term, .a = at, .sum = chance(0.5) ? op::add : op::subtract, .term_first = chance(0.5)};
    int const kind = between(0, 5);
    if (kind < 2) made.factor = pick(literals);
    else if (kind == 2) made.factor = pick(std::array{0.7, 2.83, -0.3, 1.5}), made.symbol = keep(fresh("c"));
    else if (kind == 3) made.what = make_scalar(w.scope).what;
    else made.what = make_vector(w.scope, w[at].shape.feature()).what;
    if (kind < 5) return w.add(made, w[at]);
    made.is = step::kind::at_each_token;
    if (chance(0.5)) return w.add(made, w[at]);
    local const here = w[at];
    made.what = make_scalar(w.scope).what;
    int const number = w.add(made, {with_feature(here.shape, number_of_token), here.tokens});
    return two(w, step::kind::token_multiple, at, chance(0.5) ? apply(w, make_activation(), number) : number);
  }

  /// The one token that a sequence has of a value, at each token of another.
  int conditioned(writing& w, int at, int condition) {
    if (chance(0.5)) condition = apply(w, make_linear(w.scope, w[condition].shape.feature(), w[at].shape.feature()), condition);
    ++nodes_;
    local const here = w[at];  // a copy: values move when one is added
    int const repeated = w.add({.is = step::kind::condition, .a = condition, .b = at},
                               {with_feature(here.shape, w[condition].shape.feature()), here.tokens});
    return two(w, chance(0.5) ? step::kind::hadamard : step::kind::add, at, to_shape(w, repeated, here.shape));
  }

  /// A number for each token: a mean, an inner product, a linear map of one column; and something multiplied by it.
  int with_number(writing& w, int at, std::vector<int> const& same) {
    families_[std::string(number_of_token.name)] = {number_of_token};
    local const here = w[at];
    local const made{with_feature(here.shape, number_of_token), here.tokens};
    int const kind = between(0, 2);
    int number = at;
    ++nodes_;
    if (kind == 0) number = w.add({.is = step::kind::mean, .a = at}, made);
    else if (kind == 1) number = w.add({.is = step::kind::inner, .a = at, .b = same.empty() ? at : pick(same)}, made);
    else number = apply(w, make_linear(w.scope, here.shape.feature(), number_of_token), at);
    if (chance(0.4)) number = apply(w, make_activation(), number);
    int multiplied = same.empty() || chance(0.5) ? at : pick(same);
    if (chance(0.3)) multiplied = to_shape(w, apply_some(w, at), here.shape);
    return two(w, step::kind::token_multiple, multiplied, number);
  }

  /// One that exists already and fits, or a new one, applied.
  int apply_some(writing& w, int at) {
    shape_value const shape = w[at].shape;
    bool const room = nodes_ + 9 < most_nodes_;
    std::vector<known_operation> fits;
    for (naming* scope : {&w.scope, &root_}) {
      for (known_operation const& each : scope->operations)
        if ((!each.takes || *each.takes == shape.feature()) && (!each.stream || *each.stream == shape) &&
            nodes_ + each.nodes < most_nodes_)
          fits.push_back(each);
      if (scope == &root_) break;
    }
    if (!fits.empty() && chance(0.35)) return apply(w, pick(fits), at);
    int const kind = between(0, 9);
    if (kind < 3 && w.depth < 2 && nodes_ < most_nodes_)
      return apply_branch(w, at, chance(0.7) ? shape.feature() : pick(features_));
    if (kind < 5) return apply(w, make_norm(w.scope, shape.feature()), at);
    if (kind < 7) return apply(w, make_activation(), at);
    if (kind < 9 && room) return apply(w, make_attention(w.scope, shape.feature(), false, true), at);
    return apply(w, make_linear(w.scope, shape.feature(), pick(features_)), at);
  }

  /// Attention from one value to another of the same sequences.
  int attend(writing& w, int queries, int memory) {
    shape_value const &q = w[queries].shape, &m = w[memory].shape;
    bool const same_axis = q.axes[q.rank - 2] == m.axes[m.rank - 2];
    return apply(w, make_attention(w.scope, q.feature(), true, same_axis), queries, memory);
  }

  /// Some of the features as an axis of their own; of a width that the call chooses there are none.
  int take_part(writing& w, int at) {
    std::int64_t const width = w[at].shape.feature().extent;
    std::int64_t const size = width == graph::run_time ? 0 : between(1, static_cast<int>(width));
    if (size == 0) return apply_some(w, at);
    ++nodes_;
    axis_value const to = make_axis("w", size, 0);
    std::int64_t const first = between(0, static_cast<int>(width - size));
    return w.add({.is = step::kind::part, .a = at, .to = to, .first = first}, {with_feature(w[at].shape, to), w[at].tokens});
  }
  /// Two or three values of the same tokens side by side.
  int put_together(writing& w, int at) {
    local const here = w[at];
    std::vector<int> fits;
    for (int i = 0; i < static_cast<int>(w.values.size()); ++i)
      if (w[i].tokens == here.tokens && w[i].shape.feature().extent != graph::run_time &&
          with_feature(w[i].shape, here.shape.feature()) == here.shape)
        fits.push_back(i);
    if (here.shape.feature().extent == graph::run_time || fits.empty()) return apply_some(w, at);
    int const second = pick(fits), third = chance(0.4) ? pick(fits) : -1;
    std::int64_t width = here.shape.feature().extent + w[second].shape.feature().extent;
    if (third >= 0) width += w[third].shape.feature().extent;
    if (width > 60) return apply_some(w, at);
    ++nodes_;
    axis_value const to = make_axis("w", width, 0);
    return w.add({.is = step::kind::concat, .a = at, .b = second, .c = third, .to = to},
                 {with_feature(here.shape, to), here.tokens});
  }

  /// Attention by its parts: queries of one value, keys of another of the same sequences, values of that or of what has its
  /// tokens, or the keys themselves; each may be turned.
  int attend_by_parts(writing& w, int at, int source) {
    local const query = w[at], key = w[source];
    graph::attention_value heads;
    draw_heads(heads);
    heads.head_width = pick(std::array{1, 2, 3, 4, 5, 8});
    auto axis = [&](std::int64_t count) { return make_axis("w", count * heads.head_width, 0); };
    auto projected = [&](int of, axis_value const& to) {
      axis_value const from = w[of].shape.feature();
      return from.extent == to.extent && chance(0.6) ? of : apply(w, make_linear(w.scope, from, to), of);
    };
    int q = projected(at, axis(heads.heads));
    int k = projected(source, axis(heads.kv_heads));
    int v = k;
    if (!chance(0.3)) {
      std::vector<int> beside;
      for (int i = 0; i < static_cast<int>(w.values.size()); ++i)
        if (w[i].tokens == key.tokens && with_feature(w[i].shape, key.shape.feature()) == key.shape) beside.push_back(i);
      v = projected(pick(beside), axis(heads.kv_heads));
    }
    auto turned = [&](int of, std::int64_t count, graph::rope_value const& rope) {
      return apply(w, make_rotary(w.scope, w[of].shape.feature(), count, rope), of);
    };
    if (heads.head_width > 1 && chance(0.5)) {
      graph::rope_value const rope = rotation(heads.head_width);
      q = turned(q, heads.heads, rope);
      k = turned(k, heads.kv_heads, rope);
    }
    bool const same_axis = query.shape.axes[query.shape.rank - 2] == key.shape.axes[key.shape.rank - 2];
    ++nodes_;
    return w.add({.is = step::kind::apply, .a = q, .b = k, .c = v, .what = make_attend(w.scope, heads, same_axis).what}, w[q]);
  }

  /// One more value from those there are.
  int add_step(writing& w) {
    int const count = static_cast<int>(w.values.size());
    int at = between(std::max(0, count - 3), count - 1);
    if (count > 1 && w[1].tokens != 0 && chance(0.1))  // what becomes of a memory
      for (at = count - 1; w[at].tokens == 0;) --at;
    local const here = w[at];
    std::vector<int> same, of_sequences;
    for (int i = 0; i < count; ++i) {
      if (i != at && w[i].shape == here.shape && w[i].tokens == here.tokens) same.push_back(i);
      if (graph::same_sequences(w[i].shape, here.shape)) of_sequences.push_back(i);
    }
    bool const room = nodes_ + 9 < most_nodes_;
    if (chance(0.08)) return with_term(w, at);
    for (int i : of_sequences)
      if (w[i].shape.axes[here.shape.rank - 2].extent == 1 && w[i].tokens != here.tokens && chance(0.3))
        return conditioned(w, at, i);
    if (chance(0.06)) return with_number(w, at, same);
    if (chance(0.02)) return ++nodes_, w.add({.is = step::kind::stopped, .a = at}, here);
    int const kind = between(0, 22 + (w.values[w.values.size() > 1 ? 1 : 0].tokens != 0 ? 4 : 0));
    if (kind < 8) return apply_some(w, at);
    if (kind < 11) return scaled(w, at);
    if (kind == 11) {
      axis_value const from = here.shape.axes[static_cast<std::size_t>(between(0, static_cast<int>(here.shape.rank) - 1))];
      if (families_.contains(std::string(from.name))) return rename(w, at, from, alias(from));
    }
    if (kind == 12 && !blocks_.empty() && here.tokens == 0) {
      known_operation const inner = pick(blocks_);
      if (nodes_ + inner.nodes < most_nodes_) return apply(w, inner, to_shape(w, at, *inner.stream));
    }
    if ((kind == 13 || kind > 22) && room) {
      std::vector<int> others;  // another stream's tokens rather than its own
      for (int i : of_sequences)
        if (w[i].tokens != here.tokens) others.push_back(i);
      int const source = others.empty() || !chance(0.8) ? pick(of_sequences) : chance(0.5) ? others.back() : pick(others);
      return chance(0.4) ? attend_by_parts(w, at, source) : attend(w, at, source);
    }
    if (chance(0.12)) return take_part(w, at);
    if (chance(0.1)) return put_together(w, at);
    int other = at;  // two operands of one shape
    if (!same.empty() && chance(0.7)) other = pick(same);
    else if (!chance(0.15)) other = to_shape(w, apply_some(w, at), here.shape);
    if (kind < 16) return two(w, step::kind::hadamard, at, other);
    if (kind < 18 && at == other && !chance(0.1)) return apply_some(w, at);  // rather than zeros
    return two(w, kind < 18 ? step::kind::subtract : step::kind::add, at, other);
  }

  /// [](auto x) { ... } from one shape to another.
  function write_function(naming& scope, local const& x, std::optional<shape_value> const& memory, shape_value const& result,
                          int steps, int depth) {
    writing w{scope, {}, {x}, depth};
    if (memory) w.values.push_back({*memory, 1});
    for (; steps > 0 && nodes_ < most_nodes_; --steps) add_step(w);
    if (memory && chance(0.7) && !reads(w, 1)) attend(w, 0, 1);
    int last = static_cast<int>(w.values.size()) - 1;
    while (w[last].tokens != x.tokens) --last;
    last = to_shape(w, last, result);
    std::vector<int> skips;
    for (int i = 0; i < static_cast<int>(w.values.size()); ++i)
      if (w[i].shape == result && w[i].tokens == x.tokens) skips.push_back(i);
    if (!skips.empty() && chance(0.75)) {
      int skip = skips[std::min(skips.size() - 1, static_cast<std::size_t>(between(0, 1)))];
      if (chance(0.3)) skip = scaled(w, skip);
      if (chance(0.3)) last = scaled(w, last);
      last = two(w, chance(0.15) ? step::kind::subtract : step::kind::add, skip, last);
      if (chance(0.3)) last = apply(w, make_norm(scope, result.feature()), last);
    }
    w.body.result = last;
    return std::move(w.body);
  }
  static bool reads(writing const& w, int at) {
    return std::ranges::any_of(w.body.steps, [&](step const& each) { return each.a == at || each.b == at || each.c == at; });
  }

  /// linear | activation | ... from one feature axis to another.
  function write_pipeline(naming& scope, local const& x, axis_value const& makes, int depth) {
    writing w{scope, {}, {x}, depth};
    int at = 0;
    for (int parts = between(1, 4); parts > 0; --parts) {
      axis_value const feature = w[at].shape.feature();
      int const kind = between(0, 8);
      if (kind == 0 && depth < 2) at = apply_branch(w, at, pick(features_));
      else if (kind < 3) at = apply(w, make_activation(), at);
      else if (kind == 3) at = apply(w, make_norm(scope, feature), at);
      else if (kind == 4 && nodes_ + 9 < most_nodes_) at = apply(w, make_attention(scope, feature, false, true), at);
      else if (kind == 5) at = apply(w, make_scalar(scope), at);
      else if (kind == 6) at = apply(w, make_vector(scope, feature), at);
      else at = apply(w, make_linear(scope, feature, pick(features_)), at);
    }
    if (!(w[at].shape.feature() == makes)) at = apply(w, make_linear(scope, w[at].shape.feature(), makes), at);
    w.body.result = at;
    return std::move(w.body);
  }

  void record(function const& body) {
    recorder into;
    value const x = into.input(stream_, "x", 0);
    std::optional<value> memory;
    if (memory_) memory = into.input(*memory_, "memory", 1);
    value const result = into.run(body, x, memory ? &*memory : nullptr);
    if (into.history().first_report()) throw std::logic_error("random graph: not well-typed");
    made_.nodes = into.history().nodes();
    made_.scopes = into.history().scopes();
    made_.calls = into.history().calls();
    made_.inputs = into.history().inputs();
    made_.outputs = {result.at};
  }

  int most_nodes_;
  std::map<operation const*, axis_value> results_;  // the feature axes that branches make
  std::optional<shape_value> memory_;
  std::vector<axis_value> features_;
  std::vector<known_operation> blocks_;
  int nodes_ = 0;
  bool renames_ = false;  // an axis before the feature axis, in the branch that is written
};

}  // namespace

random_block make_block(std::uint64_t seed, std::uint64_t number, limits const& most) {
  random_block made;
  made.name = "block_" + std::to_string(number);
  author(made, reference::noise(seed * 0x9e3779b97f4a7c15u + number).bits(), most).write();
  return made;
}

std::string described(random_block const& block) {
  graph::graph_view const graph = block.view();
  graph::writer text;
  calculus::expression_text(graph).write_block(text);
  for (std::size_t k = 0; k < block.inputs.size(); ++k) {
    text.add(k == 0 ? "\n  x " : ", memory ");
    graph::write(text, graph.input(k).shape);
  }
  text.add("; ");
  for (auto const& [axis, length] : block.lengths) {
    text.add(axis + " = ");
    text.add_integer(length);
    text.add(", ");
  }
  return std::string(text.view());
}

}  // namespace residua::random_graph
