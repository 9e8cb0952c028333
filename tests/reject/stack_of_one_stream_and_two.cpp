//! residua: the layers of a stack must read one stream
//! block "s"
//! layer 1
//! layer 0 reads: 1
//! this layer reads: 2
#include "common.hpp"

inline constexpr auto single = block<"one">(stream(B, T, d), [](auto x) { return x + F(x); });
inline constexpr auto two = block<"two">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { return streams(x, r + F(x)); });
#ifdef WRONG
inline constexpr auto s = stack<"s", 2>([](auto layer) {
  if constexpr (layer == 0) return single;
  else return two;
});
#else
inline constexpr auto s = stack<"s", 2>([](auto) { return two; });
#endif
static_assert(sizeof(single) > 0 && sizeof(two) > 0);
