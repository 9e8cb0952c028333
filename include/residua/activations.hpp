// The activations, functions of one number that are applied to each element, by name.
#pragma once

/// The one list of them. The operations of the graph, the words of the language, the enumeration by which generated code names a
/// kernel and the choice of that kernel are made from it.
#define RESIDUA_ACTIVATIONS(EACH) \
  EACH(tanh)                      \
  EACH(relu)                      \
  EACH(relu_squared)              \
  EACH(gelu_erf)                  \
  EACH(gelu_tanh)                 \
  EACH(silu)                      \
  EACH(sigmoid)                   \
  EACH(softplus)
