#pragma once
// The language, as user code includes it, and the one place where a mistake becomes a compiler error: here, because
// a compiler prints the chain of files that leads to an error, and that chain should be short.
#include <residua/calculus/jacobian.hpp>
#include <residua/dsl/attention.hpp>
#include <residua/dsl/branch.hpp>
#include <residua/dsl/stack.hpp>

namespace residua::dsl {

namespace detail {

/// Never true, and shows the phrases where a compiler prints the condition that failed.
template <text... Phrases>
inline constexpr bool holds = false;

// Where the compiler takes a computed message it is one sentence; elsewhere the phrases are in the type that it prints.
#if defined(__cpp_static_assert) && __cpp_static_assert >= 202306L
template <text What, text... Phrases>
constexpr writer write_sentence() {
  writer out;
  out.add(What.view());
  std::string_view before = ": ";
  auto add = [&](std::string_view phrase) {
    out.add(before);
    out.add(phrase);
    before = phrase.ends_with(' ') ? "" : ", ";  // the next one goes on with it
  };
  (add(Phrases.view()), ...);
  return out;
}
template <text What, text... Phrases>
inline constexpr auto sentence =
    exactly<write_sentence<What, Phrases...>().view().size()>(write_sentence<What, Phrases...>().view());
#define RESIDUA_SENTENCE(what) detail::sentence<"residua: " what, Phrases...>.view()
#else
#define RESIDUA_SENTENCE(what) "residua: " what
#endif

}  // namespace detail

#if defined(__GNUC__) && !defined(__clang__)
#line 1 "residua"  // g++ then shows no line of this file below the message
#endif

template <text... Phrases>
struct mistake_message<mistake::shapes_differ, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the two sides have different shapes"));
};
template <text... Phrases>
struct mistake_message<mistake::hadamard_shapes_differ, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("hadamard multiplies two expressions of one shape"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation was given another axis than it is made for"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_norm_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a norm is made for another axis than the expression ends in"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_vector_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("a learned vector lies over another axis than the expression ends in"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_stream, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a block was applied to another stream than it reads"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an expression was expected"));
};
template <text... Phrases>
struct mistake_message<mistake::not_applied, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("an operation stands where its result is meant: apply it, as in F(x)"));
};
template <text... Phrases>
struct mistake_message<mistake::number_added, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a number can multiply an expression, but not be added to it"));
};
template <text... Phrases>
struct mistake_message<mistake::product_of_expressions, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("expressions are multiplied by hadamard(a, b), not by *"));
};
template <text... Phrases>
struct mistake_message<mistake::divided_by_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an expression can be divided by a number only"));
};
template <text... Phrases>
struct mistake_message<mistake::not_one_argument, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation is applied to one expression"));
};
template <text... Phrases>
struct mistake_message<mistake::expression_called, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an expression was called like an operation"));
};
template <text... Phrases>
struct mistake_message<mistake::axis_not_in_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("renamed was given an axis that the expression does not have"));
};
template <text... Phrases>
struct mistake_message<mistake::renamed_extent_differs, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("renamed takes two axes of one extent"));
};
template <text... Phrases>
struct mistake_message<mistake::heads_missing, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an attention needs its number of heads, as in heads<12>"));
};
template <text... Phrases>
struct mistake_message<mistake::heads_do_not_divide, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the heads do not divide the width of the stream"));
};
template <text... Phrases>
struct mistake_message<mistake::kv_heads_do_not_divide, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the key and value heads do not divide the heads"));
};
template <text... Phrases>
struct mistake_message<mistake::head_width_missing, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("an attention over an axis chosen at run time needs its head width, as in head_width<64>"));
};
template <text... Phrases>
struct mistake_message<mistake::rotary_width_wrong, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a rotary width must be even and at most the head width"));
};
template <text... Phrases>
struct mistake_message<mistake::not_positive, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an option takes a positive number"));
};
template <text... Phrases>
struct mistake_message<mistake::scaling_out_of_order, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("in llama3_scaling<factor, low, high, length> low is below high"));
};
template <text... Phrases>
struct mistake_message<mistake::options_contradict, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("two options cannot both hold"));
};
template <text... Phrases>
struct mistake_message<mistake::no_memory, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("this is applied to two expressions, as in X(q, memory)"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_memory_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a cross-attention is made for a memory of another feature axis"));
};
template <text... Phrases>
struct mistake_message<mistake::memory_of_other_sequences, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("queries and memory must agree in every axis before that of their tokens"));
};
template <text... Phrases>
struct mistake_message<mistake::causal_across_axes, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("causal attention needs queries and memory over one token axis"));
};
template <text... Phrases>
struct mistake_message<mistake::no_name, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the name is missing"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_identifier, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a name must be an identifier and no C++ keyword"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an axis was expected, as in axis<\"d\", 768>"));
};
template <text... Phrases>
struct mistake_message<mistake::missing_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an axis is missing"));
};
template <text... Phrases>
struct mistake_message<mistake::made_of_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("an operation is made of axes first, and then applied to an expression"));
};
template <text... Phrases>
struct mistake_message<mistake::unknown_option, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the operation does not know this option"));
};
template <text... Phrases>
struct mistake_message<mistake::epsilon_negative, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("epsilon must not be negative"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_operation, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation was expected"));
};
template <text... Phrases>
struct mistake_message<mistake::applied_with_bar, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation is applied as F(x); | composes operations"));
};
template <text... Phrases>
struct mistake_message<mistake::extent_not_positive, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an extent must be positive"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_stream, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stream was expected, as in stream(B, T, d)"));
};
template <text... Phrases>
struct mistake_message<mistake::rank_not_supported, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stream has one to three leading axes and the feature axis"));
};
template <text... Phrases>
struct mistake_message<mistake::axis_repeated, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a shape names an axis twice"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_function, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("a function of one expression was expected, as in [](auto x) { ... }"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_function_of_two, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("a function of two expressions was expected, as in [](auto x, auto memory) { ... }"));
};
template <text... Phrases>
struct mistake_message<mistake::captures, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the function of a block or branch must not capture"));
};
template <text... Phrases>
struct mistake_message<mistake::not_constant, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("the function of a block does what cannot be computed at compile time"));
};
template <text... Phrases>
struct mistake_message<mistake::returns_no_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the function of a block or branch must return an expression"));
};
template <text... Phrases>
struct mistake_message<mistake::result_is_not_the_stream, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a block must give back the stream it was given"));
};
template <text... Phrases>
struct mistake_message<mistake::name_taken, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("two different operations have one name"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_block, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a block was expected"));
};
template <text... Phrases>
struct mistake_message<mistake::no_layers, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stack has one layer or more"));
};
template <text... Phrases>
struct mistake_message<mistake::layers_differ, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the layers of a stack must read one stream"));
};

#undef RESIDUA_SENTENCE

}  // namespace residua::dsl
