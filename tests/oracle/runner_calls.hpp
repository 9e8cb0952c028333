#pragma once
// A block's calls by the runner: the same comparison as for compiled kernels, on any instruction set, without a compiler.
#include "compare.hpp"

#include <residua/runner/kernel.hpp>

namespace residua::oracle {

template <class Real>
class runner_calls : public block_calls {
 public:
  /// `chosen`: the lengths of the axes that are chosen when parameters are made.
  runner_calls(graph_view const& graph, extents const& chosen, rt::instruction_set set);

  bool single() const override { return std::is_same_v<Real, float>; }
  std::vector<std::pair<std::string, numbers>> parameters() const override;
  void set(std::map<std::string, std::vector<double>, std::less<>> const& weights) override;
  tensors forward(tensors const& x, call_setting const& given) const override;
  std::pair<tensors, tensors> jvp(tensors const& x, tensors const& dx, call_setting const& given) const override;
  gradients vjp(tensors const& x, tensors const& dy, call_setting const& given) const override;
  tensors jacobian(tensors const& x, call_setting const& given) const override;
  std::optional<double> trace(tensors const&, call_setting const&) const override { return std::nullopt; }

 private:
  graph_view graph_;
  extents chosen_;
  rt::instruction_set set_;
  std::shared_ptr<codegen::block_plan const> plan_;
  std::optional<runner::kernel<Real>> kernel_;
};

extern template class runner_calls<float>;
extern template class runner_calls<double>;

/// Every comparison of a block by the runner, on every instruction set of the machine, in double, and in float where
/// `in_float`.
void check_by_runner(graph_view const& graph, extents const& chosen, std::vector<std::size_t> const& shape, std::uint64_t seed,
                     bool in_float, call_setting const& setting = {});

/// The instruction sets that this machine has and the package was compiled for.
std::vector<rt::instruction_set> machine_sets();

}  // namespace residua::oracle
