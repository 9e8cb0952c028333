// The comparison of compare.hpp, compiled once for all blocks.
#include "compare.hpp"

#include <cmath>
#include <limits>
#include <residua/reference/derivative.hpp>
#include <set>
#include <sstream>

namespace residua::oracle {

namespace {

/// Numbers of the oracle and how far a kernel in Real may be from them for rounding alone.
struct expected {
  std::vector<double> numbers;
  double slack = 0;

  double magnitude() const {
    double most = 0;
    for (double each : numbers)
      if (std::isfinite(each)) most = std::max(most, std::abs(each));
    return most;
  }
};

/// The same quantity computed in double and in float.
template <class Real>
expected expect(std::vector<double> exact, std::vector<float> const& rough) {
  double worst = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    double const away = std::abs(static_cast<double>(rough[i]) - exact[i]);
    if (std::isfinite(away)) worst = std::max(worst, away);
  }
  constexpr double ratio = static_cast<double>(std::numeric_limits<Real>::epsilon()) / std::numeric_limits<float>::epsilon();
  return {std::move(exact), worst * ratio};
}

std::vector<double> chosen_of(std::vector<double> const& all, std::vector<std::size_t> const& chosen) {
  std::vector<double> list;
  for (std::size_t i : chosen) list.push_back(all[i]);
  return list;
}

std::string written(std::vector<std::size_t> const& shape) {
  std::ostringstream out;
  out << "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out << (i > 0 ? ", " : "") << shape[i];
  out << ")";
  return out.str();
}

bool agree(double a, double b, double allowed) {
  if (std::isnan(b)) return std::isnan(a);
  return a == b || std::abs(a - b) <= allowed;
}

/// The worst disagreement, in words: which element, what it is and must be, and how many are wrong.
std::string difference(std::vector<double> const& actual, expected const& wanted, double allowed) {
  if (actual.size() != wanted.numbers.size())
    return "has " + std::to_string(actual.size()) + " elements, must have " + std::to_string(wanted.numbers.size());
  std::size_t wrong = 0;
  std::size_t worst = 0;
  double most = -1;
  for (std::size_t i = 0; i < actual.size(); ++i) {
    double const b = wanted.numbers[i];
    if (agree(actual[i], b, allowed)) continue;
    ++wrong;
    double away = std::abs(actual[i] - b);
    if (std::isnan(away)) away = std::numeric_limits<double>::infinity();
    if (away > most) worst = i, most = away;
  }
  if (wrong == 0) return {};
  std::ostringstream out;
  out.precision(10);
  out << "element " << worst << " is " << actual[worst] << ", must be " << wanted.numbers[worst] << " (off by " << most
      << ", allowed " << allowed << "; " << wrong << " of " << actual.size() << " wrong)";
  return out.str();
}

/// Multiplications of one evaluation, about.
std::size_t work_of(problem<double> const& p) {
  std::size_t work = 1;
  for (node const& n : p.graph.nodes) {
    std::size_t const size = size_of(p.lengths, n.shape);
    if (n.operation == op::linear) work += size * width_of(p.lengths, operand_of(p.graph, n).shape);
    else if (n.operation == op::attend) work += 3 * size * sequence_length(p.lengths, operand_of(p.graph, n, 1).shape);
    else work += 8 * size;
  }
  return work;
}

/// All entries of a variable, or a sample of as many as the budget allows (a few at least), in order.
std::vector<std::size_t> affordable(std::size_t count, std::size_t work, tolerances const& allowed, noise& source) {
  std::size_t const most = std::max(allowed.least_columns, allowed.most_work / work);
  if (count <= most) return all_of(count);
  std::set<std::size_t> chosen{0, count - 1};
  while (chosen.size() < most) chosen.insert(static_cast<std::size_t>(source.bits() % count));
  return {chosen.begin(), chosen.end()};
}

/// Compares one block at one stream shape, all parameters and inputs drawn from the seed; Real is the kernel's element type.
template <class Real>
class comparison {
 public:
  comparison(graph_view const& graph, block_calls& kernel, tolerances const& allowed, std::uint64_t seed,
             call_setting const& setting)
      : graph_(graph), kernel_(kernel), allowed_(allowed), source_(seed), setting_(setting) {}

  std::vector<finding> run(std::vector<std::size_t> const& shape) {
    exact_ = {graph_, setting_.others};
    exact_.key_lengths = setting_.lengths;
    exact_.memory_lengths = setting_.memory_lengths;
    learn_extents(shape);
    if (broken_) return findings_;
    fill();

    std::vector<std::vector<double>> v;
    for (auto const& each : exact_.inputs) v.push_back(rounded(source_.list(each.size())));
    std::vector<double> const u = rounded(source_.list(size_of_results(exact_.lengths, graph_)));
    tensors const x = tensors_of(exact_.inputs);

    tensors const y = kernel_.forward(x, setting_);
    check_shapes("forward", y, graph_.outputs);
    expected const value = expect<Real>(output(exact_), output(rough_));
    check("forward", flat(y), value);

    auto const [y_again, dy] = kernel_.jvp(x, tensors_of(v), setting_);
    check_shapes("jvp", dy, graph_.outputs);
    check("jvp: y", flat(y_again), value);
    expected const slope = expect<Real>(jvp_of_all(exact_, v), jvp_of_all(rough_, v));
    check("jvp: dy", flat(dy), slope);

    gradients const g = kernel_.vjp(x, split(u), setting_);
    if (g.inputs.size() != x.size()) {
      note("vjp", "has gradients of " + std::to_string(g.inputs.size()) + " inputs");
      return std::move(findings_);
    }
    std::vector<double> all, along;
    double slack = 0;
    for (std::size_t k = 0; k < x.size(); ++k) {
      check_shape("vjp: " + name_of(k), g.inputs[k], graph_.input(k).shape);
      slack = std::max(slack, check_gradient("vjp: " + name_of(k), by_input(k), u, g.inputs[k]).slack);
      all.insert(all.end(), g.inputs[k].data.begin(), g.inputs[k].data.end());
      along.insert(along.end(), v[k].begin(), v[k].end());
    }
    check_products("<u, J v> = <J^T u, v>", all, along, u, flat(dy), slack, slope.slack);
    check_parameters(g, u);
    if (u.size() * along.size() <= allowed_.most_dense) check_jacobian(kernel_.jacobian(x, setting_), v, slope, flat(dy));
    if (x.size() == 1 && exact_.inputs[0].size() == u.size())
      if (std::optional<double> const trace = kernel_.trace(x, setting_)) check_trace(*trace);
    return std::move(findings_);
  }

 private:
  template <class Number>
  std::vector<Number> jvp_of_all(problem<Number> const& p, std::vector<std::vector<double>> const& v) const {
    std::vector<Number> sum;
    for (std::size_t k = 0; k < v.size(); ++k) {
      std::vector<Number> const one = jvp(p, by_input(k), converted<Number>(v[k]));
      sum.resize(one.size());
      for (std::size_t i = 0; i < one.size(); ++i) sum[i] += one[i];
    }
    return sum;
  }
  std::string name_of(std::size_t input) const { return std::string(graph_.input(input).symbol); }
  tensors tensors_of(std::vector<std::vector<double>> const& inputs) const {
    tensors list;
    for (std::size_t k = 0; k < inputs.size(); ++k) list.push_back(tensor(inputs[k], graph_.input(k).shape));
    return list;
  }
  /// All numbers, one tensor behind the other; and back.
  static std::vector<double> flat(tensors const& list) {
    std::vector<double> all;
    for (numbers const& each : list) all.insert(all.end(), each.data.begin(), each.data.end());
    return all;
  }
  tensors split(std::vector<double> const& all) const {
    tensors list;
    auto from = all.begin();
    for (int at : graph_.outputs) {
      auto const end = from + static_cast<std::ptrdiff_t>(size_of(exact_.lengths, graph_[at].shape));
      list.push_back(tensor({from, end}, graph_[at].shape));
      from = end;
    }
    return list;
  }
  void check_shapes(std::string const& what, tensors const& given, std::span<int const> nodes) {
    if (given.size() != nodes.size()) return note(what, "gives " + std::to_string(given.size()) + " results");
    for (std::size_t k = 0; k < nodes.size(); ++k) check_shape(what, given[k], graph_[nodes[k]].shape);
  }

  /// Run-time axes: from the stream's shape, and from the parameters' where it does not tell.
  void learn_extents(std::vector<std::size_t> const& shape) {
    auto learn = [&](graph::axis_value const& axis, std::size_t length, std::string const& what) {
      std::int64_t const given = static_cast<std::int64_t>(length);
      std::int64_t const known =
          axis.extent != graph::run_time ? axis.extent : exact_.lengths.try_emplace(std::string(axis.name), given).first->second;
      if (known != given)
        note(what, "axis " + std::string(axis.name) + " is " + std::to_string(given) + ", must be " + std::to_string(known));
    };
    graph::shape_value const& stream = graph_.input().shape;
    if (stream.rank != shape.size())
      return note("x", "has rank " + std::to_string(shape.size()) + ", must have " + std::to_string(stream.rank));
    for (std::size_t i = 0; i < shape.size(); ++i) learn(stream.axes[i], shape[i], "x");
    std::set<std::string, std::less<>> seen;
    std::vector<parameter_shape> const known = parameter_shapes(graph_);
    for (auto const& [name, given] : kernel_.parameters()) {
      auto const found = std::find_if(known.begin(), known.end(), [&](parameter_shape const& each) { return each.path == name; });
      if (!seen.insert(name).second) return note("parameters", "has " + name + " twice");
      if (found == known.end()) return note("parameters", "has " + name + ", which the block does not have");
      if (given.shape.size() != found->axes.size())
        return note(name, "has shape " + written(given.shape) + ", must have rank " + std::to_string(found->axes.size()));
      for (std::size_t i = 0; i < given.shape.size(); ++i) learn(found->axes[i], given.shape[i], name);
    }
    for (parameter_shape const& each : known)
      if (!seen.contains(each.path)) note("parameters", "has no " + each.path);
    if (!broken_) exact_.lengths = with_renamed(graph_, exact_.lengths);
  }

  /// The same numbers, each one that Real can hold, in the kernel's parameters and in the interpreter's.
  void fill() {
    for (parameter_shape const& each : parameter_shapes(graph_))
      exact_.weights.emplace(each.path, rounded(plausible(each, exact_.lengths, source_)));
    for (int at : graph_.inputs) exact_.inputs.push_back(rounded(source_.list(size_of(exact_.lengths, graph_[at].shape))));
    kernel_.set(exact_.weights);
    rough_ = converted<float>(exact_);
    work_ = work_of(exact_);
  }

  static std::vector<double> rounded(std::vector<double> numbers) {
    for (double& each : numbers) each = static_cast<double>(static_cast<Real>(each));
    return numbers;
  }

  numbers tensor(std::vector<double> const& given, graph::shape_value const& shape) const {
    numbers made{{}, given};
    for (std::size_t i = 0; i < shape.rank; ++i) made.shape.push_back(length_of(exact_.lengths, shape.axes[i]));
    return made;
  }

  void note(std::string const& what, std::string problem) {
    broken_ = broken_ || !problem.empty();
    findings_.push_back({what, std::move(problem)});
  }
  double allowance(expected const& wanted) const {
    return allowed_.relative * wanted.magnitude() + allowed_.plain * wanted.slack + allowed_.cancelled;
  }
  void check(std::string const& what, std::vector<double> const& actual, expected const& wanted) {
    note(what, difference(actual, wanted, allowance(wanted)));
  }
  void check_shape(std::string const& what, numbers const& given, graph::shape_value const& shape) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < shape.rank; ++i) wanted.push_back(length_of(exact_.lengths, shape.axes[i]));
    note(what + ": shape", given.shape == wanted ? "" : "is " + written(given.shape) + ", must be " + written(wanted));
  }

  void check_parameters(gradients const& g, std::vector<double> const& u) {
    std::set<std::string, std::less<>> seen;
    for (auto const& [name, gradient] : g.parameters) {
      seen.insert(name);
      if (!exact_.weights.contains(name)) continue;
      check_gradient("vjp: parameters " + name, name, u, gradient);
      check_along("vjp: parameters " + name + ", along a direction", name, u, gradient);
    }
    for (auto const& [path, weights] : exact_.weights)
      if (!seen.contains(path)) note("vjp: parameters", "has no " + path);
  }

  /// Entries of J^T u: all of them, or a sample in a large block.
  expected check_gradient(std::string const& what, std::string_view by, std::vector<double> const& u, numbers const& gradient) {
    std::size_t const count = variable(exact_, by).size();
    if (gradient.data.size() != count) {
      note(what, "has " + std::to_string(gradient.data.size()) + " elements, must have " + std::to_string(count));
      return {};
    }
    std::vector<std::size_t> const chosen = affordable(count, work_, allowed_, source_);
    expected const wanted = expect<Real>(vjp_entries(jacobian_columns(exact_, by, chosen), u),
                                         vjp_entries(jacobian_columns(rough_, by, chosen), converted<float>(u)));
    check(what, chosen_of(gradient.data, chosen), wanted);
    return wanted;
  }

  /// <J^T u, w> = <u, J w> for a direction w of one parameter: every entry counts, in a block of any size.
  void check_along(std::string const& what, std::string_view by, std::vector<double> const& u, numbers const& gradient) {
    std::vector<double> const w = source_.list(variable(exact_, by).size());
    if (gradient.data.size() != w.size()) return;
    expected const slope = expect<Real>(jvp(exact_, by, w), jvp(rough_, by, converted<float>(w)));
    check_products(what, gradient.data, w, u, slope.numbers, 0, slope.slack);
  }
  /// <a, b> = <c, d> where a and d carry errors.
  void check_products(std::string const& what, std::vector<double> const& a, std::vector<double> const& b,
                      std::vector<double> const& c, std::vector<double> const& d, double slack_a, double slack_d) {
    if (a.size() != b.size() || c.size() != d.size()) return;
    double left = 0, right = 0, size = 0, errors = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      left += a[i] * b[i], size += std::abs(a[i] * b[i]), errors += slack_a * std::abs(b[i]);
    for (std::size_t i = 0; i < c.size(); ++i)
      right += c[i] * d[i], size += std::abs(c[i] * d[i]), errors += slack_d * std::abs(c[i]);
    note(what, difference({left}, {{right}}, allowed_.relative * size + allowed_.plain * errors + allowed_.cancelled));
  }

  /// The dense Jacobians by every input, entry by entry (or a sample of their columns), and times v against the JVP.
  void check_jacobian(tensors const& dense, std::vector<std::vector<double>> const& v, expected const& slope,
                      std::vector<double> const& dy) {
    if (dense.size() != v.size() * graph_.outputs.size())
      return note("jacobian", "has " + std::to_string(dense.size()) + " matrices");
    expected product{std::vector<double>(dy.size(), 0.0), 0};
    double size = 0, allowed = 0;
    for (std::size_t k = 0; k < v.size(); ++k) {
      std::string const what = k == 0 ? "jacobian" : "jacobian by " + name_of(k);
      std::size_t const in = v[k].size();
      std::vector<std::size_t> const chosen = affordable(in, work_, allowed_, source_);
      expected const wanted =
          expect<Real>(jacobian_columns(exact_, by_input(k), chosen).data, jacobian_columns(rough_, by_input(k), chosen).data);
      std::vector<double> actual;
      std::size_t row = 0;
      for (std::size_t o = 0; o < graph_.outputs.size(); ++o) {
        numbers const& one = dense[o * v.size() + k];
        std::size_t const out = size_of(exact_.lengths, graph_.result(o).shape);
        bool const fits = one.shape == std::vector<std::size_t>{out, in};
        note(what + ": shape", fits ? "" : "is " + written(one.shape) + ", must be " + written({out, in}));
        if (!fits) return;
        for (std::size_t i = 0; i < out; ++i, ++row) {
          for (std::size_t column : chosen) actual.push_back(one.data[i * in + column]);
          for (std::size_t column = 0; column < in; ++column) product.numbers[row] += one.data[i * in + column] * v[k][column];
        }
      }
      check(what, actual, wanted);
      for (double each : v[k]) size += std::abs(each);
      allowed = std::max(allowed, allowance(wanted));
    }
    note("jacobian times v = jvp", difference(dy, product, allowance(slope) + size * allowed));
  }

  void check_trace(double given) {
    std::size_t const in = exact_.inputs[0].size();
    if (in != size_of(exact_.lengths, graph_.result().shape) || affordable(in, work_, allowed_, source_).size() != in) return;
    matrix<double> const columns = dense_jacobian(exact_);
    expected const wanted = expect<Real>(columns.data, dense_jacobian(rough_).data);
    expected trace{{0.0}, 0};
    double size = 0;
    for (std::size_t i = 0; i < in; ++i) trace.numbers[0] += columns(i, i), size += std::abs(columns(i, i));
    double const allowed =
        allowed_.relative * size + allowed_.plain * wanted.slack * static_cast<double>(in) + allowed_.cancelled;
    note("jacobian_trace", difference({given}, trace, allowed));
  }

  graph_view graph_;
  block_calls& kernel_;
  tolerances allowed_;
  noise source_;
  problem<double> exact_{};
  problem<float> rough_{};
  call_setting setting_;
  std::size_t work_ = 1;
  std::vector<finding> findings_;
  bool broken_ = false;
};

}  // namespace

std::vector<finding> compare_block(graph_view const& graph, block_calls& kernel, std::vector<std::size_t> const& shape,
                                   std::uint64_t seed, tolerances const& allowed, call_setting const& setting) {
  if (kernel.single()) return comparison<float>(graph, kernel, allowed, seed, setting).run(shape);
  return comparison<double>(graph, kernel, allowed, seed, setting).run(shape);
}

void check_block(graph_view const& graph, block_calls& kernel, std::vector<std::size_t> const& shape, std::uint64_t seed,
                 tolerances const& allowed, call_setting const& setting) {
  std::string const where = "block " + std::string(graph.name) + ", " + (kernel.single() ? "float" : "double") + ", x " +
                            written(shape) + ", seed " + std::to_string(seed) + ": ";
  for (finding const& each : compare_block(graph, kernel, shape, seed, allowed, setting))
    BOOST_TEST(each.problem.empty(), where << each.what << ": " << each.problem);
}

}  // namespace residua::oracle
