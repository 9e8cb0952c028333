#pragma once
#include <residua/dsl.hpp>

// Blocks for what a kernel promises besides its numbers: instruction sets, threads, NaN, memory, messages, files.
namespace model_blocks {
using namespace residua::dsl;
using residua::dsl::tanh;  // <cmath> may have put its own into the global namespace

inline constexpr axis<"B"> B;
inline constexpr axis<"T"> T;
inline constexpr axis<"H"> H;
inline constexpr axis<"W"> W;
inline constexpr axis<"d", 768> d;
inline constexpr axis<"h", 3072> h;
inline constexpr axis<"c", 20> c;
inline constexpr axis<"e", 36> e;
inline constexpr axis<"fixed_T", 3> fixed_T;

/// The MLP sublayer of GPT-2 small.
inline constexpr auto gpt2_mlp = block<"gpt2_mlp">(stream(B, T, d), [](auto x) {
  return x + branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d, with_bias))(layer_norm<"N">(d)(x));
});

/// Its post-norm twin with a gated branch.
inline constexpr auto post_gated = block<"post_gated">(stream(B, T, d), [](auto x) {
  return rms_norm<"N">(d)(x + branch<"F">([](auto z) {
                            return linear<"down">(h, d)(hadamard(silu(linear<"gate">(d, h)(z)), linear<"up">(d, h)(z)));
                          })(x));
});

inline constexpr auto small = block<"small">(stream(B, T, c), [](auto x) {
  return x + learned_scalar<"alpha"> *
                 branch<"F">(linear<"up">(c, e, with_bias) | relu | linear<"down">(e, c))(layer_norm<"N">(c)(x));
});

/// Three layers: two alike and, in `mixed`, one that differs.
inline constexpr auto layers = stack<"h", 3>(small);
inline constexpr auto plain =
    block<"plain">(stream(B, T, c), [](auto x) { return layer_norm<"P">(c)(x + linear<"L">(c, c)(x)); });
inline constexpr auto mixed = stack<"h", 3>([](auto layer) {
  if constexpr (layer < 1) return plain;
  else return small;
});

inline constexpr auto image =
    block<"image">(stream(B, H, W, c), [](auto x) { return x - linear<"L">(c, c)(rms_norm<"N">(c)(x)); });
inline constexpr auto tokens = block<"tokens">(stream(fixed_T, c), [](auto x) { return x + tanh(x); });
inline constexpr auto identity = block<"identity">(stream(B, T, c), [](auto x) { return x; });
inline constexpr auto nothing = block<"nothing">(stream(B, T, c), [](auto x) { return x - x; });
inline constexpr auto widening = map<"widening">(stream(B, T, c), [](auto x) { return linear<"L">(c, e, with_bias)(x); });

/// What no block above has: every part of an epilogue, columns' gradients, literals, a width renamed at run time.
inline constexpr axis<"r"> r;
inline constexpr axis<"s"> s;
inline constexpr auto every_part = block<"every_part">(stream(B, T, r), [](auto x) {
  auto n = rms_norm<"N">(r, unit_offset)(x);
  auto a = learned_vector<"g">(r) * linear<"W1">(r, r)(n);
  auto b = hadamard(sigmoid(linear<"W2">(r, r, with_bias)(n)), a);
  auto u = x - 0.5 * linear<"W3">(r, r)(b);
  return linear<"W4">(s, r)(renamed(u, r, s)) - hadamard(softplus(u), learned_scalar<"alpha"> * linear<"W5">(r, r)(silu(u)));
});

/// Terms of every kind, before products and behind them, and a vector that is a value of its own.
inline constexpr auto terms = block<"terms">(stream(B, T, c), [](auto x) {
  auto v = learned_vector<"v">(c);
  auto t = sigmoid(learned_scalar<"b"> + linear<"gate">(c, c)(x - 0.5));
  auto f = linear<"W1">(c, c)(v - x) - constant<"k">(1.5);
  auto g = 2 - linear<"W2">(c, c)(x - v) + v;
  return hadamard(1 - t, x + 2) + hadamard(t, f) + hadamard(tanh(at_each_token(v, x)), learned_scalar<"b"> - g);
});

/// Numbers of tokens: by a linear map of one column, a mean and an inner product.
inline constexpr auto numbers = block<"numbers">(stream(B, T, c), [](auto x) {
  auto n = rms_norm<"N">(c)(x);
  auto f = sigmoid(linear<"gate">(c, one, with_bias)(n)) * linear<"W">(c, c)(n);
  return x + f - inner(f, n) * n + tanh(mean(hadamard(x, f))) * x;
});

/// Names that the emitted code uses itself, and names that are one when their dots are gone.
inline constexpr auto awkward = block<"awkward">(stream(B, T, c), [](auto x) {
  auto y = linear<"x">(c, c)(layer_norm<"w">(c)(x));
  auto z = branch<"F">(linear<"up">(c, c))(linear<"F_up">(c, c)(rms_norm<"buffer_0">(c)(y)));
  auto u = linear<"memory">(c, c)(linear<"scratch">(c, c, with_bias)(z)) + linear<"forward">(c, c)(linear<"rt">(c, c)(x));
  return x + learned_scalar<"set"> * u + learned_scalar<"e"> * linear<"Arch">(c, c)(branch<"std">(linear<"bytes">(c, c))(u));
});

static_assert(jacobian(gpt2_mlp) == "I + J_F J_N");
static_assert(jacobian(post_gated) == "J_N (I + J_F)");
static_assert(jacobian(layers) ==
              "(I + h.2.alpha J_h.2.F J_h.2.N) (I + h.1.alpha J_h.1.F J_h.1.N) (I + h.0.alpha J_h.0.F J_h.0.N)");
static_assert(identity_route(mixed) == route::through);
static_assert(jacobian(identity) == "I");
static_assert(jacobian(nothing) == "0");
static_assert(jacobian(widening) == "J_L");
}  // namespace model_blocks
