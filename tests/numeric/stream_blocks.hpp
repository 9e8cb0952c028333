#pragma once
#include <residua/dsl.hpp>

// Blocks of several streams: side by side, with tokens of their own, n at once, beside a memory, and of other numbers of results.
namespace stream_blocks {
using namespace residua::dsl;

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"S"> S;
inline constexpr axis<"one", 1> one;
inline constexpr axis<"d", 12> d;
inline constexpr axis<"e", 10> e;
inline constexpr axis<"h", 20> h;
inline constexpr auto rows = stream(B, T, d);
inline constexpr auto M = branch<"M">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d));

/// ResiDual, two layers.
inline constexpr auto residual = stack<"h", 2>(block<"residual">(streams(rows, stream<"r">(B, T, d)), [](auto x, auto r) {
  auto f = attention<"A">(d, heads<3>, causal, rope)(x);
  auto u = layer_norm<"N1">(d)(x + f);
  auto g = M(u);
  return streams(rms_norm<"N2">(d)(u + g), r + f + g);
}));
/// CaiT: a class token that reads the patches, which pass.
inline constexpr auto class_attention = block<"class_attention">(streams(stream<"c">(B, one, d), rows), [](auto c, auto x) {
  auto u = c + learned_vector<"g">(d) * attention<"A">(d, heads<2>, cross)(layer_norm<"N">(d)(c), layer_norm<"O">(d)(x));
  return streams(u + M(u), x);
});
/// Two streams with tokens of their own, one width apart, that never meet.
inline constexpr auto apart = block<"apart">(streams(rows, stream(B, S, d), stream(B, S, e)), [](auto x, auto y, auto z) {
  return streams(x + M(x), y - linear<"W">(e, d)(z), hadamard(z, sigmoid(z)));
});
/// Hyper-connections with learned weights, by loops.
inline constexpr auto mixed = block<"mixed">(streams<3>(rows), [](auto s) {
  auto u = s[0];
  for (std::size_t i = 1; i < s.size(); ++i) u += learned_scalar<"pre"> * s[i];
  auto f = M(rms_norm<"N">(d)(u));
  for (auto& each : s) each += learned_scalar<"post"> * f;
  return streams(s[1], s[2], s[0]);
});
/// Two streams beside a memory.
inline constexpr auto decoder = block<"decoder">(streams(rows, rows), stream(B, S, e), [](auto x, auto r, auto memory) {
  auto f = attention<"A">(d, heads<2>, causal)(rms_norm<"N">(d)(x)) + attention<"X">(d, heads<2>, cross(e))(r, memory);
  return streams(x + f, r + M(f));
});
/// One in, three out, two of which are one value; and two in, one out.
inline constexpr auto widen = map<"widen">(rows, [](auto x) { return streams(linear<"W">(d, e)(x), x, x); });
inline constexpr auto merge = map<"merge">(streams(rows, stream(B, T, e)), [](auto x, auto z) { return M(x) + linear<"V">(e, d)(z); });
/// A result with the tokens of the memory.
inline constexpr auto reader = map<"reader">(rows, stream(B, S, e), [](auto x, auto memory) {
  return streams(x, silu(linear<"W">(e, d)(memory)));
});
}  // namespace stream_blocks
