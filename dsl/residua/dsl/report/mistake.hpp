#pragma once
#include <residua/dsl/text.hpp>
#include <residua/graph/writer.hpp>
#include <type_traits>

namespace residua::dsl {

/// Every way in which a block can be wrong. Each has its sentence in <residua/dsl.hpp> and its entry in docs/errors.md.
enum class mistake {
  none,
  reported,  // already has its message; says nothing again
  // what an operator or an operation was given
  shapes_differ,
  hadamard_shapes_differ,
  wrong_axis,
  wrong_norm_axis,
  wrong_vector_axis,
  wrong_stream,
  not_an_expression,
  not_applied,
  number_added,
  product_of_expressions,
  divided_by_expression,
  not_one_argument,
  expression_called,
  axis_not_in_expression,
  renamed_extent_differs,
  // attention
  heads_missing,
  heads_do_not_divide,
  kv_heads_do_not_divide,
  head_width_missing,
  rotary_width_wrong,
  not_positive,
  scaling_out_of_order,
  options_contradict,
  no_memory,
  wrong_memory_axis,
  memory_of_other_sequences,
  causal_across_axes,
  // what an operation is made of
  no_name,
  not_an_identifier,
  not_an_axis,
  missing_axis,
  made_of_expression,
  unknown_option,
  epsilon_negative,
  not_an_operation,
  applied_with_bar,
  extent_not_positive,
  // streams, blocks, stacks
  not_a_stream,
  rank_not_supported,
  axis_repeated,
  not_a_function,
  not_a_function_of_two,
  captures,
  not_constant,
  returns_no_expression,
  result_is_not_the_stream,
  name_taken,
  not_a_block,
  no_layers,
  layers_differ,
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

/// The name of a type, as the compiler spells it.
template <class T>
constexpr std::string_view spelling_of() {
  std::string_view const name = __PRETTY_FUNCTION__;
  std::size_t const from = name.find("T = ") + 4;
  std::size_t const end = name.find("; std::string_view", from);  // g++
  return name.substr(from, (end == name.npos ? name.size() - 1 : end) - from);
}

namespace detail {
template <class T>
constexpr writer write_kind() {
  writer out;
  if constexpr (std::is_void_v<T>) out.add("nothing");
  else if constexpr (std::is_arithmetic_v<T>) out.add("a number");
  else if constexpr (std::is_convertible_v<T, char const*>) out.add("text");
  else if constexpr (requires { T::kind; }) {
    out.add(T::kind);
    if constexpr (requires { T::name; })
      if (!T::name.empty()) {
        out.add(" \"");
        out.add(T::name);
        out.add("\"");
      }
  } else {
    out.add(spelling_of<T>());
  }
  return out;
}
template <class T>
inline constexpr auto kind_text = exactly<write_kind<T>().view().size()>(write_kind<T>().view());
}  // namespace detail

/// What a thing is, in the words of a message: `a number`, `the axis "d"`. A class says so by its members `kind` and `name`.
template <class T>
inline constexpr std::string_view kind_of = name_of<detail::kind_text<std::remove_cvref_t<T>>>;

/// The phrase of a message about an argument of type T.
template <class T>
inline constexpr auto given_phrase = joined<"given: ", text_of<kind_of<T>>>;

// A lambda that stands in another lambda is compiled while the outer one is, and a message in it would come with all
// that led there. So whoever takes the outer lambda says it instead.
#if defined(__clang__)
/// Whether T is, or has in its type, a lambda that stands in a function, or in the global namespace, which clang spells alike.
template <class T>
constexpr bool stands_inside() {
  std::string_view const name = spelling_of<T>();
  std::size_t const at = name.find("(lambda at");
  return at != name.npos && (at == 0 || name[at - 1] != ':');
}

/// Where the first lambda in T stands, as `blocks.hpp:12`.
template <class T>
constexpr std::string_view place_of() {
  std::string_view name = spelling_of<T>();
  std::size_t const at = name.find("(lambda at ");
  if (at == name.npos) return {};
  name.remove_prefix(at + 11);
  name = name.substr(0, name.find(')'));
  name = name.substr(0, name.rfind(':'));
  return name.substr(name.rfind('/') + 1);
}

/// Makes clang give a message at the end of the file, where it has forgotten what led there.
template <class Message>
void say_at_the_end() {
  said(static_cast<Message*>(nullptr));
}
template <class Message>
constexpr void say_later() {
  (void)&say_at_the_end<Message>;
}
inline constexpr bool can_say_later = true;
#else
/// Whether T is, or has in its type, a lambda that stands in a generic lambda.
template <class T>
constexpr bool stands_inside() {
  std::string_view const name = spelling_of<T>();
  for (std::size_t end = name.find(")>::<lambda"); end != name.npos; end = name.find(")>::<lambda", end + 1))
    if (name.substr(0, end).substr(name.substr(0, end).rfind("<lambda(")).find("auto:") != name.npos) return true;
  return false;
}

/// g++ does not say where a lambda stands.
template <class T>
constexpr std::string_view place_of() {
  return {};
}

template <class Message>
constexpr void say_later() {}
inline constexpr bool can_say_later = false;
#endif

}  // namespace residua::dsl
