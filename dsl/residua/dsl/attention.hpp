#pragma once
#include <residua/dsl/attention_options.hpp>
#include <residua/dsl/linear.hpp>
#include <residua/dsl/norm.hpp>

namespace residua::dsl {

/// What the four projections are called below the attention's name, and the one that stands for the first three.
template <text Query, text Key, text Value, text Output, text Fused>
struct projection_names {
  using message =
      first_message_of<path_message<Query>, path_message<Key>, path_message<Value>, path_message<Output>, path_message<Fused>>;
};

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
      return x.history().reject({.kind = mistake::no_memory,
                                 .subject = name_of<detail::kind_text<attention_operation>>,
                                 .given = "one",
                                 .where = where});
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
    auto refuse = [&](mistake what, shape_value const& right) {
      history.fail({.kind = what, .subject = name, .left = value_of(Shape{}), .right = right, .where = where});
    };
    if constexpr (!std::is_same_v<feature_axis<MemoryShape>, Memory>)
      history.fail({.kind = mistake::wrong_memory_axis,
                    .subject = name,
                    .left = value_of(MemoryShape{}),
                    .right = {{value_of(Memory{})}, 1},
                    .where = where});
    else if constexpr (!same_sequences(value_of(Shape{}), value_of(MemoryShape{})))
      refuse(mistake::memory_of_other_sequences, value_of(MemoryShape{}));
    else if constexpr (S.value.causal && !(token_axis(value_of(Shape{})) == token_axis(value_of(MemoryShape{}))))
      refuse(mistake::causal_across_axes, value_of(MemoryShape{}));
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
    int const opened = history.open(owner, x.at(), memory);
    auto const result = history.within(owner, [&] {
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
    });
    history.close(opened, result.at());
    return expression<typename std::remove_cvref_t<decltype(result)>::shape>{history, result.at(), where};
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
        history.add({.operation = op::columns, .operands = {whole.at(), -1, -1}, .shape = value_of(Part{}), .first_feature = first}),
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

namespace detail {
/// The message about what stands in one option's parentheses: rope(...), qk_norm<...>(...), cross(...).
template <class Option>
struct option_message {
  using type = no_message;
};
template <class... Options>
struct option_message<rope_option<Options...>> {
  using type = first_message_of<
      message_if<!std::derived_from<Options, rope_option_base>, mistake::unknown_option, "in rope(...)", given_phrase<Options>,
                 "known: rotary_width<64> half_split", "interleaved rope_base llama3_scaling">...,
      message_if<!option_is_positive<Options>, mistake::not_positive, "in rope(...)", given_phrase<Options>>...,
      message_if<!scaling_in_order<Options>, mistake::scaling_out_of_order, "in rope(...)">...>;
};
template <norm Which>
inline constexpr auto norm_words = text("unit_offset");
template <>
inline constexpr auto norm_words<norm::layer> = text("no_bias");
template <norm Which, class... Options>
struct option_message<qk_norm_option<Which, Options...>> {
  template <class Option>
  static constexpr bool known =
      options_known<epsilon_option, no_affine_option, across_heads_option,
                    std::conditional_t<Which == norm::rms, unit_offset_option, no_bias_option>>::template contains<Option>;
  using type = first_message_of<message_if<!known<Options>, mistake::unknown_option, "in qk_norm<...>(...)",
                                           given_phrase<Options>, "known: epsilon no_affine across_heads", norm_words<Which>>...,
                                message_if<!(epsilon_among<Options...> >= 0), mistake::epsilon_negative, "in qk_norm<...>(...)">>;
};
template <>
struct option_message<cross_option<void>> {
  using type = no_message;
};
template <class Given>
struct option_message<cross_option<Given>> {
  using type = mistake_message<mistake::not_an_axis, "in cross(...)", given_phrase<Given>>;
};
template <class Given>
  requires(is_axis<Given>)
struct option_message<cross_option<Given>> {
  using type = typename Given::message;
};

template <text Name>
inline constexpr auto in_attention = joined<"in attention<\"", Name, "\">(...)">;

/// The message about two options of which one only can hold.
template <text Name, attention_settings S, class... Options>
using contradiction_message = first_message_of<
    message_if<(S.fused && S.cross), mistake::options_contradict, in_attention<Name>, "given: fused_qkv and cross",
               "keys and values have another input">,
    message_if<(S.fused && (S.q_bias != S.k_bias || S.q_bias != S.v_bias)), mistake::options_contradict, in_attention<Name>,
               "given: fused_qkv and part of a bias", "fused, they have one: qkv_bias">,
    message_if<(has_option<direction_option<true>, Options...> && has_option<direction_option<false>, Options...>),
               mistake::options_contradict, in_attention<Name>, "given: causal and bidirectional">,
    message_if<(has_option<no_bias_option, Options...> && (S.q_bias || S.k_bias || S.v_bias || S.o_bias)),
               mistake::options_contradict, in_attention<Name>, "given: no_bias and a bias">>;

/// The message about an attention's options, or the first that is wrong with its numbers.
template <text Name, class In, attention_settings S, class... Options>
using attention_message = first_message_of<
    typename In::message, path_message<Name>, typename names_among<Options...>::message,
    message_if<!attention_option_known<Options>, mistake::unknown_option, in_attention<Name>, given_phrase<Options>,
               "known: see docs/attention.md">...,
    typename option_message<Options>::type...,
    message_if<!option_is_positive<Options>, mistake::not_positive, in_attention<Name>, given_phrase<Options>>...,
    message_if<S.value.heads == 0, mistake::heads_missing, in_attention<Name>>,
    message_if<(S.head_width_given == 0 && In::extent == run_time), mistake::head_width_missing, in_attention<Name>>,
    message_if<(S.head_width_given == 0 && In::extent % (S.value.heads > 0 ? S.value.heads : 1) != 0),
               mistake::heads_do_not_divide, in_attention<Name>, joined<"width: ", digits<In::extent>>,
               joined<"heads: ", digits<S.value.heads>>>,
    message_if<(S.value.kv_heads > 0 && S.value.heads % (S.value.kv_heads > 0 ? S.value.kv_heads : 1) != 0),
               mistake::kv_heads_do_not_divide, in_attention<Name>, joined<"heads: ", digits<S.value.heads>>,
               joined<"key and value heads: ", digits<S.value.kv_heads>>>,
    message_if<(S.value.rope.width % 2 != 0 || S.value.rope.width > S.value.head_width), mistake::rotary_width_wrong,
               in_attention<Name>, joined<"rotary width: ", digits<S.value.rope.width>>,
               joined<"head width: ", digits<S.value.head_width>>>,
    contradiction_message<Name, S, Options...>>;
}  // namespace detail

/// attention<"A">(d, heads<12>, causal): multi-head attention over (..., T, d). Parameters A.q.weight (d, queries),
/// A.k.weight, A.v.weight, A.o.weight (queries, d) and biases as asked for.
/// Options: docs/attention.md. Sources: Vaswani et al. 2017, 1706.03762; grouped heads: Ainslie et al. 2023, 2305.13245;
/// rotations: Su et al. 2021, 2104.09864; ALiBi: Press et al. 2021, 2108.12409.
template <text Name, class In, class... Options>
  requires(is_axis<In> && !(Operand<Options> || ...))
constexpr auto attention(In, Options...) {
  constexpr attention_settings settings = complete(settings_among<Options...>(), In::extent);
  using Message = detail::attention_message<Name, In, settings, Options...>;
  using Made = making<attention_operation<Name, In, memory_axis_among<In, Options...>, names_among<Options...>, settings>,
                      Message, Options...>;
  said(static_cast<typename Made::message*>(nullptr));
  return typename Made::type{};
}

// Mistaken: no axis, or no name.
template <text Name, class... Given>
constexpr auto attention(Given... given) {
  using Made = making<void, misfit_message<joined<"attention<\"", Name, "\">(axis, ...)">, Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: attention<\"A\">(axis, ...)", given...);
}
template <class... Given>
constexpr auto attention(Given... given) {
  using Made = making<void, nameless_message<"attention<\"A\">(axis, ...)", Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: attention<\"A\">(axis, ...)", given...);
}

}  // namespace residua::dsl
