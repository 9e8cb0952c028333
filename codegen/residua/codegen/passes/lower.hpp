#pragma once
#include <residua/codegen/parameter_list.hpp>
#include <residua/codegen/program.hpp>

namespace residua::codegen {

/// Turns a block's graph into tile programs. Derivatives come from the rule table of the calculus: a tangent passes
/// each factor, a cotangent each factor's adjoint in reverse.
///
/// Leaves: values in single assignment, pointwise operations as instructions of their own, no slots.

/// The width of each node's value, under the name by which its extent is known: `renamed` changes no extent.
std::vector<axis_value> widths_of(graph_view const& graph);

/// Whether a block reads a second stream: its node 1.
bool has_memory(graph_view const& graph);

/// Whose tokens each node has: those of its (first) operand. The memory's are its own, whatever its axes are called.
std::vector<rows_of> rows_of_nodes(graph_view const& graph);

/// The nodes that the result is made of.
std::vector<bool> needed_nodes(graph_view const& graph);

/// y = b(x)
program lower_forward(graph_view const& graph);

/// y = b(x), dy = J dx
program lower_jvp(graph_view const& graph);

/// gx = J^T g, and what the gradients of the parameters are summed from.
program lower_vjp(graph_view const& graph, parameter_list const& parameters);

}  // namespace residua::codegen
