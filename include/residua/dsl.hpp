#pragma once
// The language, as user code includes it, and the one place where a mistake becomes a compiler error: here, because
// a compiler prints the chain of files that leads to an error, and that chain should be short.
#include <residua/calculus/jacobian.hpp>
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
inline constexpr auto sentence = joined<What, joined<", ", Phrases>...>;
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
struct mistake_message<mistake::wrong_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation was given another axis than it is made for"));
};
template <text... Phrases>
struct mistake_message<mistake::wrong_vector_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>,
                RESIDUA_SENTENCE("a learned vector lies over another axis than the expression ends in"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_expression, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an expression was expected"));
};
template <text... Phrases>
struct mistake_message<mistake::product_of_expressions, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("hadamard(a, b) is the product of two expressions"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_operation, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an operation was expected"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_axis, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an axis was expected, as in axis<\"d\", 768>"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_block, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stack is made of blocks of one stream"));
};
template <text... Phrases>
struct mistake_message<mistake::not_a_stream, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stream was expected, as in stream(B, T, d)"));
};
template <text... Phrases>
struct mistake_message<mistake::name_taken, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("two different operations have one name"));
};
template <text... Phrases>
struct mistake_message<mistake::not_an_identifier, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a name must be an identifier and no C++ keyword"));
};
template <text... Phrases>
struct mistake_message<mistake::result_is_not_the_stream, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a block must give back the stream it was given"));
};
template <text... Phrases>
struct mistake_message<mistake::extent_not_positive, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("an extent must be positive"));
};
template <text... Phrases>
struct mistake_message<mistake::unknown_option, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the operation does not know this option"));
};
template <text... Phrases>
struct mistake_message<mistake::axis_repeated, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a shape names an axis twice"));
};
template <text... Phrases>
struct mistake_message<mistake::rank_not_supported, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("a stream has one to three leading axes and the feature axis"));
};
template <text... Phrases>
struct mistake_message<mistake::cannot_rename, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("renamed takes an axis of the expression and one of equal extent"));
};
template <text... Phrases>
struct mistake_message<mistake::captures, Phrases...> {
  static_assert(detail::holds<Phrases...>, RESIDUA_SENTENCE("the function of a block or branch must not capture"));
};

#undef RESIDUA_SENTENCE

}  // namespace residua::dsl
