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

/// jacobian(b): d b(x) / d x, as `I + J_F J_N`. Compares with text in static_assert.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr calculus::jacobian_expression jacobian(block_operation<Name, Shape, Body, Rule> b) {
  return {b.view(), {}};
}
/// jacobian(b, "F.up.weight"): the factors that lead from a parameter to the result.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr calculus::jacobian_expression jacobian(block_operation<Name, Shape, Body, Rule> b, std::string_view parameter) {
  return {b.view(), {.of_stream = false, .wrt = calculus::find_parameter(b.view(), parameter)}};
}
/// jacobian(b, by_memory): d b(x, memory) / d memory, of a block of two streams.
struct by_memory_tag {};
inline constexpr by_memory_tag by_memory;
template <text Name, class Shape, class Body, class Memory, detail::result_rule Rule>
constexpr calculus::jacobian_expression jacobian(block_operation<Name, Shape, detail::with_memory<Body, Memory>, Rule> b,
                                                 by_memory_tag) {
  return {b.view(), {.input = 1}};
}
template <text Name, class Wrong, class... Parameter>
constexpr calculus::silent_answer jacobian(broken_block<Name, Wrong>, Parameter...) {
  said(static_cast<typename broken_block<Name, Wrong>::message*>(nullptr));
  return {};
}
template <class T, class... Parameter>
  requires(!Block<T>)
constexpr calculus::silent_answer jacobian(T const&, Parameter const&...) {
  said(static_cast<mistake_message<mistake::not_a_block, "in jacobian(...)", given_phrase<T>>*>(nullptr));
  return {};
}

using calculus::route;

/// identity_route(b): what stands between input and output on the path that takes no branch.
template <text Name, class Shape, class Body, detail::result_rule Rule>
constexpr calculus::identity_route_result identity_route(block_operation<Name, Shape, Body, Rule> b) {
  return calculus::find_identity_route(b.view());
}
template <text Name, class Wrong>
constexpr calculus::silent_answer identity_route(broken_block<Name, Wrong>) {
  said(static_cast<typename broken_block<Name, Wrong>::message*>(nullptr));
  return {};
}
template <class T>
  requires(!Block<T>)
constexpr calculus::silent_answer identity_route(T const&) {
  said(static_cast<mistake_message<mistake::not_a_block, "in identity_route(...)", given_phrase<T>>*>(nullptr));
  return {};
}

}  // namespace residua::dsl
