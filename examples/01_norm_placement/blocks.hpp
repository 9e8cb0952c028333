#pragma once
#include <residua/dsl.hpp>

namespace blocks {
using namespace residua::dsl;
using residua::dsl::tanh;  // <cmath> may have put its own into the global namespace

inline constexpr axis<"B"> B;  // extents chosen at run time
inline constexpr axis<"T"> T;

/// One block twice: its norms before the branches, and after the additions. d and h are the widths of the stream and
/// of the hidden layer.
template <std::int64_t Width, std::int64_t Hidden>
struct norm_placement {
  static constexpr axis<"d", Width> d{};
  static constexpr axis<"h", Hidden> h{};

  static constexpr auto N = layer_norm<"N">(d, no_affine, epsilon<1e-5>);
  static constexpr auto A = branch<"A">(linear<"W">(d, d));
  static constexpr auto M = branch<"M">(linear<"up">(d, h) | tanh | linear<"down">(h, d));

  static constexpr auto pre_norm = block<"pre_norm">(stream(B, T, d), [](auto x) {
    auto u = x + A(N(x));
    return u + M(N(u));
  });
  static constexpr auto post_norm = block<"post_norm">(stream(B, T, d), [](auto x) {
    auto u = N(x + A(x));
    return N(u + M(u));
  });
};

using small = norm_placement<6, 12>;
using large = norm_placement<768, 3072>;

static_assert(jacobian(small::pre_norm) == "(I + J_M J_N) (I + J_A J_N)");
static_assert(jacobian(small::post_norm) == "J_N (I + J_M) J_N (I + J_A)");
static_assert(identity_route(small::pre_norm) == route::direct);
static_assert(identity_route(small::post_norm) == route::through);
static_assert(identity_route(small::post_norm).norms == 2);
}  // namespace blocks
