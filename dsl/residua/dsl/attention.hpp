#pragma once
#include <residua/dsl/attention_options.hpp>
#include <residua/dsl/linear.hpp>
#include <residua/dsl/norm.hpp>

namespace residua::dsl {

/// y = W_o concat_h(o_h), o_i = sum_j softmax_j(mask(c q_i . k_j)) v_j, with q = x W_q and k, v from x or from a memory.
/// It is traced as its parts, a branch of its name: projections, norms of heads, rotations and the softmax are nodes.
template <text Name, class In, class Memory, class Names, attention_settings Settings>
struct attention_operation;

template <text Name, class In, class Memory, text Query, text Key, text Value, text Output, text Fused, attention_settings S>
struct attention_operation<Name, In, Memory, projection_names<Query, Key, Value, Output, Fused>, S>
    : operation<attention_operation<Name, In, Memory, projection_names<Query, Key, Value, Output, Fused>, S>> {
  using base = operation<attention_operation>;
  using base::operator();
  static constexpr std::string_view name = name_of<Name>;
  static constexpr bool reads_memory = S.cross;
  static constexpr std::string_view too_many = S.cross ? "several" : "several, made without cross";

  using queries = axis<"queries", S.value.heads * S.value.head_width>;
  using keys = axis<"keys", S.value.kv_heads * S.value.head_width>;
  using values = axis<"values", S.value.kv_heads * S.value.head_width>;
  using all = axis<"qkv", queries::extent + keys::extent + values::extent>;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    if constexpr (S.cross) {
      return x.history().poison(detail::misapplied<attention_operation, expression<Shape>>().at(where));
    } else {
      require_feature_axis<In>(mistake::wrong_axis, name, x, where);
      return record(x, x, -1, where);
    }
  }

  /// X(q, memory): keys and values from another stream, of the same sequences but of its own length.
  template <class Shape, class MemoryShape>
    requires(S.cross)
  constexpr auto operator()(expression<Shape> const& x, expression<MemoryShape> const& memory,
                            std::source_location where = std::source_location::current()) const {
    trace& history = x.history();
    require_feature_axis<In>(mistake::wrong_axis, name, x, where);
    constexpr shape_value queries_shape = value_of(Shape{}), memory_shape = value_of(MemoryShape{});
    constexpr mistake wrong = !same_sequences(queries_shape, memory_shape) ? mistake::memory_of_other_sequences
                              : S.value.causal && token_axis(queries_shape) != token_axis(memory_shape)
                                  ? mistake::causal_across_axes
                                  : mistake::none;
    if constexpr (!std::is_same_v<feature_axis<MemoryShape>, Memory>)
      require_feature_axis<Memory>(mistake::wrong_memory_axis, name, memory, where, "memory: ");
    else if constexpr (wrong != mistake::none)
      history.add_report(
          report(wrong, where).say({"name \"", name, "\""}).compare({"queries"}, queries_shape, {"memory"}, memory_shape));
    int source = memory.at();
    if (source == x.at())  // the branch has two arguments, each a node of its own
      source = history.add({.operation = op::renamed, .operands = {source, -1, -1}, .shape = value_of(MemoryShape{})});
    return record(x, expression<MemoryShape>{history, source, where}, source, where);
  }

 private:
  static constexpr axis_value token_axis(shape_value const& shape) { return shape.axes[shape.rank - 2]; }

  template <class Shape, class Source>
  static constexpr auto record(expression<Shape> const& x, expression<Source> const& source, int memory,
                               std::source_location where) {
    trace& history = x.history();
    int const owner = history.scope_of(name, hash(name), &identity_of<attention_operation>, where);
    auto attend = [&] {
      auto const [q, k, v] = project(x, source, where);
      using Attended = typename std::remove_cvref_t<decltype(q)>::shape;
      int const turned_q = turn<norm_side::queries>(q, owner, where);
      int const turned_k = turn<norm_side::keys>(k, owner, where);
      int const attended = history.add({.operation = op::attend,
                                        .operands = {turned_q, turned_k, v.at()},
                                        .scope = owner,
                                        .shape = value_of(Attended{}),
                                        .attention = &stored_attention<S.value>});
      return linear_operation<Output, queries, In, S.o_bias>::apply(expression<Attended>{history, attended, where}, where);
    };
    using Result = decltype(attend());
    if (int const known = history.result_of(owner, x.at(), memory); known >= 0) return Result{history, known, where};
    int const opened = history.open(owner, x.at(), memory);
    auto const result = history.within(owner, attend);
    history.close(opened, result.at());
    return Result{history, result.at(), where};
  }

  template <class Q, class K, class V>
  struct projected {
    Q q;
    K k;
    V v;
  };
  template <class Q, class K, class V>
  projected(Q, K, V) -> projected<Q, K, V>;

  template <class Shape, class Source>
  static constexpr auto project(expression<Shape> const& x, expression<Source> const& source, std::source_location where) {
    if constexpr (S.fused) {
      auto const fused = linear_operation<Fused, In, all, S.q_bias>::apply(x, where);
      return projected{part<queries>(fused, 0, where), part<keys>(fused, queries::extent, where),
                       part<values>(fused, queries::extent + keys::extent, where)};
    } else {
      return projected{linear_operation<Query, In, queries, S.q_bias>::apply(x, where),
                       linear_operation<Key, Memory, keys, S.k_bias>::apply(source, where),
                       linear_operation<Value, Memory, values, S.v_bias>::apply(source, where)};
    }
  }

  template <class Axis, class Shape>
  static constexpr auto part(expression<Shape> const& whole, std::int64_t first, std::source_location where) {
    using Part = with_feature_axis<Shape, Axis>;
    trace& history = whole.history();
    return expression<Part>{
        history,
        history.add(
            {.operation = op::columns, .operands = {whole.at(), -1, -1}, .shape = value_of(Part{}), .first_feature = first}),
        where};
  }

  enum class norm_side { queries, keys };

  /// The norm and the rotation of queries or keys.
  template <norm_side Side, class Shape>
  static constexpr int turn(expression<Shape> const& x, int attention, std::source_location where) {
    trace& history = x.history();
    int at = x.at();
    std::int64_t const heads = Side == norm_side::queries ? S.value.heads : S.value.kv_heads;
    if (S.qk_norm.present) {
      constexpr std::string_view own = Side == norm_side::queries ? "q_norm" : "k_norm";
      int const owner = history.scope_of(own, hash(own), &identity_of<attention_operation>, where);
      at = history.add({.operation = S.qk_norm.operation,
                        .operands = {at, -1, -1},
                        .scope = owner,
                        .shape = value_of(Shape{}),
                        .has_weight = S.qk_norm.has_weight,
                        .has_bias = S.qk_norm.has_bias,
                        .epsilon = S.qk_norm.epsilon,
                        .unit_offset = S.qk_norm.unit_offset,
                        .groups = S.qk_norm.across_heads ? 1 : heads});
    }
    if (S.value.rope.width > 0)
      at = history.add({.operation = op::rope,
                        .operands = {at, -1, -1},
                        .scope = attention,
                        .shape = value_of(Shape{}),
                        .groups = heads,
                        .attention = &stored_attention<S.value>});
    return at;
  }
};

struct attention_spec {
  static constexpr std::string_view word = "attention", arguments = "(axis, ...)", example = "attention<\"A\">(axis, ...)";
  static constexpr std::size_t axes = 1;
  using options = options_known<attention_option, with_bias_option, no_bias_option>;

  template <class In, class... Options>
  static constexpr attention_settings settings = complete(settings_among<Options...>(), In::extent);

  template <class In, class... Options>
  static constexpr report examine(std::string_view name) {
    phrase_parts const in{"in attention<\"", name, "\">(...)"};
    if (report const found = names_among<Options...>::examine()) return found;
    if (report const found = examine_options<options, Options...>(in, "see docs/attention.md")) return found;
    report inside;
    (void)((inside = examine_inside<Options>(), inside.kind != mistake::none) || ...);
    if (inside) return inside;
    if constexpr (!(option_is_positive<Options> && ...)) return not_positive<Options...>(in);
    report found = examine_numbers(settings<In, Options...>, In::extent, in);
    return found ? found : examine_choices<Options...>(settings<In, Options...>, in);
  }

  template <text Name, class In, class... Options>
  static constexpr auto make(names<Name>, In, Options...) {
    return attention_operation<Name, In, memory_axis_among<In, Options...>, names_among<Options...>, settings<In, Options...>>{};
  }

 private:
  /// What is wrong in one option's own parentheses: rope(...), qk_norm<...>(...), cross(...).
  template <class Option>
  static constexpr report examine_inside() {
    if constexpr (requires { Option::examine(); }) return Option::examine();
    else return {};
  }

  /// What is wrong with heads and widths, over an axis of this extent.
  static constexpr report examine_numbers(attention_settings const& s, std::int64_t extent, phrase_parts in) {
    if (s.value.heads == 0) return report(mistake::heads_missing).say(in);
    if (s.head_width_given == 0 && extent == run_time) return report(mistake::head_width_missing).say(in);
    return examine_heads(s, extent, in);
  }

  /// What is wrong with two options of which one only can hold.
  template <class... Options>
  static constexpr report examine_choices(attention_settings const& s, phrase_parts in) {
    report const found = report(mistake::options_contradict).say(in);
    if (s.fused && s.cross) return report(found).given("fused_qkv and cross").say({"keys and values have another input"});
    if (s.fused && (s.q_bias != s.k_bias || s.q_bias != s.v_bias))
      return report(found).given("fused_qkv and part of a bias").say({"fused, they have one: qkv_bias"});
    if (has_option<direction_option<true>, Options...> && has_option<direction_option<false>, Options...>)
      return report(found).given("causal and bidirectional");
    if (has_option<no_bias_option, Options...> && (s.q_bias || s.k_bias || s.v_bias || s.o_bias))
      return report(found).given("no_bias and a bias");
    return {};
  }
};

/// attention<"A">(d, heads<12>, causal): multi-head attention over (..., T, d). Parameters A.q.weight (d, queries),
/// A.k.weight, A.v.weight, A.o.weight (queries, d) and biases as asked for.
/// Options: docs/attention.md. Sources: Vaswani et al. 2017, 1706.03762; grouped heads: Ainslie et al. 2023, 2305.13245;
/// rotations: Su et al. 2021, 2104.09864; ALiBi: Press et al. 2021, 2108.12409.
template <text... Name, class... Given>
constexpr auto attention(Given... given) {
  using Made = made<attention_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

}  // namespace residua::dsl
