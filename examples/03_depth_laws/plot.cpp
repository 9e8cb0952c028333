#include "plot.hpp"

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <utility>

namespace laws {
namespace {

constexpr double panel_width = 250, panel_height = 260, left = 60, top = 40, gap = 70;
constexpr char const* colours[] = {"#3b82f6", "#ef4444", "#10b981", "#f59e0b", "#a855f7", "#06b6d4", "#ec4899"};

std::string formatted(char const* format, ...) {
  char text[300];
  std::va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  return text;
}

/// A logarithmic axis: values between 10^low and 10^high to positions.
struct axis {
  double low, high, from, to;
  double operator()(double value) const { return from + (to - from) * (std::log10(value) - low) / (high - low); }
};

void add_panel(std::string& svg, std::vector<line> const& lines, std::string const& figure, char const* title, double x0) {
  std::vector<line> own;
  std::ranges::copy_if(lines, std::back_inserter(own), [&](line const& each) { return each.figure == figure; });
  double least = 1, most = 1, deepest = 1;
  for (line const& each : own) {
    least = std::min({least, each.measured, each.closed});
    most = std::max({most, each.measured, each.closed});
    deepest = std::max(deepest, static_cast<double>(each.depth));
  }
  axis const x{0, std::log10(deepest), x0, x0 + panel_width};
  axis const y{std::floor(std::log10(least)), std::ceil(std::log10(most) + 1e-9), top + panel_height, top};

  svg += formatted("<rect x='%.1f' y='%.1f' width='%.1f' height='%.1f' class='frame'/>\n", x0, top, panel_width, panel_height);
  svg += formatted("<text x='%.1f' y='%.1f' text-anchor='middle'>%s</text>\n", x0 + panel_width / 2, top - 12, title);
  svg += formatted("<text x='%.1f' y='%.1f' text-anchor='middle'>layers</text>\n", x0 + panel_width / 2, top + panel_height + 36);
  for (int depth = 1; depth <= deepest; depth *= 2)
    svg += formatted("<text x='%.1f' y='%.1f' text-anchor='middle'>%d</text>\n", x(depth), top + panel_height + 18, depth);
  for (double power = y.low; power <= y.high; ++power) {
    double const at = y(std::pow(10, power));
    svg += formatted("<line x1='%.1f' y1='%.1f' x2='%.1f' y2='%.1f' class='grid'/>\n", x0, at, x0 + panel_width, at);
    svg += formatted("<text x='%.1f' y='%.1f' text-anchor='end'>1e%.0f</text>\n", x0 - 6, at + 4, power);
  }
  for (std::size_t i = 0; i < own.size();) {
    placement const at = own[i].at;
    char const* const colour = colours[static_cast<int>(at)];
    std::string path, points;
    for (; i < own.size() && own[i].at == at; ++i) {
      path += formatted("%.1f,%.1f ", x(own[i].depth), y(own[i].closed));
      points += formatted("<circle cx='%.1f' cy='%.1f' r='3' fill='%s'/>\n", x(own[i].depth), y(own[i].measured), colour);
    }
    svg += "<polyline points='" + path + "' fill='none' stroke='" + colour + "' stroke-width='1.5'/>\n" + points;
  }
}

void add_legend(std::string& svg, std::vector<line> const& lines) {
  std::vector<placement> seen;
  for (line const& each : lines)
    if (std::ranges::find(seen, each.at) == seen.end()) seen.push_back(each.at);
  double const y0 = top + panel_height + 66;
  for (std::size_t i = 0; i < seen.size(); ++i) {
    double const x = left + 230 * static_cast<double>(i % 4), y = y0 + 20 * static_cast<double>(i / 4);
    svg += formatted("<circle cx='%.1f' cy='%.1f' r='4' fill='%s'/>\n", x, y - 4, colours[static_cast<int>(seen[i])]);
    svg += formatted("<text x='%.1f' y='%.1f'>%s</text>\n", x + 10, y, name_of(seen[i]).data());
  }
  svg += formatted("<text x='%.1f' y='%.1f'>points: generated kernels; lines: closed recursion</text>\n", left, y0 + 44);
}

}  // namespace

void write_svg(std::vector<line> const& lines, std::string const& path) {
  std::string svg =
      "<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 980 430' font-family='sans-serif' font-size='12'>\n"
      "<style>text { fill: #222 } .frame { fill: none; stroke: #888 } .grid { stroke: #888; stroke-opacity: 0.3 }\n"
      "@media (prefers-color-scheme: dark) { text { fill: #ddd } }</style>\n";
  std::pair<char const*, char const*> const panels[] = {
      {"stream", "stream, |x|²/d"}, {"embedding", "gradient at the embedding, |g|²/d"}, {"last_down", "gradient of the last W2"}};
  double x0 = left;
  for (auto const& [figure, title] : panels) {
    add_panel(svg, lines, figure, title, x0);
    x0 += panel_width + gap;
  }
  add_legend(svg, lines);
  std::ofstream file(path);
  file << svg << "</svg>\n";
  if (!file.flush()) throw std::runtime_error(path + ": cannot be written");
}

}  // namespace laws
