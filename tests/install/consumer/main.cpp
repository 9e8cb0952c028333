// listing 3
#include <my_kernels/pre_norm.hpp>
// end

#include <cmath>
#include <cstdio>

int main() {
  my_kernels::pre_norm::parameters<float> p;
  for_each(p, [](std::string_view, auto& tensor) {
    for (std::size_t i = 0; i < tensor.size(); ++i) tensor.data()[i] = 0.05f * std::sin(static_cast<float>(i));
  });
  xt::xtensor<float, 3> x = residua::rt::zeros<float>(1, 2, 768), dx = x;
  for (std::size_t i = 0; i < x.size(); ++i) x.data()[i] = std::cos(static_cast<float>(i)), dx.data()[i] = std::sin(static_cast<float>(i));

  // listing 3 continued
  my_kernels::pre_norm::kernel<float> k(p);            // packs the weights once; const and thread-safe from here
  xt::xtensor<float, 3> y  = k.forward(x);             // x: (B, T, d)
  auto [y2, dy]            = k.jvp(x, dx);             // y and J dx
  auto g                   = k.vjp(x, dy);             // g.x = J^T dy, g.parameters = gradients, same struct as p
  xt::xtensor<float, 2> J  = k.jacobian(x);            // (B*T*d, B*T*d)
  // end

  double jvp = 0, vjp = 0, dense = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    jvp += static_cast<double>(dy.data()[i]) * static_cast<double>(dy.data()[i]);
    vjp += static_cast<double>(g.x.data()[i]) * static_cast<double>(dx.data()[i]);
    double row = 0;
    for (std::size_t j = 0; j < x.size(); ++j) row += static_cast<double>(J(i, j)) * static_cast<double>(dx.data()[j]);
    dense += row * static_cast<double>(dy.data()[i]);
  }
  bool const good = y == y2 && std::abs(jvp - vjp) < 1e-3 * jvp && std::abs(jvp - dense) < 1e-3 * jvp && g.parameters.F.up.weight(3, 4) != 0;
  std::printf("%s\n", good ? "the installed package works" : "the installed package gives wrong numbers");
  return good ? 0 : 1;
}
