// What jacobian(b) gives to other programs: closed forms as text, and JSON that a parser takes.
#include <cstdio>
#include <nlohmann/json.hpp>
#include <residua/dsl.hpp>

namespace {
using namespace residua::dsl;

constexpr axis<"B"> B;
constexpr axis<"T"> T;
constexpr axis<"d", 768> d;
constexpr axis<"h", 3072> h;
constexpr auto N = layer_norm<"N">(d, epsilon<1e-6>);
constexpr auto R = rms_norm<"R">(d, unit_offset);
constexpr auto F = branch<"F">(linear<"up">(d, h) | silu | linear<"down">(h, d));
constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
  auto z = N(x);
  return R(z) - F(z);
});

static_assert(jacobian(pre_norm).expanded() ==
              "J = (J_R - J_F) J_N\n"
              "J_R = diag(1 + R.weight) (I - xh xh^T/d) / s, xh = x / s, s = sqrt(mean(x^2) + 1e-5), at u1\n"
              "J_F = J_F.down diag(silu') J_F.up, at u1\n"
              "J_F.down = F.down.weight^T, at silu(F.up(u1))\n"
              "diag(silu') = diag(s (1 + x (1 - s))), at F.up(u1)\n"
              "J_F.up = F.up.weight^T, at u1\n"
              "J_N = diag(N.weight) (I - 1 1^T/d - xh xh^T/d) / s, xh = (x - mean(x)) / s, s = sqrt(var(x) + 1e-6), at x\n"
              "u1 = N(x)\n");
static_assert(jacobian(pre_norm).json().view().size() > 100);
static_assert(jacobian(pre_norm).expanded_latex() == R"(\begin{align*}
  J &= \left(J_{R} - J_{F}\right) J_{N} \\
  J_{R} &= \frac{\operatorname{diag}\left(1 + \mathrm{R.weight}\right) \left(I - \tfrac{\hat{x} \hat{x}^\top}{d}\right)}{s},\quad \hat{x} = \frac{x}{s},\quad s = \sqrt{\operatorname{mean}\left(x^{2}\right) + 10^{-5}},\quad \text{at } u_{1} \\
  J_{F} &= J_{\mathrm{F.down}} \operatorname{diag}(\mathrm{silu}') J_{\mathrm{F.up}},\quad \text{at } u_{1} \\
  J_{\mathrm{F.down}} &= \mathrm{F.down.weight}^\top,\quad \text{at } \mathrm{silu(F.up(u1))} \\
  \operatorname{diag}(\mathrm{silu}') &= \operatorname{diag}\left(s \left(1 + x \left(1 - s\right)\right)\right),\quad s = \mathrm{sigmoid}(x),\quad \text{at } \mathrm{F.up(u1)} \\
  J_{\mathrm{F.up}} &= \mathrm{F.up.weight}^\top,\quad \text{at } u_{1} \\
  J_{N} &= \frac{\operatorname{diag}(\mathrm{N.weight}) \left(I - \tfrac{\mathbf{1} \mathbf{1}^\top}{d} - \tfrac{\hat{x} \hat{x}^\top}{d}\right)}{s},\quad \hat{x} = \frac{x - \operatorname{mean}(x)}{s},\quad s = \sqrt{\operatorname{var}(x) + 10^{-6}},\quad \text{at } \mathrm{x} \\
  u_{1} &= \mathrm{N(x)}
\end{align*}
)");
}  // namespace

int main() {
  auto const json = nlohmann::json::parse(jacobian(pre_norm).json().view());
  bool const good = json["block"] == "pre_norm" && json["jacobian"] == "(J_R - J_F) J_N" &&
                    json["expression"] == "u1 = N(x); R(u1) - F(u1)" && json["stream"].size() == 3 &&
                    json["stream"][2]["extent"] == 768 && json["stream"][0]["extent"].is_null() &&
                    json["operator"]["product"][0]["sum"][1]["coefficient"] == -1 && json["operator"]["product"][1] == "J_N" &&
                    json["factors"].size() == 3 && json["factors"][0]["at"] == "u1" &&
                    json["identity_route"]["kind"] == "through" && json["identity_route"]["norms"] == 2;
  std::puts(good ? "the JSON says what the text says" : json.dump(1).c_str());
  return good ? 0 : 1;
}
