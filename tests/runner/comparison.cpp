#include "comparison.hpp"

#include <residua/reference/bounded.hpp>
#include <residua/reference/interpreter.hpp>
#include <residua/rt/kernels/functions.hpp>
#include <residua/runner/kernel.hpp>

#include <algorithm>
#include <functional>
#include <sstream>

#if defined(_OPENMP)
#include <omp.h>
#endif

namespace residua::runner_test {

namespace {

using reference::noise;

/// Of the interpreter's error bound: what a kernel may be off by. It sums in another order, with fused operations, and its
/// exp, tanh and erf are polynomials of a few units in the last place.
constexpr double allowed_errors = 4;

/// Directions: the streams together, and the parameters in turn.
constexpr std::size_t directions = 4;

template <class Real>
class comparison {
  using number = reference::bounded<Real, directions>;
  using kernel = runner::kernel<Real>;
  using tensor = runner::tensor<Real>;
  using streams = typename kernel::streams;

 public:
  comparison(random_graph::random_block const& block, std::shared_ptr<codegen::block_plan const> const& plan,
             rt::instruction_set set, std::uint64_t seed)
      : graph_(block.view()), plan_(plan), set_(set), source_(seed) {
    exact_ = reference::random_problem(graph_, block.lengths, source_.bits());
    if (chance(0.1)) scale(exact_.inputs[0], chance(0.5) ? 30 : 1e-3);
    for (auto& [path, numbers] : exact_.weights) round(numbers);
    for (auto& numbers : exact_.inputs) round(numbers);
    if (!plan_->attentions.empty() && chance(0.3)) pad();
    u_ = source_.list(reference::size_of_results(exact_.lengths, graph_));
    for (auto const& numbers : exact_.inputs) v_.push_back(source_.list(numbers.size()));
    round(u_);
    for (auto& each : v_) round(each);
  }

  outcome run() {
    try {
      find_expected();
      kernel const k(plan_, {exact_.lengths.begin(), exact_.lengths.end()}, parameters(), set_);
      check_forward(k);
      check_jvp(k);
      check_vjp(k);
      std::size_t columns = 0;
      for (auto const& each : v_) columns += each.size();
      if (u_.size() * columns <= 400) check_jacobian(k);
      if (plan_->can_step() && exact_.key_lengths.empty()) check_steps(k);
      if (chance(0.1)) check_nan(k);
      if (tokens() > 84) check_threads(k);
    } catch (std::exception const& e) {
      problem("threw", e.what());
    }
    return std::move(found_);
  }

 private:
  bool chance(double probability) { return static_cast<double>(source_.bits() >> 11) * 0x1p-53 < probability; }
  static void round(std::vector<double>& numbers) {
    for (double& each : numbers) each = static_cast<double>(static_cast<Real>(each));
  }
  static void scale(std::vector<double>& numbers, double by) {
    for (double& each : numbers) each *= by;
  }
  std::size_t tokens() const { return reference::tokens_of(exact_.lengths, graph_.input().shape); }

  void pad() {
    found_.padded = true;
    auto lengths = [&](graph::shape_value const& shape, std::vector<std::int64_t>& into) {
      std::uint64_t const most = reference::sequence_length(exact_.lengths, shape);
      into.resize(reference::sequences_of(exact_.lengths, shape));
      for (std::int64_t& each : into) each = static_cast<std::int64_t>(source_.bits() % (most + 1));
    };
    int const other = std::ranges::max(graph_.inputs, {}, [&](int at) { return graph_[at].tokens; });
    bool const memory = graph_[other].tokens != 0;
    if (!memory || chance(0.6)) lengths(graph_.input().shape, exact_.key_lengths);
    if (memory && (exact_.key_lengths.empty() || chance(0.6))) lengths(graph_[other].shape, exact_.memory_lengths);
  }

  // what the kernel is given

  std::vector<std::size_t> extents(graph::shape_value const& shape) const {
    std::vector<std::size_t> list;
    for (std::size_t i = 0; i < shape.rank; ++i) list.push_back(reference::length_of(exact_.lengths, shape.axes[i]));
    return list;
  }
  tensor as_tensor(graph::shape_value const& shape, std::vector<double> const& numbers) const {
    return {extents(shape), reference::converted<Real>(numbers)};
  }
  streams inputs(std::vector<std::vector<double>> const& numbers) const {
    streams list;
    for (std::size_t k = 0; k < numbers.size(); ++k) list.push_back(as_tensor(graph_.input(k).shape, numbers[k]));
    return list;
  }
  streams inputs() const { return inputs(exact_.inputs); }
  /// The cotangent of each result.
  streams cotangents() const {
    streams list;
    auto from = u_.begin();
    for (int at : graph_.outputs) {
      auto const end = from + static_cast<std::ptrdiff_t>(reference::size_of(exact_.lengths, graph_[at].shape));
      list.push_back(as_tensor(graph_[at].shape, {from, end}));
      from = end;
    }
    return list;
  }
  /// All results, one behind the other.
  static std::vector<Real> flat(streams const& list) {
    std::vector<Real> all;
    for (tensor const& each : list) all.insert(all.end(), each.numbers.begin(), each.numbers.end());
    return all;
  }
  runner::parameters<Real> parameters() const {
    runner::parameters<Real> list;
    for (auto const& [path, numbers] : exact_.weights) list.emplace(path, reference::converted<Real>(numbers));
    return list;
  }
  runner::padding padding() const {
    return {{exact_.key_lengths.begin(), exact_.key_lengths.end()}, {exact_.memory_lengths.begin(), exact_.memory_lengths.end()}};
  }

  // what it must give

  /// The interpreter along random directions: 0 moves the streams, the others the parameters in turn.
  void find_expected() {
    reference::problem<number> moving = reference::converted<number>(exact_);
    for (std::size_t k = 0; k < v_.size(); ++k)
      for (std::size_t i = 0; i < v_[k].size(); ++i) moving.inputs[k][i].slope[0] = v_[k][i];
    std::size_t turn = 0;
    for (auto& [path, numbers] : moving.weights) {
      std::vector<double>& w = along_.emplace(path, source_.list(numbers.size())).first->second;
      round(w);
      std::size_t const k = direction_of_[path] = 1 + turn++ % (directions - 1);
      for (std::size_t i = 0; i < w.size(); ++i) numbers[i].slope[k] = w[i];
    }
    y_ = reference::output(moving);
  }

  // findings

  void problem(std::string const& what, std::string const& text) { found_.problems.push_back(what + ": " + text); }

  void note(double bound, double magnitude) {
    if (bound <= 1e-3 * magnitude || bound < 1e-12) ++found_.seen.sharp;
    else if (bound <= magnitude) ++found_.seen.dull;
    else ++found_.seen.vacuous;
  }

  /// wanted(i) is a number and its error.
  void check(std::string const& what, std::vector<Real> const& actual, std::size_t count,
             std::function<std::pair<double, double>(std::size_t)> const& wanted) {
    if (actual.size() != count)
      return problem(what, "has " + std::to_string(actual.size()) + " elements, must have " + std::to_string(count));
    double largest = 0, widest = 0;
    std::size_t wrong = 0, worst = 0;
    double most = -1;
    for (std::size_t i = 0; i < count; ++i) {
      auto const [value, error] = wanted(i);
      double const bound = allowed_errors * error;
      largest = std::max(largest, std::abs(value));
      widest = std::isfinite(bound) ? std::max(widest, bound) : std::numeric_limits<double>::infinity();
      if (!std::isfinite(bound) || !std::isfinite(value)) continue;
      double const off = std::abs(static_cast<double>(actual[i]) - value);
      if (off <= bound) continue;
      ++wrong;
      if (!(off / bound <= most)) worst = i, most = std::isnan(off) ? std::numeric_limits<double>::infinity() : off / bound;
    }
    note(widest, largest);
    if (wrong == 0) return;
    auto const [value, error] = wanted(worst);
    std::ostringstream out;
    out.precision(12);
    out << "element " << worst << " is " << actual[worst] << ", must be " << value << " (off by "
        << std::abs(static_cast<double>(actual[worst]) - value) << ", allowed " << allowed_errors * error << "; " << wrong
        << " of " << count << " wrong)";
    problem(what, out.str());
  }

  void check_forward(kernel const& k) {
    check("forward", flat(k.forward(inputs(), padding())), y_.size(),
          [&](std::size_t i) { return std::pair(y_[i].value, y_[i].error); });
  }

  void check_jvp(kernel const& k) {
    auto const [y, dy] = k.jvp(inputs(), inputs(v_), padding());
    check("jvp: y", flat(y), y_.size(), [&](std::size_t i) { return std::pair(y_[i].value, y_[i].error); });
    check("jvp: dy", flat(dy), y_.size(), [&](std::size_t i) { return std::pair(y_[i].slope[0], y_[i].slope_error[0]); });
  }

  /// <u, J d> = <J^T u, d> for every direction d.
  void check_vjp(kernel const& k) {
    runner::gradients<Real> const g = k.vjp(inputs(), cotangents(), padding());
    std::array<double, directions> products{}, sizes{};
    auto add = [&](std::size_t direction, std::vector<Real> const& gradient, std::vector<double> const& along) {
      if (gradient.size() != along.size()) return problem("vjp", "a gradient has another size");
      for (std::size_t i = 0; i < along.size(); ++i) {
        products[direction] += static_cast<double>(gradient[i]) * along[i];
        sizes[direction] += std::abs(static_cast<double>(gradient[i]) * along[i]);
      }
    };
    for (std::size_t i = 0; i < g.inputs.size(); ++i) add(0, g.inputs[i].numbers, v_[i]);
    for (auto const& [path, numbers] : g.parameters) add(direction_of_.at(path), numbers, along_.at(path));
    for (std::size_t d = 0; d < directions; ++d) {
      double wanted = 0, error = 0;
      for (std::size_t i = 0; i < y_.size(); ++i) {
        wanted += u_[i] * y_[i].slope[d];
        error += std::abs(u_[i]) * (y_[i].slope_error[d] + number::rounding(y_[i].slope[d]));
      }
      error += number::unit * sizes[d];
      double const bound = allowed_errors * error;
      note(bound, sizes[d]);
      if (!std::isfinite(bound) || !std::isfinite(wanted) || std::abs(products[d] - wanted) <= bound) continue;
      std::string what = "vjp: x";
      for (auto const& [path, of] : direction_of_)
        if (of == d) what += (what == "vjp: x" ? ", or rather " : ", ") + path;
      std::ostringstream out;
      out.precision(12);
      out << "<J^T u, d> is " << products[d] << ", must be " << wanted << " (off by " << std::abs(products[d] - wanted)
          << ", allowed " << bound << ")";
      problem(what, out.str());
    }
  }

  /// J v by streams against the interpreter.
  void check_jacobian(kernel const& k) {
    found_.dense = true;
    streams const j = k.jacobian(inputs(), padding());
    std::vector<double> product(y_.size(), 0.0), size(y_.size(), 0.0);
    std::size_t first = 0;  // of the results of this one
    for (std::size_t pair = 0; pair < j.size(); ++pair) {
      std::vector<double> const& v = v_[pair % v_.size()];
      std::size_t const rows = j[pair].extents[0];
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t c = 0; c < v.size(); ++c) {
          double const term = static_cast<double>(j[pair].numbers[i * v.size() + c]) * v[c];
          product[first + i] += term;
          size[first + i] += std::abs(term);
        }
      if ((pair + 1) % v_.size() == 0) first += rows;
    }
    for (std::size_t i = 0; i < y_.size(); ++i) {
      double const bound = allowed_errors * (y_[i].slope_error[0] + number::unit * size[i]);
      if (!std::isfinite(bound) || std::abs(product[i] - y_[i].slope[0]) <= bound) continue;
      std::ostringstream out;
      out.precision(12);
      out << "times v is " << product[i] << " in element " << i << ", must be " << y_[i].slope[0] << " (allowed " << bound << ")";
      return problem("jacobian", out.str());
    }
  }
  /// Token by token and in chunks, against the interpreter on all tokens.
  void check_steps(kernel const& k) {
    found_.stepped = true;
    streams const all = inputs();
    tensor const& x = all[0];
    std::size_t const rank = x.extents.size();
    std::size_t const length = x.extents[rank - 2], sequences = tokens() / std::max<std::size_t>(length, 1);
    if (length == 0 || tokens() == 0) return;
    bool const fixed = graph_.input().shape.axes[rank - 2].extent != graph::run_time;  // then a call has all tokens
    auto cache = k.make_cache(all, static_cast<std::ptrdiff_t>(length + source_.bits() % 3), padding());
    std::vector<Real> y(y_.size());
    for (std::size_t first = 0; first < length;) {
      std::size_t const wanted = fixed ? length : chance(0.5) ? 1 : 1 + source_.bits() % 5;
      std::size_t const count = std::min(wanted, length - first);
      streams chunks;
      for (std::size_t i = 0; i < graph_.streams; ++i) {
        std::size_t const in = all[i].extents[rank - 1];
        tensor chunk{all[i].extents, {}};
        chunk.extents[rank - 2] = count;
        for (std::size_t s = 0; s < sequences; ++s) {
          auto const from = all[i].numbers.begin() + static_cast<std::ptrdiff_t>((s * length + first) * in);
          chunk.numbers.insert(chunk.numbers.end(), from, from + static_cast<std::ptrdiff_t>(count * in));
        }
        chunks.push_back(std::move(chunk));
      }
      auto into = y.begin();  // of one result
      for (tensor const& made : k.step(chunks, cache)) {
        std::size_t const out = made.extents[rank - 1];
        if (made.numbers.size() != sequences * count * out) return problem("step", "has another size");
        for (std::size_t s = 0; s < sequences; ++s)
          std::copy_n(made.numbers.begin() + static_cast<std::ptrdiff_t>(s * count * out), count * out,
                      into + static_cast<std::ptrdiff_t>((s * length + first) * out));
        into += static_cast<std::ptrdiff_t>(tokens() * out);
      }
      first += count;
    }
    check("step", y, y_.size(), [&](std::size_t i) { return std::pair(y_[i].value, y_[i].error); });
  }

  /// NaN in one token reaches what depends on it and nothing else.
  void check_nan(kernel const& k) {
    std::size_t const one = source_.bits() % exact_.inputs.size();
    if (exact_.inputs[one].empty()) return;
    found_.with_nan = true;
    reference::problem<double> broken = exact_;
    std::vector<double>& numbers = broken.inputs[one];
    numbers[static_cast<std::size_t>(source_.bits() % numbers.size())] = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> const wanted = reference::output(broken);
    std::vector<Real> const y = flat(k.forward(inputs(broken.inputs), padding()));
    for (std::size_t i = 0; i < y.size(); ++i)
      if (std::isnan(y[i]) != std::isnan(wanted[i]) && std::isfinite(y_[i].error))
        return problem("NaN", "element " + std::to_string(i) + (std::isnan(wanted[i]) ? " must be NaN" : " must not be NaN"));
  }

  /// No result depends on the number of threads.
  void check_threads(kernel const& k) {
#if defined(_OPENMP)
    found_.threads = true;
    int const before = omp_get_max_threads();
    auto results = [&](int threads) {
      omp_set_num_threads(threads);
      auto const [y, dy] = k.jvp(inputs(), inputs(v_), padding());
      runner::gradients<Real> g = k.vjp(inputs(), cotangents(), padding());
      g.inputs.insert(g.inputs.end(), y.begin(), y.end());
      g.inputs.insert(g.inputs.end(), dy.begin(), dy.end());
      return g;
    };
    auto const one = results(1), several = results(3);
    omp_set_num_threads(before);
    auto same = [](std::vector<Real> const& a, std::vector<Real> const& b) {
      return std::ranges::equal(a, b, [](Real p, Real q) { return p == q || (std::isnan(p) && std::isnan(q)); });
    };
    for (std::size_t i = 0; i < one.inputs.size(); ++i)
      if (!same(one.inputs[i].numbers, several.inputs[i].numbers)) problem("threads", "a result differs with three");
    for (auto const& [path, numbers] : one.parameters)
      if (!same(numbers, several.parameters.at(path))) problem("threads", path + " differs with three");
#else
    (void)k;
#endif
  }

  graph::graph_view graph_;
  std::shared_ptr<codegen::block_plan const> plan_;
  rt::instruction_set set_;
  noise source_;
  reference::problem<double> exact_{};
  std::vector<double> u_;                // the results' cotangents
  std::vector<std::vector<double>> v_;   // the inputs' tangents
  reference::parameters<double> along_;  // the parameters'
  std::map<std::string, std::size_t, std::less<>> direction_of_;
  std::vector<number> y_;
  outcome found_;
};

}  // namespace

std::vector<configuration> all_configurations() {
  std::vector<configuration> list;
  for (rt::instruction_set set : rt::compiled_instruction_sets())
    if (rt::supported(set))
      for (bool single : {false, true}) list.push_back({set, single});
  return list;
}

std::string described(configuration const& c) { return std::string(rt::name(c.set)) + ", " + (c.single ? "float" : "double"); }

outcome compare(random_graph::random_block const& block, std::shared_ptr<codegen::block_plan const> const& plan,
                configuration const& on, std::uint64_t seed) {
  if (on.single) return comparison<float>(block, plan, on.set, seed).run();
  return comparison<double>(block, plan, on.set, seed).run();
}

}  // namespace residua::runner_test
