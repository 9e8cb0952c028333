// Random blocks on the runner against the interpreter.
//   runner_test [--seed N] [--blocks COUNT] [--threads T] [--table]   COUNT blocks, each on one instruction set in both scalars
//   runner_test --seed N --block K                                    block K alone, in every configuration
//   runner_test --mutations [--seed N] [--blocks COUNT]               COUNT plans with a mistake of each kind, which must be seen
// Would catch: a wrong derivative, lowering, order of stages, rolled layer, epilogue, buffer, sum, cache, or kernel.
#include "comparison.hpp"
#include "coverage.hpp"
#include "mutations.hpp"

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <mutex>
#include <set>
#include <thread>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace {

using namespace residua;
using namespace residua::runner_test;

/// Of so many blocks everything occurs in every configuration.
constexpr std::uint64_t enough_blocks = 10000;

struct arguments {
  std::uint64_t seed = 1;
  std::uint64_t blocks = 0;
  std::int64_t block = -1;
  unsigned threads = 2;
  bool mutations = false;
  bool table = false;
};

arguments parse(int count, char** given) {
  arguments a;
  for (int i = 1; i < count; ++i) {
    auto is = [&](char const* name) { return std::strcmp(given[i], name) == 0; };
    if (is("--mutations")) {
      a.mutations = true;
      continue;
    }
    if (is("--table")) {
      a.table = true;
      continue;
    }
    if (i + 1 == count) throw std::invalid_argument(std::string(given[i]) + ": a number must follow");
    std::uint64_t const number = std::strtoull(given[i + 1], nullptr, 10);
    if (is("--seed")) a.seed = number;
    else if (is("--blocks")) a.blocks = number;
    else if (is("--block")) a.block = static_cast<std::int64_t>(number);
    else if (is("--threads")) a.threads = static_cast<unsigned>(number);
    else throw std::invalid_argument(std::string("unknown: ") + given[i]);
    ++i;
  }
  return a;
}

std::shared_ptr<codegen::block_plan const> planned(random_graph::random_block const& block) {
  return std::make_shared<codegen::block_plan const>(codegen::plan_block(block.name, block.view()));
}

void report(std::ostream& out, std::uint64_t seed, std::uint64_t number, random_graph::random_block const& block,
            configuration const& on, std::vector<std::string> const& problems) {
  out << "block " << number << " of seed " << seed << ", " << described(on) << " (alone: --seed " << seed << " --block " << number
      << ")\n  " << random_graph::described(block) << '\n';
  for (std::string const& each : problems) out << "  " << each << '\n';
}

/// Runs body(number, thread) for each number on several threads, each of which is one to OpenMP.
template <class Body>
void on_threads(unsigned threads, std::uint64_t count, Body const& body) {
  std::atomic<std::uint64_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
#if defined(_OPENMP)
      omp_set_num_threads(1);
#endif
      for (std::uint64_t number; (number = next++) < count;) body(number, t);
    });
  for (std::thread& each : workers) each.join();
}

int run_alone(arguments const& a) {
  auto const number = static_cast<std::uint64_t>(a.block);
  random_graph::random_block const block = random_graph::make_block(a.seed, number);
  std::cout << random_graph::described(block) << std::endl;  // also where the comparison crashes
  auto const plan = planned(block);
  bool failed = false;
  for (configuration const& on : all_configurations()) {
    outcome const found = compare(block, plan, on, number);
    failed = failed || !found.problems.empty();
    std::cout << described(on) << ": " << (found.problems.empty() ? "agrees" : "differs") << " (" << found.seen.sharp
              << " sharp, " << found.seen.dull << " dull, " << found.seen.vacuous << " vacuous bounds)\n";
    for (std::string const& each : found.problems) std::cout << "  " << each << '\n';
  }
  return failed ? 1 : 0;
}

int run_all(arguments const& a) {
  std::vector<configuration> const list = all_configurations();
  std::vector<coverage> seen(a.threads, coverage(list.size()));
  std::vector<sharpness> sharp(list.size());
  std::mutex lock;
  std::size_t failures = 0;
  auto const start = std::chrono::steady_clock::now();
  on_threads(a.threads, a.blocks, [&](std::uint64_t number, unsigned thread) {
    random_graph::random_block const block = random_graph::make_block(a.seed, number);
    std::shared_ptr<codegen::block_plan const> plan;
    try {
      plan = planned(block);
    } catch (std::exception const& e) {
      std::lock_guard const guard(lock);
      if (++failures <= 20) report(std::cout, a.seed, number, block, list[0], {std::string("no plan: ") + e.what()});
      return;
    }
    std::size_t const sets = list.size() / 2;
    for (std::size_t at : {2 * (number % sets), 2 * (number % sets) + 1}) {
      outcome const found = compare(block, plan, list[at], number);
      seen[thread].add(*plan, at);
      for (auto const& [there, kind] :
           {std::pair(found.padded, "padding"), std::pair(found.stepped, "decoding"), std::pair(found.dense, "dense Jacobian"),
            std::pair(found.with_nan, "NaN"), std::pair(found.threads, "more than a tile")})
        if (there) seen[thread].add(kind, at);
      std::lock_guard const guard(lock);
      sharp[at].add(found.seen);
      if (!found.problems.empty() && ++failures <= 20) report(std::cout, a.seed, number, block, list[at], found.problems);
    }
  });
  for (unsigned t = 1; t < a.threads; ++t) seen[0].add(seen[t]);
  std::vector<std::string> names;
  for (configuration const& each : list) names.push_back(described(each));
  if (a.table) seen[0].print(std::cout, names);
  std::vector<std::string> missing = seen[0].missing();
  if (a.blocks < enough_blocks) missing.clear();
  for (std::string const& each : missing) std::cout << "never occurred in some configuration: " << each << '\n';
  for (std::size_t i = 0; i < list.size(); ++i)
    std::cout << names[i] << ": " << sharp[i].sharp << " tensors compared sharply, " << sharp[i].dull << " roughly, "
              << sharp[i].vacuous << " not at all\n";
  std::cout << a.blocks << " blocks of seed " << a.seed << ", " << failures << " differ, "
            << std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count() << " s\n";
  return failures == 0 && missing.empty() ? 0 : 1;
}

/// Every kind of mistake must be seen in most of the plans that it is made in; not in all, since some change nothing.
int run_mutations(arguments const& a) {
  bool failed = false;
  std::mutex lock;
  on_threads(a.threads, all_mutations().size(), [&](std::uint64_t kind, unsigned) {
    mutation const& wrong = all_mutations()[kind];
    std::uint64_t made = 0, seen = 0;
    for (std::uint64_t number = 0; made < a.blocks && number < 100 * a.blocks; ++number) {
      random_graph::random_block const block = random_graph::make_block(a.seed, number, {.long_streams = false});
      auto plan = std::make_shared<codegen::block_plan>(codegen::plan_block(block.name, block.view()));
      reference::noise source(number);
      if (!wrong.make(*plan, source)) continue;
      ++made;
      seen += !compare(block, plan, {rt::instruction_set::baseline, false}, number).problems.empty();
    }
    std::lock_guard const guard(lock);
    std::cout << wrong.name << ": seen in " << seen << " of " << made << '\n';
    failed = failed || made < a.blocks || seen * 2 < made;
  });
  return failed ? 1 : 0;
}

}  // namespace

int main(int count, char** given) {
  try {
    arguments a = parse(count, given);
    if (a.blocks == 0) a.blocks = a.mutations ? 40 : enough_blocks;
    return a.block >= 0 ? run_alone(a) : a.mutations ? run_mutations(a) : run_all(a);
  } catch (std::exception const& e) {
    std::cerr << "runner_test: " << e.what() << '\n';
    return 2;
  }
}
