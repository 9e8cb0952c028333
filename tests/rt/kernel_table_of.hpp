// Fills a kernel_table for one instruction set; included by kernels_<set>.cpp only.
#pragma once

#include "kernel_table.hpp"

#include <residua/rt/kernels/activation.hpp>
#include <residua/rt/kernels/attention/gradient.hpp>
#include <residua/rt/kernels/elementwise.hpp>
#include <residua/rt/kernels/multiply.hpp>
#include <residua/rt/kernels/norm.hpp>
#include <residua/rt/kernels/rope.hpp>

namespace residua::test {

template <class Arch, class Real>
struct multiply_kernels {
  static void plain(matrix<Real const> x, rt::packed_view<Real> w, matrix<Real> y) {
    rt::multiply<Arch>(x, w, y, [](auto sum, auto) { return sum; });
  }
  static void residual(matrix<Real const> x, rt::packed_view<Real> w, matrix<Real> y, Real const* bias, matrix<Real const> r) {
    rt::multiply<Arch>(x, w, y, [&](auto sum, auto at) { return sum + at.load(bias) + at.load(r); });
  }
  static void two(matrix<Real const> x, rt::packed_view<Real> w, matrix<Real> product, matrix<Real> doubled) {
    rt::multiply<Arch>(x, w, matrix<Real>{}, [&](auto sum, auto at) {
      at.store(product, sum);
      at.store(doubled, sum + sum);
      return sum;
    });
  }
  static Real partial(Real const* from, Real* to, index count) {
    auto const lanes = rt::load<Arch>(from, count);
    rt::store<Arch>(to, lanes, count);
    return rt::reduce_add(lanes);
  }
  static index scratch_bytes(rt::attention_options const& options) { return rt::attention_scratch_bytes<Real>(options); }
  static void exp(matrix<Real const> x, matrix<Real> y) {
    for (index i = 0; i < x.rows; ++i)
      rt::for_each_register<Arch, Real>(x.columns, [&](index j, index count) {
        rt::store<Arch>(y.row(i) + j, rt::detail::exp(rt::load<Arch>(x.row(i) + j, count)), count);
      });
  }
};

template <class Arch, class Function, class Real>
activation_kernels<Real> activation_of(std::string_view name) {
  return {name, &rt::activate<Arch, Function, Real>, &rt::activate_jvp<Arch, Function, Real>,
          &rt::activate_vjp<Arch, Function, rt::update::assign, Real>,
          &rt::activate_vjp<Arch, Function, rt::update::accumulate, Real>};
}

template <class Arch, class Real>
void fill(kernel_table<Real>& table) {
  using enum rt::update;
  namespace f = rt::activation;
  using own = multiply_kernels<Arch, Real>;
  table.lanes = rt::lanes<Real, Arch>;
  table.multiply = &own::plain;
  table.multiply_residual = &own::residual;
  table.multiply_two = &own::two;
  table.accumulate_outer = &rt::accumulate_outer<Arch, Real>;
  table.accumulate_column_sums = &rt::accumulate_column_sums<Arch, Real>;
  table.layer_norm = &rt::layer_norm<Arch, Real>;
  table.layer_norm_jvp = &rt::layer_norm_jvp<Arch, Real>;
  table.layer_norm_vjp = {&rt::layer_norm_vjp<Arch, assign, Real>, &rt::layer_norm_vjp<Arch, accumulate, Real>};
  table.rms_norm = &rt::rms_norm<Arch, Real>;
  table.rms_norm_jvp = &rt::rms_norm_jvp<Arch, Real>;
  table.rms_norm_vjp = {&rt::rms_norm_vjp<Arch, assign, Real>, &rt::rms_norm_vjp<Arch, accumulate, Real>};
  table.activations[0] = activation_of<Arch, f::tanh, Real>("tanh");
  table.activations[1] = activation_of<Arch, f::relu, Real>("relu");
  table.activations[2] = activation_of<Arch, f::relu_squared, Real>("relu_squared");
  table.activations[3] = activation_of<Arch, f::gelu_erf, Real>("gelu_erf");
  table.activations[4] = activation_of<Arch, f::gelu_tanh, Real>("gelu_tanh");
  table.activations[5] = activation_of<Arch, f::silu, Real>("silu");
  table.activations[6] = activation_of<Arch, f::sigmoid, Real>("sigmoid");
  table.activations[7] = activation_of<Arch, f::softplus, Real>("softplus");
  table.exp = {"exp", &own::exp, nullptr, nullptr, nullptr};
  table.copy = {&rt::copy<Arch, assign, Real>, &rt::copy<Arch, accumulate, Real>};
  table.add = {&rt::add<Arch, assign, Real>, &rt::add<Arch, accumulate, Real>};
  table.subtract = {&rt::subtract<Arch, assign, Real>, &rt::subtract<Arch, accumulate, Real>};
  table.hadamard = {&rt::hadamard<Arch, assign, Real>, &rt::hadamard<Arch, accumulate, Real>};
  table.scale = {&rt::scale<Arch, assign, Real>, &rt::scale<Arch, accumulate, Real>};
  table.scale_columns = {&rt::scale_columns<Arch, assign, Real>, &rt::scale_columns<Arch, accumulate, Real>};
  table.dot = &rt::dot<Arch, Real const, Real const>;
  table.accumulate_column_dots = &rt::accumulate_column_dots<Arch, Real>;
  table.attention_scratch_bytes = &own::scratch_bytes;
  table.attend = &rt::attend<Arch, Real>;
  table.attend_jvp = &rt::attend_jvp<Arch, Real>;
  table.attend_dots = &rt::attend_dots<Arch, Real>;
  table.attend_vjp_queries = &rt::attend_vjp_queries<Arch, Real>;
  table.attend_vjp_keys = &rt::attend_vjp_keys<Arch, Real>;
  table.rotate = &rt::rotate<Arch, Real>;
  table.rotate_back = &rt::rotate_back<Arch, Real>;
  table.partial = &own::partial;
}

}  // namespace residua::test
