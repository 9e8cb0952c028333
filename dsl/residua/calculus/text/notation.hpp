#pragma once
#include <residua/graph/writer.hpp>

namespace residua::calculus {

using graph::writer;

/// How something is written: for a terminal, or for a document.
enum class notation : unsigned char { text, latex };

/// Writes words as they are, or upright in LaTeX: `F.up.weight`, `\mathrm{F.up.weight}`.
template <class Write>
constexpr void write_upright(writer& out, notation style, Write const& write) {
  if (style == notation::text) return write(out);
  writer words;
  write(words);
  out.add("\\mathrm{");
  for (char c : words.view()) {
    if (c == '_') out.add("\\");
    out.add({&c, 1});
  }
  out.add("}");
}

/// diag(...)
template <class Content>
constexpr void write_diagonal(writer& out, notation style, Content const& content) {
  out.add(style == notation::latex ? "\\operatorname{diag}(" : "diag(");
  content();
  out.add(")");
}

}  // namespace residua::calculus
