#pragma once
#include <concepts>
#include <residua/dsl/shape.hpp>
#include <residua/dsl/trace.hpp>
#include <type_traits>

namespace residua::dsl {

/// A value inside a block. Its type is its shape and nothing else; the graph is a value, in the trace.
/// The source position is where the user's code last made or copied the expression, for messages.
template <class Shape>
class expression {
 public:
  using shape = Shape;
  static constexpr std::string_view kind = "an expression";

  constexpr expression(trace& history, int at, std::source_location where) : trace_(&history), node_(at), where_(where) {}
  constexpr expression(expression const& other, std::source_location where = std::source_location::current())
      : trace_(other.trace_), node_(other.node_), where_(where) {}
  constexpr expression& operator=(expression const&) = default;

  /// Mistaken: x(...) where F(x) was meant, most likely.
  template <class Given>
  constexpr poisoned operator()(Given const&, std::source_location where = std::source_location::current()) const {
    return history().poison(report(mistake::expression_called, where));
  }
  /// Mistaken: `if (x)`, `while (x)`, `x ? a : b`, `!x`.
  constexpr explicit operator bool() const {
    return history().answer(report(mistake::control_flow, where_).say({"in a condition"}));
  }

  constexpr trace& history() const { return *trace_; }
  constexpr int at() const { return node_; }
  constexpr std::source_location where() const { return where_; }

 private:
  trace* trace_;
  int node_;
  std::source_location where_;
};

template <class T>
inline constexpr bool is_expression = false;
template <class Shape>
inline constexpr bool is_expression<expression<Shape>> = true;

template <class T>
concept Expression = is_expression<std::remove_cvref_t<T>>;
template <class T>
concept Poisoned = std::same_as<std::remove_cvref_t<T>, poisoned>;
/// What a block's function computes with: an expression, or what became of one.
template <class T>
concept Operand = Expression<T> || Poisoned<T>;

/// What can be a block's function: it takes one expression, as `[](auto x) { ... }` does.
template <class Body, class Shape>
concept FunctionOf = requires(expression<Shape> (*x)()) { Body{}(x()); };

/// The later of two places in the user's code, so that a message points into the line of the operator.
constexpr std::source_location later(std::source_location a, std::source_location b) { return a.line() > b.line() ? a : b; }

}  // namespace residua::dsl
