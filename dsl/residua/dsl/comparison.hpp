#pragma once
#include <compare>
#include <residua/dsl/residual.hpp>

// Comparisons of expressions are mistakes all of them: a block is compiled before there are numbers to compare.
namespace residua::dsl {

namespace detail {
template <class A, class B>
concept Compared = Operand<A> || Operand<B>;

template <class A, class B>
constexpr bool compare(A const& a, B const& b) {
  report const found = poison(report(mistake::control_flow).say({"in a comparison"}), a, b).why;
  if constexpr (Expression<A>) return a.history().answer(found);
  else if constexpr (Expression<B>) return b.history().answer(found);
  else return false;
}
}  // namespace detail

// The arguments are copied, for the copy knows its place in the user's code; but not by `<`, with which std::max and
// std::min compare in the library's.
template <class A, class B>
  requires detail::Compared<A, B>
constexpr bool operator==(A a, B b) {
  return detail::compare(a, b);
}
template <class A, class B>
  requires detail::Compared<A, B>
constexpr bool operator<(A const& a, B const& b) {
  return detail::compare(a, b);
}
template <class A, class B>
  requires detail::Compared<A, B>
constexpr std::partial_ordering operator<=>(A a, B b) {
  return detail::compare(a, b) ? std::partial_ordering::less : std::partial_ordering::greater;
}

}  // namespace residua::dsl
