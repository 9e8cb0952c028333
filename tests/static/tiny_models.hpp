#pragma once
#include <residua/models/gpt2.hpp>

// A published model at sizes of one's own.
inline constexpr auto gpt2_tiny =
    residua::models::gpt2<residua::models::gpt2_dimensions{.width = 64, .heads = 4, .hidden = 256}>::layer;
