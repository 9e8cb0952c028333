// Random operations that are no functions of others: with every option, alone.
#pragma once

#include "choices.hpp"

namespace residua::random_graph {

inline constexpr std::array epsilons{1e-6, 1e-12, 1e-3, 0.1};

class operation_maker : public choices {
 public:
  using choices::choices;

 protected:
  known_operation add(naming* scope, operation what, std::optional<axis_value> takes, int nodes = 1,
                      std::optional<shape_value> stream = {}) {
    auto owned = std::make_shared<operation const>(std::move(what));
    made_.owned.push_back(owned);
    known_operation known{owned, takes, stream, nodes};
    if (scope != nullptr) scope->operations.push_back(known);
    return known;
  }
  known_operation make_linear(naming& scope, axis_value const& takes, axis_value const& makes) {
    return add(&scope,
               {.is = operation::kind::linear,
                .name = name(scope, "W", {"up", "down", "gate", "in", "out", "mix"}),
                .takes = takes,
                .makes = makes,
                .has_bias = chance(0.4)},
               takes);
  }
  known_operation make_norm(naming& scope, axis_value const& takes) {
    op const which = pick(norms_);
    bool const affine = chance(0.75);
    bool const plain = chance(0.67);
    bool const biased = calculus::rule_of(which).parameters.contains(graph::role::bias);
    return add(&scope,
               {.is = operation::kind::norm,
                .which = which,
                .name = name(scope, "N", {"norm", "N", "ln"}),
                .has_weight = affine,
                .has_bias = biased && affine && plain,
                .unit_offset = !biased && affine && !plain,
                .epsilon = chance(0.4) ? pick(epsilons) : 1e-5,
                .groups = which == op::dyt ? 1 : heads_of(takes)},
               takes);
  }
  /// Into how many heads of one width an axis is divided; mostly one.
  std::int64_t heads_of(axis_value const& axis) {
    std::int64_t const heads = pick(std::array{1, 1, 1, 2, 3});
    return axis.extent != graph::run_time && axis.extent % heads == 0 ? heads : 1;
  }
  known_operation make_activation() {
    op which = pick(activations_);
    if (which == op::relu_squared && squares_++ >= 2) which = op::relu;
    return add(nullptr, {.is = operation::kind::activation, .which = which}, {});
  }
  known_operation make_scalar(naming& scope) {
    return add(&scope, {.is = operation::kind::scalar, .name = name(scope, "alpha", {"scale", "a"})}, {});
  }
  known_operation make_vector(naming& scope, axis_value const& takes) {
    return add(&scope, {.is = operation::kind::vector, .name = name(scope, "gamma", {"gain", "g"}), .takes = takes}, takes);
  }

  /// Self-attention, or cross-attention to a memory.
  known_operation make_attention(naming& scope, axis_value const& takes, bool cross, bool may_be_causal) {
    operation made{.is = operation::kind::attention, .name = name(scope, "A", {"attn", "A", "heads"}), .takes = takes};
    dsl::attention_settings& s = made.attention;
    graph::attention_value& a = s.value;
    draw_heads(a);
    std::int64_t const d = takes.extent;
    bool const divides = d != graph::run_time && d % a.heads == 0 && chance(0.5);
    a.head_width = s.head_width_given = divides ? d / a.heads : pick(std::array{1, 2, 3, 4, 5, 8, 9, 16});
    draw_scores(a, may_be_causal);
    if (a.head_width > 1 && chance(0.4)) a.rope = rotation(a.head_width);
    if (chance(0.35)) {
      bool const layer = chance(0.5);
      bool const affine = chance(0.7);
      s.qk_norm = {.present = true,
                   .operation = layer ? op::layer_norm : op::rms_norm,
                   .has_weight = affine,
                   .has_bias = layer && affine && chance(0.6),
                   .unit_offset = !layer && chance(0.3),
                   .epsilon = chance(0.4) ? 1e-3 : 1e-5,
                   .across_heads = chance(0.3)};
    }
    s.cross = cross;
    s.fused = !cross && chance(0.3);
    s.q_bias = chance(0.3);
    s.k_bias = s.fused ? s.q_bias : chance(0.3);
    s.v_bias = s.fused ? s.q_bias : chance(0.3);
    s.o_bias = chance(0.3);
    s = dsl::complete(s, d == graph::run_time ? 0 : d);
    if (chance(0.2)) made.projections = {"q_proj", "k_proj", "v_proj", "o_proj", "c_attn"};
    return add(cross ? nullptr : &scope, std::move(made), takes, 9);
  }

  // Attention by its parts.
  known_operation make_attend(naming& scope, graph::attention_value const& heads, bool may_be_causal) {
    operation made{.is = operation::kind::attend, .name = name(scope, "A", {"attn", "A", "heads"})};
    made.attention.value = heads;
    draw_scores(made.attention.value, may_be_causal);
    made.attention = dsl::complete(made.attention, heads.heads * heads.head_width);
    return add(nullptr, std::move(made), {});
  }
  known_operation make_rotary(naming& scope, axis_value const& takes, std::int64_t heads, graph::rope_value const& rope) {
    operation made{.is = operation::kind::rotary, .name = name(scope, "R", {"turn", "R"})};
    made.attention = dsl::complete({.value = {.heads = heads, .rope = rope}}, takes.extent);
    return add(&scope, std::move(made), takes);
  }

  void draw_heads(graph::attention_value& a) {
    a.kv_heads = pick(std::array{1, 1, 2, 3});
    a.heads = a.kv_heads * pick(std::array{1, 1, 2, 3});
  }
  void draw_scores(graph::attention_value& a, bool may_be_causal) {
    a.causal = may_be_causal && chance(causal_ ? 0.95 : 0.6);
    if (chance(0.25)) a.window = pick(std::array{1, 2, 3, 4, 7});
    a.alibi = chance(0.2);
    if (chance(0.2)) a.softcap = pick(std::array{1.0, 30.0});
    if (chance(0.2)) a.scale = 0.7;
  }
  /// Of heads that have two channels or more.
  graph::rope_value rotation(std::int64_t head_width) {
    graph::rope_value r;
    r.width = chance(0.5) ? head_width / 2 * 2 : 2 * between(1, static_cast<int>(head_width / 2));
    r.interleaved = chance(0.5);
    r.base = pick(std::array{10.0, 1e4});
    if (chance(0.3)) r.factor = 8, r.low = 1, r.high = 4, r.old_length = 16;
    return r;
  }

  std::vector<op> norms_ = calculus::operations_of(calculus::kind::norm);
  std::vector<op> activations_ = calculus::operations_of(calculus::kind::pointwise);
  bool causal_ = chance(0.5);  // a decoder, rather
  int squares_ = 0;
};

}  // namespace residua::random_graph
