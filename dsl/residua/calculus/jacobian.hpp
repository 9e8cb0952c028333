#pragma once
#include <residua/calculus/text/json.hpp>
#include <residua/dsl/block.hpp>

namespace residua::calculus {

/// The Jacobian of a block with respect to its stream or one of its parameters, written on demand.
class jacobian_expression {
 public:
  constexpr jacobian_expression(graph_view const& graph, derivative_request const& request) : graph_(graph), request_(request) {}

  /// I + J_F J_N
  constexpr graph::rendered text() const { return write(notation::text); }
  /// I + J_{F} J_{N}
  constexpr graph::rendered latex() const { return write(notation::latex); }
  /// The text and, below it, the closed form of every factor and the point at which it is taken.
  constexpr graph::rendered expanded() const {
    writer out;
    write_expanded(out, graph_, request_);
    return graph::rendered(static_cast<writer&&>(out));
  }
  /// What expanded() says as LaTeX: an align* environment with a line for the Jacobian and for each factor.
  constexpr graph::rendered expanded_latex() const {
    writer out;
    out.add("\\begin{align*}\n");
    expanded_text(out, graph_, notation::latex).write(request_);
    out.add("\n\\end{align*}\n");
    return graph::rendered(static_cast<writer&&>(out));
  }
  constexpr graph::rendered json() const {
    writer out;
    write_json(out, graph_, request_);
    return graph::rendered(static_cast<writer&&>(out));
  }

  friend constexpr bool operator==(jacobian_expression const& a, std::string_view b) { return a.text() == b; }
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, jacobian_expression const& j) {
    return out << j.text();
  }

 private:
  constexpr graph::rendered write(notation style) const {
    linear_operator const op = derive(graph_, request_);
    writer out;
    operator_text(graph_, op, style).write(out, op.root);
    return graph::rendered(static_cast<writer&&>(out));
  }

  graph_view graph_;
  derivative_request request_;
};

/// The parameter of this path; throws where the block has none (in constant evaluation: no constant expression).
constexpr bool has_parameter(graph_view const& graph, std::string_view path) {
  for (parameter const& each : parameters_of(graph)) {
    writer name;
    write_path(name, graph, each);
    if (name.view() == path) return true;
  }
  return false;
}
constexpr parameter find_parameter(graph_view const& graph, std::string_view path) {
  for (parameter const& each : parameters_of(graph)) {
    writer name;
    write_path(name, graph, each);
    if (name.view() == path) return each;
  }
  throw "residua: the block has no parameter of this path";
}

/// What a block with a mistake answers: as asked, so that its one message stays the only one.
struct silent_answer {
  struct any {
    constexpr bool operator==(auto const&) const { return true; }
    constexpr bool operator!=(auto const&) const { return true; }
    template <class T>
    constexpr operator T() const {
      return {};
    }
  };
  any norms{};
  any coefficient{};
  any kind{};

  constexpr bool operator==(auto const&) const { return true; }
  constexpr bool operator!=(auto const&) const { return true; }
  constexpr silent_answer text() const { return {}; }
  constexpr silent_answer latex() const { return {}; }
  constexpr silent_answer expanded() const { return {}; }
  constexpr silent_answer expanded_latex() const { return {}; }
  constexpr silent_answer json() const { return {}; }
  constexpr std::string_view view() const { return {}; }
  constexpr operator std::string_view() const { return {}; }
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, silent_answer) {
    return out;
  }
};

}  // namespace residua::calculus

namespace residua::dsl {

/// What a Jacobian is taken with respect to.
struct by_stream_tag {
  static constexpr calculus::derivative_request request(graph_view const&) { return {}; }
};
struct by_memory_tag {
  static constexpr calculus::derivative_request request(graph_view const&) { return {.input = 1}; }
};
template <text Path>
struct by_parameter_tag {
  static constexpr calculus::derivative_request request(graph_view const& graph) {
    return {.of_stream = false, .wrt = calculus::find_parameter(graph, name_of<Path>)};
  }
};
inline constexpr by_memory_tag by_memory;
template <text Path>
inline constexpr by_parameter_tag<Path> by_parameter;

/// The Jacobian of a block, which its type knows, so that a message can show it.
template <class Block, class By = by_stream_tag>
struct jacobian_of : calculus::jacobian_expression {
  constexpr jacobian_of() : jacobian_expression(Block::view(), By::request(Block::view())) {}

  static constexpr mistake otherwise = mistake::another_jacobian;
  static constexpr std::string_view block = Block::name;
  constexpr bool is(std::string_view expected) const { return *this == expected; }
};

/// The identity route of a block, which its type knows.
template <class Block>
struct identity_route_of : calculus::identity_route_result {
  constexpr identity_route_of() : identity_route_result(calculus::find_identity_route(Block::view())) {}

  static constexpr mistake otherwise = mistake::another_route;
  static constexpr std::string_view block = Block::name;
  constexpr bool is(std::string_view expected) const { return calculus::name(kind) == expected || text() == expected; }
};

namespace detail {
template <text Path>
constexpr report examine_parameter(graph_view const& graph) {
  return calculus::has_parameter(graph, name_of<Path>)
             ? report()
             : report(mistake::no_parameter).say({"in block \"", graph.name, "\""}).given(name_of<Path>);
}
template <class Block, text Path>
inline constexpr report parameter_report = examine_parameter<Path>(Block::view());

template <text Where, class T>
inline constexpr report not_a_block_report = report(mistake::not_a_block).say({name_of<Where>}).given(kind_of<T>);
}  // namespace detail

/// jacobian(b): d b(x) / d x, as `I + J_F J_N`. Compares with text in static_assert.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr auto jacobian(block_operation<Name, Shape, Body, Rule>) {
  return jacobian_of<block_operation<Name, Shape, Body, Rule>>();
}
/// jacobian(b, "F.up.weight"): the factors that lead from a parameter to the result.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr calculus::jacobian_expression jacobian(block_operation<Name, Shape, Body, Rule> b, std::string_view parameter) {
  return {b.view(), {.of_stream = false, .wrt = calculus::find_parameter(b.view(), parameter)}};
}
/// jacobian(b, by_parameter<"F.up.weight">): the same with the path in its type, as `is` needs it.
template <text Name, class Shape, class Body, detail::result_rule Rule, text Path>
constexpr auto jacobian(block_operation<Name, Shape, Body, Rule>, by_parameter_tag<Path>) {
  using Block = block_operation<Name, Shape, Body, Rule>;
  said(static_cast<message_of<detail::parameter_report<Block, Path>>*>(nullptr));
  if constexpr (detail::parameter_report<Block, Path>) return calculus::silent_answer();
  else return jacobian_of<Block, by_parameter_tag<Path>>();
}
/// jacobian(b, by_memory): d b(x, memory) / d memory, of a block of two streams.
template <text Name, class Shape, class Body, class Memory, detail::result_rule Rule>
constexpr auto jacobian(block_operation<Name, Shape, detail::with_memory<Body, Memory>, Rule>, by_memory_tag) {
  return jacobian_of<block_operation<Name, Shape, detail::with_memory<Body, Memory>, Rule>, by_memory_tag>();
}
template <text Name, report const& Why, class... By>
constexpr calculus::silent_answer jacobian(poisoned_block<Name, Why>, By...) {
  said(static_cast<message_of<Why>*>(nullptr));
  return {};
}
template <class T, class... By>
  requires(!Block<T>)
constexpr calculus::silent_answer jacobian(T const&, By const&...) {
  said(static_cast<message_of<detail::not_a_block_report<"in jacobian(...)", T>>*>(nullptr));
  return {};
}

using calculus::route;

/// identity_route(b): what stands between input and output on the path that takes no branch.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr auto identity_route(block_operation<Name, Shape, Body, Rule>) {
  return identity_route_of<block_operation<Name, Shape, Body, Rule>>();
}
template <text Name, report const& Why>
constexpr calculus::silent_answer identity_route(poisoned_block<Name, Why>) {
  said(static_cast<message_of<Why>*>(nullptr));
  return {};
}
template <class T>
  requires(!Block<T>)
constexpr calculus::silent_answer identity_route(T const&) {
  said(static_cast<message_of<detail::not_a_block_report<"in identity_route(...)", T>>*>(nullptr));
  return {};
}

namespace detail {
/// What is shown of an answer: its block, what was expected, what it is.
enum class shown { block, expected, found };
template <shown What, text Expected, class Answer>
constexpr writer write_shown() {
  writer out;
  out.add(What == shown::block ? "in block \"" : What == shown::expected ? "expected: " : "found: ");
  if constexpr (What == shown::block) out.add(Answer::block);
  else if constexpr (What == shown::expected) out.add(Expected.view());
  else out.add(Answer().text().view());
  if (What == shown::block) out.add("\"");
  return out;
}
template <shown What, text Expected, class Answer>
inline constexpr auto shown_text =
    exactly<write_shown<What, Expected, Answer>().view().size()>(write_shown<What, Expected, Answer>().view());

template <mistake Kind, text Block, text Expected, text Found, std::size_t... I, std::size_t... J>
mistake_message<Kind, Block, phrase_of<Expected, I>..., phrase_of<Found, J>...> another(std::index_sequence<I...>,
                                                                                        std::index_sequence<J...>);

template <class T>
inline constexpr report nothing_to_compare_report =
    std::is_same_v<T, calculus::jacobian_expression>
        ? report(mistake::nothing_to_compare).given("a path that no type knows").say({"write by_parameter<\"...\">"})
        : report(mistake::nothing_to_compare).given(kind_of<T>);

/// The message of a Jacobian or route that is not the expected one; none where it is.
template <text Expected, class Answer>
constexpr auto examine_answer() {
  if constexpr (std::is_same_v<Answer, calculus::silent_answer>) return std::type_identity<no_message>();
  else if constexpr (!requires { Answer::otherwise; }) return std::type_identity<message_of<nothing_to_compare_report<Answer>>>();
  else if constexpr (Answer().is(name_of<Expected>)) return std::type_identity<no_message>();
  else {
    constexpr auto block = shown_text<shown::block, Expected, Answer>;
    constexpr auto expected = shown_text<shown::expected, Expected, Answer>;
    constexpr auto found = shown_text<shown::found, Expected, Answer>;
    using Message = decltype(another<Answer::otherwise, block, expected, found>(
        std::make_index_sequence<phrases_in(expected.view())>(), std::make_index_sequence<phrases_in(found.view())>()));
    return std::type_identity<Message>();
  }
}
}  // namespace detail

/// is<"I + J_F J_N">(jacobian(b)), is<"direct">(identity_route(b)): for a static_assert. Where the text is another, the one
/// error shows both; so it is true, whatever it says.
template <text Expected, class Answer>
constexpr bool is(Answer const&) {
  using Message = typename decltype(detail::examine_answer<Expected, Answer>())::type;
  said(static_cast<Message*>(nullptr));
  return true;
}

}  // namespace residua::dsl
