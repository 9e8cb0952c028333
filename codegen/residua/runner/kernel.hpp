// Runs a block without a compiler: the same plan that the C++ target writes is interpreted on the same kernels, by the same
// engine. What a generated kernel computes, this one computes bit for bit; it only takes a little longer between two kernels.
#pragma once

#include <residua/graph/graph.hpp>
#include <residua/rt/core/instruction_set.hpp>

#include <map>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace residua::codegen {
struct block_plan;
}

namespace residua::runner {

/// Row-major numbers with the extents of their axes.
template <class Real>
struct tensor {
  std::vector<std::size_t> extents{};
  std::vector<Real> numbers{};
};

/// The lengths of the axes that are chosen when parameters are made, by name. Others may be there too.
using widths = std::map<std::string, std::int64_t, std::less<>>;

/// The numbers of each parameter by its path, F.up.weight: a weight is (in, out), a vector (width), a scalar one number.
template <class Real>
using parameters = std::map<std::string, std::vector<Real>, std::less<>>;

/// Of each sequence, how many of its first tokens are there; none: all.
struct padding {
  std::vector<std::ptrdiff_t> lengths{};
  std::vector<std::ptrdiff_t> memory_lengths{};
};

template <class Real>
struct gradients {
  std::vector<tensor<Real>> inputs;
  runner::parameters<Real> parameters;
};

/// What `step` remembers: keys and values of the tokens so far.
template <class Real>
class cache;

/// A block that can be called. Streams are given and returned in the order of the graph's inputs and outputs.
/// Throws std::invalid_argument as generated kernels do: a parameter is missing or has another size, an axis has another
/// length, a block cannot step. Const use is safe from several threads.
template <class Real>
class kernel {
 public:
  using streams = std::vector<tensor<Real>>;

  /// A block that is planned here. The graph's storage must outlive the kernel.
  kernel(graph::graph_view const& graph, widths const& chosen, parameters<Real> const& p,
         rt::instruction_set set = rt::selected());
  /// A block that is planned already. It runs on `set`, or the best below it that the package was compiled for.
  kernel(std::shared_ptr<codegen::block_plan const> plan, widths const& chosen, parameters<Real> const& p,
         rt::instruction_set set = rt::selected());
  ~kernel();
  kernel(kernel&&) noexcept;

  codegen::block_plan const& plan() const;
  rt::instruction_set instructions() const;

  /// y = b(x)
  streams forward(streams const& x, padding const& given = {}) const;
  /// y and dy = J dx
  std::pair<streams, streams> jvp(streams const& x, streams const& dx, padding const& given = {}) const;
  /// J^T g by the inputs and by the parameters
  gradients<Real> vjp(streams const& x, streams const& g, padding const& given = {}) const;
  /// The dense Jacobian of output k by input i at k * inputs + i: (elements of the output, elements of the input).
  streams jacobian(streams const& x, padding const& given = {}) const;

  /// Room for `capacity` tokens of each sequence of a stream like x, of which only the leading extents are read; memories as
  /// they are.
  cache<Real> make_cache(streams const& x, std::ptrdiff_t capacity, padding const& given = {}) const;
  /// The results of tokens that follow those in the cache: x without a memory.
  streams step(streams const& x, cache<Real>& seen) const;

 private:
  struct parts;
  std::unique_ptr<parts> parts_;
};

template <class Real>
class cache {
 public:
  ~cache();
  cache(cache&&) noexcept;

 private:
  friend class kernel<Real>;
  struct parts;
  explicit cache(std::unique_ptr<parts> made);
  std::unique_ptr<parts> parts_;
};

extern template class kernel<float>;
extern template class kernel<double>;
extern template class cache<float>;
extern template class cache<double>;

}  // namespace residua::runner
