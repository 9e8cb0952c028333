#include "closed.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <ranges>
#include <vector>

namespace laws {
namespace {

/// Of values that all tokens share in distribution: the mean square of a feature, and the mean product of it at two tokens.
struct moments {
  double own, other;
};
moments operator*(double scale, moments m) { return {scale * m.own, scale * m.other}; }
moments operator+(moments a, moments b) { return {a.own + b.own, a.other + b.other}; }

/// E relu(a) relu(b) and E relu'(a) relu'(b), a and b of unit variance and correlation r (Cho & Saul 2009, arc-cosine kernels)
double relu_kernel(double r) {
  r = std::clamp(r, -1.0, 1.0);
  return (std::sqrt(1 - r * r) + r * (std::numbers::pi - std::acos(r))) / (2 * std::numbers::pi);
}
double step_kernel(double r) { return (std::numbers::pi - std::acos(std::clamp(r, -1.0, 1.0))) / (2 * std::numbers::pi); }

/// Mean over the tokens of a sequence, at each token
moments averaged(moments m, int tokens) {
  double const both = (m.own + (tokens - 1) * m.other) / tokens;
  return {both, both};
}

/// What the backward pass needs of a sublayer's forward pass.
struct sublayer {
  bool is_attention;
  constants at;
  moments in;       // the stream
  moments read;     // what the branch reads
  moments written;  // what it gives, before a norm of its own and gamma
  moments sum;      // skip and branch, before a norm of the sum
};

bool norm_before(placement p) {
  return p == placement::pre || p == placement::peri || p == placement::lns || p == placement::layer_scale;
}
bool norm_behind(placement p) { return p == placement::peri || p == placement::res_post; }

/// Each of the two matrices of a branch multiplies by beta^2.
double gain(sublayer const& s) { return std::pow(s.at.beta, 4); }

sublayer forward(placement p, bool is_attention, constants at, moments x, int tokens) {
  sublayer s{.is_attention = is_attention, .at = at, .in = x, .read = x, .written = {}, .sum = {}};
  if (norm_before(p)) s.read = 1 / x.own * x;
  s.read = at.lambda * at.lambda * s.read;
  if (is_attention) s.written = gain(s) * averaged(s.read, tokens);
  else s.written = gain(s) * s.read.own * moments{0.5, relu_kernel(s.read.other / s.read.own)};
  double const behind = norm_behind(p) ? 1 / s.written.own : 1;
  s.sum = at.alpha * at.alpha * x + at.gamma * at.gamma * behind * s.written;
  return s;
}

/// The gradient by what the branch gives, from that by the sublayer's result before a norm of the sum.
moments at_branch(placement p, sublayer const& s, moments g) {
  return s.at.gamma * s.at.gamma * (norm_behind(p) ? 1 / s.written.own : 1) * g;
}

moments backward(placement p, sublayer const& s, moments g, int tokens) {
  moments f = at_branch(p, s, g);
  if (s.is_attention) f = averaged(f, tokens);
  else f = {0.5 * f.own, step_kernel(s.read.other / s.read.own) * f.other};
  double const before = s.at.lambda * s.at.lambda / (norm_before(p) ? s.in.own : 1);
  return s.at.alpha * s.at.alpha * g + before * gain(s) * f;
}

}  // namespace

constants constants_of(placement p, int layer, int depth) {
  if (p == placement::deep_norm) return {.alpha = std::pow(2.0 * depth, 0.25), .beta = std::pow(8.0 * depth, -0.25)};
  if (p == placement::lns) return {.lambda = 1 / std::sqrt(layer)};
  if (p == placement::layer_scale) return {.gamma = 0.1};
  return {};
}

std::string_view name_of(placement p) {
  constexpr std::string_view names[] = {"pre", "post", "peri", "res_post", "deep_norm", "lns", "layer_scale"};
  return names[static_cast<int>(p)];
}

bool ends_in_norm(placement p) { return p == placement::post || p == placement::deep_norm; }

figures closed(placement p, int depth, int tokens) {
  moments x{1, 0};
  std::vector<sublayer> passed;
  for (int layer = 1; layer <= depth; ++layer)
    for (bool const is_attention : {true, false}) {
      passed.push_back(forward(p, is_attention, constants_of(p, layer, depth), x, tokens));
      x = passed.back().sum;
      if (ends_in_norm(p)) x = 1 / x.own * x;
    }

  moments g{1, 0};
  if (!ends_in_norm(p)) g = 1 / x.own * g;
  double last_down = 0;
  for (sublayer const& s : std::views::reverse(passed)) {
    if (ends_in_norm(p)) g = 1 / s.sum.own * g;
    if (&s == &passed.back()) {
      // |dLoss / dW|^2 is the sum over pairs of tokens of <h_i, h_j> <g_i, g_j>, h the hidden layer; at the top only i = j counts
      last_down = 0.5 * s.read.own * s.at.beta * s.at.beta * at_branch(p, s, g).own;
    }
    g = backward(p, s, g, tokens);
  }
  return {x.own, g.own, last_down};
}

}  // namespace laws
