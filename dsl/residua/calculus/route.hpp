#pragma once
#include <residua/calculus/text/operator.hpp>

namespace residua::calculus {

/// What stands between a block's input and its output on the path that neither mixes features nor couples tokens. Of several
/// kinds on it the last counts.
enum class route : unsigned char {
  direct,   // a plain I
  scaled,   // numbers, learned scalars and vectors
  gated,    // values: diag(t), or an activation's diag(tanh')
  through,  // normalisations
  absent,   // there is no such path
};

constexpr std::string_view name(route kind) {
  constexpr std::string_view names[] = {"direct", "scaled", "gated", "through", "absent"};
  return names[static_cast<std::size_t>(kind)];
}

/// The verdict, the fewest normalisations on the path, and the number in front of its operator: of literals and named constants,
/// 1 for I, 0 where there is no path. Learned scalars are no part of the number.
struct identity_route_result {
  graph_view graph;
  route kind = route::absent;
  int norms = 0;
  double coefficient = 0;
  derivative_request path{.level = detail_level::route};

  constexpr bool operator==(route other) const { return kind == other; }

  /// "direct", "scaled: 0.5 I", "gated: I - diag(sigmoid(W(x)))", "through: J_N2 J_N1", "absent"
  constexpr graph::rendered text() const {
    writer out;
    out.add(name(kind));
    if (kind != route::direct && kind != route::absent) {
      out.add(": ");
      linear_operator const made = derive(graph, path);
      operator_text(graph, made, notation::text).write(out, made.root);
    }
    return graph::rendered(static_cast<writer&&>(out));
  }
};

namespace detail {

/// Reads the verdict off the operator of the path.
class route_reader {
 public:
  constexpr route_reader(graph_view const& graph, operator_pool const& pool) : graph_(graph), pool_(pool) {}

  constexpr void read(term const& root, identity_route_result& result) {
    result.coefficient = root.coefficient.value();
    result.norms = look(root);
    if (norms_) result.kind = route::through;
    else if (gates_ || depends_on_input()) result.kind = route::gated;
    else if (root == operator_pool::identity()) result.kind = route::direct;
    else result.kind = route::scaled;
  }

 private:
  /// Notes what stands in a term; returns the fewest norms on a way through it.
  constexpr int look(term const& t) {
    int norms = 0;
    for (int at : pool_.factors_of(t.product)) {
      product_factor const& f = pool_[at];
      if (f.kind == atom::diagonal) values_.push_back(f.index);
      else if (f.kind != atom::sum) norms += look(rule_of(graph_[f.index]).factors[f.operand]);
      else {
        int fewest = look(f.terms[0]);
        for (term const& each : f.terms) {
          int const next = look(each);
          fewest = next < fewest ? next : fewest;
        }
        norms += fewest;
      }
    }
    return norms;
  }
  constexpr int look(factor is) {
    if (is == factor::activation) gates_ = true;
    if (is != factor::norm) return 0;
    norms_ = true;
    return 1;
  }

  /// Whether one of the values on the path is none of parameters alone, as silu(alpha) is.
  constexpr bool depends_on_input() const {
    for (std::size_t input = 0; input < graph_.inputs.size() && !values_.empty(); ++input) {
      graph::by_number<char> const moved = moved_by_input(graph_, input);
      for (int value : values_)
        if (moved[value] != 0) return true;
    }
    return false;
  }

  graph_view graph_;
  operator_pool const& pool_;
  bool norms_ = false;
  bool gates_ = false;
  std::vector<int> values_;
};

}  // namespace detail

/// The verdict is read off the same algebra as the Jacobian, with every operation set to zero that mixes features or couples
/// tokens: linear maps, attention. What a branch passes besides is part of the path. Constants count by their numbers here, so
/// that `a I - I` is none where a is 1; the text keeps their names.
constexpr identity_route_result find_identity_route(graph_view const& graph, std::size_t output = 0, std::size_t input = 0) {
  identity_route_result result{graph};
  result.path.output = output;
  result.path.input = input;
  derivative_request in_numbers = result.path;
  in_numbers.by_name = false;
  linear_operator const path = derive(graph, in_numbers);
  if (!path.root.is_zero()) detail::route_reader(graph, path.pool).read(path.root, result);
  return result;
}

}  // namespace residua::calculus
