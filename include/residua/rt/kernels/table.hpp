// The definition of functions_for: a table of the kernels, for a translation unit that is compiled for an instruction set.
// Header-only programs, which define RESIDUA_HEADER_ONLY, get it from functions.hpp, for the one set that all their units are
// compiled for; they add -ffp-contract=off to their flags.
#pragma once

#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/accumulate_outer.hpp>
#include <residua/rt/kernels/activation.hpp>
#include <residua/rt/kernels/attention/forward.hpp>
#include <residua/rt/kernels/attention/gradient.hpp>
#include <residua/rt/kernels/elementwise.hpp>
#include <residua/rt/kernels/functions.hpp>
#include <residua/rt/kernels/limit.hpp>
#include <residua/rt/kernels/multiply.hpp>
#include <residua/rt/kernels/norm.hpp>
#include <residua/rt/kernels/rope.hpp>
#include <residua/rt/kernels/sequences.hpp>

namespace residua::rt {

template <instruction_set Set, class Real>
functions<Real> const& functions_for() {
  using arch = arch_of<Set>;
  static constexpr functions<Real> table{
      .set = Set,
      .lanes = rt::lanes<Real, arch>,
      .multiply = &rt::multiply<arch, Real>,
      .accumulate_outer = &rt::accumulate_outer<arch, Real>,
      .accumulate_column_sums = &rt::accumulate_column_sums<arch, Real>,
      .normalise = &rt::normalise<arch, Real>,
      .normalise_jvp = &rt::normalise_jvp<arch, Real>,
      .normalise_vjp = &rt::normalise_vjp<arch, Real>,
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
      .repeat = &rt::repeat<arch, Real>,
      .shift = &rt::shift<arch, Real>,
      .shift_columns = &rt::shift_columns<arch, Real>,
      .scale_rows = &rt::scale_rows<arch, Real>,
      .row_dots = &rt::row_dots<arch, Real>,
      .row_means = &rt::row_means<arch, Real>,
      .spread_means = &rt::spread_means<arch, Real>,
      .sum = &rt::sum<arch, Real>,
      .dot = &rt::dot<arch, Real>,
      .accumulate_column_dots = &rt::accumulate_column_dots<arch, Real>,
      .repeat_sequences = &rt::repeat_sequences<arch, Real>,
      .sum_sequences = &rt::sum_sequences<arch, Real>,
      .rope = &rt::rope<arch, Real>,
      .rope_transposed = &rt::rope_transposed<arch, Real>,
      .attention_scratch_bytes = &rt::attention_scratch_bytes<arch, Real>,
      .attend = &rt::attend<arch, Real>,
      .attend_jvp = &rt::attend_jvp<arch, Real>,
      .attend_dots = &rt::attend_dots<arch, Real>,
      .attend_vjp_queries = &rt::attend_vjp_queries<arch, Real>,
      .attend_vjp_keys = &rt::attend_vjp_keys<arch, Real>,
      .multiply_add_chains = &rt::multiply_add_chains<arch, Real>,
  };
  return table;
}

#if defined(RESIDUA_HEADER_ONLY)
namespace detail {
inline constexpr instruction_set compiled_instruction_sets[] = {compiled_instruction_set};
}

inline std::span<instruction_set const> compiled_instruction_sets() { return detail::compiled_instruction_sets; }

template <class Real>
functions<Real> const& functions_for(instruction_set) {
  return functions_for<compiled_instruction_set, Real>();
}
#endif

}  // namespace residua::rt
