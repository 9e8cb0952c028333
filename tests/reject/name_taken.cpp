//! residua: two different operations have one name
//! block "b"
//! name "N"
#include "common.hpp"

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(rms_norm<"N">(d)(x))); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return x + F(N(rms_norm<"R">(d)(x))); });
#endif
