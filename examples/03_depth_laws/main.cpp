// The laws of depth at initialisation, measured with generated kernels beside the closed recursion. Writes depth_laws.csv and
// depth_laws.svg into the folder that is given.
#include "measured.hpp"
#include "plot.hpp"
#include "table.hpp"

#include <cstdio>
#include <depth/deep_norm.hpp>
#include <depth/final_norm.hpp>
#include <depth/layer_scale.hpp>
#include <depth/lns.hpp>
#include <depth/peri.hpp>
#include <depth/post.hpp>
#include <depth/pre.hpp>
#include <depth/res_post.hpp>

namespace {

using laws::placement;

std::vector<laws::draw> drawn() {
  std::vector<laws::draw> draws;
  for (unsigned seed = 1; seed <= laws::samples; ++seed) draws.emplace_back(seed);
  return draws;
}

template <template <class> class Kernel, class Parameters>
void add(std::vector<laws::line>& lines, placement p, std::vector<laws::draw> const& draws) {
  depth::final_norm::kernel<float> const final_norm{depth::final_norm::parameters<float>{}};
  for (int depth = 1; depth <= laws::deepest; depth *= 2) {
    std::vector<laws::figures> samples;
    for (laws::draw const& each : draws) samples.push_back(laws::measured<Kernel, Parameters>(p, depth, each, final_norm));
    for (laws::line& each : laws::compared(p, depth, samples, laws::closed(p, depth, laws::tokens), laws::width))
      lines.push_back(std::move(each));
  }
}

}  // namespace

int main(int argc, char** argv) {
  std::string const folder = argc > 1 ? argv[1] : ".";
  std::vector<laws::draw> const draws = drawn();
  std::vector<laws::line> lines;
  add<depth::pre::kernel, depth::pre::parameters<float>>(lines, placement::pre, draws);
  add<depth::post::kernel, depth::post::parameters<float>>(lines, placement::post, draws);
  add<depth::peri::kernel, depth::peri::parameters<float>>(lines, placement::peri, draws);
  add<depth::res_post::kernel, depth::res_post::parameters<float>>(lines, placement::res_post, draws);
  add<depth::deep_norm::kernel, depth::deep_norm::parameters<float>>(lines, placement::deep_norm, draws);
  add<depth::lns::kernel, depth::lns::parameters<float>>(lines, placement::lns, draws);
  add<depth::layer_scale::kernel, depth::layer_scale::parameters<float>>(lines, placement::layer_scale, draws);
  laws::print(lines);
  laws::write_csv(lines, folder + "/depth_laws.csv");
  laws::write_svg(lines, folder + "/depth_laws.svg");
  bool const all_hold = std::ranges::all_of(lines, &laws::line::holds);
  std::puts(all_hold ? "all within tolerance" : "a figure is out of tolerance");
  return all_hold ? 0 : 1;
}
