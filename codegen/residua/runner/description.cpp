#include <residua/codegen/names.hpp>
#include <residua/runner/description.hpp>

namespace residua::runner {

template <class Real>
description<Real>::description(std::shared_ptr<codegen::block_plan const> plan, rt::instruction_set set)
    : plan_(std::move(plan)), set_(set) {
  describe_streams();
  describe_parameters();
  describe_attentions();
  block_ = {.name = plan_->name,
            .inputs = inputs_,
            .outputs = outputs_,
            .parameters = parameters_,
            .sizes = sizes_,
            .renamed = renamed_,
            .attentions = attentions_,
            .cached = cached_,
            .has_conditions = plan_->has_conditions(),
            .forward = describe(plan_->forward, forward_),
            .jvp = describe(plan_->jvp, jvp_),
            .vjp = describe(plan_->vjp, vjp_),
            .kernels = &rt::functions_for<Real>,
            .sets = {&set_, 1}};
}

/// Of the axes before the last, those of no fixed length are given by the call.
template <class Real>
std::span<rt::axis_description const> description<Real>::stream_axes(graph::shape_value const& shape,
                                                                     graph::axis_value const& feature) {
  std::vector<rt::axis_description>& list = axes_.emplace_back();
  for (std::size_t i = 0; i + 1 < shape.rank; ++i)
    list.push_back({shape.axes[i].name, {.fixed = shape.axes[i].extent == graph::run_time ? 0 : shape.axes[i].extent}});
  list.push_back({shape.feature().name, width_of(*plan_, feature)});
  return list;
}

template <class Real>
void description<Real>::describe_streams() {
  graph::graph_view const& graph = plan_->graph;
  graph::shape_value const& first = graph.input().shape;
  for (std::size_t k = 0; k < graph.inputs.size(); ++k) {
    graph::node const& n = graph.input(k);
    std::size_t shared = 0;
    while (k > 0 && shared + 1 < first.rank && n.shape.axes[shared] == first.axes[shared]) ++shared;
    inputs_.push_back({n.symbol, stream_axes(n.shape, plan_->facts.width(graph.inputs[k])), n.tokens, shared});
  }
  for (std::size_t k = 0; k < graph.outputs.size(); ++k) {
    int const at = graph.output(k);
    std::size_t const shared = graph[at].shape.rank - (graph[at].tokens == 0 ? 1 : 2);
    std::string const& name = names_.emplace_back(codegen::result_name(k));
    outputs_.push_back({name, stream_axes(graph[at].shape, plan_->facts.width(at)), graph[at].tokens, shared});
  }
  for (graph::axis_value const& axis : plan_->run_time_widths) sizes_.push_back(axis.name);
  for (auto const& [fresh, old] : plan_->renamed_widths)
    renamed_.push_back({width_of(*plan_, fresh).chosen, {old.name, width_of(*plan_, old)}});
}

template <class Real>
void description<Real>::describe_parameters() {
  for (codegen::parameter_tensor const& each : plan_->parameters.all()) {
    std::vector<rt::axis_description>& list = axes_.emplace_back();
    for (graph::axis_value const& axis : each.shape) list.push_back({axis.name, width_of(*plan_, axis)});
    parameters_.push_back({each.path, list});
  }
}

template <class Real>
void description<Real>::describe_attentions() {
  for (codegen::attention_use const& each : plan_->attentions) attentions_.push_back({each.queries, each.keys, each.cached});
  for (codegen::cached_value const& each : plan_->cached)
    cached_.push_back({each.seen, each.written, each.stage, each.tokens, each.width, each.window});
}

template <class Real>
rt::program_description<Real> description<Real>::describe(codegen::tile_program const& program, program_tables& into) const {
  for (codegen::whole_row const& each : program.whole)
    into.whole.push_back({.is = static_cast<rt::whole_description::kind>(each.is),
                          .of = each.of,
                          .tokens = each.tokens,
                          .columns = width_of(*plan_, each.width),
                          .first = {.fixed = each.first},
                          .layers = each.layers});
  for (std::size_t i = 0; i < program.code.stages.size(); ++i) into.decoded.push_back(decode(*plan_, program, i));
  for (std::size_t i = 0; i < into.decoded.size(); ++i) {
    decoded_stage const& stage = into.decoded[i];
    into.stages.push_back({.tokens = program.code.stages[i].tokens,
                           .buffers = stage.buffers,
                           .partials = stage.partials,
                           .attentions = stage.attentions,
                           .run = &run<Real>,
                           .sum = stage.sums.empty() ? nullptr : &sum<Real>,
                           .data = &stage});
  }
  for (codegen::segment const& each : program.code.segments)
    into.segments.push_back({static_cast<int>(each.first), static_cast<int>(each.size), each.times});
  return {into.whole, into.stages, into.segments};
}

template class description<float>;
template class description<double>;

}  // namespace residua::runner
