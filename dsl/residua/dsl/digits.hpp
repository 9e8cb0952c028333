#pragma once
#include <residua/dsl/graph.hpp>
#include <residua/dsl/text.hpp>

namespace residua::dsl {

/// An integer as a template argument.
template <std::int64_t Value>
constexpr writer write_digits() {
  writer out;
  out.add_integer(Value);
  return out;
}
template <std::int64_t Value>
inline constexpr auto digits = exactly<write_digits<Value>().view().size()>(write_digits<Value>().view());

}  // namespace residua::dsl
