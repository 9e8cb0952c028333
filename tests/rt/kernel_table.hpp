// Every kernel of every instruction set behind plain function pointers, so that the tests themselves are compiled once, for
// the baseline, as generated code does it. kernels_<set>.cpp fills one table with the flags of its set.
#pragma once

#include <residua/rt/kernels/attention/options.hpp>
#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/kernels/pack.hpp>
#include <residua/rt/kernels/rope.hpp>

#include <string_view>
#include <vector>

namespace residua::test {

using rt::index;
using rt::matrix;

/// The functions of one activation.
template <class Real>
struct activation_kernels {
  std::string_view name;
  void (*value)(matrix<Real const> x, matrix<Real> y);
  void (*jvp)(matrix<Real const> x, matrix<Real const> dx, matrix<Real> dy);
  void (*vjp)(matrix<Real const> x, matrix<Real const> g, matrix<Real> gx);
  void (*vjp_accumulate)(matrix<Real const> x, matrix<Real const> g, matrix<Real> gx);
};

/// One elementwise operation, assigned and accumulated.
template <class... Arguments>
struct updates {
  void (*assign)(Arguments...);
  void (*accumulate)(Arguments...);
};

template <class Real>
struct kernel_table {
  using in = matrix<Real const>;
  using out = matrix<Real>;

  rt::instruction_set set;
  index lanes;

  void (*multiply)(in x, rt::packed_view<Real> w, out y);                                          // y = x w
  void (*multiply_residual)(in x, rt::packed_view<Real> w, out y, Real const* bias, in residual);  // y = x w + bias + residual
  void (*multiply_two)(in x, rt::packed_view<Real> w, out product, out doubled);                   // the epilogue stores both
  void (*accumulate_outer)(in x, in g, out gw, index first, index last);
  void (*accumulate_column_sums)(in g, Real* gb);

  void (*layer_norm)(in x, Real const* weight, Real const* bias, double offset, double epsilon, out y);
  void (*layer_norm_jvp)(in x, Real const* weight, double offset, double epsilon, in dx, out dy);
  updates<in, Real const*, double, double, in, out, Real*, Real*> layer_norm_vjp;
  void (*rms_norm)(in x, Real const* weight, double offset, double epsilon, out y);
  void (*rms_norm_jvp)(in x, Real const* weight, double offset, double epsilon, in dx, out dy);
  updates<in, Real const*, double, double, in, out, Real*> rms_norm_vjp;

  activation_kernels<Real> activations[8];  // no std::vector here: its weak functions must not be compiled for one set
  activation_kernels<Real> exp;             // value only

  updates<in, out> copy;
  updates<in, in, out> add, subtract, hadamard;
  updates<Real, in, out> scale;
  updates<Real const*, in, out> scale_columns;
  Real (*dot)(in a, in b);
  void (*accumulate_column_dots)(in a, in b, Real* gv);

  using attention = rt::attention_options const&;
  using layout = rt::token_layout const&;
  index (*attention_scratch_bytes)(attention);
  void (*attend)(attention, layout, index first, in q, in k, in v, out o, out lse, void* memory);
  void (*attend_jvp)(attention, layout, index first, in q, in k, in v, in dq, in dk, in dv, out o, out d_o, void* memory);
  void (*attend_dots)(attention, in o, in go, out delta);
  void (*attend_vjp_queries)(attention, layout, index first, in q, in k, in v, in lse, in delta, in go, out gq, void* memory);
  void (*attend_vjp_keys)(attention, layout, index first, in k, in v, in q, in lse, in delta, in go, out gk, out gv,
                          void* memory);
  void (*rotate)(rt::rope_options const&, layout, index first, in x, out y);
  void (*rotate_back)(rt::rope_options const&, layout, index first, in x, out y);

  Real (*partial)(Real const* from, Real* to, index count);  // copies count elements through one register, gives their sum
};

/// Defined in kernels_<set>.cpp.
template <class Real>
kernel_table<Real> baseline_kernels();
template <class Real>
kernel_table<Real> avx2_kernels();
template <class Real>
kernel_table<Real> avx512_kernels();

/// The tables this machine can run.
template <class Real>
std::vector<kernel_table<Real>> const& kernel_tables() {
  static std::vector<kernel_table<Real>> const tables = [] {
    std::vector<kernel_table<Real>> all{baseline_kernels<Real>()};
#if defined(__x86_64__)
    if (rt::supported(rt::instruction_set::avx2)) all.push_back(avx2_kernels<Real>());
    if (rt::supported(rt::instruction_set::avx512)) all.push_back(avx512_kernels<Real>());
#endif
    return all;
  }();
  return tables;
}

}  // namespace residua::test
