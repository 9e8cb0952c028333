//! residua: a function of one expression was expected, as in [](auto x) { ... }
//! in branch "G"
//! given: several, compose them with |
#include "common.hpp"

#ifdef WRONG
inline constexpr auto G = branch<"G">(up, gelu_tanh, down);
#else
inline constexpr auto G = branch<"G">(up | gelu_tanh | down);
#endif
