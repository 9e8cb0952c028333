#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <residua/calculus/coefficient.hpp>
#include <vector>

namespace residua::calculus {

/// A term of the algebra: coefficient, commuting scalars, and a product of factors, leftmost first.
/// The zero operator has coefficient 0; the identity is the empty product.
struct term {
  calculus::coefficient coefficient{};
  std::vector<int> scalars{};  // nodes whose factor is a scalar with a name, sorted
  int product = 0;             // a cell; 0: the empty product

  constexpr bool is_zero() const { return coefficient.is_zero(); }
  constexpr bool operator==(term const&) const = default;
};

/// What a factor of a product is.
enum class atom : unsigned char {
  local,      // the local Jacobian of node `index` with respect to its operand `operand`
  diagonal,   // diag(v) for the value v of node `index`
  branch,     // the Jacobian of call `index`
  parameter,  // the derivative of node `index` with respect to its own parameter (`operand`: the role)
  sum,        // terms added up
};

struct product_factor {
  atom kind = atom::local;
  int index = 0;
  std::size_t operand = 0;
  bool is_diagonal = false;   // so that it commutes with its like
  std::vector<term> terms{};  // of a sum
};

/// Factors, and products of them as chains of cells that share their right ends, so that the derivative of a long chain of
/// residual additions stays as small as the chain. Equal products are one cell.
class product_pool {
 public:
  constexpr product_pool() { cells_.push_back({}); }

  constexpr int add_factor(product_factor made) {
    factors_.push_back(static_cast<product_factor&&>(made));
    return static_cast<int>(factors_.size()) - 1;
  }

  /// The factors of a product, leftmost first.
  constexpr std::vector<int> factors_of(int product) const {
    std::vector<int> list;
    for (int at = product; at != 0; at = cell(at).next) list.push_back(cell(at).factor);
    return list;
  }
  constexpr std::size_t factors() const { return factors_.size(); }
  constexpr product_factor const& operator[](int factor) const { return factors_[static_cast<std::size_t>(factor)]; }

 protected:
  /// factor product
  constexpr int prepend(int factor, int product) {
    std::uint32_t const key = static_cast<std::uint32_t>(factor) * 31u + static_cast<std::uint32_t>(product);
    int& bucket = buckets_[key % buckets_.size()];
    for (int at = bucket; at != 0; at = cell(at).chained)
      if (cell(at).factor == factor && cell(at).next == product) return at;
    cells_.push_back({factor, product, cell(product).depth + 1, bucket});
    return bucket = static_cast<int>(cells_.size()) - 1;
  }
  /// The product of these factors, leftmost first, and what is to their right.
  constexpr int prepend(std::vector<int> const& factors, int right) {
    for (std::size_t i = factors.size(); i > 0; --i) right = prepend(factors[i - 1], right);
    return right;
  }

  /// The longest product that both apply first.
  constexpr int common_right(int a, int b) const {
    while (a != b)
      if (cell(a).depth >= cell(b).depth) a = cell(a).next;
      else b = cell(b).next;
    return a;
  }
  constexpr int without_right(int product, int right) {
    std::vector<int> left;
    for (int at = product; at != right; at = cell(at).next) left.push_back(cell(at).factor);
    return prepend(left, 0);
  }

  /// The same product with each run of diagonal factors, which commute, in order.
  constexpr int sorted(int product) {
    if (product == 0 || cell(product).sorted >= 0) return product == 0 ? 0 : cell(product).sorted;
    int const made = insert(cell(product).factor, sorted(cell(product).next));
    return cells_[static_cast<std::size_t>(product)].sorted = made;
  }

  constexpr int depth(int product) const { return cell(product).depth; }
  constexpr product_factor const& leftmost(int product) const { return (*this)[cell(product).factor]; }
  constexpr int rightmost(int product) const {
    int factor = -1;
    for (int at = product; at != 0; at = cell(at).next) factor = cell(at).factor;
    return factor;
  }
  constexpr bool is_one_sum(int product) const { return depth(product) == 1 && leftmost(product).kind == atom::sum; }
  constexpr bool has_sum(int product) const {
    for (int at = product; at != 0; at = cell(at).next)
      if (leftmost(at).kind == atom::sum) return true;
    return false;
  }

 private:
  struct product_cell {
    int factor = -1;
    int next = 0;  // the product to the right
    int depth = 0;
    int chained = 0;  // in the same bucket
    int sorted = -1;  // the same product in order, once it was asked for
  };

  constexpr product_cell const& cell(int at) const { return cells_[static_cast<std::size_t>(at)]; }

  /// factor product, of a product in order.
  constexpr int insert(int factor, int product) {
    bool const commute = product != 0 && (*this)[factor].is_diagonal && leftmost(product).is_diagonal;
    if (!commute || factor <= cell(product).factor) return prepend(factor, product);
    int const first = cell(product).factor;
    return prepend(first, insert(factor, cell(product).next));
  }

  std::vector<product_factor> factors_;
  std::vector<product_cell> cells_;
  std::array<int, 64> buckets_{};
};

}  // namespace residua::calculus
