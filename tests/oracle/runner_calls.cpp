#include "runner_calls.hpp"

#include <residua/codegen/pipeline.hpp>

namespace residua::oracle {

namespace {

template <class Real>
runner::tensor<Real> written(numbers const& given) {
  return {given.shape, {given.data.begin(), given.data.end()}};
}
template <class Real>
numbers read(runner::tensor<Real> const& t) {
  return {t.extents, {t.numbers.begin(), t.numbers.end()}};
}
template <class Real>
std::vector<runner::tensor<Real>> streams(numbers const& x, numbers const& memory) {
  std::vector<runner::tensor<Real>> list{written<Real>(x)};
  if (!memory.shape.empty()) list.push_back(written<Real>(memory));
  return list;
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
numbers runner_calls<Real>::forward(numbers const& x, numbers const& memory, call_setting const& given) const {
  return read(kernel_->forward(streams<Real>(x, memory), padding_of(given))[0]);
}

template <class Real>
std::pair<numbers, numbers> runner_calls<Real>::jvp(numbers const& x, numbers const& memory, numbers const& dx,
                                                    numbers const& dmemory, call_setting const& given) const {
  auto const [y, dy] = kernel_->jvp(streams<Real>(x, memory), streams<Real>(dx, dmemory), padding_of(given));
  return {read(y[0]), read(dy[0])};
}

template <class Real>
gradients runner_calls<Real>::vjp(numbers const& x, numbers const& memory, numbers const& dy, call_setting const& given) const {
  runner::gradients<Real> const g = kernel_->vjp(streams<Real>(x, memory), {written<Real>(dy)}, padding_of(given));
  gradients made{read(g.inputs[0]), g.inputs.size() > 1 ? read(g.inputs[1]) : numbers{}, parameters()};
  for (auto& [path, into] : made.parameters) {
    std::vector<Real> const& from = g.parameters.at(path);
    into.data.assign(from.begin(), from.end());
  }
  return made;
}

template <class Real>
std::pair<numbers, numbers> runner_calls<Real>::jacobian(numbers const& x, numbers const& memory,
                                                         call_setting const& given) const {
  auto const j = kernel_->jacobian(streams<Real>(x, memory), padding_of(given));
  return {read(j[0]), j.size() > 1 ? read(j[1]) : numbers{}};
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
