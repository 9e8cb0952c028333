// A kernel of any block behind views of tensors, with every argument checked. The class that a user sees (kernel.hpp) is a
// thin cover of it. Compiled into the package's library, for float and double.
#pragma once

#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/interface/cache.hpp>
#include <residua/rt/interface/parameters.hpp>
#include <residua/rt/interface/workspace.hpp>

#include <initializer_list>
#include <memory>

namespace residua::rt {

template <class Real>
class engine;

/// Every call throws std::invalid_argument, before anything is written, where an argument is wrong. A null workspace: the call
/// takes its memory itself. Const use is safe from several threads.
template <class Real>
class any_kernel {
 public:
  using inputs = std::span<tensor_view<Real const> const* const>;
  using outputs = std::span<tensor_view<Real> const* const>;

  /// `sizes`: the widths that are chosen at run time.
  any_kernel(block_description<Real> const& block, std::span<index const> sizes, any_parameters<Real> const& p);
  any_kernel(any_kernel&&) noexcept;
  any_kernel& operator=(any_kernel&&) noexcept;
  ~any_kernel();

  /// Packs other parameters; where it throws, those from before stay.
  void update(any_parameters<Real> const& p);
  instruction_set instructions() const;
  std::span<index const> sizes() const;

  /// The shape of an output for streams like these; throws where they are none. shape: one extent for each axis of the output.
  void shape_of(std::size_t output, inputs x, std::span<std::size_t> shape) const;
  /// Of a step, which reads the streams alone.
  void shape_of_step(std::size_t output, inputs x, std::span<std::size_t> shape) const;

  /// Checks what a call reads.
  void check(inputs x, padding const& given) const;
  void forward(inputs x, outputs y, padding const& given, workspace* scratch) const;
  void jvp(inputs x, inputs dx, outputs y, outputs dy, padding const& given, workspace* scratch) const;
  void vjp(inputs x, inputs dy, outputs gx, any_parameters<Real> const& gradients, padding const& given,
           workspace* scratch) const;

  /// The Jacobian of each output by each input, j[output * inputs + input]: zeros of (elements of the output, elements of the
  /// input), which the derivatives are written to.
  void jacobian(inputs x, outputs j, padding const& given) const;
  Real jacobian_trace(inputs x, padding const& given) const;

  /// For streams of these extents: the leading ones of the first input, then the tokens of each input with tokens of its own.
  workspace make_workspace(std::span<index const> extents) const;
  /// `extents`: the leading ones of the stream, the capacity in place of the tokens.
  token_cache<Real> make_cache(std::span<index const> extents) const;
  token_cache<Real> make_cache(inputs memories, index capacity, padding const& given) const;
  void step(inputs x, outputs y, token_cache<Real>& cache, workspace* scratch) const;

 private:
  engine<Real> const& running() const;

  std::unique_ptr<engine<Real>> engine_;
};

#if !defined(RESIDUA_HEADER_ONLY)
extern template class any_kernel<float>;
extern template class any_kernel<double>;
#endif

}  // namespace residua::rt

#if defined(RESIDUA_HEADER_ONLY)
#include <residua/rt/interface/any_kernel_definitions.hpp>
#endif
