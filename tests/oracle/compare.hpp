#pragma once
// A kernel against the interpreter, everything that it computes: result, JVP, VJP, parameter gradients, dense Jacobian, trace,
// and these against each other. The comparison is compiled once (compare.cpp); a block brings its calls and no more.
#include <array>
#include <boost/test/unit_test.hpp>
#include <map>
#include <memory>
#include <optional>
#include <residua/reference/problem.hpp>
#include <residua/rt/interface/workspace.hpp>
#include <string>
#include <tuple>
#include <vector>
#include <xtensor/xtensor.hpp>

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
  std::size_t least_columns = 16;       // of that sample
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

/// A tensor as its shape and its numbers.
struct numbers {
  std::vector<std::size_t> shape;
  std::vector<double> data;
};

using tensors = std::vector<numbers>;

/// Gradients as a kernel gives them: by the inputs, and by the parameters' paths in their order.
struct gradients {
  tensors inputs;
  std::vector<std::pair<std::string, numbers>> parameters;
};

/// A block's calls, whoever runs it: a compiled kernel, or the runner. Inputs are the block's streams and its memory.
class block_calls {
 public:
  virtual ~block_calls() = default;

  virtual bool single() const = 0;  // float
  /// Paths and shapes of the parameters, in the kernel's order.
  virtual std::vector<std::pair<std::string, numbers>> parameters() const = 0;
  virtual void set(std::map<std::string, std::vector<double>, std::less<>> const& weights) = 0;

  virtual tensors forward(tensors const& x, call_setting const& given) const = 0;
  /// y and dy
  virtual std::pair<tensors, tensors> jvp(tensors const& x, tensors const& dx, call_setting const& given) const = 0;
  virtual gradients vjp(tensors const& x, tensors const& dy, call_setting const& given) const = 0;
  /// Of each result by each input, result by result.
  virtual tensors jacobian(tensors const& x, call_setting const& given) const = 0;
  /// Nothing where the kernel has no trace.
  virtual std::optional<double> trace(tensors const& x, call_setting const& given) const = 0;
};

/// One comparison; `problem` is empty where it holds.
struct finding {
  std::string what;
  std::string problem;
};

/// Every comparison of one block at one stream shape, parameters and inputs drawn from the seed, each with what it found.
std::vector<finding> compare_block(graph_view const& graph, block_calls& kernel, std::vector<std::size_t> const& shape,
                                   std::uint64_t seed, tolerances const& allowed, call_setting const& setting = {});

/// One BOOST_TEST for each comparison, with a message that names block, scalar, shape and parameter path.
void check_block(graph_view const& graph, block_calls& kernel, std::vector<std::size_t> const& shape, std::uint64_t seed,
                 tolerances const& allowed, call_setting const& setting = {});

template <class Kernel>
struct scalar_of;
template <template <class> class Kernel, class Real>
struct scalar_of<Kernel<Real>> {
  using type = Real;
};

/// Of a tuple how many, otherwise one.
template <class T>
inline constexpr std::size_t count_of = 1;
template <class... T>
inline constexpr std::size_t count_of<std::tuple<T...>> = sizeof...(T);

/// The calls of a generated kernel.
template <class Kernel, class Parameters, std::size_t Rank>
class kernel_calls : public block_calls {
 public:
  using Real = typename scalar_of<Kernel>::type;
  using stream = xt::xtensor<Real, Rank>;
  explicit kernel_calls(Parameters p) : parameters_(std::move(p)) {}

  bool single() const override { return std::is_same_v<Real, float>; }
  std::vector<std::pair<std::string, numbers>> parameters() const override { return listed(parameters_); }
  void set(std::map<std::string, std::vector<double>, std::less<>> const& weights) override {
    for_each(parameters_, [&](auto const& path, auto& tensor) {
      std::vector<double> const& given = weights.at(std::string(path));
      for (std::size_t i = 0; i < given.size(); ++i) tensor.data()[i] = static_cast<Real>(given[i]);
    });
    kernel_.emplace(parameters_);
  }

  tensors forward(tensors const& x, call_setting const& given) const override {
    return with_inputs([&](auto... i) { return read_results(kernel_->forward(made(x[i])..., padding_of(given))); });
  }
  std::pair<tensors, tensors> jvp(tensors const& x, tensors const& dx, call_setting const& given) const override {
    return with_inputs([&](auto... i) {
      auto const both = kernel_->jvp(made(x[i])..., made(dx[i])..., padding_of(given));
      return std::pair(read_results(both.first), read_results(both.second));
    });
  }
  gradients vjp(tensors const& x, tensors const& dy, call_setting const& given) const override {
    return with_inputs([&](auto... i) {
      using Result = decltype(kernel_->forward(made(x[i])..., padding_of(given)));
      return with<count_of<Result>>([&](auto... o) {
        auto g = kernel_->vjp(made(x[i])..., made(dy[o])..., padding_of(given));
        if constexpr (requires { g.streams(); }) return gradients{read_results(g.streams()), listed(g.parameters)};
        else return gradients{{read(g.x)}, listed(g.parameters)};
      });
    });
  }
  tensors jacobian(tensors const& x, call_setting const& given) const override {
    return with_inputs([&](auto... i) { return read_results(kernel_->jacobian(made(x[i])..., padding_of(given))); });
  }
  std::optional<double> trace(tensors const& x, call_setting const& given) const override {
    if constexpr (requires(Kernel const& k, stream const& s) { k.jacobian_trace(s, padding_of(given)); })
      return static_cast<double>(kernel_->jacobian_trace(made(x[0]), padding_of(given)));
    else return std::nullopt;
  }

 private:
  static constexpr std::size_t input_count() {
    if constexpr (requires(typename Kernel::gradient_type g) { g.streams(); })
      return count_of<decltype(std::declval<typename Kernel::gradient_type&>().streams())>;
    else return 1;
  }
  /// act(0, 1, ...), as constants
  template <std::size_t Count, class Action>
  static auto with(Action const& act) {
    return [&]<std::size_t... I>(std::index_sequence<I...>) {
      return act(std::integral_constant<std::size_t, I>()...);
    }(std::make_index_sequence<Count>());
  }
  template <class Action>
  static auto with_inputs(Action const& act) {
    return with<input_count()>(act);
  }

  template <class Tensor>
  static numbers read(Tensor const& tensor) {
    return {{tensor.shape().begin(), tensor.shape().end()}, {tensor.data(), tensor.data() + tensor.size()}};
  }
  /// What a call gives: a tensor, a tuple of them, or those by x and by the memory.
  template <class Result>
  static tensors read_results(Result const& result) {
    if constexpr (requires { std::tuple_size<Result>::value; })
      return std::apply([](auto const&... each) { return tensors{read(each)...}; }, result);
    else if constexpr (requires { result.memory; }) return {read(result.x), read(result.memory)};
    else return {read(result)};
  }
  template <std::size_t R>
  static xt::xtensor<Real, R> xtensor_of(numbers const& given) {
    std::array<std::size_t, R> shape{};
    std::copy(given.shape.begin(), given.shape.end(), shape.begin());
    auto tensor = xt::xtensor<Real, R>::from_shape(shape);
    for (std::size_t i = 0; i < given.data.size(); ++i) tensor.data()[i] = static_cast<Real>(given.data[i]);
    return tensor;
  }
  static stream made(numbers const& given) { return xtensor_of<Rank>(given); }
  static std::vector<std::pair<std::string, numbers>> listed(Parameters const& p) {
    std::vector<std::pair<std::string, numbers>> list;
    for_each(p, [&](auto const& path, auto const& tensor) { list.emplace_back(std::string(path), read(tensor)); });
    return list;
  }
  static residua::rt::padding padding_of(call_setting const& given) {
    return {{given.lengths.data(), given.lengths.size()}, {given.memory_lengths.data(), given.memory_lengths.size()}};
  }

  Parameters parameters_;
  std::optional<Kernel> kernel_;
};

/// check_block<my_kernels::pre_norm::kernel<float>>(blocks::pre_norm.view(), my_kernels::pre_norm::parameters<float>{}, shape,
/// seed).
template <class Kernel, class Parameters, std::size_t Rank>
void check_block(graph_view const& graph, Parameters p, std::array<std::size_t, Rank> shape, std::uint64_t seed,
                 tolerances const& allowed = usual<typename scalar_of<Kernel>::type>, call_setting const& setting = {}) {
  kernel_calls<Kernel, Parameters, Rank> kernel(std::move(p));
  check_block(graph, kernel, {shape.begin(), shape.end()}, seed, allowed, setting);
}
template <class Kernel, class Parameters, std::size_t Rank>
std::vector<finding> compare_block(graph_view const& graph, Parameters p, std::array<std::size_t, Rank> shape, std::uint64_t seed,
                                   tolerances const& allowed, call_setting const& setting = {}) {
  kernel_calls<Kernel, Parameters, Rank> kernel(std::move(p));
  return compare_block(graph, kernel, {shape.begin(), shape.end()}, seed, allowed, setting);
}

}  // namespace residua::oracle
