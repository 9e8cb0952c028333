//! residua: the streams of a block must agree in every axis before that of their tokens
//! block "b"
//! x: (B, T, d = 768)
//! x1: (C, T, d = 768)
//! axis 1 differs in name: B, C
#include "common.hpp"

inline constexpr axis<"C"> C;
#ifdef WRONG
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(C, T, d)), [](auto x, auto r) { return streams(x, r); });
#else
inline constexpr auto b = block<"b">(streams(stream(B, T, d), stream(B, C, d)), [](auto x, auto r) { return streams(x, r); });
#endif
