// Where a factor is taken is said where another reads like it, and always on demand: compiling is passing.
// Would catch: two operators that read as one (J_N - J_N that is not zero), and a point that is said where its right side says it.
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"T"> T;
constexpr axis<"S"> S;
constexpr axis<"d", 8> d;
constexpr axis<"h", 16> h;

constexpr auto N = layer_norm<"N">(d);
constexpr auto W = linear<"W">(d, d, with_bias);
constexpr auto A = branch<"A">(linear<"V">(d, d));
constexpr auto F = branch<"F">(linear<"up">(d, h, with_bias) | gelu_tanh | linear<"down">(h, d));
constexpr auto X = attention<"X">(d, heads<2>, cross(d));
constexpr auto alpha = learned_scalar<"alpha">;

template <class Body>
constexpr auto over_stream(Body body) {
  return block<"b">(stream(T, d), body);
}

// Terms of one sum that would read alike.
constexpr auto folded = over_stream([](auto x) { return relu(x) - relu(-x); });
static_assert(is<"diag(relu')@x + diag(relu')@(-1 * x)">(jacobian(folded)));
static_assert(is<"gated: diag(relu')@x + diag(relu')@(-1 * x)">(identity_route(folded)));
constexpr auto moved = over_stream([](auto x) { return N(x + F(x)) - N(x); });
static_assert(is<"J_N (I + J_F) - J_N">(jacobian(moved)));  // the right side says where
static_assert(is<"through: J_N@(x + F(x)) - J_N@x">(identity_route(moved)));
static_assert(identity_route(moved).norms == 1);
constexpr auto two_points = over_stream([](auto x) { return x + F(N(x)) - F(x); });
static_assert(is<"I + J_F J_N - J_F">(jacobian(two_points)));
static_assert(is<"J_F.down diag(gelu_tanh') D_F.up.weight@N(x) - J_F.down diag(gelu_tanh') D_F.up.weight@x">(
    jacobian(two_points, by_parameter<"F.up.weight">)));
constexpr auto rezero = over_stream([](auto x) {
  auto u = x + alpha * A(x);
  return u + alpha * F(u);
});
static_assert(is<"(I + alpha J_F) D_alpha@A(x) + D_alpha@F(x + alpha * A(x))">(jacobian(rezero, by_parameter<"alpha">)));
static_assert(jacobian(rezero, "alpha").latex() ==
              R"(\left(I + \alpha J_{F}\right) D_{\alpha}|_{\mathrm{A(x)}} + D_{\alpha}|_{\mathrm{F(x + alpha * A(x))}})");

// Along a product the right side says where, and what does not depend on its point is one operator.
constexpr auto repeated = over_stream([](auto x) {
  auto u = x + A(N(x));
  return u + F(N(u));
});
static_assert(is<"(I + J_F J_N) (I + J_A J_N)">(jacobian(repeated)));
static_assert(is<"(I + J_F@N(x + A(N(x))) J_N@(x + A(N(x)))) (I + J_A@N(x) J_N@x)">(jacobian(repeated).with_points()));
static_assert(is<"2 D_W.bias">(jacobian(over_stream([](auto x) { return W(x) + W(relu(x)); }), by_parameter<"W.bias">)));
static_assert(is<"0">(jacobian(over_stream([](auto x) { return W(x + N(x)) - W(x) - W(N(x)); }))));

// On demand.
constexpr auto pre_norm = over_stream([](auto x) { return x + F(N(x)); });
static_assert(is<"I + J_F@N(x) J_N@x">(jacobian(pre_norm).with_points()));
static_assert(jacobian(pre_norm).with_points().latex() == R"(I + J_{F}|_{\mathrm{N(x)}} J_{N}|_{\mathrm{x}})");
static_assert(jacobian(pre_norm, "N.weight").with_points() == "J_F@N(x) D_N.weight@x");
static_assert(jacobian(pre_norm).with_points().json().view().find(R"json({"factor": "J_N@x", "at": "x")json") != std::string_view::npos);
constexpr auto decoder = block<"b">(stream(T, d), stream(S, d), [](auto x, auto memory) { return x + X(N(x), memory); });
static_assert(is<"I + J_X@(N(x), memory) J_N@x">(jacobian(decoder).with_points()));
}  // namespace

int main() {}
