#pragma once
#include <residua/calculus/text/json.hpp>
#include <residua/dsl/block.hpp>

namespace residua::calculus {

/// The Jacobian of a block with respect to its stream or one of its parameters, written on demand; of several streams or
/// results a block matrix.
class jacobian_expression {
 public:
  constexpr jacobian_expression(graph_view const& graph, derivative_block const& of) : graph_(graph), of_(of) {}

  /// I + J_F J_N, or [[J_N (I + J_F), 0], [J_F, I]]
  constexpr graph::rendered text() const { return write(notation::text); }
  /// I + J_{F} J_{N}
  constexpr graph::rendered latex() const { return write(notation::latex); }
  /// The same, each factor with the point that it is taken at: I + J_F@N(x) J_N@x
  constexpr jacobian_expression with_points() const {
    jacobian_expression made = *this;
    made.of_.with_points = true;
    return made;
  }
  /// The text and, below it, the closed form of every factor and the point at which it is taken.
  constexpr graph::rendered expanded() const {
    writer out;
    write_expanded(out, graph_, of_);
    return graph::rendered(static_cast<writer&&>(out));
  }
  /// What expanded() says as LaTeX: an align* environment with a line for the Jacobian and for each factor.
  constexpr graph::rendered expanded_latex() const {
    writer out;
    out.add("\\begin{align*}\n");
    expanded_text(out, graph_, notation::latex).write(of_);
    out.add("\n\\end{align*}\n");
    return graph::rendered(static_cast<writer&&>(out));
  }
  constexpr graph::rendered json() const {
    writer out;
    write_json(out, graph_, of_);
    return graph::rendered(static_cast<writer&&>(out));
  }

  friend constexpr bool operator==(jacobian_expression const& a, std::string_view b) { return a.text() == b; }
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, jacobian_expression const& j) {
    return out << j.text();
  }

 private:
  constexpr graph::rendered write(notation style) const {
    writer out;
    write_derivatives(out, graph_, of_, style);
    return graph::rendered(static_cast<writer&&>(out));
  }

  graph_view graph_;
  derivative_block of_;
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
    template <class Traits>
    friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, any) {
      return out;
    }
  };
  any norms{};
  any coefficient{};
  any kind{};

  constexpr bool operator==(auto const&) const { return true; }
  constexpr bool operator!=(auto const&) const { return true; }
  constexpr silent_answer with_points() const { return {}; }
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
struct by_streams_tag {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    return calculus::derivative_block::by_streams(graph);
  }
};
struct by_memory_tag {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    return calculus::derivative_block::by_memory(graph);
  }
};
template <text Path>
struct by_parameter_tag {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    return calculus::derivative_block::by_parameter(graph, calculus::find_parameter(graph, name_of<Path>));
  }
};
/// jacobian(b, of_value): the derivative of the value, by the streams, where `stopped` leaves it out of what is trained.
struct of_value_tag {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    calculus::derivative_block made = calculus::derivative_block::by_streams(graph);
    made.first.of_value = true;
    return made;
  }
};
inline constexpr of_value_tag of_value;
inline constexpr by_memory_tag by_memory;
template <text Path>
inline constexpr by_parameter_tag<Path> by_parameter;

/// jacobian(b, of<0>, by<1>): of one result, by one stream.
template <std::size_t Result>
struct of_tag {
  static constexpr std::size_t result = Result;
};
template <std::size_t Stream>
struct by_tag {
  static constexpr std::size_t stream = Stream;
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    calculus::derivative_block made = calculus::derivative_block::by_streams(graph);
    made.first.input = Stream;
    made.inputs = 1;
    return made;
  }
};
template <std::size_t Result>
inline constexpr of_tag<Result> of;
template <std::size_t Stream>
inline constexpr by_tag<Stream> by;

/// One result of what By chooses.
template <std::size_t Result, class By>
struct of_result {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    calculus::derivative_block made = By::choose(graph);
    made.first.output = Result;
    made.results = 1;
    return made;
  }
};

/// What By chooses, with points.
template <class By>
struct at_points {
  static constexpr calculus::derivative_block choose(graph_view const& graph) {
    calculus::derivative_block made = By::choose(graph);
    made.with_points = true;
    return made;
  }
};

/// The Jacobian of a block, which its type knows, so that a message can show it.
template <class Block, class By = by_streams_tag>
struct jacobian_of : calculus::jacobian_expression {
  constexpr jacobian_of() : jacobian_expression(Block::view(), By::choose(Block::view())) {}
  constexpr jacobian_of<Block, at_points<By>> with_points() const { return {}; }

  static constexpr mistake otherwise = mistake::another_jacobian;
  static constexpr std::string_view block = Block::name;
  constexpr bool is(std::string_view expected) const { return *this == expected; }
};

/// The verdict of a block, or of a pair of its results and streams.
template <class Block, std::size_t... Pair>
constexpr auto find_route() {
  if constexpr (sizeof...(Pair) == 0 && Block::view().has_several()) return calculus::find_block_route(Block::view());
  else return calculus::find_identity_route(Block::view(), Pair...);
}

/// The identity route of a block, which its type knows.
template <class Block, std::size_t... Pair>
struct identity_route_of : decltype(find_route<Block, Pair...>()) {
  using route_result = decltype(find_route<Block, Pair...>());
  constexpr identity_route_of() : route_result(find_route<Block, Pair...>()) {}

  static constexpr mistake otherwise = mistake::another_route;
  static constexpr std::string_view block = Block::name;
  constexpr bool is(std::string_view expected) const {
    return calculus::name(this->kind) == expected || this->text() == expected;
  }
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

/// What is wrong with a result or stream of this number.
constexpr report examine_number(graph_view const& graph, std::string_view what, std::size_t number, std::size_t count) {
  if (number < count) return {};
  return report(mistake::no_such_stream)
      .say({"in block \"", graph.name, "\""})
      .say({"given: ", what, "<", static_cast<std::int64_t>(number), ">"})
      .say({what == "of" ? "results: " : "streams: ", static_cast<std::int64_t>(count)});
}
template <class Block>
constexpr report examine_choice(auto) {
  return {};
}
template <class Block, std::size_t Result>
constexpr report examine_choice(of_tag<Result>) {
  return examine_number(Block::view(), "of", Result, Block::view().outputs.size());
}
template <class Block, std::size_t Stream>
constexpr report examine_choice(by_tag<Stream>) {
  return examine_number(Block::view(), "by", Stream, Block::view().streams);
}
template <class Block, text Path>
constexpr report examine_choice(by_parameter_tag<Path>) {
  return parameter_report<Block, Path>;
}
template <class Block, class... Choice>
constexpr report examine_choices() {
  report found;
  (void)((found = examine_choice<Block>(Choice{}), found.kind != mistake::none) || ...);
  return found;
}
template <class Block, class... Choice>
inline constexpr report choice_report = examine_choices<Block, Choice...>();

template <class T>
inline constexpr bool is_by = false;
template <std::size_t Stream>
inline constexpr bool is_by<by_tag<Stream>> = true;
template <text Path>
inline constexpr bool is_by<by_parameter_tag<Path>> = true;
template <>
inline constexpr bool is_by<by_memory_tag> = true;
template <>
inline constexpr bool is_by<of_value_tag> = true;
template <class Block, class By>
concept ChoiceOf = is_by<By> && (!std::is_same_v<By, by_memory_tag> || Block::reads::has_memory);

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
  return {b.view(), calculus::derivative_block::by_parameter(b.view(), calculus::find_parameter(b.view(), parameter))};
}
/// jacobian(b, by_parameter<"F.up.weight">): the same with the path in its type, as `is` needs it; jacobian(b, by_memory): by the
/// memory; jacobian(b, by<1>): by one of several streams.
template <text Name, class Reading, class Body, detail::result_rule Rule, class By>
  requires detail::ChoiceOf<block_operation<Name, Reading, Body, Rule>, By>
constexpr auto jacobian(block_operation<Name, Reading, Body, Rule>, By) {
  using Block = block_operation<Name, Reading, Body, Rule>;
  said(static_cast<message_of<detail::choice_report<Block, By>>*>(nullptr));
  if constexpr (detail::choice_report<Block, By>) return calculus::silent_answer();
  else return jacobian_of<Block, By>();
}
/// jacobian(b, of<0>, by<1>): of one of several results.
template <text Name, class Reading, class Body, detail::result_rule Rule, std::size_t Result, class... By>
  requires(sizeof...(By) < 2 && (detail::ChoiceOf<block_operation<Name, Reading, Body, Rule>, By> && ...))
constexpr auto jacobian(block_operation<Name, Reading, Body, Rule>, of_tag<Result>, By...) {
  using Block = block_operation<Name, Reading, Body, Rule>;
  said(static_cast<message_of<detail::choice_report<Block, of_tag<Result>, By...>>*>(nullptr));
  if constexpr (detail::choice_report<Block, of_tag<Result>, By...>) return calculus::silent_answer();
  else if constexpr (sizeof...(By) == 0) return jacobian_of<Block, of_result<Result, by_streams_tag>>();
  else return jacobian_of<Block, of_result<Result, By...>>();
}
template <text Name, report const& Why, class Result, class... By>
constexpr calculus::silent_answer jacobian(poisoned_block<Name, Why, Result>, By...) {
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
/// identity_route(b, of<0>, by<1>): from one of several streams to one of the results.
template <text Name, class Reading, class Body, detail::result_rule Rule, std::size_t Result, std::size_t Stream>
constexpr auto identity_route(block_operation<Name, Reading, Body, Rule>, of_tag<Result>, by_tag<Stream>) {
  using Block = block_operation<Name, Reading, Body, Rule>;
  said(static_cast<message_of<detail::choice_report<Block, of_tag<Result>, by_tag<Stream>>>*>(nullptr));
  if constexpr (detail::choice_report<Block, of_tag<Result>, by_tag<Stream>>) return calculus::silent_answer();
  else return identity_route_of<Block, Result, Stream>();
}
template <text Name, report const& Why, class Result, class... By>
constexpr calculus::silent_answer identity_route(poisoned_block<Name, Why, Result>, By...) {
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
