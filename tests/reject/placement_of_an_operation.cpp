//! residua: an operation stands where its result is meant: apply it, as in F(x)
//! block "b"
//! placement_of_an_operation.cpp:11
//! in pre_norm(x, N, F)
//! given: the operation "N"
#include "common.hpp"
#include <residua/placements.hpp>
using residua::placements::pre_norm;

#ifdef WRONG
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return pre_norm(N, x, F); });
#else
inline constexpr auto b = block<"b">(stream(B, T, d), [](auto x) { return pre_norm(x, N, F); });
#endif
