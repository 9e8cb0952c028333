#pragma once
#include <residua/dsl/block.hpp>

namespace residua::dsl {

/// A named part of a block: its parameters stand below its name, and its Jacobian is one factor, J_F.
template <text Name, class Body>
struct branch_operation : operation<branch_operation<Name, Body>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    int const owner = history.scope_of(name, hash(name), &identity_of<branch_operation>, where);
    int const opened = history.open(owner, x.at());
    expression<Shape> const argument{history, x.at(), where};
    auto const result = history.within(owner, [&] {
      if constexpr (Operation<Body>) return Body{}(argument, where);
      else return Body{}(argument);
    });
    using Result = std::remove_cvref_t<decltype(result)>;
    if constexpr (Expression<Result>) {
      history.close(opened, result.at());
      return Result{history, result.at(), where};
    } else if constexpr (Rejected<Result>) {
      return result;
    } else {
      return rejected{{.kind = mistake::not_an_expression, .subject = name, .given = kind_of<Result>, .where = where}};
    }
  }
};

/// branch<"F">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d)), or of a function of one expression:
/// branch<"M">([](auto z) { return down(hadamard(silu(gate(z)), up(z))); }).
template <text Name, class Body>
constexpr auto branch(Body) {
  constexpr bool captures = !std::is_empty_v<Body> || !std::is_default_constructible_v<Body>;
  using Message = first_message_of<name_message<Name>, message_if<captures, mistake::captures, joined<"branch \"", Name, "\"">>>;
  said(static_cast<Message*>(nullptr));
  if constexpr (std::is_same_v<Message, no_message>) return branch_operation<Name, Body>{};
  else return broken_operation{};
}

}  // namespace residua::dsl
