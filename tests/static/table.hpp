#pragma once
// What the tables of the pages have in common: a block's formula, its Jacobian and its verdict.
#include <iostream>
#include <residua/dsl.hpp>

constexpr residua::dsl::rendered formula_of(residua::dsl::graph_view const& graph) {
  residua::dsl::writer out;
  residua::calculus::expression_text(graph).write_block(out);
  return residua::dsl::rendered(static_cast<residua::dsl::writer&&>(out));
}

/// The first cells of a row, up to the verdict.
void begin_row(std::string_view name, auto block) {
  std::cout << "| " << name << " | `" << formula_of(block.view()) << "` | `" << jacobian(block) << "` | `"
            << identity_route(block).text() << "` | ";
}
