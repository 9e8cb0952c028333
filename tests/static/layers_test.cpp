// Layers inside one function: what passes on are its variables. Catches a layer whose names or history are another's.
#include <residua/dsl.hpp>
#include <vector>

namespace {
using namespace residua::dsl;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"d", 8> d;
constexpr auto A = branch<"A">(linear<"W">(d, d));
constexpr auto N = rms_norm<"N">(d);
constexpr auto Nf = rms_norm<"Nf">(d);

constexpr auto residual = block<"residual">(stream(B, T, d), [](auto x) {  // ResiDual
  auto r = x;
  layers<"h", 2>(x, [&](auto) {
    auto const f = A(x);
    r += f;
    x = N(x + f);
  });
  return x + Nf(r);
});
static_assert(is<"(J_h.1.N (I + J_h.1.A) J_h.0.N + J_Nf (I + J_h.1.A J_h.0.N)) (I + J_h.0.A)">(jacobian(residual)));
static_assert(is<"(J_h.1.N + J_Nf) D_h.1.A.W.weight">(jacobian(residual, by_parameter<"h.1.A.W.weight">)));
static_assert(identity_route(residual) == route::through);
static_assert(identity_route(residual).norms == 1);  // along r

constexpr auto dense = block<"dense">(stream(B, T, d), [](auto x) {
  std::vector history{x};
  layers<"h", 2>(x, [&](auto layer) {
    history.push_back(x + A(x));
    layers<"a", layer + 2>(x, [&](auto j) {
      if constexpr (j == 0) x = learned_scalar<"w"> * history[j];
      else x += learned_scalar<"w"> * history[j];
    });
  });
  return x;
});
static_assert(is<"h.1.a.0.w I + h.1.a.1.w (I + J_h.0.A) + h.1.a.2.w (I + J_h.1.A) (h.0.a.0.w I + h.0.a.1.w (I + J_h.0.A))">(
    jacobian(dense)));

constexpr auto u_net = block<"u_net">(stream(B, T, d), [](auto x) {
  constexpr int depth = 4;
  std::vector<decltype(x)> history;
  layers<"h", depth>(x, [&](auto layer) {
    if constexpr (layer < depth / 2) history.push_back(x);
    else x += learned_vector<"w">(d) * history[depth - 1 - layer];
    x += A(N(x));
  });
  return x;
});
static_assert(is<"(I + J_h.3.A J_h.3.N) ((I + J_h.2.A J_h.2.N) (I + J_h.1.A J_h.1.N + diag(h.2.w)) (I + J_h.0.A J_h.0.N) + "
                 "diag(h.3.w))">(jacobian(u_net)));

// The same function run twice is the same layers; a layer in a branch stands below its name.
constexpr auto twice = block<"twice">(stream(B, T, d), [](auto x) {
  for (int turn = 0; turn < 2; ++turn) layers<"h", 1>(x, [&](auto) { x = A(x); });
  return x;
});
static_assert(is<"J_h.0.A J_h.0.A">(jacobian(twice)));
constexpr auto within = block<"within">(stream(B, T, d), [](auto x) {
  return x + branch<"F">([](auto z) {
           layers<"h", 2>(z, [&](auto) { z = relu(linear<"W">(d, d)(z)); });
           return z;
         })(x);
});
static_assert(
  is<"diag(relu') J_F.h.1.W diag(relu') D_F.h.0.W.weight">(jacobian(within, by_parameter<"F.h.0.W.weight">)));
}  // namespace

int main() {}
