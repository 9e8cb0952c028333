#pragma once
#include <residua/calculus/block_route.hpp>
#include <residua/calculus/text/closed_form.hpp>

namespace residua::calculus {

/// Writes JSON in constant evaluation, where no library can.
class json_writer {
 public:
  constexpr explicit json_writer(writer& out) : out_(out) {}

  constexpr void open(char bracket) {
    separate();
    out_.add({&bracket, 1});
    first_ = true;
  }
  constexpr void close(char bracket) {
    out_.add({&bracket, 1});
    first_ = false;
  }
  constexpr void key(std::string_view name) {
    string(name);
    out_.add(": ");
    first_ = true;
  }
  constexpr void string(std::string_view text) {
    separate();
    out_.add("\"");
    for (char c : text) {
      if (c == '"' || c == '\\') out_.add("\\");
      if (c == '\n') out_.add("\\n");
      else out_.add({&c, 1});
    }
    out_.add("\"");
  }
  template <class Write>
  constexpr void string_from(Write const& write) {
    writer text;
    write(text);
    string(text.view());
  }
  constexpr void number(double value) {
    separate();
    graph::write(out_, value);
  }
  constexpr void null() {
    separate();
    out_.add("null");
  }

 private:
  constexpr void separate() {
    if (!first_) out_.add(", ");
    first_ = false;
  }

  writer& out_;
  bool first_ = true;
};

namespace detail {

constexpr void write_shape(json_writer& json, graph::shape_value const& shape) {
  json.open('[');
  for (std::size_t i = 0; i < shape.rank; ++i) {
    json.open('{');
    json.key("axis");
    json.string(shape.axes[i].name);
    json.key("extent");
    if (shape.axes[i].extent == graph::run_time) json.null();
    else json.number(static_cast<double>(shape.axes[i].extent));
    json.close('}');
  }
  json.close(']');
}

/// A term as {coefficient, scalars, product}, a sum as {sum: [...]}.
constexpr void write_term(json_writer& json, operator_text const& names, operator_pool const& pool, term const& t) {
  json.open('{');
  json.key("coefficient");
  json.number(t.coefficient.value());
  json.key("scalars");
  json.open('[');
  for (int scalar : t.scalars) json.string_from([&](writer& out) { names.write_scalar(out, scalar); });
  json.close(']');
  json.key("product");
  json.open('[');
  for (int at : pool.factors_of(t.product)) {
    if (pool[at].kind != atom::sum) {
      json.string_from([&](writer& out) { names.write_factor(out, at); });
      continue;
    }
    json.open('{');
    json.key("sum");
    json.open('[');
    for (term const& each : pool[at].terms) write_term(json, names, pool, each);
    json.close(']');
    json.close('}');
  }
  json.close(']');
  json.close('}');
}

/// Where a factor is taken.
constexpr void write_points(writer& out, graph_view const& graph, expression_text const& values, product_factor const& f) {
  std::string_view before;
  for (int point : points_of(graph, f)) {
    if (point < 0) continue;
    out.add(before);
    before = ", ";
    values.write_value(out, point);
  }
}

/// The Jacobian as tree and closed forms, each factor with its adjoint and point.
constexpr void write_factors(json_writer& json, graph_view const& graph, linear_operator const& top, bool with_points) {
  operator_text const names(graph, top, notation::text, with_points);
  expression_text const values(graph);
  json.key("factors");
  json.open('[');
  std::vector<int> factors;
  collect_factors(top.pool, top.root, factors);
  for (int at : factors) {
    product_factor const& f = top.pool[at];
    json.open('{');
    json.key("factor");
    json.string_from([&](writer& text) { names.write_factor(text, at); });
    json.key("at");
    json.string_from([&](writer& text) { write_points(text, graph, values, f); });
    if (f.kind != atom::branch) {
      json.key("closed_form");
      json.string_from([&](writer& text) { write_closed_form(text, graph, f); });
      json.key("adjoint");
      json.string_from([&](writer& text) { write_closed_form(text, graph, f, true); });
    }
    json.close('}');
  }
  json.close(']');
}

/// The texts of a Jacobian, or of the matrix of several.
constexpr void write_texts(json_writer& json, graph_view const& graph, derivative_block const& of) {
  json.key("jacobian");
  json.string_from([&](writer& text) { write_derivatives(text, graph, of, notation::text); });
  if (graph.reads_memory() && of.first.of_stream && of.first.input < graph.streams && !graph.has_several()) {
    json.key("jacobian_by_memory");
    json.string_from([&](writer& text) { write_derivatives(text, graph, derivative_block::by_memory(graph), notation::text); });
  }
  json.key("latex");
  json.string_from([&](writer& text) { write_derivatives(text, graph, of, notation::latex); });
}

constexpr void write_operator(json_writer& json, graph_view const& graph, linear_operator const& top, bool with_points) {
  json.key("operator");
  write_term(json, operator_text(graph, top, notation::text, with_points), top.pool, top.root);
}

template <class Route>
constexpr void write_route(json_writer& json, Route const& path) {
  json.key("identity_route");
  json.open('{');
  json.key("kind");
  json.string(name(path.kind));
  json.key("norms");
  json.number(path.norms);
  json.key("text");
  json.string(path.text().view());
  json.close('}');
}

/// What a block of several streams has in place of one Jacobian: their matrix, and each of its entries.
constexpr void write_pairs(json_writer& json, graph_view const& graph, derivative_block const& of) {
  write_texts(json, graph, of);
  json.key("expanded");
  json.string_from([&](writer& text) { write_expanded(text, graph, of); });
  json.key("pairs");
  json.open('[');
  for (std::size_t row = 0; row < of.results; ++row)
    for (std::size_t column = 0; column < of.inputs; ++column) {
      derivative_request const one = of.at(row, column);
      json.open('{');
      json.key("of");
      json.string_from([&](writer& text) { write_result(text, one.output); });
      json.key("by");
      json.string_from([&](writer& text) {
        if (one.of_stream) text.add(graph.input(one.input).symbol);
        else write_path(text, graph, one.wrt);
      });
      write_texts(json, graph, of.alone(row, column));
      linear_operator const top = derive(graph, one);
      write_operator(json, graph, top, of.with_points);
      write_factors(json, graph, top, of.with_points);
      if (one.of_stream) write_route(json, find_identity_route(graph, one.output, one.input));
      json.close('}');
    }
  json.close(']');
}

}  // namespace detail

/// One object: the block, its expression and streams, the Jacobian as text, LaTeX and tree, each factor with closed
/// form, adjoint and point, and the identity's route. Several streams: the matrix, and all of this for each pair.
constexpr void write_json(writer& out, graph_view const& graph, derivative_block const& of) {
  json_writer json(out);
  json.open('{');
  json.key("block");
  json.string(graph.name);
  json.key("expression");
  json.string_from([&](writer& text) { expression_text(graph).write_block(text); });
  bool const several = graph.has_several();
  json.key(several ? "streams" : "stream");
  if (several) json.open('{');
  for (std::size_t k = 0; k < graph.streams; ++k) {
    if (several) json.key(graph.input(k).symbol);
    detail::write_shape(json, graph.input(k).shape);
  }
  if (several) json.close('}');
  if (graph.reads_memory()) {
    json.key("memory");
    detail::write_shape(json, graph.input(graph.streams).shape);
  }
  json.key(several ? "results" : "result");
  if (several) json.open('[');
  for (int at : graph.outputs) detail::write_shape(json, graph[at].shape);
  if (several) json.close(']');
  if (several) {
    detail::write_pairs(json, graph, of);
    detail::write_route(json, find_block_route(graph));
  } else {
    linear_operator const top = derive(graph, of.first);
    detail::write_texts(json, graph, of);
    detail::write_operator(json, graph, top, of.with_points);
    json.key("expanded");
    json.string_from([&](writer& text) { write_expanded(text, graph, of); });
    detail::write_factors(json, graph, top, of.with_points);
    detail::write_route(json, find_identity_route(graph));
  }
  json.close('}');
  out.add("\n");
}

}  // namespace residua::calculus
