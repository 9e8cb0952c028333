#include "table.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <stdexcept>

namespace laws {
namespace {

/// |measured / closed - 1| may be 4 standard errors of the mean, from the samples' own spread, and 2 / d: a norm takes the mean
/// of the features away, 1 / d of a vector, and a branch has up to two norms.
double tolerance_of(std::vector<double> const& values, double closed, double width) {
  double const n = static_cast<double>(values.size());
  double const mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (double const v : values) squares += (v - mean) * (v - mean);
  return 4 * std::sqrt(squares / (n - 1) / n) / closed + 2 / width;
}

}  // namespace

bool line::holds() const { return std::abs(ratio() - 1) <= tolerance; }

std::vector<line> compared(placement at, int depth, std::vector<figures> const& samples, figures const& closed, double width) {
  std::vector<line> lines;
  auto const add = [&](char const* name, double figures::* which) {
    std::vector<double> values;
    for (figures const& each : samples) values.push_back(each.*which);
    double const mean = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    lines.push_back({at, depth, name, mean, closed.*which, tolerance_of(values, closed.*which, width)});
  };
  add("stream", &figures::stream);
  add("embedding", &figures::embedding);
  add("last_down", &figures::last_down);
  return lines;
}

void print(std::vector<line> const& lines) {
  std::printf("%-18s %5s  %-9s %9s %9s %6s %9s\n", "placement", "depth", "figure", "measured", "closed", "ratio", "tolerance");
  for (line const& each : lines)
    std::printf("%-18s %5d  %-9s %9.2e %9.2e %6.2f %9.2f%s\n", name_of(each.at).data(), each.depth, each.figure.c_str(),
                each.measured, each.closed, each.ratio(), each.tolerance, each.holds() ? "" : "   <-- NOT KEPT");
}

void write_csv(std::vector<line> const& lines, std::string const& path) {
  std::ofstream file(path);
  file << "placement,depth,figure,measured,closed,ratio,tolerance\n";
  for (line const& each : lines)
    file << name_of(each.at) << ',' << each.depth << ',' << each.figure << ',' << each.measured << ',' << each.closed << ','
         << each.ratio() << ',' << each.tolerance << '\n';
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace laws
