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
    if constexpr (!FunctionOf<Body, Shape>) {
      return history.poison(report(mistake::not_a_function, where).say({"in branch \"", name, "\""}));
    } else {
      using Result = detail::result_of<Body, Shape>;
      if constexpr (Expression<Result>)
        if (int const known = history.result_of(owner, x.at()); known >= 0) return Result{history, known, where};
      int const opened = history.open(owner, x.at());
      if constexpr (Expression<Result>) {
        Result const result =
            history.within(owner, [&] { return detail::call<Body>(expression<Shape>{history, x.at(), where}, where); });
        history.close(opened, result.at());
        return Result{history, result.at(), where};
      } else if constexpr (Poisoned<Result>) {
        return history.within(owner, [&] { return detail::call<Body>(expression<Shape>{history, x.at(), where}, where); });
      } else {
        history.within(owner, [&] { return (detail::call<Body>(expression<Shape>{history, x.at(), where}, where), 0); });
        return history.poison(
            report(mistake::returns_no_expression, where).say({"in branch \"", name, "\""}).given(kind_of<Result>));
      }
    }
  }
};

namespace detail {
/// What is wrong with a branch of this name and these parts, of which one must be.
template <text... Name, class... Parts>
constexpr report examine_branch(names<Name...>, types<Parts...>) {
  if constexpr ((Poisoned<Parts> || ...)) return already_reported;
  else if constexpr (sizeof...(Name) != 1)
    return report((Operand<Parts> || ...) ? mistake::made_of_expression : mistake::no_name).say({"made as: branch<\"F\">(...)"});
  else {
    report found;
    if constexpr (!is_identifier((name_of<Name>, ...))) found.kind = mistake::not_an_identifier;
    else if constexpr (sizeof...(Parts) != 1) found.kind = mistake::not_a_function;
    else found.kind = (examine_function<Parts>(), ...);
    if (!found) return found;
    found.named("in branch", (name_of<Name>, ...)).say_place("at ", place_of<types<Parts...>>());
    if (found.kind != mistake::not_a_function) return found;
    if constexpr (sizeof...(Parts) == 1) return found.given((kind_of<Parts>, ...));
    else return found.given((Operand<Parts> || ...) ? "several arguments" : "several, compose them with |");
  }
}
template <class Names, class... Parts>
inline constexpr report branch_report = examine_branch(Names{}, types<Parts...>{});

/// The branch that was made, or what stands in for it, and its message.
template <class Names, class... Parts>
struct made_branch {
  static constexpr bool of_operand = (Operand<Parts> || ...);
  using told = std::conditional_t<of_operand, telling<branch_report<Names, Parts...>, true>,
                                  telling_of<branch_report<Names, Parts...>, types<Parts...>>>;
  using message = typename told::type;

  static constexpr auto from(Parts const&... parts) {
    if constexpr (of_operand) return poison(branch_report<Names, Parts...>, parts...);
    else if constexpr (branch_report<Names, Parts...>) return poisoned_operation<told::remaining>{};
    else return make(Names{}, parts...);
  }

 private:
  template <text Name, class Body>
  static constexpr branch_operation<Name, Body> make(names<Name>, Body) {
    return {};
  }
};
}  // namespace detail

/// branch<"F">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d)), or of a function of one expression:
/// branch<"M">([](auto z) { return down(hadamard(silu(gate(z)), up(z))); }).
template <text... Name, class... Parts>
constexpr auto branch(Parts... parts) {
  using Made = detail::made_branch<names<Name...>, Parts...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::from(parts...);
}

}  // namespace residua::dsl
