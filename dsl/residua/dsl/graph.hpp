#pragma once
#include <residua/graph/graph.hpp>
#include <residua/graph/number.hpp>

// What the language takes of the graph, under its own names.
namespace residua::dsl {

using graph::attention_value;
using graph::axis_value;
using graph::call;
using graph::graph_view;
using graph::most_axes;
using graph::names_repeat;
using graph::node;
using graph::op;
using graph::rendered;
using graph::rope_value;
using graph::run_time;
using graph::same_sequences;
using graph::same_tokens;
using graph::scope;
using graph::shape_value;
using graph::stored_attention;
using graph::stored_graph;
using graph::write;
using graph::writer;

}  // namespace residua::dsl
