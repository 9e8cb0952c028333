#pragma once
#include <residua/codegen/graph_facts.hpp>
#include <residua/codegen/parameter_list.hpp>

namespace residua::codegen {

/// Turns a block's graph into programs of one stage. Derivatives come from the rule table of the calculus: a tangent passes
/// each factor, a cotangent each factor's adjoint in reverse.
///
/// Requires: facts of this graph.
/// Leaves: values in single assignment, pointwise operations as instructions of their own, each instruction with the layer it
/// works for, the access of every operand; arguments, results and partials at home, other values at home::tile or home::held.

/// The outputs of the inputs: y = b(x).
program lower_forward(graph_view const& graph, graph_facts const& facts);

/// Outputs and their tangents: y = b(x), dy = J dx.
program lower_jvp(graph_view const& graph, graph_facts const& facts);

/// The gradients of the inputs, gx = J^T g, and what those of the parameters are summed from.
program lower_vjp(graph_view const& graph, graph_facts const& facts, parameter_list const& parameters);

}  // namespace residua::codegen
