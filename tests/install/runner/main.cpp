#include <residua/dsl.hpp>
#include <residua/runner/kernel.hpp>

#include <cmath>
#include <cstdio>

namespace blocks {
using namespace residua::dsl;

inline constexpr axis<"T"> T;
inline constexpr axis<"d"> d;  // a width that is chosen with the parameters
inline constexpr axis<"h", 3> h;

inline constexpr auto F = branch<"F">(linear<"up">(d, h) | relu | linear<"down">(h, d, with_bias));
inline constexpr auto mlp = block<"mlp">(stream(T, d), [](auto x) { return x + F(x); });
}  // namespace blocks

int main() {
  namespace runner = residua::runner;

  runner::parameters<double> p;
  p["F.up.weight"] = {1, -1, 0.5, 2, 1, -1};    // (d, h) = (2, 3)
  p["F.down.weight"] = {1, 2, 3, -1, 0.5, 1};   // (h, d)
  p["F.down.bias"] = {0.25, -0.25};             // (d)
  runner::kernel<double> const k(blocks::mlp.view(), {{"d", 2}}, p);

  runner::tensor<double> const x{{1, 2}, {1, 2}}, g{{1, 2}, {1, -1}};  // extents (T, d), and the numbers
  auto const y = k.forward({x});                 // a tensor for each output: y[0]
  auto const [y2, dy] = k.jvp({x}, {g});         // y and J g
  auto const gradients = k.vjp({x}, {g});        // .inputs[0] = J^T g, .parameters["F.up.weight"], ...

  // x up = (5, 1, -1.5), relu (5, 1, 0); times down (8, 9), plus bias and x: (9.25, 10.75)
  double along = 0, back = 0;
  for (std::size_t i = 0; i < 2; ++i) {
    along += g.numbers[i] * dy[0].numbers[i];
    back += g.numbers[i] * gradients.inputs[0].numbers[i];
  }
  bool const good = y[0].numbers == std::vector<double>{9.25, 10.75} && y2[0].numbers == y[0].numbers && std::abs(along - back) < 1e-12 &&
                    gradients.parameters.at("F.down.bias") == g.numbers && gradients.parameters.size() == 3;
  std::printf("%s\n", good ? "the installed runner works" : "the installed runner gives wrong numbers");
  return good ? 0 : 1;
}
