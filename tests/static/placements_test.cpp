// The worked Jacobians of whole blocks (catalogue, section 1.E), as text: compiling is passing.
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"d", 768> d;
constexpr axis<"h", 3072> h;

constexpr auto N = layer_norm<"N">(d);
constexpr auto N1 = layer_norm<"N1">(d);
constexpr auto N2 = layer_norm<"N2">(d);
constexpr auto N3 = rms_norm<"N3">(d);
constexpr auto N4 = rms_norm<"N4">(d);
constexpr auto Nf = layer_norm<"Nf">(d);
constexpr auto N1a = rms_norm<"N1a">(d, unit_offset);
constexpr auto N1b = rms_norm<"N1b">(d, unit_offset);
constexpr auto N2a = rms_norm<"N2a">(d, unit_offset);
constexpr auto N2b = rms_norm<"N2b">(d, unit_offset);
constexpr auto A = branch<"A">(linear<"W">(d, d));
constexpr auto C = branch<"C">(linear<"W">(d, d, with_bias) | silu);
constexpr auto M = branch<"M">(linear<"up">(d, h) | gelu_tanh | linear<"down">(h, d));
constexpr auto M1 = branch<"M1">(linear<"up">(d, h) | silu | linear<"down">(h, d));
constexpr auto M2 = branch<"M2">(linear<"up">(d, h) | silu | linear<"down">(h, d));
constexpr auto a = constant<"a">(2.8284271247461903);  // DeepNorm, 32 decoder layers
constexpr auto g1 = learned_vector<"g1">(d);
constexpr auto g2 = learned_vector<"g2">(d);
constexpr auto alpha = learned_scalar<"alpha">;

template <class Body>
constexpr auto over_stream(Body body) {
  return block<"b">(stream(B, T, d), body);
}

constexpr auto pre_norm = over_stream([](auto x) {
  auto u = x + A(N1(x));
  return u + M(N2(u));
});
constexpr auto post_norm = over_stream([](auto x) {
  auto u = N1(x + A(x));
  return N2(u + M(u));
});
constexpr auto sandwich = over_stream([](auto x) {
  auto u = x + N1b(A(N1a(x)));
  return u + N2b(M(N2a(u)));
});
constexpr auto res_post = over_stream([](auto x) {
  auto u = x + N1(A(x));
  return u + N2(M(u));
});
constexpr auto deep_norm = over_stream([](auto x) {
  auto u = N1(a * x + A(x));
  return N2(a * u + M(u));
});
constexpr auto normed_skip = over_stream([](auto x) {
  auto z = N1(x);
  auto w = N2(a * z + A(z));
  return a * w + M(w);
});
constexpr auto parallel_one_norm = over_stream([](auto x) {
  auto z = N(x);
  return x + A(z) + M(z);
});
constexpr auto parallel_two_norms = over_stream([](auto x) { return x + A(N1(x)) + M(N2(x)); });
constexpr auto b2t = over_stream([](auto x) {
  auto u = N1(x + A(x));
  return N2(u + M(u) + x);
});
constexpr auto span_norm = over_stream([](auto x) {
  auto u = N1(x + A(x));
  return N2(x + M(u));
});
constexpr auto hybrid_norm = over_stream([](auto x) {
  auto z = N(x + A(x));
  return z + M(z);
});
constexpr auto layer_scale = over_stream([](auto x) {
  auto u = x + g1 * A(N1(x));
  return u + g2 * M(N2(u));
});
constexpr auto rezero = over_stream([](auto x) {
  auto u = x + alpha * A(x);
  return u + alpha * M(u);
});
constexpr auto macaron = over_stream([](auto x) {
  auto x1 = x + 0.5 * M1(N1(x));
  auto x2 = x1 + A(N2(x1));
  auto x3 = x2 + C(N3(x2));
  return Nf(x3 + 0.5 * M2(N4(x3)));
});

static_assert(is<"(I + J_M J_N2) (I + J_A J_N1)">(jacobian(pre_norm)));
static_assert(is<"J_N2 (I + J_M) J_N1 (I + J_A)">(jacobian(post_norm)));
static_assert(is<"(I + J_N2b J_M J_N2a) (I + J_N1b J_A J_N1a)">(jacobian(sandwich)));
static_assert(is<"(I + J_N2 J_M) (I + J_N1 J_A)">(jacobian(res_post)));
static_assert(is<"J_N2 (a I + J_M) J_N1 (a I + J_A)">(jacobian(deep_norm)));
static_assert(is<"(a I + J_M) J_N2 (a I + J_A) J_N1">(jacobian(normed_skip)));
static_assert(is<"I + (J_A + J_M) J_N">(jacobian(parallel_one_norm)));
static_assert(is<"I + J_A J_N1 + J_M J_N2">(jacobian(parallel_two_norms)));
static_assert(is<"J_N2 ((I + J_M) J_N1 (I + J_A) + I)">(jacobian(b2t)));
static_assert(is<"J_N2 (I + J_M J_N1 (I + J_A))">(jacobian(span_norm)));
static_assert(is<"(I + J_M) J_N (I + J_A)">(jacobian(hybrid_norm)));
static_assert(is<"(I + diag(g2) J_M J_N2) (I + diag(g1) J_A J_N1)">(jacobian(layer_scale)));
static_assert(is<"(I + alpha J_M) (I + alpha J_A)">(jacobian(rezero)));
static_assert(is<"J_Nf (I + 0.5 J_M2 J_N4) (I + J_C J_N3) (I + J_A J_N2) (I + 0.5 J_M1 J_N1)">(jacobian(macaron)));

static_assert(identity_route(pre_norm) == route::direct);
static_assert(identity_route(post_norm) == route::through && identity_route(post_norm).norms == 2);
static_assert(identity_route(sandwich) == route::direct);
static_assert(identity_route(res_post) == route::direct);
static_assert(identity_route(deep_norm).text() == "through: a^2 J_N2 J_N1");
static_assert(identity_route(normed_skip).text() == "through: a^2 J_N2 J_N1");
static_assert(identity_route(parallel_one_norm) == route::direct);
static_assert(identity_route(b2t).text() == "through: J_N2 (J_N1 + I)" && identity_route(b2t).norms == 1);
static_assert(identity_route(span_norm).text() == "through: J_N2");
static_assert(identity_route(hybrid_norm).text() == "through: J_N");
static_assert(identity_route(layer_scale) == route::direct);
static_assert(identity_route(rezero) == route::direct);
static_assert(identity_route(macaron).text() == "through: J_Nf");
static_assert(identity_route(over_stream([](auto x) { return 0.5 * x + A(x); })).text() == "scaled: 0.5 I");
static_assert(identity_route(over_stream([](auto x) { return g1 * x + A(x); })).text() == "scaled: diag(g1)");
static_assert(identity_route(over_stream([](auto x) { return A(N(x)); })) == route::absent);

// Dynamic tanh in the place of a norm, before the branches and after the additions.
constexpr auto D1 = dyt<"D1">(d);
constexpr auto D2 = dyt<"D2">(d, no_affine);
constexpr auto pre_dyt = over_stream([](auto x) {
  auto u = x + A(D1(x));
  return u + M(D2(u));
});
constexpr auto post_dyt = over_stream([](auto x) {
  auto u = D1(x + A(x));
  return D2(u + M(u));
});
static_assert(is<"(I + J_M J_D2) (I + J_A J_D1)">(jacobian(pre_dyt)));
static_assert(is<"direct">(identity_route(pre_dyt)));
static_assert(is<"through: J_D2 J_D1">(identity_route(post_dyt)));
static_assert(is<"J_D2 (I + J_M) D_D1.alpha">(jacobian(post_dyt, by_parameter<"D1.alpha">)));
static_assert(jacobian(pre_dyt).expanded().view().find(
                  "J_D1 = D1.alpha diag(D1.weight) diag(1 - t^2), t = tanh(D1.alpha x), at x\n") != std::string_view::npos);
static_assert(jacobian(post_dyt).expanded().view().find("J_D2 = D2.alpha diag(1 - t^2), t = tanh(D2.alpha x), at u1 + M(u1)\n") !=
              std::string_view::npos);

// With layers by index.
constexpr auto mix_ln = stack<"h", 4>([](auto layer) {  // Mix-LN: the first quarter post-norm, the rest pre-norm
  if constexpr (layer < 1) return post_norm;
  else return pre_norm;
});
static_assert(jacobian(mix_ln) ==
              "(I + J_h.3.M J_h.3.N2) (I + J_h.3.A J_h.3.N1) (I + J_h.2.M J_h.2.N2) (I + J_h.2.A J_h.2.N1) "
              "(I + J_h.1.M J_h.1.N2) (I + J_h.1.A J_h.1.N1) J_h.0.N2 (I + J_h.0.M) J_h.0.N1 (I + J_h.0.A)");
static_assert(identity_route(mix_ln).norms == 2);

constexpr auto hybrid_norm_star = stack<"h", 2>([](auto layer) {
  if constexpr (layer == 0) return pre_norm;
  else return hybrid_norm;
});
static_assert(jacobian(hybrid_norm_star) == "(I + J_h.1.M) J_h.1.N (I + J_h.1.A) (I + J_h.0.M J_h.0.N2) (I + J_h.0.A J_h.0.N1)");

// LayerNorm scaling: the factor depends on the layer.
template <int Layer>
constexpr auto lns_layer = over_stream([](auto x) {
  constexpr double scale = Layer == 0 ? 1.0 : 0.7071067811865476;
  auto u = x + A(constant<"c">(scale) * N1(x));
  return u + M(constant<"c">(scale) * N2(u));
});
constexpr auto lns = stack<"h", 2>([](auto layer) { return lns_layer<layer>; });
static_assert(jacobian(lns).text().view().ends_with("(I + h.0.c J_h.0.M J_h.0.N2) (I + h.0.c J_h.0.A J_h.0.N1)"));

// Terms: a gate as its paper writes it, Fixup's scalar biases, a vector that is a value.
constexpr auto highway = over_stream([](auto x) {
  auto t = sigmoid(linear<"W">(d, d, with_bias)(x));
  return hadamard(1 - t, x) + hadamard(t, A(x));
});
constexpr auto fixup = over_stream(
    [](auto x) { return x + learned_scalar<"s"> * A(x + learned_scalar<"b1">) + learned_scalar<"b2">; });
constexpr auto biased = over_stream([](auto x) {
  auto v = learned_vector<"v">(d);
  return v - A(x - v) + 1 - constant<"c">(2);
});
static_assert(is<"(-diag(x) + diag(A(x))) diag(sigmoid') J_W + diag(1 - sigmoid(W(x))) + diag(sigmoid(W(x))) J_A">(jacobian(highway)));
static_assert(is<"I + s J_A">(jacobian(fixup)));
static_assert(is<"s J_A D_b1">(jacobian(fixup, by_parameter<"b1">)));
static_assert(is<"D_b2">(jacobian(fixup, by_parameter<"b2">)));
static_assert(is<"-J_A">(jacobian(biased)));
static_assert(is<"(I + J_A) D_v">(jacobian(biased, by_parameter<"v">)));
static_assert(jacobian(biased).json().view().find(R"json("expression": "v - A(x - v) + 1 - c")json") != std::string_view::npos);
static_assert(jacobian(over_stream([](auto x) { return x + hadamard(relu(at_each_token(g1, x)), A(x)) + 2; })) == "I + diag(relu(g1)) J_A");

// A number for each token: as a gate, as the mean of its features, as an inner product.
constexpr auto gated_token = over_stream([](auto x) { return x + sigmoid(linear<"w">(d, one)(x)) * A(N(x)); });
constexpr auto orthogonal = over_stream([](auto x) {
  auto f = A(N(x));
  return x + f - inner(f, N1(x)) * N1(x);
});
static_assert(is<"I + diag(sigmoid(w(x))) J_A J_N + A(N(x)) diag(sigmoid') J_w">(jacobian(gated_token)));
static_assert(is<"D_w.weight">(jacobian(map<"m">(stream(B, T, d), [](auto x) { return linear<"w">(d, one)(x); }), by_parameter<"w.weight">)));
static_assert(is<"diag(mean(x)) J_A + A(x) E_d">(jacobian(over_stream([](auto x) { return mean(x) * A(x); }))));
static_assert(is<"0.5 (A(x)^T J_N + N(x)^T J_A)">(jacobian(map<"m">(stream(B, T, d), [](auto x) { return 0.5 * inner(N(x), A(x)); }))));
static_assert(is<"(x + A(x))^T + x^T (I + J_A)">(jacobian(map<"m">(stream(B, T, d), [](auto x) { return inner(x, x + A(x)); }))));
static_assert(jacobian(over_stream([](auto x) { return mean(x) * (mean(x) * x); })).expanded().view().find("\nE_d = 1^T/d\n") != std::string_view::npos);
static_assert(jacobian(orthogonal).latex().view().find(R"(\mathrm{A(N(x))}^\top)") != std::string_view::npos);

// What is trained stops where the value goes on: GPAS.
constexpr auto gpas = over_stream([](auto x) {
  auto y = x + A(N(x));
  return y - silu(at_each_token(learned_scalar<"g">, y)) * stopped(y);
});
static_assert(is<"I + J_A J_N">(jacobian(gpas)));
static_assert(is<"(I - diag(silu(g))) (I + J_A J_N)">(jacobian(gpas, of_value)));
static_assert(is<"-stopped(x + A(N(x))) diag(silu') D_g">(jacobian(gpas, by_parameter<"g">)));
static_assert(identity_route(gpas) == route::direct);

// A condition for each sequence.
constexpr axis<"each", 1> each;
constexpr axis<"c", 64> c;
constexpr auto adaptive = block<"adaptive">(stream(B, T, d), stream(B, each, c), [](auto x, auto memory) {  // adaLN-Zero
  auto of = [&](auto linear) { return at_each_token(linear(silu(memory)), x); };
  auto z = hadamard(1 + of(linear<"scale">(c, d)), N(x)) + of(linear<"shift">(c, d));
  return x + hadamard(of(linear<"gate">(c, d)), A(z));
});
constexpr auto drop_path = block<"drop_path">(
    stream(B, T, d), stream(B, each, one), [](auto x, auto memory) { return x + at_each_token(memory, x) * A(N(x)); });
static_assert(is<"I + diag(at_each_token(memory)) J_A J_N">(jacobian(drop_path)));
static_assert(is<"A(N(x)) 1_T">(jacobian(drop_path, by_memory)));
static_assert(identity_route(adaptive) == route::direct);
static_assert(jacobian(adaptive, by_memory).expanded().view().find("\n1_T = I at each token\n") != std::string_view::npos);

// A scalar's name may be a path, as published ones have it.
constexpr auto published = over_stream([](auto x) { return x + learned_scalar<"moe.resweight"> * A(x); });
static_assert(is<"I + moe.resweight J_A">(jacobian(published)));

// With respect to parameters.
static_assert(jacobian(pre_norm, "A.W.weight") == "(I + J_M J_N2) D_A.W.weight");
static_assert(jacobian(pre_norm, "M.up.weight") == "J_M.down diag(gelu_tanh') D_M.up.weight");
static_assert(jacobian(post_norm, "N1.weight") == "J_N2 (I + J_M) D_N1.weight");
static_assert(jacobian(rezero, "alpha") == "(I + alpha J_M) D_alpha@A(x) + D_alpha@M(x + alpha * A(x))");
static_assert(jacobian(layer_scale, "g2") == "D_g2");

// LaTeX.
static_assert(jacobian(b2t).latex() == R"(J_{\mathrm{N2}} \left(\left(I + J_{M}\right) J_{\mathrm{N1}} \left(I + J_{A}\right) + I\right))");
static_assert(jacobian(rezero).latex() == R"(\left(I + \alpha J_{M}\right) \left(I + \alpha J_{A}\right))");

// Sums: like terms are added, what cancels is gone.
static_assert(jacobian(over_stream([](auto x) { return x + x; })) == "2 I");
static_assert(jacobian(over_stream([](auto x) { return x - x; })) == "0");
static_assert(jacobian(over_stream([](auto x) { return x - 0.5 * A(x); })) == "I - 0.5 J_A");
static_assert(jacobian(over_stream([](auto x) { return 0.5 * (x + A(x)); })) == "0.5 (I + J_A)");
static_assert(jacobian(over_stream([](auto x) { return -x; })) == "-I");
// A branch that gives back its argument is the identity; two paths without a norm are no plain I.
constexpr auto useless = branch<"U">([](auto z) {
  auto unused = N(z);
  static_cast<void>(unused);
  return z;
});
static_assert(jacobian(over_stream([](auto x) { return x + useless(x); })) == "2 I");
static_assert(identity_route(over_stream([](auto x) { return x + alpha * x; })) == route::scaled);

// A value that a branch gave is named where it is used twice.
constexpr auto shared = over_stream([](auto x) {
  auto u = A(x);
  return u + N(u);
});
static_assert(jacobian(shared).json().view().find(R"json("expression": "u1 = A(x); u1 + N(u1)")json") != std::string_view::npos);

// The factor of one side of a product is the other side.
static_assert(jacobian(over_stream([](auto x) { return hadamard(relu(x), N(x)); })).json().view().find(
                  R"json({"factor": "diag(N(x))", "at": "N(x)", "closed_form": "diag(N(x))", "adjoint": "diag(N(x))"})json") != std::string_view::npos);
}  // namespace

int main() {}
