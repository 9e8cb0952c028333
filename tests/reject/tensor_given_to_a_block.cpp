//! residua: an expression was expected
//! the block "b"
//! given: std::
#include "common.hpp"

#include <string>

inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(x)); });
#ifdef WRONG
inline auto const y = b(std::string("1 2 3"));
#else
inline auto const y = std::string("1 2 3");
#endif
