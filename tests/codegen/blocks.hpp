// The graphs that the passes are tested on; blocks.cpp says them in the language.
#pragma once
#include <residua/codegen/block_plan.hpp>
#include <string>

namespace tested {

using residua::graph::graph_view;

graph_view pre_norm();                 // an MLP with a layer norm
graph_view attending();                // x + A(x), causal
graph_view fused_attending();          // queries, keys and values in one product
graph_view transformer();              // attention and MLP, one layer
graph_view stack_of(int layers);       // 1, 2, 3 or 12 layers of that
graph_view decoder_stack(int layers);  // 3 or 6 layers that attend to a memory
graph_view mlp_stack();                // 5 layers without attention
graph_view fused_stack();              // 4 layers of fused_attending
graph_view uneven_stack();             // layers of two widths, in turn
graph_view stack_between();            // 4 layers between two linears
graph_view nested_stack(bool once);    // a stack of 3 MLPs, in one layer or two of another
graph_view two_stacks();               // 2 layers of transformer(), then 3 MLPs
graph_view two_ways();                 // 4 layers that pass on two streams
graph_view long_way();                 // 4 layers, and x added to what they give

/// The graph with another operand for one of its nodes; lives until the program ends.
graph_view with_third_operand(graph_view const& graph, int node, int operand);

/// The message of what an action throws, or nothing.
template <class Error, class Action>
std::string message_of(Action const& act) {
  try {
    act();
  } catch (Error const& error) {
    return error.what();
  }
  return {};
}

}  // namespace tested
