#pragma once
// The language, as user code includes it, and the one place where a mistake becomes a compiler error: here, because
// a compiler prints the chain of files that leads to an error, and that chain should be short.
#include <residua/calculus/jacobian.hpp>
#include <residua/dsl/attend.hpp>
#include <residua/dsl/attention.hpp>
#include <residua/dsl/branch.hpp>
#include <residua/dsl/features.hpp>
#include <residua/dsl/layers.hpp>
#include <residua/dsl/rotary.hpp>
#include <residua/dsl/stack.hpp>
#include <residua/dsl/term.hpp>
#include <residua/dsl/token_number.hpp>

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
#define RESIDUA_SENTENCE(what) detail::sentence<"residua: " what, P...>.view()
#else
#define RESIDUA_SENTENCE(what) "residua: " what
#endif

}  // namespace detail

#if defined(__GNUC__) && !defined(__clang__)
#line 1 "residua"  // g++ then shows no line of this file below the message
#endif

// clang-format off
// The assertions are written out, for a compiler shows three lines more of one that stands in a macro.
#define RESIDUA_MISTAKE(kind) template <text... P> struct mistake_message<mistake::kind, P...>

RESIDUA_MISTAKE(shapes_differ) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the two sides have different shapes")); };
RESIDUA_MISTAKE(hadamard_shapes_differ) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("hadamard multiplies two expressions of one shape")); };
RESIDUA_MISTAKE(wrong_axis) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an operation was given another axis than it is made for")); };
RESIDUA_MISTAKE(wrong_norm_axis) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a norm is made for another axis than the expression ends in")); };
RESIDUA_MISTAKE(wrong_vector_axis) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a learned vector lies over another axis than the expression ends in")); };
RESIDUA_MISTAKE(wrong_stream) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a block was applied to another stream than it reads")); };
RESIDUA_MISTAKE(number_of_streams) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a block was given another number of streams than it reads")); };
RESIDUA_MISTAKE(not_an_expression) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an expression was expected")); };
RESIDUA_MISTAKE(not_applied) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an operation stands where its result is meant: apply it, as in F(x)")); };
RESIDUA_MISTAKE(product_of_expressions) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("expressions are multiplied by hadamard(a, b), not by *")); };
RESIDUA_MISTAKE(divided_by_expression) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an expression can be divided by a number only")); };
RESIDUA_MISTAKE(not_one_argument) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an operation is applied to one expression")); };
RESIDUA_MISTAKE(control_flow) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("control flow cannot depend on a stream: its numbers are known at run time only")); };
RESIDUA_MISTAKE(expression_called) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an expression was called like an operation")); };
RESIDUA_MISTAKE(not_one_token) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("at_each_token takes one token of each of the same sequences")); };
RESIDUA_MISTAKE(axis_not_in_expression) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("renamed was given an axis that the expression does not have")); };
RESIDUA_MISTAKE(renamed_extent_differs) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("renamed takes two axes of one extent")); };
RESIDUA_MISTAKE(heads_missing) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an attention needs its number of heads, as in heads<12>")); };
RESIDUA_MISTAKE(heads_do_not_divide) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the heads do not divide the width of the stream")); };
RESIDUA_MISTAKE(kv_heads_do_not_divide) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the key and value heads do not divide the heads")); };
RESIDUA_MISTAKE(head_width_missing) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("an attention over an axis chosen at run time needs its head width, as in head_width<64>")); };
RESIDUA_MISTAKE(rotary_width_wrong) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a rotary width must be even and at most the head width")); };
RESIDUA_MISTAKE(not_positive) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an option takes a positive number")); };
RESIDUA_MISTAKE(scaling_out_of_order) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("in llama3_scaling<factor, low, high, length> low is below high")); };
RESIDUA_MISTAKE(options_contradict) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("two options cannot both hold")); };
RESIDUA_MISTAKE(no_memory) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("this is applied to two expressions, as in X(q, memory)")); };
RESIDUA_MISTAKE(wrong_memory_axis) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a cross-attention is made for a memory of another feature axis")); };
RESIDUA_MISTAKE(memory_of_other_sequences) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("queries and memory must agree in every axis before that of their tokens")); };
RESIDUA_MISTAKE(causal_across_axes) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("causal attention needs queries and memory over one token axis")); };
RESIDUA_MISTAKE(not_queries_keys_values) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("this is applied to three expressions, as in A(q, k, v)")); };
RESIDUA_MISTAKE(not_as_wide_as_heads) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("keys and values are as wide as their heads")); };
RESIDUA_MISTAKE(values_of_other_tokens) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("keys and values must be of the same tokens")); };
RESIDUA_MISTAKE(width_not_known) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("this needs an axis whose extent is given, as in axis<\"d\", 768>")); };
RESIDUA_MISTAKE(part_beyond_the_features) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a part reaches beyond the features of the expression")); };
RESIDUA_MISTAKE(concat_of_other_tokens) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("concat takes expressions that differ in their last axis only")); };
RESIDUA_MISTAKE(extents_do_not_add_up) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the axis of concat is as long as all that it joins")); };
RESIDUA_MISTAKE(no_name) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the name is missing")); };
RESIDUA_MISTAKE(not_an_identifier) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a name must be an identifier and no C++ keyword")); };
RESIDUA_MISTAKE(reads_as_factor) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the name of a scalar reads as a factor of the Jacobian")); };
RESIDUA_MISTAKE(two_numbers) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("one name stands for two numbers")); };
RESIDUA_MISTAKE(not_an_axis) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an axis was expected, as in axis<\"d\", 768>")); };
RESIDUA_MISTAKE(missing_axis) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an axis is missing")); };
RESIDUA_MISTAKE(made_of_expression) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("an operation is made of axes first, and then applied to an expression")); };
RESIDUA_MISTAKE(unknown_option) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the operation does not know this option")); };
RESIDUA_MISTAKE(epsilon_negative) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("epsilon must not be negative")); };
RESIDUA_MISTAKE(not_an_operation) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an operation was expected")); };
RESIDUA_MISTAKE(applied_with_bar) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an operation is applied as F(x); | composes operations")); };
RESIDUA_MISTAKE(extent_not_positive) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("an extent must be positive")); };
RESIDUA_MISTAKE(not_a_stream) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a stream was expected, as in stream(B, T, d)")); };
RESIDUA_MISTAKE(streams_of_one_name) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("two streams have one name")); };
RESIDUA_MISTAKE(streams_of_other_sequences) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("the streams of a block must agree in every axis before that of their tokens")); };
RESIDUA_MISTAKE(rank_not_supported) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a stream has one to three leading axes and the feature axis")); };
RESIDUA_MISTAKE(axis_repeated) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a shape names an axis twice")); };
RESIDUA_MISTAKE(not_a_function) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a function of one expression was expected, as in [](auto x) { ... }")); };
RESIDUA_MISTAKE(not_a_function_of_two) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("a function of two expressions was expected, as in [](auto x, auto memory) { ... }")); };
RESIDUA_MISTAKE(not_a_function_of_streams) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("a function of the block's streams was expected, as in [](auto x, auto r) { ... }")); };
RESIDUA_MISTAKE(captures) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the function of a block or branch must not capture")); };
RESIDUA_MISTAKE(not_constant) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the function of a block does what cannot be computed at compile time")); };
RESIDUA_MISTAKE(returns_no_expression) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the function of a block or branch must return an expression")); };
RESIDUA_MISTAKE(result_is_not_the_stream) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a block must give back the stream it was given")); };
RESIDUA_MISTAKE(name_taken) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("two different operations have one name")); };
RESIDUA_MISTAKE(not_a_block) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a block was expected")); };
RESIDUA_MISTAKE(no_layers) { static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the number of layers is one or more")); };
RESIDUA_MISTAKE(layers_differ) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the layers of a stack must read one stream")); };
RESIDUA_MISTAKE(not_a_function_of_a_layer) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("a function of the layer was expected, as in [&](auto layer) { ... }")); };
RESIDUA_MISTAKE(layers_return) {
  static_assert(detail::holds<P...>,
                RESIDUA_SENTENCE("the function of layers returns nothing: it assigns to variables that it captures")); };
RESIDUA_MISTAKE(another_jacobian) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the Jacobian is not the expected one")); };
RESIDUA_MISTAKE(another_route) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the identity route is not the expected one")); };
RESIDUA_MISTAKE(nothing_to_compare) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("is<\"...\"> takes a jacobian(...) or an identity_route(...)")); };
RESIDUA_MISTAKE(no_parameter) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the block has no parameter of this path")); };
RESIDUA_MISTAKE(no_such_stream) {
  static_assert(detail::holds<P...>, RESIDUA_SENTENCE("the block has no stream or result of this number")); };

#undef RESIDUA_MISTAKE
#undef RESIDUA_SENTENCE
// clang-format on

}  // namespace residua::dsl
