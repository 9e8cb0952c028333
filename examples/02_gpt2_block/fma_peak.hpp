#pragma once
#include <residua/rt/core/simd.hpp>

/// Twelve independent chains of `steps` fused multiply-adds in registers (a product and a sum where there is none): what
/// the machine can do at most. Gives the number of operations; `result` keeps them from being left out.
/// Compiled once for each instruction set, in fma_peak.cpp.
template <class Arch>
double fma_chains(long steps, float& result);
