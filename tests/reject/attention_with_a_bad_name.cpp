//! residua: a name must be an identifier and no C++ keyword
//! block "b"
//! name "self..attn"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto A = attention<"self..attn">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#else
inline constexpr auto A = attention<"self.attn">(d, heads<12>);
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + A(N(x)); });
#endif
