// The closed recursion: what forward and backward passes give at initialisation when the width goes to infinity, from second
// moments alone. Derivation and assumptions: docs/results.md.
#pragma once
#include <string_view>

namespace laws {

enum class placement { pre, post, peri, res_post, deep_norm, lns, layer_scale };

/// The scheme's numbers at one layer: what is set as parameters of the kernel, and what the recursion multiplies by.
struct constants {
  double alpha = 1;   // of the skip
  double beta = 1;    // standard deviation of v, o, up and down, in units of 1 / sqrt(d)
  double lambda = 1;  // behind the norm
  double gamma = 1;   // behind the branch
};
/// of layer 1, ..., depth
constants constants_of(placement, int layer, int depth);

std::string_view name_of(placement);
/// Whether the layers end in a norm of the stream, so that none stands above the last.
bool ends_in_norm(placement);

/// The loss is <v, y>, v standard Gaussian, y the last layer's result behind the final norm.
struct figures {
  double stream;     // E |x_L|^2 / d, of a token, before the final norm
  double embedding;  // E |dLoss / dx_0|^2 / d, of a token
  double last_down;  // E |dLoss / dW|^2 / d^2 divided by the number of tokens, W the last layer's down projection
};
figures closed(placement, int depth, int tokens_of_a_sequence);

}  // namespace laws
