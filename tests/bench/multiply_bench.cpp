// The package's matrix product beside the machine's own limits, measured in the same run: fused multiply-adds in registers,
// and bytes read from memory. Compiled once for each instruction set, named by RESIDUA_BENCH_SET (baseline, avx2, avx512).
#include <residua/rt/core/simd.hpp>
#include <residua/rt/kernels/functions.hpp>

#include <benchmark/benchmark.h>

#include <chrono>
#include <utility>

#ifndef RESIDUA_BENCH_SET
#define RESIDUA_BENCH_SET baseline
#endif

namespace {

namespace rt = residua::rt;
constexpr rt::instruction_set set = rt::instruction_set::RESIDUA_BENCH_SET;
using arch = rt::arch_of<set>;

template <class Real>
rt::functions<Real> const& kernels = rt::functions_for<set, Real>();

double peak_flops = 0;  // float; double's is half of it

template <class Real>
rt::aligned_buffer<Real> numbers(rt::index count) {
  rt::aligned_buffer<Real> buffer(count);
  for (rt::index i = 0; i < count; ++i) buffer.data()[i] = static_cast<Real>((i * 7919 + 13) % 1009) / Real(1009) - Real(0.5);
  return buffer;
}

void report(benchmark::State& state, double flops) {
  state.counters["GF/s"] = benchmark::Counter(flops * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
  if (peak_flops > 0)
    state.counters["of_peak"] = benchmark::Counter(flops / peak_flops, benchmark::Counter::kIsIterationInvariantRate);
}

void fma_peak(benchmark::State& state) {
  double seconds = 0, flops = 0;
  float result = 0;
  for (auto _ : state) {
    auto const start = std::chrono::steady_clock::now();
    flops = kernels<float>.multiply_add_chains(1000, &result);
    seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }
  peak_flops = flops * static_cast<double>(state.iterations()) / seconds;
  report(state, flops);
}

template <class Real>
void multiply(benchmark::State& state) {
  rt::index const m = state.range(0), k = state.range(1), n = state.range(2);
  auto const weights = numbers<Real>(k * n);
  rt::packed_matrix<Real> packed;
  packed.pack(weights.data(), k, n);
  rt::index const x_stride = state.range(3) ? rt::padded_stride<Real>(k) : k;
  auto x = numbers<Real>(m * x_stride), y = numbers<Real>(m * rt::padded_stride<Real>(n)), bias = numbers<Real>(n);
  rt::matrix<Real> const xm{x.data(), m, k, x_stride}, ym{y.data(), m, n, rt::padded_stride<Real>(n)};
  for (auto _ : state) {
    if (state.range(4))
      kernels<Real>.multiply(xm, packed.view(), ym,
                             {rt::plus_vector<Real>(bias.data()), rt::activated<Real>(rt::activation::gelu_tanh)});
    else kernels<Real>.multiply(xm, packed.view(), ym, {});
    benchmark::ClobberMemory();
  }
  report(state, 2.0 * static_cast<double>(m * k * n));
  state.counters["GB/s"] =
      benchmark::Counter(static_cast<double>(k * n) * sizeof(Real) * 1e-9, benchmark::Counter::kIsIterationInvariantRate);
}

template <class Real>
void outer(benchmark::State& state) {
  rt::index const m = state.range(0), k = state.range(1), n = state.range(2);
  rt::index const xs = rt::padded_stride<Real>(k), gs = rt::padded_stride<Real>(n);
  auto x = numbers<Real>(m * xs), g = numbers<Real>(m * gs), gw = numbers<Real>(k * n);
  for (auto _ : state) {
    kernels<Real>.accumulate_outer({x.data(), m, k, xs}, {g.data(), m, n, gs}, {gw.data(), k, n, n}, 0, k);
    benchmark::ClobberMemory();
  }
  report(state, 2.0 * static_cast<double>(m * k * n));
}

template <rt::activation Function, class Real>
void activation(benchmark::State& state) {
  rt::index const n = 3072;
  auto x = numbers<Real>(n), y = numbers<Real>(n);
  for (auto _ : state) {
    kernels<Real>.activate(Function, {x.data(), 1, n, n}, {y.data(), 1, n, n});
    benchmark::ClobberMemory();
  }
  state.counters["ns/element"] = benchmark::Counter(static_cast<double>(n) * 1e-9,
                                                    benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

template <class Real>
void layer_norm(benchmark::State& state) {
  rt::index const n = state.range(0);
  auto x = numbers<Real>(n), y = numbers<Real>(n), w = numbers<Real>(n);
  for (auto _ : state) {
    kernels<Real>.normalise(rt::norm::layer_norm, {x.data(), 1, n, n}, {{w.data(), w.data()}, 0, 1e-5}, {y.data(), 1, n, n});
    benchmark::ClobberMemory();
  }
  state.counters["ns/element"] = benchmark::Counter(static_cast<double>(n) * 1e-9,
                                                    benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

BENCHMARK(fma_peak);
// m, k, n, padded x, gelu epilogue
BENCHMARK(multiply<float>)
    ->Args({128, 768, 3072, 1, 0})
    ->Args({128, 768, 3072, 1, 1})
    ->Args({128, 3072, 768, 1, 0})
    ->Args({128, 3072, 768, 0, 0})
    ->Args({56, 768, 3072, 1, 0})
    ->Args({56, 3072, 768, 1, 0})
    ->Args({512, 768, 3072, 0, 0})
    ->Args({512, 3072, 768, 1, 0})
    ->Args({128, 64, 128, 1, 0})
    ->Args({1, 768, 3072, 1, 0})
    ->Args({4, 768, 3072, 1, 0})
    ->Args({1, 256, 512, 1, 0});
BENCHMARK(multiply<double>)->Args({128, 768, 3072, 1, 0})->Args({128, 3072, 768, 1, 0});
BENCHMARK(outer<float>)->Args({128, 768, 3072})->Args({128, 3072, 768})->Args({512, 768, 768});
BENCHMARK(activation<rt::activation::gelu_tanh, float>);
BENCHMARK(activation<rt::activation::gelu_erf, float>);
BENCHMARK(activation<rt::activation::silu, float>);
BENCHMARK(activation<rt::activation::tanh, float>);
BENCHMARK(activation<rt::activation::softplus, float>);
BENCHMARK(activation<rt::activation::gelu_erf, double>);
BENCHMARK(layer_norm<float>)->Arg(768);

}  // namespace

BENCHMARK_MAIN();
