//! residua: an operation was expected
//! block "b"
//! in post_norm(x, N, F)
//! given: a number
#include "common.hpp"
#include <residua/placements.hpp>
using residua::placements::post_norm;

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return post_norm(x, N, 0.5); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return post_norm(x, N, F); });
#endif
