// A figure as SVG: points and lines over the depth, both axes logarithmic, in colours that are read on light and dark pages.
#pragma once
#include "table.hpp"

#include <string>
#include <vector>

namespace laws {

/// Three panels, one for each figure; points are measured, lines the closed recursion. Same lines, same bytes.
void write_svg(std::vector<line> const&, std::string const& path);

}  // namespace laws
