#include <residua/codegen/targets/text.hpp>

namespace residua::codegen {

std::string shape_text(graph::shape_value const& shape) {
  graph::writer out;
  graph::write(out, shape);
  return text_of(out);
}

std::string axis_text(graph::axis_value const& axis) {
  graph::writer out;
  graph::write(out, axis);
  return text_of(out);
}

std::string joined(std::vector<std::string> const& parts, std::string_view separator) {
  std::string out;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) out += separator;
    out += parts[i];
  }
  return out;
}

std::string literal_text(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' ? ' ' : c;
  }
  return out;
}

std::string wrapped(std::string_view text, std::string_view indent) {
  constexpr std::size_t columns = 100;
  std::string out;
  std::size_t column = 0;
  while (!text.empty()) {
    std::size_t const space = text.find(' ');
    std::string_view const word = text.substr(0, space);
    if (column > 0 && column + word.size() > columns) {
      out += '\n';
      out += indent;
      column = 0;
    } else if (column > 0) {
      out += ' ';
    }
    out += word;
    column += word.size() + 1;
    text = space == text.npos ? std::string_view{} : text.substr(space + 1);
  }
  return out;
}

}  // namespace residua::codegen
