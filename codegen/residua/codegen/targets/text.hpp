// Pieces of text that targets share.
#pragma once
#include <residua/graph/graph.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace residua::codegen {

inline std::string text_of(graph::writer const& out) { return std::string(out.view()); }

/// (B, T, d = 768)
std::string shape_text(graph::shape_value const& shape);

/// d = 768, or d where it is chosen at run time.
std::string axis_text(graph::axis_value const& axis);

/// The parts with a separator between them.
std::string joined(std::vector<std::string> const& parts, std::string_view separator = ", ");

/// The content of a string literal.
std::string literal_text(std::string_view text);

/// Breaks a long line at spaces; what follows starts with `indent`.
std::string wrapped(std::string_view text, std::string_view indent);

}  // namespace residua::codegen
