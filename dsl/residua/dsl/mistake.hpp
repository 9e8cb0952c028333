#pragma once
#include <residua/dsl/text.hpp>
#include <type_traits>

namespace residua::dsl {

/// Every way in which a block can be wrong. docs/errors.md has one entry each.
enum class mistake {
  none,
  reported,  // already has its message; says nothing again
  shapes_differ,
  wrong_axis,
  wrong_vector_axis,
  not_an_expression,
  product_of_expressions,
  not_an_operation,
  not_an_axis,
  not_a_block,
  not_a_stream,
  name_taken,
  not_an_identifier,
  result_is_not_the_stream,
  extent_not_positive,
  unknown_option,
  axis_repeated,
  rank_not_supported,
  cannot_rename,
  captures,
};

/// The compile error of one mistake; its phrases are the details, each short enough for clang to print whole.
/// Defined in <residua/dsl.hpp>, so that one line at most says where it was included from.
///
/// `said(static_cast<Message*>(nullptr))` makes the compiler print it, once for equal phrases, and goes on as if
/// nothing had happened: looking up `said` needs the class complete, and nothing else depends on the class, so no
/// second error follows. It stands directly in the function that the user calls, to keep the chain of notes short.
template <mistake Kind, text... Phrases>
struct mistake_message;

struct no_message {};

constexpr void said(void const*) {}

/// The first message that has something to say.
template <class First, class... Rest>
struct first_message {
  using type = First;
};
template <class Next, class... Rest>
struct first_message<no_message, Next, Rest...> : first_message<Next, Rest...> {};

template <class... Messages>
using first_message_of = typename first_message<Messages..., no_message>::type;

template <bool Wrong, mistake Kind, text... Phrases>
using message_if = std::conditional_t<Wrong, mistake_message<Kind, Phrases...>, no_message>;

}  // namespace residua::dsl
