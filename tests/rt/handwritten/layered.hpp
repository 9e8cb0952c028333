// layered: for three layers, x = x + alpha tanh(x W + b); as the generator would write it.
//   stream   (B, T, d)
//   result   (B, T, d)
#pragma once

#include <residua/rt/interface/kernel.hpp>

namespace handwritten::layered {

namespace rt = residua::rt;

/// The widths that are chosen when the parameters are made.
struct extents {
  rt::index d;
  rt::index n;  // d, renamed
};

template <class Real>
struct parameters {
  struct h_type {
    rt::tensor<Real, 2> weight;  // (d, n)
    rt::tensor<Real, 1> bias;    // (n)
    rt::tensor<Real, 0> alpha;

    explicit h_type(extents const& e) : weight(rt::zeros<Real>(e.d, e.n)), bias(rt::zeros<Real>(e.n)), alpha(rt::zeros<Real>()) {}
  };
  extents sizes;
  std::array<h_type, 3> h;

  explicit parameters(extents const& e) : sizes(e), h{h_type(e), h_type(e), h_type(e)} {}

  template <class Path>
  void load(Path const& folder) {
    rt::load_parameters<Real>(rt::path_text(folder), rt::slots_of<Real>(*this));
  }
  template <class Path>
  void save(Path const& folder) const {
    rt::save_parameters<Real>(rt::path_text(folder), rt::slots_of<Real>(*this));
  }
};

template <class Real, class Function>
void for_each(parameters<Real>& p, Function&& f) {
  f(std::string_view("h.0.weight"), p.h[0].weight);
  f(std::string_view("h.0.bias"), p.h[0].bias);
  f(std::string_view("h.0.alpha"), p.h[0].alpha);
  f(std::string_view("h.1.weight"), p.h[1].weight);
  f(std::string_view("h.1.bias"), p.h[1].bias);
  f(std::string_view("h.1.alpha"), p.h[1].alpha);
  f(std::string_view("h.2.weight"), p.h[2].weight);
  f(std::string_view("h.2.bias"), p.h[2].bias);
  f(std::string_view("h.2.alpha"), p.h[2].alpha);
}
template <class Real, class Function>
void for_each(parameters<Real> const& p, Function&& f) {
  f(std::string_view("h.0.weight"), p.h[0].weight);
  f(std::string_view("h.0.bias"), p.h[0].bias);
  f(std::string_view("h.0.alpha"), p.h[0].alpha);
  f(std::string_view("h.1.weight"), p.h[1].weight);
  f(std::string_view("h.1.bias"), p.h[1].bias);
  f(std::string_view("h.1.alpha"), p.h[1].alpha);
  f(std::string_view("h.2.weight"), p.h[2].weight);
  f(std::string_view("h.2.bias"), p.h[2].bias);
  f(std::string_view("h.2.alpha"), p.h[2].alpha);
}

template <class Real>
struct gradient {
  rt::tensor<Real, 3> x;
  ::handwritten::layered::parameters<Real> parameters;

  auto streams() { return std::tie(x); }
};

template <class Real>
rt::block_description<Real> const& description();
template <>
rt::block_description<float> const& description<float>();
template <>
rt::block_description<double> const& description<double>();

template <class Real>
class kernel : public rt::block_kernel<kernel<Real>, Real, rt::ranks<3>, rt::ranks<3>> {
 public:
  using parameters_type = parameters<Real>;
  using gradient_type = gradient<Real>;
  static constexpr std::string_view expression = "x + alpha * tanh(L(x)), three times";
  static constexpr bool couples_tokens = false;
  static constexpr bool can_step = false;

  explicit kernel(parameters<Real> const& p) : kernel::block_kernel(description<Real>(), p) {}
};

}  // namespace handwritten::layered
