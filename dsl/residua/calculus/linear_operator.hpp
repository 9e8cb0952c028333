#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace residua::calculus {

/// A term of the algebra: coefficient, commuting scalars, and a product of factors, leftmost first.
/// The zero operator has coefficient 0; the identity is the empty product.
struct term {
  double coefficient = 1;
  std::vector<int> scalars{};  // nodes whose factor is a scalar with a name, sorted
  int product = 0;             // a cell; 0: the empty product

  constexpr bool is_zero() const { return coefficient == 0; }
};

/// What a factor of a product is.
enum class atom : unsigned char {
  local,      // the local Jacobian of node `index` with respect to its operand `operand`
  branch,     // the Jacobian of call `index`
  parameter,  // the derivative of node `index` with respect to its own parameter (`operand`: the role)
  sum,        // terms added up
};

struct product_factor {
  atom kind = atom::local;
  int index = 0;
  std::size_t operand = 0;
  std::vector<term> terms{};  // of a sum
};

/// Linear operators between tangent spaces, as sums of products. Products are chains of cells that share their
/// right ends, so the derivative of a long chain of residual additions stays as small as the chain.
class operator_pool {
 public:
  constexpr operator_pool() { cells_.push_back({}); }

  static constexpr term zero() { return {.coefficient = 0}; }
  static constexpr term identity() { return {}; }

  constexpr int add_factor(product_factor made) {
    factors_.push_back(static_cast<product_factor&&>(made));
    return static_cast<int>(factors_.size()) - 1;
  }

  /// factor a
  constexpr term multiply(int factor, term a) {
    if (!a.is_zero()) a.product = cell_of(factor, a.product);
    return a;
  }
  /// c a
  static constexpr term scale(double c, term a) {
    a.coefficient *= c;
    return a;
  }
  /// alpha a, for the scalar of node `scalar`
  static constexpr term scale_by(int scalar, term a) {
    auto at = a.scalars.begin();
    while (at != a.scalars.end() && *at < scalar) ++at;
    a.scalars.insert(at, scalar);
    return a;
  }

  /// a + b. What both apply first is taken out to the right: M R + R = (M + I) R, with R as long as it can be.
  constexpr term add(term const& a, term const& b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    int const common = common_right(a.product, b.product);
    term sum = add_apart(without_right(a, common), without_right(b, common));
    return prepend(sum, common);
  }

  /// The factors of a product, leftmost first.
  constexpr std::vector<int> factors_of(int product) const {
    std::vector<int> list;
    for (int at = product; at != 0; at = cell(at).next) list.push_back(cell(at).factor);
    return list;
  }
  constexpr product_factor const& operator[](int factor) const { return factors_[static_cast<std::size_t>(factor)]; }

 private:
  struct product_cell {
    int factor = -1;
    int next = 0;  // the product to the right
    int depth = 0;
    int chained = 0;  // in the same bucket
  };

  constexpr product_cell const& cell(int at) const { return cells_[static_cast<std::size_t>(at)]; }

  /// One cell for equal products, so that equal right ends are the same number.
  constexpr int cell_of(int factor, int next) {
    int& bucket = buckets_[(static_cast<std::uint32_t>(factor) * 31u + static_cast<std::uint32_t>(next)) % buckets_.size()];
    for (int at = bucket; at != 0; at = cell(at).chained)
      if (cell(at).factor == factor && cell(at).next == next) return at;
    cells_.push_back({factor, next, cell(next).depth + 1, bucket});
    return bucket = static_cast<int>(cells_.size()) - 1;
  }

  constexpr int common_right(int a, int b) const {
    while (a != b)
      if (cell(a).depth >= cell(b).depth) a = cell(a).next;
      else b = cell(b).next;
    return a;
  }

  constexpr term without_right(term a, int right) {
    std::vector<int> left;
    for (int at = a.product; at != right; at = cell(at).next) left.push_back(cell(at).factor);
    a.product = 0;
    for (std::size_t i = left.size(); i > 0; --i) a.product = cell_of(left[i - 1], a.product);
    return a;
  }

  constexpr term prepend(term a, int right) {
    std::vector<int> const left = factors_of(a.product);
    a.product = right;
    for (std::size_t i = left.size(); i > 0; --i) a.product = cell_of(left[i - 1], a.product);
    return a;
  }

  /// The terms that a stands for: those of a bare sum, otherwise a itself.
  constexpr std::vector<term> terms_of(term const& a) const {
    product_cell const& top = cell(a.product);
    if (a.coefficient == 1 && a.scalars.empty() && top.depth == 1 && (*this)[top.factor].kind == atom::sum)
      return (*this)[top.factor].terms;
    return {a};
  }

  constexpr int rightmost(int product) const {
    int factor = -1;
    for (int at = product; at != 0; at = cell(at).next) factor = cell(at).factor;
    return factor;
  }

  /// a + b, nothing in common on the right of the whole; single terms may still have.
  constexpr term add_apart(term const& a, term const& b) {
    std::vector<term> terms = terms_of(a);
    for (term const& next : terms_of(b)) include(terms, next);
    std::vector<term> kept;
    for (term& each : terms)
      if (!each.is_zero()) kept.push_back(each);
    if (kept.empty()) return zero();
    if (kept.size() == 1) return kept[0];
    return {.product = cell_of(add_factor({.kind = atom::sum, .terms = kept}), 0)};
  }

  constexpr void include(std::vector<term>& terms, term const& next) {
    for (term& each : terms) {
      if (each.is_zero()) continue;
      if (each.product == next.product && each.scalars == next.scalars) {
        each.coefficient += next.coefficient;
        return;
      }
      if (next.product != 0 && each.product != 0 && rightmost(each.product) == rightmost(next.product)) {
        each = add(each, next);
        return;
      }
    }
    terms.push_back(next);
  }

  std::vector<product_factor> factors_;
  std::vector<product_cell> cells_;
  std::array<int, 64> buckets_{};
};

/// An operator with the pool that its factors live in.
struct linear_operator {
  operator_pool pool;
  term root;
};

}  // namespace residua::calculus
