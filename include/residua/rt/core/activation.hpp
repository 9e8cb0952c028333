// The activations that the kernels know, by name.
#pragma once

#include <residua/activations.hpp>

namespace residua::rt {

#define RESIDUA_ENUMERATOR(NAME) NAME,
/// One of the pointwise functions of kernels/activation.hpp.
enum class activation : unsigned char { RESIDUA_ACTIVATIONS(RESIDUA_ENUMERATOR) };
#undef RESIDUA_ENUMERATOR

}  // namespace residua::rt
