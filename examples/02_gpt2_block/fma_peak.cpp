#include "fma_peak.hpp"

#include <utility>

namespace {

namespace rt = residua::rt;

template <class Arch, int... I>
rt::batch<float, Arch> chains(long steps, std::integer_sequence<int, I...>) {
  using register_type = rt::batch<float, Arch>;
  register_type sum[] = {register_type(static_cast<float>(I))...};
  register_type const a(0.999F), b(0.001F);
  for (long i = 0; i < steps; ++i) ((sum[I] = rt::multiply_add(sum[I], a, b)), ...);
  register_type total(0.0F);
  ((total += sum[I]), ...);
  return total;
}

}  // namespace

template <class Arch>
double fma_chains(long steps, float& result) {
  constexpr int count = 12;
  result = rt::reduce_add(chains<Arch>(steps, std::make_integer_sequence<int, count>{}));
  return 2.0 * count * static_cast<double>(steps) * static_cast<double>(rt::lanes<float, Arch>);
}
template double fma_chains<rt::PEAK_INSTRUCTION_SET>(long, float&);
