#include "figures.hpp"

#include <cstdio>

namespace {
bool every_bound_is_kept = true;
}

void show(std::string const& what, double value, double bound) {
  bool const holds = value <= bound;
  every_bound_is_kept = every_bound_is_kept && holds;
  std::printf("  %-52s %.1e (at most %.0e)%s\n", what.c_str(), value, bound, holds ? "" : "   <-- NOT KEPT");
}

bool all_hold() { return every_bound_is_kept; }

stream times(float c, stream x) {
  for (float& each : x) each *= c;
  return x;
}

stream unit_noise(stream const& like, std::uint64_t seed) {
  reference::noise source(seed);
  stream g = like;
  for (float& each : g) each = static_cast<float>(source.next());
  return times(static_cast<float>(1 / length(g)), g);
}
