// The norms that the kernels know, by name, and what they are called with.
#pragma once

namespace residua::rt {

/// All of them: each is an enumerator, and a type of kernels/norm.hpp.
#define RESIDUA_NORMS(EACH) EACH(layer_norm) EACH(rms_norm) EACH(dyt)

#define RESIDUA_ENUMERATOR(NAME) NAME,
enum class norm : unsigned char { RESIDUA_NORMS(RESIDUA_ENUMERATOR) };
#undef RESIDUA_ENUMERATOR

/// What a norm reads besides its rows. The parameters stand in the order in which its row in the table of operations lists
/// them, null where it has none; a vector has one number for each column.
template <class Real>
struct norm_options {
  Real const* parameters[3] = {};  // weight, bias, and what else it learns
  double offset = 0;               // the gain is offset + weight
  double epsilon = 0;
};

/// Where a norm adds the gradients of its parameters, in the same order; null: nowhere.
template <class Real>
struct norm_gradients {
  Real* parameters[3] = {};
};

}  // namespace residua::rt
