// The definition of functions_for: a table of the kernels, compiled for the instruction set of the translation unit.
#pragma once

#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/accumulate_outer.hpp>
#include <residua/rt/kernels/activation.hpp>
#include <residua/rt/kernels/attention/forward.hpp>
#include <residua/rt/kernels/attention/gradient.hpp>
#include <residua/rt/kernels/elementwise.hpp>
#include <residua/rt/kernels/functions.hpp>
#include <residua/rt/kernels/multiply.hpp>
#include <residua/rt/kernels/norm.hpp>
#include <residua/rt/kernels/rope.hpp>

namespace residua::rt {

template <instruction_set Set, class Real>
functions<Real> const& functions_for() {
  static_assert(Set == compiled_instruction_set, "the compiler's flags are those of another instruction set");
  using arch = arch_of<Set>;
  static constexpr functions<Real> table{
      .set = Set,
      .lanes = rt::lanes<Real, arch>,
      .multiply = &rt::multiply<arch, Real>,
      .accumulate_outer = &rt::accumulate_outer<arch, Real>,
      .accumulate_column_sums = &rt::accumulate_column_sums<arch, Real>,
      .layer_norm = &rt::layer_norm<arch, Real>,
      .layer_norm_jvp = &rt::layer_norm_jvp<arch, Real>,
      .layer_norm_vjp = &rt::layer_norm_vjp<arch, Real>,
      .rms_norm = &rt::rms_norm<arch, Real>,
      .rms_norm_jvp = &rt::rms_norm_jvp<arch, Real>,
      .rms_norm_vjp = &rt::rms_norm_vjp<arch, Real>,
      .activate = &rt::activate<arch, Real>,
      .slope = &rt::slope<arch, Real>,
      .zero = &rt::zero<arch, Real>,
      .copy = &rt::copy<arch, Real>,
      .accumulate = &rt::accumulate<arch, Real>,
      .add = &rt::add<arch, Real>,
      .subtract = &rt::subtract<arch, Real>,
      .hadamard = &rt::hadamard<arch, Real>,
      .scale = &rt::scale<arch, Real>,
      .scale_columns = &rt::scale_columns<arch, Real>,
      .dot = &rt::dot<arch, Real>,
      .accumulate_column_dots = &rt::accumulate_column_dots<arch, Real>,
      .rope = &rt::rope<arch, Real>,
      .rope_transposed = &rt::rope_transposed<arch, Real>,
      .attention_scratch_bytes = &rt::attention_scratch_bytes<arch, Real>,
      .attend = &rt::attend<arch, Real>,
      .attend_jvp = &rt::attend_jvp<arch, Real>,
      .attend_dots = &rt::attend_dots<arch, Real>,
      .attend_vjp_queries = &rt::attend_vjp_queries<arch, Real>,
      .attend_vjp_keys = &rt::attend_vjp_keys<arch, Real>,
  };
  return table;
}

}  // namespace residua::rt
