#pragma once
#include <residua/dsl/attention_options.hpp>

namespace residua::dsl {

/// o_i = sum_j softmax_j(mask(c q_i . k_j)) v_j for each head, of queries, keys and values that are there already.
template <text Name, class Queries, attention_value Value>
struct attend_operation : operation<attend_operation<Name, Queries, Value>> {
  static constexpr std::string_view name = name_of<Name>;
  static constexpr std::int64_t width_of_keys = Value.kv_heads * Value.head_width;

  template <class Shape>
  static constexpr poisoned apply(expression<Shape> const& x, std::source_location where) {
    return x.history().poison(miscounted<expression<Shape>>().at(where));
  }

  /// A(q, k, v): (..., T, queries), (..., S, keys) and (..., S, values) give (..., T, queries).
  template <class Q, class K, class V>
  constexpr expression<Q> operator()(expression<Q> const& q, expression<K> const& k, expression<V> const& v,
                                     std::source_location where = std::source_location::current()) const {
    trace& history = q.history();
    require_feature_axis<Queries>(mistake::wrong_axis, name, q, where, "queries: ");
    if (report const wrong = examine(value_of(Q{}), value_of(K{}), value_of(V{}), same_tokens(history, k.at(), v.at())))
      history.add_report(wrong.at(where));
    int const owner = history.scope_of(name, hash(name), &identity_of<attend_operation>, where);
    return {history,
            history.add({.operation = op::attend,
                         .operands = {q.at(), k.at(), v.at()},
                         .scope = owner,
                         .shape = value_of(Q{}),
                         .attention = &stored_attention<Value>}),
            where};
  }

  // Mistaken: not three expressions.
  template <class... Given>
  constexpr poisoned operator()(Given... given) const {
    return detail::poison(miscounted<Given...>(), given...);
  }

 private:
  static constexpr bool same_tokens(trace const& history, int keys, int values) {
    return history[keys].tokens == history[values].tokens;
  }

  static constexpr report examine(shape_value const& q, shape_value const& k, shape_value const& v, bool same_tokens) {
    phrase_parts const in{"name \"", name, "\""};
    if (!same_sequences(q, k)) return report(mistake::memory_of_other_sequences).say(in).compare({"queries"}, q, {"keys"}, k);
    shape_value values = v;  // over the axes of the keys
    if (k.rank == v.rank) values.axes[v.rank - 1] = k.feature();
    if (!same_tokens || !(values == k))
      return report(mistake::values_of_other_tokens).say(in).say({"keys: ", k}).say({"values: ", v});
    for (bool of_keys : {true, false}) {
      shape_value const& given = of_keys ? k : v;
      if (given.feature().extent != width_of_keys)
        return report(mistake::not_as_wide_as_heads)
            .say(in)
            .say({of_keys ? "keys: " : "values: ", given})
            .say({"heads: ", Value.kv_heads, ", each of width ", Value.head_width});
    }
    if (Value.causal && !(q.axes[q.rank - 2] == k.axes[k.rank - 2]))
      return report(mistake::causal_across_axes).say(in).compare({"queries"}, q, {"keys"}, k);
    return {};
  }

  /// What is wrong with these, which are not three expressions.
  template <class... Given>
  static constexpr report miscounted() {
    std::size_t count = 0;
    std::string_view other{};
    auto look = [&](bool place, bool operand, std::string_view kind) {
      if (place) return;
      ++count;
      if (!operand && other.empty()) other = kind;
    };
    (look(std::same_as<Given, std::source_location>, Operand<Given>, kind_of<Given>), ...);
    report found(mistake::not_queries_keys_values);
    found.say({kind_of<attend_operation>});
    if (!other.empty()) return found.given(other);
    return found.say({"given: ", static_cast<std::int64_t>(count)});
  }
};

struct attend_spec {
  static constexpr std::string_view word = "attend", arguments = "(axis, ...)", example = "attend<\"A\">(axis, ...)";
  static constexpr std::size_t axes = 1;
  using options = options_known<attend_option>;
  static constexpr std::string_view known = "see docs/attention.md";

  template <class Queries, class... Options>
  static constexpr attention_settings settings = complete(settings_among<Options...>(), Queries::extent);

  template <class Queries, class... Options>
  static constexpr report examine(std::string_view name) {
    phrase_parts const in{"in attend<\"", name, "\">(...)"};
    if (report const found = examine_options<options, Options...>(in, known)) return found;
    if constexpr (!(option_is_positive<Options> && ...)) return not_positive<Options...>(in);
    attention_settings const& s = settings<Queries, Options...>;
    if (s.value.heads == 0) return report(mistake::heads_missing).say(in);
    if (Queries::extent == run_time) return report(mistake::width_not_known).say(in).say({"axis: ", value_of(Queries{})});
    if (report const found = examine_heads(s, Queries::extent, in)) return found;
    if (has_option<direction_option<true>, Options...> && has_option<direction_option<false>, Options...>)
      return report(mistake::options_contradict).say(in).given("causal and bidirectional");
    return {};
  }

  template <text Name, class Queries, class... Options>
  static constexpr auto make(names<Name>, Queries, Options...) {
    return attend_operation<Name, Queries, settings<Queries, Options...>.value>{};
  }
};

/// attend<"A">(queries, heads<12>, causal)(q, k, v): attention without projections, o_i = sum_j softmax_j(c q_i . k_j) v_j for
/// each head, over the feature axis of the queries; heads of keys and values are as wide as those of queries. No parameters.
/// (..., T, queries), (..., S, keys), (..., S, values) -> (..., T, queries)
/// Options: heads, kv_heads, causal, bidirectional, sliding_window, softcap, softmax_scale, alibi, as of `attention`.
/// Source: Vaswani et al. 2017, 1706.03762.
template <text... Name, class... Given>
constexpr auto attend(Given... given) {
  using Made = made<attend_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(given...);
}

}  // namespace residua::dsl
