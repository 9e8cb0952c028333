// What the parts of the example share: streams, lengths, and figures that have to keep a bound.
#pragma once
#include <cmath>
#include <residua/reference/problem.hpp>
#include <residua/rt/interface/parameters.hpp>
#include <string>

namespace rt = residua::rt;
namespace graph = residua::graph;
namespace reference = residua::reference;

using stream = rt::tensor<float, 3>;  // (B, T, d)

/// Prints a figure and whether it keeps its bound.
void show(std::string const& what, double value, double bound);
/// Whether all figures did.
bool all_hold();

template <class A, class B>
double dot(A const& a, B const& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += static_cast<double>(a.data()[i]) * static_cast<double>(b.data()[i]);
  return sum;
}

template <class A>
double length(A const& a) {
  return std::sqrt(dot(a, a));
}

stream times(float c, stream x);
/// A stream of noise, of length 1.
stream unit_noise(stream const& like, std::uint64_t seed);
