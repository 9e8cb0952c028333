#pragma once
#include <residua/calculus/products.hpp>

namespace residua::calculus {

/// Linear operators between tangent spaces, as sums of products.
class operator_pool : public product_pool {
 public:
  static constexpr term zero() { return {.coefficient = 0.0}; }
  static constexpr term identity() { return {}; }

  /// factor a
  constexpr term multiply(int factor, term a) {
    if (!a.is_zero()) a.product = prepend(factor, a.product);
    return a;
  }
  /// c a
  static constexpr term scale(coefficient c, term a) {
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

  /// a + b. What both apply first is taken out to the right: M R + R = (M + I) R, with R as long as it can be. Like terms
  /// are added, in sums that have to be opened for it too; what cancels is gone.
  constexpr term add(term a, term b) {
    if (a.is_zero()) return b;
    if (b.is_zero()) return a;
    int const right = common_right(a.product, b.product);
    a.product = without_right(a.product, right);
    b.product = without_right(b.product, right);
    return multiply(add_apart(a, b), right);
  }

 private:
  /// More products than these are not written out to find what cancels.
  static constexpr std::size_t most_written_out = 32;

  /// a right
  constexpr term multiply(term a, int right) {
    if (!a.is_zero()) a.product = prepend(factors_of(a.product), right);
    return a;
  }
  /// a times the coefficient and the scalars of another term
  static constexpr term scale_like(term const& other, term a) {
    for (int scalar : other.scalars) a = scale_by(scalar, a);
    return scale(other.coefficient, a);
  }

  /// a + b, nothing in common on the right of the whole; single terms may still have.
  constexpr term add_apart(term const& a, term const& b) {
    std::vector<term> terms = terms_of(a);
    std::vector<term> const others = terms_of(b);
    for (term const& next : others) include(terms, next);
    std::vector<term> kept;
    for (term& each : terms)
      if (!each.is_zero()) kept.push_back(each);
    if (kept.empty()) return zero();
    if (kept.size() == 1) return kept[0];
    return {.product = prepend(sum_of(kept), 0)};
  }
  constexpr std::vector<term> terms_of(term const& a) const {
    if (a.coefficient.value() == 1 && a.scalars.empty() && is_one_sum(a.product)) return leftmost(a.product).terms;
    return {a};
  }

  /// One factor for equal sums.
  constexpr int sum_of(std::vector<term> const& terms) {
    for (int known : sums_)
      if ((*this)[known].terms.back() == terms.back() && (*this)[known].terms == terms) return known;  // many begin with I
    sums_.push_back(add_factor({.kind = atom::sum, .terms = terms}));
    return sums_.back();
  }

  constexpr void include(std::vector<term>& terms, term const& next) {
    for (term& each : terms) {
      if (each.is_zero()) continue;
      if (is_like(each, next)) {
        each.coefficient += next.coefficient;
        return;
      }
      if (next.product != 0 && each.product != 0 && rightmost(each.product) == rightmost(next.product)) {
        each = add(each, next);
        return;
      }
    }
    for (std::size_t i = 0; i < terms.size(); ++i) {
      if (terms[i].is_zero()) continue;
      std::vector<term> const met = open_to_meet(terms[i], next);
      if (met.empty()) continue;
      terms[i] = zero();
      for (term const& each : met)
        if (!each.is_zero()) include(terms, each);
      return;
    }
    terms.push_back(next);
  }

  /// Whether a and b differ in their coefficients alone.
  constexpr bool is_like(term const& a, term const& b) {
    if (depth(a.product) != depth(b.product) || a.scalars != b.scalars) return false;
    return a.product == b.product || sorted(a.product) == sorted(b.product);
  }

  /// a + b with their sums opened, where like terms meet then; otherwise nothing. A sum below other factors is opened only
  /// where something cancels: (I + M) (I + A) - I is A + M + M A, but (I + M) (I + A) + I stays.
  constexpr std::vector<term> open_to_meet(term const& a, term const& b) {
    if (!has_sum(a.product) && !has_sum(b.product)) return {};
    std::vector<term> met = meet(distributed(a), distributed(b), false);
    if (!met.empty()) return met;
    std::vector<term> const left = written_out(a);
    if (left.empty()) return {};
    std::vector<term> const right = written_out(b);
    if (right.empty()) return {};
    return meet(left, right, true);
  }

  /// The terms of both, where some are like ones; where some cancel, if they must.
  constexpr std::vector<term> meet(std::vector<term> const& a, std::vector<term> const& b, bool must_cancel) {
    std::vector<term> all = a;
    bool any = false;
    for (term const& next : b) {
      std::size_t const like = find_like(a, next);
      if (like == a.size()) {
        all.push_back(next);
        continue;
      }
      all[like].coefficient += next.coefficient;
      any = any || !must_cancel || all[like].is_zero();
    }
    if (!any) return {};
    return all;
  }
  constexpr std::size_t find_like(std::vector<term> const& terms, term const& next) {
    std::size_t i = 0;
    while (i < terms.size() && !is_like(terms[i], next)) ++i;
    return i;
  }

  /// c alpha (a + b) as c alpha a and c alpha b; anything else as it is.
  constexpr std::vector<term> distributed(term const& a) const {
    if (!is_one_sum(a.product)) return {a};
    std::vector<term> terms = leftmost(a.product).terms;
    for (term& each : terms) each = scale_like(a, each);
    return terms;
  }

  /// The products without sums that a stands for; none where they are too many.
  constexpr std::vector<term> written_out(term const& a) {
    std::vector<term> made{{.coefficient = a.coefficient, .scalars = a.scalars}};
    std::vector<int> const factors = factors_of(a.product);
    for (std::size_t i = factors.size(); i > 0; --i) {
      if ((*this)[factors[i - 1]].kind == atom::sum) {
        made = written_out((*this)[factors[i - 1]].terms, made);
        if (made.empty()) return {};
      } else {
        for (term& each : made) each.product = prepend(factors[i - 1], each.product);
      }
    }
    return made;
  }
  /// (left + left) (right + right)
  constexpr std::vector<term> written_out(std::vector<term> lefts, std::vector<term> const& rights) {
    std::vector<term> made;
    for (term const& sum : lefts) {
      std::vector<term> const products = written_out(sum);
      if (products.empty() || made.size() + products.size() * rights.size() > most_written_out) return {};
      for (term const& left : products)
        for (term const& right : rights) {
          term const next = scale_like(right, multiply(left, right.product));
          std::size_t const like = find_like(made, next);
          if (like == made.size()) made.push_back(next);
          else made[like].coefficient += next.coefficient;
        }
    }
    return made;
  }

  std::vector<int> sums_;
};

/// An operator with the pool that its factors live in.
struct linear_operator {
  operator_pool pool;
  term root;
};

}  // namespace residua::calculus
