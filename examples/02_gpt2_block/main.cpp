// GPT-2's block and its post-norm twin, from written weights: what each step makes of the stream, what the norm's place
// does to the gradient's route, how far the kernels are from the interpreter in double, and how near to the machine's limit.
#include "loaded.hpp"

#include <exception>
#include <filesystem>
#include <iostream>
#include <vector>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace {

template <template <class> class Kernel, class Block>
void print_algebra(Block block) {
  std::cout << Block::name << ": " << Kernel<float>::expression << "\n  Jacobian       " << jacobian(block)
            << "\n  identity route " << identity_route(block).text() << "\n";
}

void run(std::filesystem::path const& folder) {
#if defined(_OPENMP)
  omp_set_num_threads(1);
#endif
  stream x = rt::zeros<float>(1, 128, 768);
  std::vector<rt::parameter_slot<float>> const streams{{"x", {1, 128, 768}, x.data()}};
  rt::load_parameters<float>((folder / "streams").string(), streams);
  pre_block const pre(folder / "parameters", x, blocks::pre_norm);
  post_block const post(folder / "parameters", x, blocks::post_norm);

  std::cout << "GPT-2's block, step by step\n";
  print_ledger(blocks::pre_norm.view());
  print_algebra<gpt2::pre_norm::kernel>(blocks::pre_norm);
  print_algebra<gpt2::post_norm::kernel>(blocks::post_norm);

  print_agreement(pre, post, x);
  print_routes(pre, post, x);
  print_times(pre, post, x);
  std::cout << (all_hold() ? "all bounds kept\n" : "a bound was not kept\n");
}

}  // namespace

int main(int argc, char** argv) try {
  run(argc > 1 ? argv[1] : "weights");
  return all_hold() ? 0 : 1;
} catch (std::exception const& error) {
  std::cerr << error.what() << "\n";
  return 1;
}
