// The package's tables of kernels, numbers, matrices with guarded memory, and comparisons for the tests of rt.
#pragma once

#include <residua/rt/kernels/functions.hpp>

#include <boost/test/unit_test.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace residua::test {

using rt::index;
using rt::matrix;
using scalars = std::tuple<float, double>;

/// The compiled kernels that this machine can run.
template <class Real>
std::vector<rt::functions<Real>> const& kernel_tables() {
  static std::vector<rt::functions<Real>> const tables = [] {
    std::vector<rt::functions<Real>> all;
    for (rt::instruction_set set : rt::compiled_instruction_sets())
      if (rt::supported(set)) all.push_back(rt::functions_for<Real>(set));
    return all;
  }();
  return tables;
}

/// Reproducible numbers in [-1, 1).
class numbers {
 public:
  explicit numbers(std::uint64_t seed) : state_(seed * 0x9E3779B97F4A7C15ULL + 1) {}
  double operator()() {
    state_ = state_ * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<double>(static_cast<std::int64_t>(state_) >> 11) * 0x1p-52;
  }

 private:
  std::uint64_t state_;
};

/// A matrix whose memory ends with its last element (a sanitizer sees a read beyond) and whose padding is watched.
template <class Real>
class guarded {
 public:
  guarded(index rows, index columns, index padding = 3)
      : rows_(rows),
        columns_(columns),
        stride_(columns + padding),
        memory_(static_cast<std::size_t>(rows > 0 ? (rows - 1) * stride_ + columns : 0), sentinel) {}

  guarded(index rows, index columns, numbers& random, double scale = 1) : guarded(rows, columns) {
    for (index i = 0; i < rows; ++i)
      for (index j = 0; j < columns; ++j) at(i, j) = static_cast<Real>(scale * random());
  }

  Real& at(index i, index j) { return memory_[static_cast<std::size_t>(i * stride_ + j)]; }
  Real at(index i, index j) const { return memory_[static_cast<std::size_t>(i * stride_ + j)]; }
  matrix<Real> view() { return {memory_.data(), rows_, columns_, stride_}; }
  matrix<Real const> view() const { return {memory_.data(), rows_, columns_, stride_}; }
  index rows() const { return rows_; }
  index columns() const { return columns_; }

  bool padding_untouched() const {
    for (std::size_t p = 0; p < memory_.size(); ++p)
      if (static_cast<index>(p) % stride_ >= columns_ && memory_[p] != sentinel) return false;
    return true;
  }

  void fill(double value) {
    for (index i = 0; i < rows_; ++i)
      for (index j = 0; j < columns_; ++j) at(i, j) = static_cast<Real>(value);
  }

 private:
  static constexpr Real sentinel = Real(-12345);
  index rows_, columns_, stride_;
  std::vector<Real> memory_;
};

template <class Real>
constexpr double epsilon_of = static_cast<double>(std::numeric_limits<Real>::epsilon());
inline double const nan = std::numeric_limits<double>::quiet_NaN();

/// |actual - expected| <= tolerance, or both NaN; reported once for a whole matrix through `worst`.
struct worst {
  double excess = 0;
  std::string where;

  void compare(double actual, double expected, double tolerance, std::string const& place) {
    bool const same = actual == expected || (std::isnan(actual) && std::isnan(expected));
    double const e = same ? 0 : std::abs(actual - expected) / tolerance;
    if (!(e <= excess)) {
      excess = std::isnan(e) ? std::numeric_limits<double>::infinity() : e;
      where = place + ": " + std::to_string(actual) + " instead of " + std::to_string(expected);
    }
  }
};

inline std::string place(index i, index j) { return "(" + std::to_string(i) + ", " + std::to_string(j) + ")"; }

/// The rows of b, from its row `first`, are bitwise those of a.
template <class Real>
bool same_bits(guarded<Real> const& a, index a_row, guarded<Real> const& b, index b_row) {
  for (index j = 0; j < a.columns(); ++j) {
    Real const x = a.at(a_row, j), y = b.at(b_row, j);
    if (!(x == y || (std::isnan(x) && std::isnan(y)))) return false;
  }
  return true;
}

template <class Real>
bool has_nan(guarded<Real> const& m, index row) {
  for (index j = 0; j < m.columns(); ++j)
    if (std::isnan(m.at(row, j))) return true;
  return false;
}

}  // namespace residua::test

#define RESIDUA_CHECK_WORST(w, ...) \
  BOOST_TEST((w).excess <= 1.0, __VA_ARGS__ << " at " << (w).where << ", " << (w).excess << " times the tolerance")
