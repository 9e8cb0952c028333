#pragma once
// A generated kernel against the interpreter, everything that it computes: result, JVP, VJP, parameter gradients, dense
// Jacobian, trace, and these against each other.
#include <array>
#include <boost/test/unit_test.hpp>
#include <limits>
#include <set>
#include <sstream>
#include <xtensor/xtensor.hpp>

#include <residua/rt/interface/workspace.hpp>

#include <residua/reference/derivative.hpp>

namespace residua::oracle {

using namespace reference;

/// |kernel - oracle| <= relative * (largest magnitude in the tensor) + plain * (what the same rounding does to plain loops).
///
/// relative: a kernel rounds a few hundred times on the way to an element (sums over up to 1e3 terms, a few dozen
/// operations in a row); with unit roundoff 6e-8 for float and 1.1e-16 for double that leaves 2e-5 and, with room for
/// a polynomial exp or erf, 1e-11.
/// plain: a block can be ill-conditioned (a norm of two equal numbers, sums that cancel). Then the interpreter itself,
/// run in float, is wrong by more than that, and a kernel may be wrong by a small multiple of the same.
/// cancelled: over one or two features a norm's Jacobian is all but zero, the difference of numbers around 1 / sqrt(eps):
/// there only the size of what cancels says how far off a result may be. Numbers in these tests are around 1, so 1e-11
/// in double is far below any result that matters. In float such widths are not compared.
struct tolerances {
  double relative = 0;
  double cancelled = 0;
  double plain = 32;
  std::size_t most_work = 400'000'000;  // multiplications of the oracle for one Jacobian; above: a sample of its columns
  std::size_t most_dense = 4'000'000;   // entries of a dense Jacobian that the kernel is asked for
};
template <class Real>
inline constexpr tolerances usual{std::is_same_v<Real, float> ? 2e-5 : 1e-11, std::is_same_v<Real, float> ? 0 : 1e-11};

/// What a call has beside its stream: extents that x does not tell (of a memory's tokens), and padding.
struct call_setting {
  extents others{};
  std::vector<std::int64_t> lengths{};
  std::vector<std::int64_t> memory_lengths{};
};

/// A kernel's calls, the same for blocks of one stream and of two; `kernel(function)` passes the padding behind.
template <class Kernel, class Tensor>
struct calls {
  static constexpr bool has_memory = requires { typename Kernel::memory_tensor; };

  Kernel const& k;
  Tensor x;
  Tensor memory;
  call_setting const& setting;

  auto given() const { return padding_of(k); }
  auto forward() const {
    if constexpr (has_memory) return k.forward(x, memory, given());
    else return k.forward(x, given());
  }
  auto jvp(Tensor const& dx, Tensor const& dmemory) const {
    if constexpr (has_memory) return k.jvp(x, memory, dx, dmemory, given());
    else return k.jvp(x, dx, given());
  }
  template <class DY>
  auto vjp(DY const& dy) const {
    if constexpr (has_memory) return k.vjp(x, memory, dy, given());
    else return k.vjp(x, dy, given());
  }
  /// By x, and by the memory (empty where there is none).
  auto jacobian() const {
    if constexpr (has_memory) {
      auto both = k.jacobian(x, memory, given());
      return std::pair(std::move(both.x), std::move(both.memory));
    } else {
      auto one = k.jacobian(x, given());
      return std::pair(one, decltype(one){});
    }
  }

 private:
  auto padding_of(Kernel const&) const {
    return residua::rt::padding{{setting.lengths.data(), setting.lengths.size()},
                                {setting.memory_lengths.data(), setting.memory_lengths.size()}};
  }
};

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

/// One comparison; `problem` is empty where it holds.
struct finding {
  std::string what;
  std::string problem;
};

namespace detail {

template <class Tensor>
std::vector<double> doubles(Tensor const& tensor) {
  std::vector<double> list;
  list.reserve(tensor.size());
  for (std::size_t i = 0; i < tensor.size(); ++i) list.push_back(static_cast<double>(tensor.data()[i]));
  return list;
}
template <class Tensor>
std::vector<double> doubles(Tensor const& tensor, std::vector<std::size_t> const& chosen) {
  std::vector<double> list;
  for (std::size_t i : chosen) list.push_back(static_cast<double>(tensor.data()[i]));
  return list;
}

template <class Tensor>
void fill(Tensor& tensor, std::vector<double> const& numbers) {
  using value = std::remove_cvref_t<decltype(*tensor.data())>;
  for (std::size_t i = 0; i < numbers.size(); ++i) tensor.data()[i] = static_cast<value>(numbers[i]);
}

template <class Tensor>
std::vector<std::size_t> shape_of(Tensor const& tensor) {
  return {tensor.shape().begin(), tensor.shape().end()};
}

inline std::string written(std::vector<std::size_t> const& shape) {
  std::ostringstream out;
  out << "(";
  for (std::size_t i = 0; i < shape.size(); ++i) out << (i > 0 ? ", " : "") << shape[i];
  out << ")";
  return out.str();
}

inline bool agree(double a, double b, double allowed) {
  if (std::isnan(b)) return std::isnan(a);
  return a == b || std::abs(a - b) <= allowed;
}

/// The worst disagreement, in words: which element, what it is and must be, and how many are wrong.
inline std::string difference(std::vector<double> const& actual, expected const& wanted, double allowed) {
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
inline std::size_t work_of(problem<double> const& p) {
  std::size_t work = 1;
  for (node const& n : p.graph.nodes) {
    std::size_t const size = size_of(p.lengths, n.shape);
    if (n.operation == op::linear) work += size * width_of(p.lengths, operand_of(p.graph, n).shape);
    else if (n.operation == op::attend) work += 3 * size * sequence_length(p.lengths, operand_of(p.graph, n, 1).shape);
    else work += 8 * size;
  }
  return work;
}

/// All entries of a variable, or a sample of as many as the budget allows (16 at least), in order.
inline std::vector<std::size_t> affordable(std::size_t count, std::size_t work, std::size_t budget, noise& source) {
  std::size_t const most = std::max<std::size_t>(16, budget / work);
  if (count <= most) return all_of(count);
  std::set<std::size_t> chosen{0, count - 1};
  while (chosen.size() < most) chosen.insert(static_cast<std::size_t>(source.bits() % count));
  return {chosen.begin(), chosen.end()};
}

}  // namespace detail

/// Compares one block at one stream shape, all parameters and inputs drawn from the seed.
template <class Real, std::size_t Rank>
class comparison {
 public:
  comparison(graph_view const& graph, tolerances const& allowed, std::uint64_t seed, call_setting const& setting)
      : graph_(graph), allowed_(allowed), source_(seed), setting_(setting) {}

  template <class Kernel, class Parameters>
  std::vector<finding> run(Parameters p, std::array<std::size_t, Rank> const& shape) {
    exact_ = {graph_, setting_.others};
    exact_.key_lengths = setting_.lengths;
    exact_.memory_lengths = setting_.memory_lengths;
    learn_extents(p, shape);
    fill(p);
    if (broken_) return findings_;
    Kernel const k(p);

    auto const out = graph_.result().shape;
    std::vector<double> const v = rounded(source_.list(exact_.x.size()));
    std::vector<double> const m = rounded(source_.list(exact_.memory.size()));
    std::vector<double> const u = rounded(source_.list(size_of(exact_.lengths, out)));
    calls<Kernel, xt::xtensor<Real, Rank>> const call{k, tensor(exact_.x, graph_.input().shape), memory_tensor(exact_.memory),
                                                      setting_};

    auto const y = call.forward();
    check_shape("forward", y, out);
    expected const value = expect<Real>(output(exact_), output(rough_));
    check("forward", detail::doubles(y), value);

    auto const [y_again, dy] = call.jvp(tensor(v, graph_.input().shape), memory_tensor(m));
    check_shape("jvp", dy, out);
    check("jvp: y", detail::doubles(y_again), value);
    expected const slope = expect<Real>(jvp_of_both(exact_, v, m), jvp_of_both(rough_, converted<float>(v), converted<float>(m)));
    check("jvp: dy", detail::doubles(dy), slope);

    auto const g = call.vjp(tensor(u, out));
    check_shape("vjp: x", g.x, graph_.input().shape);
    std::vector<double> const gx = detail::doubles(g.x);
    expected const pulled = check_gradient("vjp: x", by_stream, u, g.x);
    if constexpr (decltype(call)::has_memory) {
      check_shape("vjp: memory", g.memory, graph_.input(1).shape);
      expected const pulled_memory = check_gradient("vjp: memory", by_memory, u, g.memory);
      std::vector<double> both = gx, along = v;
      for (double each : detail::doubles(g.memory)) both.push_back(each);
      along.insert(along.end(), m.begin(), m.end());
      expected const widest{{}, std::max(pulled.slack, pulled_memory.slack)};
      check_adjoint(detail::doubles(dy), u, along, both, slope, widest);
    } else {
      check_adjoint(detail::doubles(dy), u, v, gx, slope, pulled);
    }
    std::set<std::string, std::less<>> seen;
    for_each(g.parameters, [&](auto const& path, auto const& gradient) {
      std::string const name(path);
      seen.insert(name);
      if (!exact_.weights.contains(name)) return;
      check_gradient("vjp: parameters " + name, name, u, gradient);
      check_along("vjp: parameters " + name + ", along a direction", name, u, gradient);
    });
    for (auto const& [path, numbers] : exact_.weights)
      if (!seen.contains(path)) note("vjp: parameters", "has no " + path);
    std::size_t const dense = detail::doubles(dy).size() * std::max(v.size(), m.size());
    if (dense <= allowed_.most_dense) {
      auto const [by_x, by_m] = call.jacobian();
      check_jacobian("jacobian", by_stream, by_x, v, m.empty() ? &slope : nullptr, detail::doubles(dy));
      if (!m.empty()) check_jacobian("jacobian by memory", by_memory, by_m, m, nullptr, {});
    }
    if constexpr (requires { k.jacobian_trace(call.x, call.given()); }) check_trace(k, call.x, call.given());
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
  xt::xtensor<Real, Rank> memory_tensor(std::vector<double> const& numbers) const {
    if (numbers.empty()) return {};
    return tensor(numbers, graph_.input(1).shape);
  }

  /// Run-time axes: from the stream's shape, and from the parameters' where it does not tell.
  template <class Parameters>
  void learn_extents(Parameters const& p, std::array<std::size_t, Rank> const& shape) {
    auto learn = [&](graph::axis_value const& axis, std::size_t length, std::string const& what) {
      std::int64_t const given = static_cast<std::int64_t>(length);
      std::int64_t const known =
          axis.extent != graph::run_time ? axis.extent : exact_.lengths.try_emplace(std::string(axis.name), given).first->second;
      if (known != given)
        note(what, "axis " + std::string(axis.name) + " is " + std::to_string(given) + ", must be " + std::to_string(known));
    };
    graph::shape_value const& stream = graph_.input().shape;
    if (stream.rank != Rank) return note("x", "has rank " + std::to_string(Rank) + ", must have " + std::to_string(stream.rank));
    for (std::size_t i = 0; i < Rank; ++i) learn(stream.axes[i], shape[i], "x");
    std::set<std::string, std::less<>> seen;
    std::vector<parameter_shape> const known = parameter_shapes(graph_);
    for_each(p, [&](auto const& path, auto const& tensor) {
      std::string const name(path);
      auto const found = std::find_if(known.begin(), known.end(), [&](parameter_shape const& each) { return each.path == name; });
      if (!seen.insert(name).second) return note("parameters", "has " + name + " twice");
      if (found == known.end()) return note("parameters", "has " + name + ", which the block does not have");
      std::vector<std::size_t> const given = detail::shape_of(tensor);
      if (given.size() != found->axes.size())
        return note(name, "has shape " + detail::written(given) + ", must have rank " + std::to_string(found->axes.size()));
      for (std::size_t i = 0; i < given.size(); ++i) learn(found->axes[i], given[i], name);
    });
    for (parameter_shape const& each : known)
      if (!seen.contains(each.path)) note("parameters", "has no " + each.path);
    if (!broken_) exact_.lengths = with_renamed(graph_, exact_.lengths);
  }

  /// The same numbers, each one that Real can hold, in the kernel's parameters and in the oracle's.
  template <class Parameters>
  void fill(Parameters& p) {
    if (broken_) return;
    for (parameter_shape const& each : parameter_shapes(graph_))
      exact_.weights.emplace(each.path, rounded(plausible(each, exact_.lengths, source_)));
    exact_.x = rounded(source_.list(size_of(exact_.lengths, graph_.input().shape)));
    if (reads_memory(graph_)) exact_.memory = rounded(source_.list(size_of(exact_.lengths, graph_.input(1).shape)));
    for_each(p, [&](auto const& path, auto& tensor) { detail::fill(tensor, exact_.weights.at(std::string(path))); });
    rough_ = converted<float>(exact_);
    work_ = detail::work_of(exact_);
  }

  static std::vector<double> rounded(std::vector<double> numbers) {
    for (double& each : numbers) each = static_cast<double>(static_cast<Real>(each));
    return numbers;
  }

  xt::xtensor<Real, Rank> tensor(std::vector<double> const& numbers, graph::shape_value const& shape) const {
    std::array<std::size_t, Rank> lengths{};
    for (std::size_t i = 0; i < Rank; ++i) lengths[i] = length_of(exact_.lengths, shape.axes[i]);
    auto made = xt::xtensor<Real, Rank>::from_shape(lengths);
    detail::fill(made, numbers);
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
    note(what, detail::difference(actual, wanted, allowance(wanted)));
  }
  template <class Tensor>
  void check_shape(std::string const& what, Tensor const& tensor, graph::shape_value const& shape) {
    std::vector<std::size_t> wanted;
    for (std::size_t i = 0; i < shape.rank; ++i) wanted.push_back(length_of(exact_.lengths, shape.axes[i]));
    std::vector<std::size_t> const given = detail::shape_of(tensor);
    note(what + ": shape", given == wanted ? "" : "is " + detail::written(given) + ", must be " + detail::written(wanted));
  }

  /// Entries of J^T u: all of them, or a sample in a large block.
  template <class Tensor>
  expected check_gradient(std::string const& what, std::string_view by, std::vector<double> const& u, Tensor const& gradient) {
    std::size_t const count = variable(exact_, by).size();
    if (gradient.size() != count) {
      note(what, "has " + std::to_string(gradient.size()) + " elements, must have " + std::to_string(count));
      return {};
    }
    std::vector<std::size_t> const chosen = detail::affordable(count, work_, allowed_.most_work, source_);
    expected const wanted = expect<Real>(vjp_entries(jacobian_columns(exact_, by, chosen), u),
                                         vjp_entries(jacobian_columns(rough_, by, chosen), converted<float>(u)));
    check(what, detail::doubles(gradient, chosen), wanted);
    return wanted;
  }

  /// <J^T u, w> = <u, J w> for a direction w of one parameter: every entry counts, in a block of any size.
  template <class Tensor>
  void check_along(std::string const& what, std::string_view by, std::vector<double> const& u, Tensor const& gradient) {
    std::vector<double> const w = source_.list(variable(exact_, by).size());
    if (gradient.size() != w.size()) return;
    expected const slope = expect<Real>(jvp(exact_, by, w), jvp(rough_, by, converted<float>(w)));
    check_products(what, detail::doubles(gradient), w, u, slope.numbers, 0, slope.slack);
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
    note(what, detail::difference({left}, {{right}}, allowed_.relative * size + allowed_.plain * errors + allowed_.cancelled));
  }

  /// A dense Jacobian, entry by entry (or a sample of its columns) and, where it is the only one, times v against the JVP.
  template <class Dense>
  void check_jacobian(std::string const& what, std::string_view by, Dense const& dense, std::vector<double> const& v,
                      expected const* slope, std::vector<double> const& dy) {
    std::size_t const in = v.size();
    std::size_t const out = size_of(exact_.lengths, graph_.result().shape);
    std::vector<std::size_t> const given = detail::shape_of(dense);
    bool const fits = given == std::vector<std::size_t>{out, in};
    note(what + ": shape", fits ? "" : "is " + detail::written(given) + ", must be " + detail::written({out, in}));
    if (!fits) return;
    std::vector<std::size_t> const chosen = detail::affordable(in, work_, allowed_.most_work, source_);
    expected const wanted = expect<Real>(jacobian_columns(exact_, by, chosen).data, jacobian_columns(rough_, by, chosen).data);
    std::vector<double> actual;
    expected product{std::vector<double>(out, 0.0), wanted.slack};
    for (std::size_t i = 0; i < out; ++i) {
      for (std::size_t j : chosen) actual.push_back(static_cast<double>(dense(i, j)));
      for (std::size_t j = 0; j < in; ++j) product.numbers[i] += static_cast<double>(dense(i, j)) * v[j];
    }
    check(what, actual, wanted);
    if (!slope) return;
    double size = 0;
    for (double each : v) size += std::abs(each);
    note("jacobian times v = jvp", detail::difference(dy, product, allowance(*slope) + size * allowance(wanted)));
  }

  template <class Kernel, class Tensor, class Padding>
  void check_trace(Kernel const& k, Tensor const& x, Padding const& given) {
    std::size_t const in = exact_.x.size();
    if (in != size_of(exact_.lengths, graph_.result().shape) ||
        detail::affordable(in, work_, allowed_.most_work, source_).size() != in)
      return;
    matrix<double> const columns = dense_jacobian(exact_);
    expected const wanted = expect<Real>(columns.data, dense_jacobian(rough_).data);
    expected trace{{0.0}, 0};
    double size = 0;
    for (std::size_t i = 0; i < in; ++i) trace.numbers[0] += columns(i, i), size += std::abs(columns(i, i));
    double const allowed =
        allowed_.relative * size + allowed_.plain * wanted.slack * static_cast<double>(in) + allowed_.cancelled;
    note("jacobian_trace", detail::difference({static_cast<double>(k.jacobian_trace(x, given))}, trace, allowed));
  }

  graph_view graph_;
  tolerances allowed_;
  noise source_;
  problem<double> exact_{};
  problem<float> rough_{};
  call_setting setting_;
  std::size_t work_ = 1;
  std::vector<finding> findings_;
  bool broken_ = false;
};

template <class Kernel>
struct scalar_of;
template <template <class> class Kernel, class Real>
struct scalar_of<Kernel<Real>> {
  using type = Real;
};

/// Every comparison of one block, each with what it found.
template <class Kernel, class Parameters, std::size_t Rank>
std::vector<finding> compare_block(graph_view const& graph, Parameters p, std::array<std::size_t, Rank> shape, std::uint64_t seed,
                                   tolerances const& allowed, call_setting const& setting = {}) {
  using Real = typename scalar_of<Kernel>::type;
  return comparison<Real, Rank>(graph, allowed, seed, setting).template run<Kernel>(std::move(p), shape);
}

/// check_block<my_kernels::pre_norm::kernel<float>>(blocks::pre_norm.view(), my_kernels::pre_norm::parameters<float>{}, shape,
/// seed): one BOOST_TEST for each comparison, with a message that names block, scalar, shape and parameter path.
template <class Kernel, class Parameters, std::size_t Rank>
void check_block(graph_view const& graph, Parameters p, std::array<std::size_t, Rank> shape, std::uint64_t seed,
                 tolerances const& allowed = usual<typename scalar_of<Kernel>::type>, call_setting const& setting = {}) {
  constexpr bool single = std::is_same_v<typename scalar_of<Kernel>::type, float>;
  std::string const where = "block " + std::string(graph.name) + ", " + (single ? "float" : "double") + ", x " +
                            detail::written({shape.begin(), shape.end()}) + ", seed " + std::to_string(seed) + ": ";
  for (finding const& each : compare_block<Kernel>(graph, std::move(p), shape, seed, allowed, setting))
    BOOST_TEST(each.problem.empty(), where << each.what << ": " << each.problem);
}

}  // namespace residua::oracle
