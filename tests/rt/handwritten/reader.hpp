// reader: x + A(x) + X(x, memory), two attentions of one head that share their queries; as the generator would write it.
//   stream   (B, T, d = 4)
//   memory   (B, S, e = 3)
//   result   (B, T, d = 4)
#pragma once

#include <residua/rt/interface/kernel.hpp>

namespace handwritten::reader {

namespace rt = residua::rt;

template <class Real>
struct parameters {
  rt::tensor<Real, 2> queries = rt::zeros<Real>(4, 4);  // (d, queries)
  rt::tensor<Real, 2> kv = rt::zeros<Real>(4, 8);       // (d, keys + values)
  rt::tensor<Real, 2> memory = rt::zeros<Real>(3, 8);   // (e, keys + values)

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
  f(std::string_view("queries"), p.queries);
  f(std::string_view("kv"), p.kv);
  f(std::string_view("memory"), p.memory);
}
template <class Real, class Function>
void for_each(parameters<Real> const& p, Function&& f) {
  f(std::string_view("queries"), p.queries);
  f(std::string_view("kv"), p.kv);
  f(std::string_view("memory"), p.memory);
}

template <class Real>
struct gradient {
  rt::tensor<Real, 3> x;
  rt::tensor<Real, 3> memory;
  ::handwritten::reader::parameters<Real> parameters;

  auto streams() { return std::tie(x, memory); }
};

template <class Real>
rt::block_description<Real> const& description();
template <>
rt::block_description<float> const& description<float>();
template <>
rt::block_description<double> const& description<double>();

template <class Real>
class kernel : public rt::block_kernel<kernel<Real>, Real, rt::ranks<3>, rt::ranks<3>, rt::ranks<3>> {
 public:
  using parameters_type = parameters<Real>;
  using gradient_type = gradient<Real>;
  static constexpr bool couples_tokens = true;
  static constexpr bool can_step = true;

  explicit kernel(parameters<Real> const& p) : kernel::block_kernel(description<Real>(), p) {}
};

}  // namespace handwritten::reader
