#include "blocks.hpp"

#include <deque>
#include <residua/dsl.hpp>
#include <stdexcept>
#include <vector>

namespace tested {

namespace {

using namespace residua::dsl;

constexpr axis<"T"> T;
constexpr axis<"S"> S;
constexpr axis<"c", 4> c;
constexpr axis<"h", 8> h;
constexpr axis<"wide", 12> wide;

constexpr auto F = branch<"F">(linear<"up">(c, h, with_bias) | gelu_tanh | linear<"down">(h, c, with_bias));
constexpr auto G = branch<"F">(linear<"up">(c, wide) | silu | linear<"down">(wide, c));
constexpr auto A = attention<"A">(c, heads<2>, causal);
constexpr auto fused = attention<"A">(c, heads<2>, causal, fused_qkv);

constexpr auto mlp = block<"mlp">(stream(T, c), [](auto x) { return x + F(layer_norm<"N">(c)(x)); });
constexpr auto wide_mlp = block<"wide_mlp">(stream(T, c), [](auto x) { return x + G(layer_norm<"N">(c)(x)); });
constexpr auto attends = block<"attends">(stream(T, c), [](auto x) { return x + A(x); });
constexpr auto attends_fused = block<"attends_fused">(stream(T, c), [](auto x) { return x + fused(rms_norm<"N">(c)(x)); });
constexpr auto layer = block<"layer">(stream(T, c), [](auto x) {
  auto u = x + A(layer_norm<"N">(c)(x));
  return u + 0.5 * F(rms_norm<"M">(c)(u));
});
constexpr auto decoder = block<"decoder">(stream(T, c), stream(S, c), [](auto x, auto memory) {
  auto u = x + A(layer_norm<"N">(c)(x));
  auto v = u + attention<"X">(c, heads<2>, cross)(layer_norm<"O">(c, no_affine)(u), memory);
  return v + F(rms_norm<"M">(c)(v));
});

template <int Layers>
constexpr auto layers = stack<"h", Layers>(layer);
template <int Layers>
constexpr auto decoders = stack<"d", Layers>(decoder);
constexpr auto mlps = stack<"h", 5>(mlp);
constexpr auto fused_layers = stack<"h", 4>(attends_fused);
constexpr auto uneven = stack<"h", 4>([](auto i) {
  if constexpr (i % 2 == 0) return mlp;
  else return wide_mlp;
});
constexpr auto between =
    block<"between">(stream(T, c), [](auto x) { return linear<"last">(c, c)(stack<"h", 4>(layer)(linear<"first">(c, c)(x))); });
constexpr auto beside = block<"beside">(stream(T, c), [](auto x) { return x + stack<"h", 4>(layer)(x); });

constexpr auto inner = block<"inner">(stream(T, c), [](auto x) { return stack<"g", 3>(mlp)(x); });
constexpr auto nested = stack<"h", 2>(inner);
constexpr auto nested_once = stack<"h", 1>(inner);
constexpr auto two = block<"two">(stream(T, c), [](auto x) { return stack<"b", 3>(wide_mlp)(stack<"a", 2>(layer)(x)); });
constexpr auto side_by_side = block<"side_by_side">(stream(T, c), [](auto x) {
  auto sum = x;
  residua::dsl::layers<"h", 4>(x, [&](auto) {
    auto f = F(x);
    sum += f;
    x = rms_norm<"N">(c)(x + f);
  });
  return x + sum;
});

}  // namespace

graph_view pre_norm() { return mlp.view(); }
graph_view attending() { return attends.view(); }
graph_view fused_attending() { return attends_fused.view(); }
graph_view transformer() { return layer.view(); }
graph_view stack_of(int count) {
  switch (count) {
    case 1: return layers<1>.view();
    case 2: return layers<2>.view();
    case 3: return layers<3>.view();
    case 12: return layers<12>.view();
  }
  throw std::out_of_range("stack_of");
}
graph_view decoder_stack(int count) { return count == 3 ? decoders<3>.view() : decoders<6>.view(); }
graph_view mlp_stack() { return mlps.view(); }
graph_view fused_stack() { return fused_layers.view(); }
graph_view uneven_stack() { return uneven.view(); }
graph_view stack_between() { return between.view(); }
graph_view nested_stack(bool once) { return once ? nested_once.view() : nested.view(); }
graph_view two_stacks() { return two.view(); }
graph_view two_ways() { return side_by_side.view(); }
graph_view long_way() { return beside.view(); }

graph_view with_third_operand(graph_view const& graph, int node, int operand) {
  static std::deque<std::vector<residua::graph::node>> made;
  made.emplace_back(graph.nodes.begin(), graph.nodes.end());
  made.back()[static_cast<std::size_t>(node)].operands[2] = operand;
  graph_view changed = graph;
  changed.nodes = made.back();
  return changed;
}

}  // namespace tested
