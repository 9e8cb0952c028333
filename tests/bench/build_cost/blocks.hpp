#pragma once
#include <residua/dsl.hpp>
#include <residua/models/gpt2.hpp>

namespace blocks {
using namespace residua::dsl;
using model = residua::models::gpt2<>;

inline constexpr auto mlp =
    block<"mlp">(stream(model::B, model::T, model::d), [](auto x) { return x + model::mlp(model::ln_2(x)); });
inline constexpr auto gpt2 = model::layer;
inline constexpr auto gpt2_stack = model::layers();
}  // namespace blocks
