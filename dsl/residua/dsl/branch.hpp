#pragma once
#include <residua/dsl/block.hpp>

namespace residua::dsl {

namespace detail {
template <class Body>
inline constexpr std::string_view place_text = place_of<Body>();

/// The message about a branch's name or function: what stands there, or where the function does if the compiler says so.
template <mistake Kind, text Branch, class Body>
using part_message =
    std::conditional_t<Kind == mistake::not_a_function, mistake_message<Kind, Branch, given_phrase<Body>>,
                       std::conditional_t<place_of<Body>().empty(), mistake_message<Kind, Branch>,
                                          mistake_message<Kind, Branch, joined<"at ", text_of<place_text<Body>>>>>>;
}  // namespace detail

/// A named part of a block: its parameters stand below its name, and its Jacobian is one factor, J_F.
template <text Name, class Body>
struct branch_operation : operation<branch_operation<Name, Body>> {
  static constexpr std::string_view name = name_of<Name>;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    trace& history = x.history();
    int const owner = history.scope_of(name, hash(name), &identity_of<branch_operation>, where);
    constexpr std::string_view subject = name_of<joined<"in branch \"", Name, "\"">>;
    if constexpr (!FunctionOf<Body, Shape>) {
      return history.reject({.kind = mistake::not_a_function, .subject = subject, .where = where});
    } else {
      using Result = detail::result_of<Body, Shape>;
      int const opened = history.open(owner, x.at());
      if constexpr (Expression<Result>) {
        Result const result =
            history.within(owner, [&] { return detail::call<Body>(expression<Shape>{history, x.at(), where}, where); });
        history.close(opened, result.at());
        return Result{history, result.at(), where};
      } else if constexpr (Rejected<Result>) {
        return history.within(owner, [&] { return detail::call<Body>(expression<Shape>{history, x.at(), where}, where); });
      } else {
        history.within(owner, [&] { return (detail::call<Body>(expression<Shape>{history, x.at(), where}, where), 0); });
        return history.reject(
            {.kind = mistake::returns_no_expression, .subject = subject, .given = kind_of<Result>, .where = where});
      }
    }
  }
};

/// branch<"F">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d)), or of a function of one expression:
/// branch<"M">([](auto z) { return down(hadamard(silu(gate(z)), up(z))); }).
template <text Name, class Body>
constexpr auto branch([[maybe_unused]] Body body) {
  constexpr mistake wrong = detail::wrong_part<Name, Body>;
  if constexpr (Rejected<Body>) {
    return body;
  } else if constexpr (wrong == mistake::none) {
    return branch_operation<Name, Body>{};
  } else {
    using Message = detail::part_message<wrong, joined<"in branch \"", Name, "\"">, Body>;
    constexpr bool inside = stands_inside<Body>();
    if constexpr (Expression<Body> || (inside && !can_say_later)) {
      return typename mistaken<Message>::operation{};
    } else {
      if constexpr (inside) say_later<Message>();
      else said(static_cast<Message*>(nullptr));
      return broken_operation{};
    }
  }
}

// Mistaken: several parts, or no name.
template <text Name, class First, class Second, class... Rest>
constexpr auto branch(First first, Second second, Rest... rest) {
  if constexpr (Operand<First> || Operand<Second> || (Operand<Rest> || ...)) {
    return detail::reject(
        {.kind = mistake::not_a_function, .subject = name_of<joined<"in branch \"", Name, "\"">>, .given = "several arguments"},
        first, second, rest...);
  } else {
    using Message =
        mistake_message<mistake::not_a_function, joined<"in branch \"", Name, "\"">, "given: several, compose them with |">;
    said(static_cast<Message*>(nullptr));
    return broken_operation{};
  }
}
template <class... Given>
constexpr auto branch(Given... given) {
  using Made = making<void, nameless_message<"branch<\"F\">(...)", Given...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return misfit<Made>("made as: branch<\"F\">(...)", given...);
}

}  // namespace residua::dsl
