#include "runner_calls.hpp"

#include <residua/codegen/pipeline.hpp>

namespace residua::oracle {

namespace {

template <class Real>
runner::tensor<Real> written(numbers const& given) {
  return {given.shape, {given.data.begin(), given.data.end()}};
}
template <class Real>
std::vector<runner::tensor<Real>> streams(tensors const& given) {
  std::vector<runner::tensor<Real>> list;
  for (numbers const& each : given) list.push_back(written<Real>(each));
  return list;
}
template <class Real>
tensors read(std::vector<runner::tensor<Real>> const& list) {
  tensors made;
  for (runner::tensor<Real> const& each : list) made.push_back({each.extents, {each.numbers.begin(), each.numbers.end()}});
  return made;
}
runner::padding padding_of(call_setting const& given) {
  return {{given.lengths.begin(), given.lengths.end()}, {given.memory_lengths.begin(), given.memory_lengths.end()}};
}

}  // namespace

template <class Real>
runner_calls<Real>::runner_calls(graph_view const& graph, extents const& chosen, rt::instruction_set set)
    : graph_(graph),
      chosen_(with_renamed(graph, chosen)),
      set_(set),
      plan_(std::make_shared<codegen::block_plan const>(codegen::plan_block(std::string(graph.name), graph))) {}

template <class Real>
std::vector<std::pair<std::string, numbers>> runner_calls<Real>::parameters() const {
  std::vector<std::pair<std::string, numbers>> list;
  for (parameter_shape const& each : parameter_shapes(graph_)) {
    numbers made;
    for (graph::axis_value const& axis : each.axes) made.shape.push_back(length_of(chosen_, axis));
    list.emplace_back(each.path, std::move(made));
  }
  return list;
}

template <class Real>
void runner_calls<Real>::set(std::map<std::string, std::vector<double>, std::less<>> const& weights) {
  runner::parameters<Real> p;
  for (auto const& [path, given] : weights) p.emplace(path, std::vector<Real>(given.begin(), given.end()));
  kernel_.emplace(plan_, chosen_, p, set_);
}

template <class Real>
tensors runner_calls<Real>::forward(tensors const& x, call_setting const& given) const {
  return read(kernel_->forward(streams<Real>(x), padding_of(given)));
}

template <class Real>
std::pair<tensors, tensors> runner_calls<Real>::jvp(tensors const& x, tensors const& dx, call_setting const& given) const {
  auto const [y, dy] = kernel_->jvp(streams<Real>(x), streams<Real>(dx), padding_of(given));
  return {read(y), read(dy)};
}

template <class Real>
gradients runner_calls<Real>::vjp(tensors const& x, tensors const& dy, call_setting const& given) const {
  runner::gradients<Real> const g = kernel_->vjp(streams<Real>(x), streams<Real>(dy), padding_of(given));
  gradients made{read(g.inputs), parameters()};
  for (auto& [path, into] : made.parameters) {
    std::vector<Real> const& from = g.parameters.at(path);
    into.data.assign(from.begin(), from.end());
  }
  return made;
}

template <class Real>
tensors runner_calls<Real>::jacobian(tensors const& x, call_setting const& given) const {
  return read(kernel_->jacobian(streams<Real>(x), padding_of(given)));
}

template class runner_calls<float>;
template class runner_calls<double>;

std::vector<rt::instruction_set> machine_sets() {
  std::vector<rt::instruction_set> sets;
  for (auto const& row : rt::all_instruction_sets)
    if (row.supported()) sets.push_back(row.set);
  return sets;
}

void check_by_runner(graph_view const& graph, extents const& chosen, std::vector<std::size_t> const& shape, std::uint64_t seed,
                     bool in_float, call_setting const& setting) {
  for (rt::instruction_set set : machine_sets()) {
    BOOST_TEST_CONTEXT("instruction set " << rt::name(set)) {
      runner_calls<double> exact(graph, chosen, set);
      check_block(graph, exact, shape, seed, usual<double>, setting);
      if (!in_float) continue;
      runner_calls<float> single(graph, chosen, set);
      tolerances allowed = usual<float>;
      allowed.cancelled = 2e-5;  // the gradient of a key's bias, say, is zero, as a sum of terms that are not
      check_block(graph, single, shape, seed, allowed, setting);
    }
  }
}

}  // namespace residua::oracle
