// What is compared: a line for each placement, depth and figure, with the tolerance that width and samples leave.
#pragma once
#include "closed.hpp"

#include <string>
#include <vector>

namespace laws {

struct line {
  placement at;
  int depth;
  std::string figure;
  double measured, closed, tolerance;
  double ratio() const { return measured / closed; }
  bool holds() const;
};

/// The lines of one stack, from the figures of each sample.
std::vector<line> compared(placement, int depth, std::vector<figures> const& samples, figures const& closed, double width);

void print(std::vector<line> const&);
void write_csv(std::vector<line> const&, std::string const& path);

}  // namespace laws
