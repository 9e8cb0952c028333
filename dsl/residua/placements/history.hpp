#pragma once
#include <residua/placements/common.hpp>

// What a layer takes from earlier ones: values that variables around `layers` hold.
namespace residua::placements {

/// DenseFormer, after a layer: sum over j of a_j X_j, of the embedding and each layer's result up to this one's own, a learned: 1
/// at the last and 0 before it at initialisation. `history` holds Count values; the names are a.0.w, a.1.w, ... Source:
/// Pagliardini et al. 2024, 2402.02622.
template <text Name, int Count, class History>
constexpr auto dense_former(History const& history) {
  auto sum = history[0];
  layers<Name, Count>(history[0], [&](auto j) {
    if constexpr (j == 0) sum = learned_scalar<"w"> * history[j];
    else sum += learned_scalar<"w"> * history[j];
  });
  return sum;
}

/// A U-Net's skip, before a layer of the second half: x + w X, w learned, X what went into the layer at the same distance from
/// the middle. J = I by x, w I by X. Source: modded-nanogpt.
template <text Weight, class X, class Y>
constexpr auto u_net_skip(X const& from, Y const& earlier, line where = line::current()) {
  return detail::placed(
      "in u_net_skip<\"w\">(x, earlier)", where, [&](auto const& x, auto const& y) { return x + learned_scalar<Weight> * y; },
      from, earlier);
}

/// The embedding again, before a layer: l x + l0 x0, both learned, below `Name`. J = l I by x, l0 I by x0. Source:
/// modded-nanogpt.
template <text Name, class X, class Y>
constexpr auto embedding_again(X const& from, Y const& embedding, line where = line::current()) {
  auto sum = [&](auto const& x, auto const& y) {
    return detail::named<Name>(x, where, [&] { return learned_scalar<"l"> * x + learned_scalar<"l0"> * y; });
  };
  return detail::placed("in embedding_again<\"mix\">(x, x0)", where, sum, from, embedding);
}

}  // namespace residua::placements
