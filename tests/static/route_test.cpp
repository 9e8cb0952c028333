// The identity's route of gates, of what a branch passes, of sums that cancel, each in its spellings: compiling is passing.
// Would catch: a verdict that the path of the catalogue does not have (Highway and GRU gates, GPAS, KEEL, nGPT, hyper-connections),
// or that changes with the way in which one expression is written.
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"d", 768> d;
constexpr axis<"h", 3072> h;

constexpr auto N = layer_norm<"N">(d);
constexpr auto n = rms_norm<"n">(d, no_affine, epsilon<0.0>);
constexpr auto W = linear<"W">(d, d, with_bias);
constexpr auto U = linear<"U">(d, d);
constexpr auto F = branch<"F">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d));
constexpr auto a = constant<"a">(2);
constexpr auto alpha = learned_scalar<"alpha">;
constexpr auto g = learned_vector<"g">(d);
constexpr auto g2 = learned_vector<"g2">(d);

template <class Body>
constexpr auto route_of(Body body) {
  return identity_route(block<"b">(stream(B, T, d), body));
}
/// The value 1 at every element, whatever x is.
constexpr auto ones = [](auto x) { return 2 * sigmoid(0 * x); };

// Highway (1505.00387): D[1 - t], whichever way it is written.
constexpr auto highway = [](auto x) {
  auto t = sigmoid(W(x));
  return x + hadamard(t, F(x) - x);
};
constexpr auto highway_apart = [](auto x) {
  auto t = sigmoid(W(x));
  return x - hadamard(t, x) + hadamard(t, F(x));
};
constexpr auto highway_as_published = [](auto x) {
  auto t = sigmoid(W(x));
  return hadamard(ones(x) - t, x) + hadamard(t, F(x));
};
static_assert(is<"gated: I - diag(sigmoid(W(x)))">(route_of(highway)));
static_assert(is<"gated: I - diag(sigmoid(W(x)))">(route_of(highway_apart)));
static_assert(is<"gated">(route_of(highway_as_published)));
static_assert(is<"direct">(route_of([](auto x) {
  auto t = sigmoid(W(x));
  return hadamard(t, F(x) + x) + (x - hadamard(t, x));
})));

// The GRU gate of GTrXL (1910.06764): (1 - z) .* x + z .* h. The reset gate stands below a linear map.
static_assert(is<"gated: I - diag(sigmoid(W(F(N(x))) + U(x)))">(route_of([](auto x) {
  auto f = W(F(N(x)));
  auto z = sigmoid(f + U(x));
  auto state = tanh(f + U(hadamard(sigmoid(f - U(x)), x)));
  return x + hadamard(z, state - x);
})));
// Its other gates: input, D[sigmoid(W x)]; output, a plain I.
static_assert(is<"gated: diag(sigmoid(W(x)))">(route_of([](auto x) { return hadamard(sigmoid(W(x)), x) + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return x + hadamard(sigmoid(W(x)), F(x)); })));

// GPAS (2506.22049), its value: (1 - silu(g)) I, no gate, for it does not depend on x.
static_assert(route_of([](auto x) { return x - hadamard(silu(alpha * ones(x)), x); }) == route::scaled);
static_assert(route_of([](auto x) { return hadamard(ones(x) - silu(alpha * ones(x)), x); }) == route::scaled);

// KEEL (2601.19895): J_N (a I + ...), and with a gate J_N D[g].
static_assert(is<"through: a J_N">(route_of([](auto x) { return N(a * x + F(N(x))); })));
static_assert(is<"through: J_N diag(sigmoid(W(x)))">(route_of([](auto x) {
  auto t = sigmoid(W(x));
  return N(F(x) + hadamard(t, x - F(x)));
})));
static_assert(is<"through: J_N diag(sigmoid(W(x)))">(route_of([](auto x) {
  auto t = sigmoid(W(x));
  return N(hadamard(t, x) + F(x) - hadamard(t, F(x)));
})));

// nGPT (2410.01131): J_n (I - D[alpha]) J_n, with a learned rate and with |alpha| = relu(v) + relu(-v).
static_assert(is<"through: J_n (I - diag(g)) J_n">(route_of([](auto x) {
  auto u = n(x);
  return n(u + g * (n(F(x)) - u));
})));
static_assert(is<"through: J_n (I - diag(g)) J_n">(route_of([](auto x) {
  auto u = n(x);
  return n(u - g * u + g * n(F(x)));
})));
constexpr auto rate = [](auto x) {
  auto v = g * ones(x);
  return relu(v) + relu(-v);
};
static_assert(is<"through: J_n (I - diag(relu(g * 2 * sigmoid(0 * x))) - diag(relu(-1 * u2))) J_n">(route_of([](auto x) {
  auto u = n(x);
  return n(u + hadamard(rate(x), n(F(x)) - u));
})));

// Hyper-connections (2409.19606): static weights are numbers, dynamic ones gates.
static_assert(is<"scaled: (alpha I + diag(g)) diag(g2)">(route_of([](auto x) {
  auto s = g2 * x;
  return alpha * s + g * s + F(N(s));
})));
static_assert(is<"gated: diag(tanh(W(N(x))))">(route_of([](auto x) { return hadamard(tanh(W(N(x))), x) + F(N(x)); })));

// Activations on the path.
static_assert(is<"gated: I - diag(tanh')">(route_of([](auto x) { return x - tanh(x); })));
static_assert(is<"gated: diag(tanh')">(route_of([](auto x) { return 30 * tanh((x + F(x)) / 30); })));
static_assert(is<"through: I + diag(tanh') J_N">(route_of([](auto x) { return x + tanh(N(x)); })));
static_assert(route_of([](auto x) { return x + tanh(N(x)); }).norms == 0);

// A branch passes what its own function passes: matrices are off the path, a skip and a norm are on it.
constexpr auto G = branch<"G">([](auto z) { return z + F(z); });
constexpr auto same = branch<"same">([](auto z) { return z; });
static_assert(is<"direct">(route_of([](auto x) { return G(x); })));
static_assert(is<"through: J_N">(route_of([](auto x) { return G(N(x)); })));
static_assert(is<"direct">(route_of([](auto x) { return branch<"P">([](auto z) { return z + F(N(z)); })(x); })));
static_assert(is<"through: J_HN.N">(route_of([](auto x) { return branch<"HN">(N)(x + F(x)); })));
static_assert(is<"gated: diag(tanh')">(route_of([](auto x) { return branch<"C">(tanh)(x) + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return same(x) + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return branch<"Q">([](auto z) { return 1 * z; })(x); })));
static_assert(is<"absent">(route_of([](auto x) { return W(x) + F(x); })));  // a projection is no path
static_assert(is<"direct">(route_of([](auto x) { return x - tanh(x) + branch<"C">(tanh)(x); })));

// Like terms, in sums that have to be opened for it.
static_assert(is<"through: 0.5 J_N">(route_of([](auto x) {
  auto v = 0.5 * (x + N(x));
  return v - 0.5 * x + F(x);
})));
static_assert(route_of([](auto x) { return 0.5 * (x + N(x)) - 0.5 * x; }).norms == 1);
static_assert(is<"scaled: alpha I + I">(route_of([](auto x) { return alpha * (x + F(x)) + x; })));
static_assert(is<"direct">(route_of([](auto x) { return alpha * (x + g * x) + x - alpha * x - alpha * (g * x); })));
static_assert(is<"absent">(route_of([](auto x) {  // (I + D_g2) (I + D_g) - I - D_g - D_g2 - D_g D_g2
  auto u = x + g * x;
  auto w = u + g2 * u;
  return w - x - g * x - g2 * x - g * (g2 * x) + F(x);
})));
static_assert(is<"absent">(route_of([](auto x) { return x - x; })));
static_assert(is<"direct">(route_of([](auto x) { return 2 * x - x + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return -(-x); })));

// Constants are their numbers: zero is no path, one is a plain I.
static_assert(is<"absent">(route_of([](auto x) { return constant<"c">(0) * x + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return constant<"c">(1) * x + F(x); })));
static_assert(is<"direct">(route_of([](auto x) { return a * x - x + F(x); })));
static_assert(is<"scaled: a I">(route_of([](auto x) { return a * x + F(x); })));

// A number is as exact as it was written.
static_assert(is<"direct">(route_of([](auto x) { return 49 * (x / 49) + F(x); })));
static_assert(is<"absent">(route_of([](auto x) { return x - x / 3 - x / 3 - x / 3; })));
static_assert(is<"absent">(route_of([](auto x) { return 0.1 * x + 0.2 * x - 0.3 * x; })));
static_assert(is<"direct">(route_of([](auto x) { return (-7 * x / 3) * 6 / -14; })));
static_assert(is<"scaled: 0.3333333333333333 I">(route_of([](auto x) { return x / 3; })));
static_assert(is<"scaled: 4503599627370496 I">(route_of([](auto x) { return 4503599627370496.0 * x; })));
static_assert(is<"scaled: 1e-12 I">(route_of([](auto x) { return 1e-6 * (1e-6 * x); })));

// The number in front.
static_assert(route_of([](auto x) { return x + F(x); }).coefficient == 1);
static_assert(route_of([](auto x) { return F(x); }).coefficient == 0);
static_assert(route_of([](auto x) { return a * x + F(x); }).coefficient == 2);
static_assert(route_of([](auto x) { return 0.5 * N(a * (a * x) + F(x)); }).coefficient == 2);
static_assert(route_of([](auto x) { return a * x + x + F(x); }).coefficient == 3);
static_assert(route_of([](auto x) { return 3 * (alpha * x) + F(x); }).coefficient == 3);
static_assert(route_of([](auto x) { return 4 * (x + N(x)); }).coefficient == 4);
}  // namespace

int main() {}
