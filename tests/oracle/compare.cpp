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

    graph::shape_value const& in = graph_.input().shape;
    graph::shape_value const& out = graph_.result().shape;
    std::vector<double> const v = rounded(source_.list(exact_.x.size()));
    std::vector<double> const m = rounded(source_.list(exact_.memory.size()));
    std::vector<double> const u = rounded(source_.list(size_of(exact_.lengths, out)));
    numbers const x = tensor(exact_.x, in), memory = memory_tensor(exact_.memory);

    numbers const y = kernel_.forward(x, memory, setting_);
    check_shape("forward", y, out);
    expected const value = expect<Real>(output(exact_), output(rough_));
    check("forward", y.data, value);

    auto const [y_again, dy] = kernel_.jvp(x, memory, tensor(v, in), memory_tensor(m), setting_);
    check_shape("jvp", dy, out);
    check("jvp: y", y_again.data, value);
    expected const slope = expect<Real>(jvp_of_both(exact_, v, m), jvp_of_both(rough_, converted<float>(v), converted<float>(m)));
    check("jvp: dy", dy.data, slope);

    gradients const g = kernel_.vjp(x, memory, tensor(u, out), setting_);
    check_shape("vjp: x", g.x, in);
    expected const pulled = check_gradient("vjp: x", by_stream, u, g.x);
    if (!m.empty()) {
      check_shape("vjp: memory", g.memory, graph_.input(1).shape);
      expected const pulled_memory = check_gradient("vjp: memory", by_memory, u, g.memory);
      std::vector<double> both = g.x.data, along = v;
      both.insert(both.end(), g.memory.data.begin(), g.memory.data.end());
      along.insert(along.end(), m.begin(), m.end());
      check_adjoint(dy.data, u, along, both, slope, {{}, std::max(pulled.slack, pulled_memory.slack)});
    } else {
      check_adjoint(dy.data, u, v, g.x.data, slope, pulled);
    }
    check_parameters(g, u);
    if (dy.data.size() * std::max(v.size(), m.size()) <= allowed_.most_dense) {
      auto const [by_x, by_m] = kernel_.jacobian(x, memory, setting_);
      check_jacobian("jacobian", by_stream, by_x, v, m.empty() ? &slope : nullptr, dy.data);
      if (!m.empty()) check_jacobian("jacobian by memory", by_memory, by_m, m, nullptr, {});
    }
    if (exact_.x.size() == u.size())
      if (std::optional<double> const trace = kernel_.trace(x, setting_)) check_trace(*trace);
    return std::move(findings_);
  }

 private:
  template <class Number>
  std::vector<Number> jvp_of_both(problem<Number> const& p, std::vector<Number> const& v, std::vector<Number> const& m) const {
    std::vector<Number> dy = jvp(p, by_stream, v);
    if (m.empty()) return dy;
    std::vector<Number> const dm = jvp(p, by_memory, m);
    for (std::size_t i = 0; i < dy.size(); ++i) dy[i] += dm[i];
    return dy;
  }
  numbers memory_tensor(std::vector<double> const& given) const {
    return given.empty() ? numbers{} : tensor(given, graph_.input(1).shape);
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
    exact_.x = rounded(source_.list(size_of(exact_.lengths, graph_.input().shape)));
    if (reads_memory(graph_)) exact_.memory = rounded(source_.list(size_of(exact_.lengths, graph_.input(1).shape)));
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
  void check_adjoint(std::vector<double> const& dy, std::vector<double> const& u, std::vector<double> const& v,
                     std::vector<double> const& gx, expected const& slope, expected const& pulled) {
    check_products("<u, J v> = <J^T u, v>", gx, v, u, dy, pulled.slack, slope.slack);
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

  /// A dense Jacobian, entry by entry (or a sample of its columns) and, where it is the only one, times v against the JVP.
  void check_jacobian(std::string const& what, std::string_view by, numbers const& dense, std::vector<double> const& v,
                      expected const* slope, std::vector<double> const& dy) {
    std::size_t const in = v.size();
    std::size_t const out = size_of(exact_.lengths, graph_.result().shape);
    bool const fits = dense.shape == std::vector<std::size_t>{out, in};
    note(what + ": shape", fits ? "" : "is " + written(dense.shape) + ", must be " + written({out, in}));
    if (!fits) return;
    std::vector<std::size_t> const chosen = affordable(in, work_, allowed_, source_);
    expected const wanted = expect<Real>(jacobian_columns(exact_, by, chosen).data, jacobian_columns(rough_, by, chosen).data);
    std::vector<double> actual;
    expected product{std::vector<double>(out, 0.0), wanted.slack};
    for (std::size_t i = 0; i < out; ++i) {
      for (std::size_t j : chosen) actual.push_back(dense.data[i * in + j]);
      for (std::size_t j = 0; j < in; ++j) product.numbers[i] += dense.data[i * in + j] * v[j];
    }
    check(what, actual, wanted);
    if (!slope) return;
    double size = 0;
    for (double each : v) size += std::abs(each);
    note("jacobian times v = jvp", difference(dy, product, allowance(*slope) + size * allowance(wanted)));
  }

  void check_trace(double given) {
    std::size_t const in = exact_.x.size();
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
