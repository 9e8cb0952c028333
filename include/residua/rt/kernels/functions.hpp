// The kernels of one instruction set behind function pointers: all that generated code and the runner call. Including this
// compiles no kernel; they are in the package's library, for each instruction set. With RESIDUA_HEADER_ONLY it brings them.
#pragma once

#include <residua/rt/core/activation.hpp>
#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/core/matrix.hpp>
#include <residua/rt/core/norm.hpp>
#include <residua/rt/core/sequences.hpp>
#include <residua/rt/kernels/attention/options.hpp>
#include <residua/rt/kernels/epilogue.hpp>
#include <residua/rt/kernels/pack.hpp>
#include <residua/rt/kernels/rope_options.hpp>

#include <span>

namespace residua::rt {

/// What each function computes, its shapes and its accuracy stand beside its template, in the header named here.
/// Real is the type of arithmetic and of streams, Weight the one that packed weights are stored in.
template <class Real, class Weight = Real>
struct functions {
  using in = matrix<Real const>;
  using out = matrix<Real>;
  using weights = packed_view<Weight, Real>;
  using options = attention_options const&;
  using layout = token_layout const&;

  instruction_set set;
  index lanes;

  // multiply.hpp, accumulate_outer.hpp
  void (*multiply)(in x, weights w, out y, epilogue<Real> after);
  void (*accumulate_outer)(in x, in g, out gw, index first_row, index last_row);
  void (*accumulate_column_sums)(in g, Real* gb);

  // norm.hpp
  void (*normalise)(norm which, in x, norm_options<Real> const& o, out y);
  void (*normalise_jvp)(norm which, in x, norm_options<Real> const& o, in dx, out dy);
  void (*normalise_vjp)(norm which, in x, norm_options<Real> const& o, in g, out gx, norm_gradients<Real> const& sums);

  // activation.hpp
  void (*activate)(activation f, in x, out y);
  void (*slope)(activation f, in x, in dx, out dy);

  // elementwise.hpp
  void (*zero)(out y);
  void (*copy)(in x, out y);
  void (*accumulate)(in x, out y);
  void (*add)(in a, in b, out y);
  void (*subtract)(in a, in b, out y);
  void (*hadamard)(in a, in b, out y);
  void (*scale)(Real c, in x, out y);
  void (*scale_columns)(Real const* v, in x, out y);
  void (*repeat)(Real const* v, out y);
  void (*shift)(Real s, in x, Real c, out y);
  void (*shift_columns)(Real s, in x, Real r, Real const* v, out y);
  void (*scale_rows)(in s, in x, out y);
  void (*row_dots)(in a, in b, out y);
  void (*row_means)(in x, out y);
  void (*spread_means)(in g, out y);
  Real (*sum)(in a);
  Real (*dot)(in a, in b);
  void (*accumulate_column_dots)(in a, in b, Real* gv);

  // sequences.hpp
  void (*repeat_sequences)(layout tokens, index first, in c, out y);
  void (*sum_sequences)(layout tokens, index first, in g, out y);

  // rope.hpp
  void (*rope)(rope_options const& r, layout tokens, index first, in x, out y);
  void (*rope_transposed)(rope_options const& r, layout tokens, index first, in x, out y);

  // attention/forward.hpp, attention/gradient.hpp
  index (*attention_scratch_bytes)(options a);
  void (*attend)(options a, layout tokens, index first, in q, in k, in v, out o, out sums, void* memory);
  void (*attend_jvp)(options a, layout tokens, index first, in q, in k, in v, in dq, in dk, in dv, out o, out d_o, void* memory);
  void (*attend_dots)(options a, in o, in go, out dots);
  void (*attend_vjp_queries)(options a, layout tokens, index first, in q, in k, in v, in sums, in dots, in go, out gq,
                             void* memory);
  void (*attend_vjp_keys)(options a, layout tokens, index first, in k, in v, in q, in sums, in dots, in go, out gk, out gv,
                          void* memory);

  // limit.hpp
  double (*multiply_add_chains)(index steps, Real* result);
};

/// The kernels compiled for one instruction set, which the machine must have before any of them is called.
/// In `lib/<set>.cpp`, for float and double.
template <instruction_set Set, class Real>
functions<Real> const& functions_for();

/// The instruction sets that the kernels were compiled for, the baseline first.
std::span<instruction_set const> compiled_instruction_sets();

/// The kernels of an instruction set chosen at run time, one of compiled_instruction_sets().
template <class Real>
functions<Real> const& functions_for(instruction_set set);

}  // namespace residua::rt

#if defined(RESIDUA_HEADER_ONLY)
#include <residua/rt/kernels/table.hpp>
#endif
