// Registers: the instruction sets, full and partial loads and stores, and the few operations whose order matters.
// Everything here carries the instruction set in its type, see docs/decisions.md on translation units.
#pragma once

#include <residua/rt/core/matrix.hpp>

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

template <class Real, class Arch>
using batch = xsimd::batch<Real, Arch>;
template <class Real, class Arch>
inline constexpr index lanes = static_cast<index>(xsimd::batch<Real, Arch>::size);

/// Whether registers are 512 bits wide with lane masks, which xsimd 8 does not use for loads and fma.
template <class Arch>
inline constexpr bool has_avx512 = std::is_base_of_v<xsimd::avx512f, Arch>;

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
  if constexpr (has_avx512<Arch> && sizeof(Real) == 4)
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
  if constexpr (has_avx512<Arch> && sizeof(Real) == 4)
    _mm512_mask_storeu_ps(to, static_cast<__mmask16>((1U << count) - 1U), value);
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
  if constexpr (has_avx512<Arch> && sizeof(Real) == 4) return batch<Real, Arch>(_mm512_fmadd_ps(a, b, c));
  else if constexpr (has_avx512<Arch>) return batch<Real, Arch>(_mm512_fmadd_pd(a, b, c));
  else
#endif
    return xsimd::fma(a, b, c);
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

/// y = value or y += value on the first `count` lanes.
template <class Arch, update U, class Real>
[[gnu::always_inline]] inline void write(Real* y, batch<Real, Arch> const& value, index count) {
  if constexpr (U == update::assign) rt::store<Arch>(y, value, count);
  else rt::store<Arch>(y, rt::load<Arch>(y, count) + value, count);
}

}  // namespace residua::rt
