#pragma once
// The number behind a displayed formula: an operator of the calculus as a dense matrix. The factors are the closed forms
// that are printed, evaluated.
#include <residua/calculus/text/closed_form.hpp>

#include "formula_value.hpp"

namespace residua::oracle {

/// Evaluates operators at one point: all tokens at once, so that a matrix maps (tokens * width in) to (tokens * width out).
class operator_value {
 public:
  explicit operator_value(problem<double> const& p) : problem_(p), values_(evaluate(p)) {}

  /// The matrix of what `derive(graph, request)` returned.
  matrix<double> operator()(calculus::derivative_request const& request) const {
    calculus::linear_operator const made = calculus::derive(graph(), request);
    int const output = request.inside < 0 ? graph().output(request.output) : graph().call_at(request.inside).result;
    std::size_t const rows = value(output).size();
    std::size_t columns = 0;
    if (!request.of_stream) columns = variable(problem_, path_of(graph(), request.wrt)).size();
    else if (request.inside < 0) columns = problem_.inputs.at(request.input).size();
    else {
      graph::call const& call = graph().call_at(request.inside);
      columns = value(request.input == 0 ? call.argument : call.memory).size();
    }
    if (made.root.is_zero()) return matrix<double>(rows, columns);
    return apply(made.pool, made.root, identity_matrix<double>(columns));
  }

  /// The matrix of the closed form of one factor, or of its adjoint.
  matrix<double> local(int at, std::size_t k, bool of_adjoint = false) const {
    node const& n = graph()[at];
    if (calculus::rule_of(n).couples_tokens) return coupling(n, k, of_adjoint);
    auto const heads = static_cast<std::size_t>(n.groups);
    std::size_t const out = by_element(n) ? 1 : width(n) / heads;
    std::size_t const in = by_element(n) ? 1 : width(graph()[n.operands[k]]) / heads;
    std::size_t const pieces = value(at).size() / out;
    std::size_t const size = value(n.operands[k]).size();
    matrix<double> made(of_adjoint ? size : pieces * out, of_adjoint ? pieces * out : size);
    calculus::formulas all(n);
    calculus::formula const closed = closed_form(all, k, of_adjoint);
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      formula_point<double> const point = point_of(n, piece, out, in);
      std::size_t const row = piece * out, column = piece_read(n, piece) * in;
      place(made, of_adjoint ? column : row, of_adjoint ? row : column, formula_value(all, point)(closed));
    }
    return made;
  }

  /// The derivative of one operation by its own parameter: (tokens * width, parameter).
  matrix<double> by_parameter(int at, calculus::role which) const {
    node const& n = graph()[at];
    std::size_t const out = width(n) / static_cast<std::size_t>(n.groups);
    std::size_t const in = width_in(n) / static_cast<std::size_t>(n.groups);
    std::size_t const pieces = value(at).size() / out;
    calculus::formulas all(n);
    calculus::formula const map = calculus::rule_of(n).parameters[which].derivative(all);
    matrix<double> change = parameter(n, which);
    matrix<double> made(value(at).size(), change.data.size());
    for (std::size_t piece = 0; piece < pieces; ++piece) {
      formula_point<double> const point = point_of(n, piece, out, in);
      for (std::size_t e = 0; e < change.data.size(); ++e) {
        change.data.assign(change.data.size(), 0);
        change.data[e] = 1;
        matrix<double> const moved = formula_value(all, point).applied(map, change);
        for (std::size_t i = 0; i < out; ++i) made(piece * out + i, e) = moved.data.at(i);
      }
    }
    return made;
  }

  /// What a parameter's adjoint makes of a cotangent: the sum over tokens, of the closed form that is printed.
  std::vector<double> gradient(int at, calculus::role which, std::vector<double> const& cotangent) const {
    node const& n = graph()[at];
    std::size_t const out = width(n) / static_cast<std::size_t>(n.groups);
    std::size_t const in = width_in(n) / static_cast<std::size_t>(n.groups);
    calculus::formulas all(n);
    calculus::formula const map = adjoint(calculus::rule_of(n).parameters[which].derivative(all));
    std::vector<double> sum;
    for (std::size_t piece = 0; piece < value(at).size() / out; ++piece) {
      matrix<double> g = vector(n, out);
      for (std::size_t i = 0; i < out; ++i) g.data[i] = cotangent.at(piece * out + i);
      formula_point<double> const point = point_of(n, piece, out, in);
      matrix<double> const share = formula_value(all, point).applied(map, g);
      sum.resize(share.data.size());
      for (std::size_t e = 0; e < sum.size(); ++e) sum[e] += share.data[e];
    }
    return sum;
  }

  /// The value that a row states, at the values of the operands. Of all operations but inputs.
  std::vector<double> stated(int at) const {
    node const& n = graph()[at];
    calculus::formulas all(n);
    calculus::formula const closed = calculus::rule_of(n).value(all);
    std::vector<double> made(value(at).size());
    if (calculus::rule_of(n).couples_tokens) {
      for_each_query(n, [&](std::size_t row, formula_point<double> const& point, auto const&) {
        matrix<double> const o = formula_value(all, point)(closed);
        std::copy(o.data.begin(), o.data.end(), made.begin() + static_cast<std::ptrdiff_t>(row));
      });
      return made;
    }
    std::size_t const out = by_element(n) ? 1 : width(n) / static_cast<std::size_t>(n.groups);
    std::size_t const in = by_element(n) ? 1 : width_in(n) / static_cast<std::size_t>(n.groups);
    for (std::size_t piece = 0; piece < made.size() / out; ++piece) {
      formula_point<double> const point = point_of(n, piece, out, in);
      matrix<double> const y = formula_value(all, point)(closed);
      std::copy(y.data.begin(), y.data.end(), made.begin() + static_cast<std::ptrdiff_t>(piece * out));
    }
    return made;
  }

  std::vector<double> const& value(int at) const { return values_[static_cast<std::size_t>(at)]; }

 private:
  graph_view const& graph() const { return problem_.graph; }
  std::size_t width(node const& n) const { return width_of(problem_.lengths, n.shape); }
  /// Of the first operand; of what has none, its own.
  std::size_t width_in(node const& n) const { return width(n.operands[0] < 0 ? n : graph()[n.operands[0]]); }

  calculus::formula closed_form(calculus::formulas& all, std::size_t k, bool of_adjoint) const {
    calculus::formula const closed = calculus::rule_of(all.of()).derivatives[k](all);
    return of_adjoint ? adjoint(closed) : closed;
  }

  static void place(matrix<double>& made, std::size_t row, std::size_t column, matrix<double> const& block) {
    for (std::size_t i = 0; i < block.rows; ++i)
      for (std::size_t j = 0; j < block.columns; ++j) made(row + i, column + j) += block(i, j);
  }

  /// Tokens of a linear map are rows, other vectors columns.
  static matrix<double> vector(node const& n, std::size_t size) {
    return calculus::kind_of(n) == calculus::kind::product ? matrix<double>(1, size) : matrix<double>(size, 1);
  }
  static matrix<double> vector(node const& n, std::vector<double> const& from, std::size_t first, std::size_t size) {
    matrix<double> made = vector(n, size);
    for (std::size_t i = 0; i < size; ++i) made.data[i] = from.at(first + i);
    return made;
  }

  /// A parameter in its shape: a number, a vector, or (in, out).
  matrix<double> parameter(node const& n, calculus::role which) const {
    std::vector<double> const& numbers = variable(problem_, path_of(graph(), {n.scope, which}));
    matrix<double> made = vector(n, numbers.size());
    if (calculus::rule_of(n).parameters[which].axes == calculus::lies_over::both)
      made = matrix<double>(width(graph()[n.operands[0]]), width(n));
    made.data = numbers;
    return made;
  }

  /// The piece of the operands that a piece is made of: its own, or its sequence's.
  std::size_t piece_read(node const& n, std::size_t piece) const {
    return calculus::kind_of(n) == calculus::kind::repetition ? piece / sequence_length(problem_.lengths, n.shape) : piece;
  }

  /// What the names in a node's formulas are, for one piece: a head of a token, a token, or an element.
  formula_point<double> point_of(node const& n, std::size_t piece, std::size_t out, std::size_t in) const {
    auto symbol = [&n, piece, out, in, this](std::string_view name, std::size_t) -> matrix<double> {
      if (name == "x") return vector(n, value(n.operands[0]), piece_read(n, piece) * in, in);
      if (name == "d") return number_of(static_cast<double>(in));
      if (name == "I") return identity_matrix<double>(in);
      if (name == "pi") return number_of(std::numbers::pi);
      if (name == "i")
        return number_of(
            static_cast<double>(piece / static_cast<std::size_t>(n.groups) % sequence_length(problem_.lengths, n.shape)));
      if (name == "1") {
        matrix<double> ones(in, 1);
        ones.data.assign(in, 1);
        return ones;
      }
      if (name == "S") {
        matrix<double> made(out, in);
        for (std::size_t i = 0; i < out; ++i) made(i, static_cast<std::size_t>(n.first_feature) + i) = 1;
        return made;
      }
      if (name.starts_with("S_")) return joined_at(n, static_cast<std::size_t>(name[2] - '1'), out);
      throw std::logic_error("oracle: no value for " + std::string(name));
    };
    return {.symbol = symbol,
            .parameter = [&n, this](calculus::role which) { return parameter(n, which); },
            .operand =
                [&n, piece, this](std::size_t k) {
                  std::size_t const size = width(graph()[n.operands[k]]);
                  return vector(n, value(n.operands[k]), piece_read(n, piece) * size, size);
                },
            .rotation = [&n](double position) { return rotation(n, position); }};
  }

  /// The rows of a node's result that its operand k becomes, as a selection of them.
  matrix<double> joined_at(node const& n, std::size_t k, std::size_t out) const {
    std::size_t first = 0;
    for (std::size_t before = 0; before < k; ++before) first += width(graph()[n.operands[before]]);
    matrix<double> made(width(graph()[n.operands[k]]), out);
    for (std::size_t i = 0; i < made.rows; ++i) made(i, first + i) = 1;
    return made;
  }

  static bool by_element(node const& n) { return calculus::kind_of(n) == calculus::kind::pointwise; }

  /// R(position) of one head.
  static matrix<double> rotation(node const& n, double position) {
    graph::rope_value const& r = n.attention->rope;
    auto made = identity_matrix<double>(static_cast<std::size_t>(n.attention->head_width));
    for (std::size_t k = 0; k < static_cast<std::size_t>(r.width / 2); ++k) {
      double const angle = position * rotary_angle(r, k, 1);
      auto const [a, b] = rotary_pair(r, k);
      made(a, a) = made(b, b) = std::cos(angle);
      made(a, b) = -std::sin(angle);
      made(b, a) = std::sin(angle);
    }
    return made;
  }

  /// Calls visit(where o_i begins, the point, where the operands' blocks for key j begin) for every head of every token.
  template <class Visit>
  void for_each_query(node const& n, Visit const& visit) const {
    attention_extents const e(problem_.lengths, graph(), n);
    std::vector<std::int64_t> const lengths = key_lengths_of(problem_, n);
    for (std::size_t s = 0; s < e.sequences; ++s)
      for (std::size_t i = 0; i < e.queries; ++i)
        for (std::size_t head = 0; head < e.heads; ++head) {
          auto symbol = [&, s, i, head](std::string_view name, std::size_t j) -> matrix<double> {
            if (name == "q_i") return vector(n, value(n.operands[0]), e.query(s, i, head), e.head_width);
            if (name == "k_j") return vector(n, value(n.operands[1]), e.key(s, j, head), e.head_width);
            if (name == "v_j") return vector(n, value(n.operands[2]), e.key(s, j, head), e.head_width);
            if (name == "i") return number_of(static_cast<double>(i));
            if (name == "j") return number_of(static_cast<double>(j));
            if (name == "I") return identity_matrix<double>(e.head_width);
            if (name == "slope") return number_of(alibi_slope(static_cast<std::int64_t>(head), n.attention->heads));
            throw std::logic_error("oracle: no value for " + std::string(name));
          };
          formula_point<double> const point{.symbol = symbol, .keys = static_cast<std::size_t>(lengths[s])};
          visit(e.query(s, i, head), point, [&, s, head](std::size_t j) { return e.key(s, j, head); });
        }
  }

  /// The blocks of an attention's Jacobian by queries, keys or values: (all o, all of the operand), or of its adjoint.
  matrix<double> coupling(node const& n, std::size_t k, bool of_adjoint) const {
    std::size_t const out = value(n.operands[0]).size();
    std::size_t const in = value(n.operands[k]).size();
    matrix<double> made(of_adjoint ? in : out, of_adjoint ? out : in);
    calculus::formulas all(n);
    calculus::formula const closed = closed_form(all, k, of_adjoint);
    calculus::formula_node const& block = all[closed.at];
    bool const same_token = all[block.parts[0]].name.text == all[block.parts[1]].name.text;  // (i, i): one block a query
    for_each_query(n, [&](std::size_t query, formula_point<double> const& point, auto const& key) {
      formula_value const at(all, point);
      auto add = [&](std::size_t other, matrix<double> const& part) {
        place(made, of_adjoint ? other : query, of_adjoint ? query : other, part);
      };
      if (same_token) return add(query, at(closed));
      for (std::size_t j = 0; j < point.keys; ++j) add(key(j), at.at_key(closed, j));
    });
    return made;
  }

  /// coefficient scalars factor ... factor right
  matrix<double> apply(calculus::operator_pool const& pool, calculus::term const& t, matrix<double> right) const {
    std::vector<int> const factors = pool.factors_of(t.product);
    for (std::size_t i = factors.size(); i > 0; --i) right = apply(pool, pool[factors[i - 1]], right);
    double scale = t.coefficient.value();
    for (int at : t.scalars) {
      node const& n = graph()[at];
      scale *= calculus::reads(n, calculus::role::itself) ? parameter(n, calculus::role::itself).data[0] : n.factor;
    }
    for (double& each : right.data) each *= scale;
    return right;
  }

  /// diag(v) right; of numbers of tokens, each for all features.
  static matrix<double> scaled_rows(std::vector<double> const& v, matrix<double> right) {
    if (v.empty() || right.rows % v.size() != 0) throw std::logic_error("oracle: a diagonal that does not fit");
    std::size_t const features = right.rows / v.size();
    for (std::size_t i = 0; i < right.rows; ++i)
      for (std::size_t j = 0; j < right.columns; ++j) right(i, j) *= v[i / features];
    return right;
  }

  matrix<double> apply(calculus::operator_pool const& pool, calculus::product_factor const& f,
                       matrix<double> const& right) const {
    switch (f.kind) {
      case calculus::atom::local: return product(local(f.index, f.operand), right);
      case calculus::atom::diagonal: return scaled_rows(value(f.index), right);
      case calculus::atom::branch: return product((*this)({.input = f.operand, .inside = f.index}), right);
      case calculus::atom::parameter: return product(by_parameter(f.index, static_cast<calculus::role>(f.operand)), right);
      case calculus::atom::sum: {
        matrix<double> sum;
        for (calculus::term const& each : f.terms) {
          matrix<double> const next = apply(pool, each, right);
          if (sum.data.empty()) sum = next;
          else if (sum.rows != next.rows || sum.columns != next.columns) throw std::logic_error("oracle: terms that do not fit");
          else
            for (std::size_t i = 0; i < sum.data.size(); ++i) sum.data[i] += next.data[i];
        }
        return sum;
      }
    }
    throw std::logic_error("oracle: no factor");
  }

  problem<double> const& problem_;
  std::vector<std::vector<double>> values_;
};

}  // namespace residua::oracle
