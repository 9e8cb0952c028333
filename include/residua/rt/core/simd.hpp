// Registers: the instruction sets, full and partial loads and stores, and the few operations whose order matters.
// Everything here carries the instruction set in its type, see docs/decisions.md on translation units.
#pragma once

#include <residua/rt/core/blocking.hpp>
#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/core/matrix.hpp>

// The libraries of the package are compiled with these off whatever the program's flags are; sums that may be reordered and
// NaN that may not exist would change results, not only their last digits.
#if defined(__FAST_MATH__) || (defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__)
#error \
    "residua: kernels cannot be compiled with -ffast-math, -Ofast or -ffinite-math-only; add -fno-fast-math -fno-finite-math-only"
#endif

// g++ 12 reports the undefined operand inside its own AVX-512 intrinsics as uninitialised (GCC PR 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#if defined(__x86_64__)
#include <immintrin.h>
#endif
#include <xsimd/xsimd.hpp>
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic pop
#endif

namespace residua::rt {

#if defined(__x86_64__)
using baseline = xsimd::sse2;
#else
using baseline = xsimd::neon64;
#endif
using avx2 = xsimd::fma3<xsimd::avx2>;
using avx512 = xsimd::avx512dq;

namespace detail {

template <instruction_set Set>
struct arch_named;
template <>
struct arch_named<instruction_set::baseline> {
  using type = baseline;
};
template <>
struct arch_named<instruction_set::avx2> {
  using type = avx2;
};
template <>
struct arch_named<instruction_set::avx512> {
  using type = avx512;
};

}  // namespace detail

/// The type by which registers know their instruction set.
template <instruction_set Set>
using arch_of = typename detail::arch_named<Set>::type;

/// The instruction set that this translation unit is compiled for.
inline constexpr instruction_set compiled_instruction_set =
#if defined(__AVX512F__) && defined(__AVX512CD__) && defined(__AVX512DQ__) && defined(__AVX512BW__) && defined(__AVX512VL__)
    instruction_set::avx512;
#elif defined(__AVX2__) && defined(__FMA__)
    instruction_set::avx2;
#else
    instruction_set::baseline;
#endif

template <class Real, class Arch>
using batch = xsimd::batch<Real, Arch>;
template <class Real, class Arch>
inline constexpr index lanes = static_cast<index>(xsimd::batch<Real, Arch>::size);

/// Whether registers are 512 bits wide with lane masks, which xsimd 8 does not use for loads and fma.
template <class Arch>
inline constexpr bool has_avx512 = std::is_base_of_v<xsimd::avx512f, Arch>;

/// How many registers there are.
template <class Arch>
inline constexpr index register_count = 16;
template <>
inline constexpr index register_count<avx512> = 32;
#if !defined(__x86_64__)
template <>
inline constexpr index register_count<baseline> = 32;
#endif

/// Rows of the micro-kernel: with two registers a row, the sums fill all registers but the operands'.
template <class Arch>
inline constexpr index kernel_rows = 5;
template <>
inline constexpr index kernel_rows<avx2> = 6;
template <>
inline constexpr index kernel_rows<avx512> = 14;
#if !defined(__x86_64__)
template <>
inline constexpr index kernel_rows<baseline> = 12;
#endif

/// What the sizes above have to do with each other, for one instruction set and element type.
template <class Arch, class Real>
inline constexpr bool sizes_fit =
    panel<Real> % (2 * lanes<Real, Arch>) == 0 &&                   // a panel is whole blocks of the micro-kernel
    2 * kernel_rows<Arch> + 3 <= register_count<Arch> &&            // sums, two registers of weights, one of x
    (tile_rows % kernel_rows<Arch> == 0 || kernel_rows<Arch> < 6);  // a tile is whole blocks, but for small ones

/// Every lane holds `value`.
template <class Arch, class Real>
[[gnu::always_inline]] inline batch<Real, Arch> broadcast(Real value) {
  return batch<Real, Arch>(value);
}

/// All lanes from memory of any alignment.
template <class Arch, class Real>
[[gnu::always_inline]] inline batch<std::remove_const_t<Real>, Arch> load(Real* from) {
  return batch<std::remove_const_t<Real>, Arch>::load_unaligned(from);
}

/// All lanes from weights that are stored as another type perhaps.
template <class Arch, class Real, class Weight>
[[gnu::always_inline]] inline batch<Real, Arch> load_weights(Weight const* from) {
  if constexpr (std::is_same_v<Weight, Real>) return rt::load<Arch>(from);
  else return batch<Real, Arch>::load_unaligned(from);
}

/// All lanes to memory of any alignment.
template <class Arch, class Real>
[[gnu::always_inline]] inline void store(Real* to, batch<Real, Arch> const& value) {
  value.store_unaligned(to);
}

/// The first `count` lanes from memory, 0 <= count <= lanes, the others zero; reads nothing beyond.
template <class Arch, class Real>
[[gnu::always_inline]] inline batch<std::remove_const_t<Real>, Arch> load(Real* from, index count) {
  using value_type = std::remove_const_t<Real>;
  if (count == lanes<value_type, Arch>) return rt::load<Arch>(from);
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && is_float<Real>)
    return batch<value_type, Arch>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << count) - 1U), from));
  else if constexpr (has_avx512<Arch>)
    return batch<value_type, Arch>(_mm512_maskz_loadu_pd(static_cast<__mmask8>((1U << count) - 1U), from));
  else
#endif
  {
    alignas(64) value_type lane[lanes<value_type, Arch>] = {};
    for (index i = 0; i < count; ++i) lane[i] = from[i];
    return batch<value_type, Arch>::load_aligned(lane);
  }
}

/// The first `count` lanes to memory, 0 <= count <= lanes; writes nothing beyond.
template <class Arch, class Real>
[[gnu::always_inline]] inline void store(Real* to, batch<Real, Arch> const& value, index count) {
  if (count == lanes<Real, Arch>) return rt::store<Arch>(to, value);
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && is_float<Real>) _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), value);
  else if constexpr (has_avx512<Arch>) _mm512_mask_storeu_pd(to, static_cast<__mmask8>((1U << count) - 1U), value);
  else
#endif
  {
    alignas(64) Real lane[lanes<Real, Arch>];
    value.store_aligned(lane);
    for (index i = 0; i < count; ++i) to[i] = lane[i];
  }
}

/// The first `count` lanes of x, the others zero.
template <class Arch, class Real>
[[gnu::always_inline]] inline batch<Real, Arch> keep_first(batch<Real, Arch> const& x, index count) {
  if (count == lanes<Real, Arch>) return x;
  alignas(64) Real lane[lanes<Real, Arch>];
  x.store_aligned(lane);
  return rt::load<Arch>(lane, count);
}

/// a b + c, rounded once where the instruction set can.
template <class Real, class Arch>
[[gnu::always_inline]] inline batch<Real, Arch> multiply_add(batch<Real, Arch> const& a, batch<Real, Arch> const& b,
                                                             batch<Real, Arch> const& c) {
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && is_float<Real>) return batch<Real, Arch>(_mm512_fmadd_ps(a, b, c));
  else if constexpr (has_avx512<Arch>) return batch<Real, Arch>(_mm512_fmadd_pd(a, b, c));
  else
#endif
    return xsimd::fma(a, b, c);
}

/// a / b for 1 <= b <= 2^64: within 2 ulp for float on AVX-512, whose division is slow, correctly rounded elsewhere.
/// An infinite a, whose correction would be NaN, is left as it is.
template <class Real, class Arch>
[[gnu::always_inline]] inline batch<Real, Arch> divide(batch<Real, Arch> const& a, batch<Real, Arch> const& b) {
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && is_float<Real>) {
    batch<Real, Arch> const estimate(_mm512_rcp14_ps(b));
    batch<Real, Arch> const quotient = a * estimate;
    batch<Real, Arch> const rest = multiply_add(-quotient, b, a);
    return batch<Real, Arch>(_mm512_mask3_fmadd_ps(rest, estimate, quotient, _mm512_cmp_ps_mask(rest, rest, _CMP_ORD_Q)));
  } else
#endif
    return a / b;
}

/// The sum of all lanes, halves added to halves: the same order on every compiler.
template <class Real, class Arch>
[[gnu::always_inline]] inline Real reduce_add(batch<Real, Arch> const& x) {
  alignas(64) Real lane[lanes<Real, Arch>];
  x.store_aligned(lane);
  for (index width = lanes<Real, Arch> / 2; width > 0; width /= 2)
    for (index i = 0; i < width; ++i) lane[i] += lane[i + width];
  return lane[0];
}

/// The largest lane.
template <class Real, class Arch>
[[gnu::always_inline]] inline Real reduce_max(batch<Real, Arch> const& x) {
#if defined(__AVX512F__)
  if constexpr (has_avx512<Arch> && is_float<Real>) return _mm512_reduce_max_ps(x);
  else if constexpr (has_avx512<Arch>) return _mm512_reduce_max_pd(x);
  else
#endif
  {
    alignas(64) Real lane[lanes<Real, Arch>];
    x.store_aligned(lane);
    for (index width = lanes<Real, Arch> / 2; width > 0; width /= 2)
      for (index i = 0; i < width; ++i) lane[i] = lane[i] < lane[i + width] ? lane[i + width] : lane[i];
    return lane[0];
  }
}

/// The same bits read as another element type of the same size.
template <class To, class From, class Arch>
[[gnu::always_inline]] inline batch<To, Arch> reinterpret(batch<From, Arch> const& x) {
  static_assert(sizeof(To) == sizeof(From));
  return __builtin_bit_cast(batch<To, Arch>, x);
}

/// Calls body(column, count) for each register of a row of n columns; the last count may be less than all lanes.
template <class Arch, class Real, class Body>
[[gnu::always_inline]] inline void for_each_register(index n, Body const& body) {
  index j = 0;
  for (; j + lanes<Real, Arch> <= n; j += lanes<Real, Arch>) body(j, lanes<Real, Arch>);
  if (j < n) body(j, n - j);
}

}  // namespace residua::rt
