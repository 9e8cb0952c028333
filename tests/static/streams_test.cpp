// Blocks of several streams: their Jacobians as block matrices and by pair, and on which stream the identity runs. Catches a
// stream taken for another, an entry in another's place, and a verdict of the wrong pair.
#include <nlohmann/json.hpp>
#include <residua/dsl.hpp>
#include <string>

namespace {
using namespace residua::dsl;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"S"> S;
constexpr axis<"one", 1> one;
constexpr axis<"d", 8> d;
constexpr axis<"e", 6> e;
constexpr auto rows = stream(B, T, d);
constexpr auto N = rms_norm<"N">(d);
constexpr auto N1 = rms_norm<"N1">(d);
constexpr auto N2 = rms_norm<"N2">(d);
constexpr auto N3 = rms_norm<"N3">(d);
constexpr auto F = branch<"F">(linear<"W">(d, d) | silu);
constexpr auto A = branch<"A">(linear<"W">(d, d));
constexpr auto M = branch<"M">(linear<"W">(d, d));

constexpr auto residual = block<"residual">(streams(rows, stream<"r">(B, T, d)), [](auto x, auto r) {  // ResiDual
  auto f = F(x);
  return streams(N(x + f), r + f);
});
static_assert(is<"[[J_N (I + J_F), 0], [J_F, I]]">(jacobian(residual)));
static_assert(is<"J_N (I + J_F)">(jacobian(residual, of<0>, by<0>)));
static_assert(is<"0">(jacobian(residual, of<0>, by<1>)));
static_assert(is<"[[J_F, I]]">(jacobian(residual, of<1>)));
static_assert(is<"[[0], [I]]">(jacobian(residual, by<1>)));
static_assert(is<"[[J_N diag(silu') D_F.W.weight], [diag(silu') D_F.W.weight]]">(
    jacobian(residual, by_parameter<"F.W.weight">)));
static_assert(is<"[[D_N.weight], [0]]">(jacobian(residual, by_parameter<"N.weight">)));
static_assert(is<"diag(silu') D_F.W.weight">(jacobian(residual, of<1>, by_parameter<"F.W.weight">)));
static_assert(jacobian(residual).latex() == "\\begin{pmatrix} J_{N} \\left(I + J_{F}\\right) & 0 \\\\ J_{F} & I \\end{pmatrix}");
static_assert(is<"direct on r">(identity_route(residual)));
static_assert(identity_route(residual) == route::direct);
static_assert(is<"through: J_N">(identity_route(residual, of<0>, by<0>)));
static_assert(is<"absent">(identity_route(residual, of<1>, by<0>)));

constexpr auto siamese = block<"siamese">(streams(rows, rows), [](auto x, auto y) {  // SiameseNorm
  auto p = N1(x);
  auto z = F(N3(p + N2(y)));
  return streams(p + z / 2, y + z);
});
static_assert(is<"[[(I + 0.5 J_F J_N3) J_N1, 0.5 J_F J_N3 J_N2], [J_F J_N3 J_N1, I + J_F J_N3 J_N2]]">(jacobian(siamese)));
static_assert(is<"direct on x1">(identity_route(siamese)));

constexpr auto reversible = block<"reversible">(streams(rows, rows), [](auto x, auto y) {  // RevNet, Reformer
  auto u = x + A(N(y));
  return streams(u, y + M(N1(u)));
});
static_assert(is<"[[I, J_A J_N], [J_M J_N1, I + J_M J_N1 J_A J_N]]">(jacobian(reversible)));
static_assert(is<"direct on x, x1">(identity_route(reversible)));

constexpr auto class_attention = block<"class_attention">(streams(stream<"c">(B, one, d), rows), [](auto c, auto x) {  // CaiT
  return streams(c + learned_vector<"g">(d) * attention<"X">(d, heads<2>, cross)(N(c), N1(x)), x);
});
static_assert(is<"[[I + diag(g) J_X J_N, diag(g) J_X.memory J_N1], [0, I]]">(jacobian(class_attention)));
static_assert(is<"direct on c, x1">(identity_route(class_attention)));

// n streams at once: the function takes and gives one tuple.
constexpr auto mixed = block<"mixed">(streams<3>(rows), [](auto s) {
  auto f = F(N(s[0] + 0.5 * s[1]));
  for (auto& each : s) each += f;
  for (std::size_t i = 1; i < s.size(); ++i) s[i] = 2 * s[i];
  return s;
});
static_assert(is<"[[I + J_F J_N, 0.5 J_F J_N, 0]]">(jacobian(mixed, of<0>)));
static_assert(is<"[[0], [0], [2 I]]">(jacobian(mixed, by<2>)));
static_assert(is<"2 (I + 0.5 J_F J_N)">(jacobian(mixed, of<1>, by<1>)));
static_assert(is<"scaled: 2 I">(identity_route(mixed, of<2>, by<2>)));

// One in, two out, and two in, one out; composed and in stacks.
constexpr auto widen = map<"widen">(rows, [](auto x) { return streams(x, 2 * x); });
constexpr auto merge = map<"merge">(streams(rows, rows), [](auto x, auto r) { return x + N1(r); });
static_assert(is<"[[I], [2 I]]">(jacobian(widen)));
static_assert(is<"[[I, J_N1]]">(jacobian(merge)));
static_assert(is<"direct from x to y">(identity_route(widen)));
constexpr auto whole = block<"whole">(rows, [](auto x) {
  auto [u, v] = stack<"h", 2>(residual)(widen(x));
  auto [y, r] = residual(u, v);
  return merge(streams(y, r));
});
constexpr auto composed_whole = block<"whole">(rows, [](auto x) { return (widen | stack<"h", 2>(residual) | residual | merge)(x); });
static_assert(jacobian(whole).text() == jacobian(composed_whole).text());
static_assert(!whole.view().has_several());
static_assert(is<"(J_N (I + J_F) + J_N1 J_F) D_h.1.N.weight">(jacobian(whole, by_parameter<"h.1.N.weight">)));
static_assert(is<"[[J_h.1.N (I + J_h.1.F) J_h.0.N (I + J_h.0.F), 0], [J_h.0.F + J_h.1.F J_h.0.N (I + J_h.0.F), I]]">(
    jacobian(stack<"h", 2>(residual))));
static_assert(is<"direct on r">(identity_route(stack<"h", 3>(residual))));

// Streams swapped: the path crosses.
constexpr auto swapped = block<"swapped">(streams(rows, rows), [](auto x, auto y) { return streams(y, x + F(y)); });
static_assert(is<"[[0, I], [I, J_F]]">(jacobian(swapped)));
static_assert(is<"direct from x1 to y, x to y1">(identity_route(swapped)));

// A memory beside streams, and streams of other widths.
constexpr auto decoder = block<"decoder">(streams(rows, rows), stream(B, S, e), [](auto x, auto r, auto memory) {
  auto f = attention<"X">(d, heads<2>, cross(e))(x, memory);
  return streams(N(x + f), r + f);
});
static_assert(is<"[[J_N J_X.memory], [J_X.memory]]">(jacobian(decoder, by_memory)));
static_assert(is<"J_X.memory">(jacobian(decoder, of<1>, by_memory)));
static_assert(is<"[[J_h.0.N (I + J_h.0.X), 0], [J_h.0.X, I]]">(jacobian(stack<"h", 1>(decoder))));
constexpr auto narrow = block<"narrow">(streams(rows, stream(B, T, e)), [](auto x, auto z) {
  return streams(x + linear<"up">(e, d)(z), z + linear<"down">(d, e)(x));
});
static_assert(is<"[[I, J_up], [J_down, I]]">(jacobian(narrow)));
// whose tokens they are: the first two are one stream's, the third's are its own
static_assert(decoder.view()[0].tokens == 0 && decoder.view()[1].tokens == 0 && decoder.view()[2].tokens == 1);
static_assert(class_attention.view()[0].tokens == 0 && class_attention.view()[1].tokens == 1);

// Text and JSON.
static_assert(jacobian(residual).expanded() ==
              "J = [[J_N (I + J_F), 0], [J_F, I]]\n"
              "J_N = diag(N.weight) (I - xh xh^T/d) / s, xh = x / s, s = sqrt(mean(x^2) + 1e-5), at x + u1\n"
              "J_F = diag(silu') J_F.W, at x\n"
              "diag(silu') = diag(s (1 + x (1 - s))), at F.W(x)\n"
              "J_F.W = F.W.weight^T, at x\n"
              "u1 = F(x)\n");

bool json_has_every_pair() {
  auto const json = nlohmann::json::parse(std::string(jacobian(residual).json().view()));
  bool fits = json["expression"] == "u1 = F(x); streams(N(x + u1), r + u1)" && json["streams"].contains("r") &&
              json["results"].size() == 2 && json["jacobian"] == "[[J_N (I + J_F), 0], [J_F, I]]" && json["pairs"].size() == 4 &&
              json["identity_route"]["text"] == "direct on r";
  auto const& pair = json["pairs"][2];
  return fits && pair["of"] == "y1" && pair["by"] == "x" && pair["jacobian"] == "J_F" && pair["factors"][0]["factor"] == "J_F" &&
         json["pairs"][3]["identity_route"]["kind"] == "direct";
}
}  // namespace

int main() { return json_has_every_pair() ? 0 : 1; }
