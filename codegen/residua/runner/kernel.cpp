#include <residua/rt/interface/any_kernel.hpp>
#include <residua/runner/description.hpp>
#include <residua/runner/kernel.hpp>

#include <stdexcept>

namespace residua::runner {

namespace {

/// What the runtime reads of a tensor.
template <class Real>
class view {
 public:
  using value_type = std::remove_const_t<Real>;

  view(std::vector<std::size_t> const& extents, Real* data) : extents_(extents), strides_(extents.size()), data_(data) {
    std::size_t stride = 1;
    for (std::size_t i = extents_.size(); i > 0; --i) {
      strides_[i - 1] = stride;
      stride *= extents_[i - 1];
    }
  }
  Real* data() const { return data_; }
  std::size_t data_offset() const { return 0; }
  std::vector<std::size_t> const& shape() const { return extents_; }
  std::vector<std::size_t> const& strides() const { return strides_; }

 private:
  std::vector<std::size_t> extents_;
  std::vector<std::size_t> strides_;
  Real* data_;
};

std::size_t product(std::vector<std::size_t> const& extents) {
  std::size_t size = 1;
  for (std::size_t each : extents) size *= each;
  return size;
}

/// A list of tensors as the runtime takes it.
template <class Real>
class views {
 public:
  template <class Streams>
  explicit views(Streams& list) {
    list_.reserve(list.size());
    for (auto& each : list) add(each);
    for (auto const& each : list_) pointers_.push_back(&each);
  }
  template <class Tensor>
  void add(Tensor& each) {
    if (each.numbers.size() != product(each.extents))
      throw std::invalid_argument("a stream has " + std::to_string(each.numbers.size()) + " numbers, by its extents it has " +
                                  std::to_string(product(each.extents)));
    view<Real> whole(each.extents, each.numbers.data());
    list_.emplace_back(whole);
  }
  operator std::span<rt::tensor_view<Real> const* const>() const { return pointers_; }

 private:
  std::vector<rt::tensor_view<Real>> list_;
  std::vector<rt::tensor_view<Real> const*> pointers_;
};

/// The parameters in the order of the block's list.
template <class Real>
struct listed {
  std::vector<tensor<Real>> list;

  rt::any_parameters<Real> any() {
    return {&list, [](void* of, rt::tensor_visitor<Real>& visitor) {
              for (tensor<Real>& each : *static_cast<std::vector<tensor<Real>>*>(of)) {
                view<Real> whole(each.extents, each.numbers.data());
                visitor.visit(rt::tensor_view<Real>(whole));
              }
            }};
  }
};

rt::padding of(padding const& given) { return {given.lengths, given.memory_lengths}; }

}  // namespace

template <class Real>
struct kernel<Real>::parts {
  parts(std::shared_ptr<codegen::block_plan const> plan, widths const& chosen, runner::parameters<Real> const& p,
        rt::instruction_set set)
      : description(std::move(plan), set),
        sizes(chosen_sizes(chosen)),
        parameters(listed_from(p)),
        any(description.block(), sizes, parameters.any()) {}

  std::vector<rt::index> chosen_sizes(widths const& chosen) const {
    std::vector<rt::index> list;
    for (std::string_view name : description.block().sizes) {
      auto const found = chosen.find(name);
      if (found == chosen.end()) throw std::invalid_argument("extents: " + std::string(name) + " is not given");
      list.push_back(found->second);
    }
    return list;
  }
  std::vector<std::size_t> shape_of(rt::parameter_description const& p) const {
    std::vector<std::size_t> extents;
    for (rt::axis_description const& axis : p.axes) extents.push_back(static_cast<std::size_t>(axis.extent.in(sizes.data())));
    return extents;
  }
  listed<Real> listed_from(runner::parameters<Real> const& p) const {
    listed<Real> made;
    for (rt::parameter_description const& each : description.block().parameters) {
      auto const found = p.find(each.path);
      if (found == p.end()) throw std::invalid_argument(std::string(each.path) + ": is not given");
      made.list.push_back({shape_of(each), found->second});
      if (found->second.size() != product(made.list.back().extents))
        throw std::invalid_argument(std::string(each.path) + ": has " + std::to_string(found->second.size()) +
                                    " numbers, must have " + std::to_string(product(made.list.back().extents)));
    }
    return made;
  }
  /// Zeros for every output.
  streams outputs_for(views<Real const> const& x) const {
    return outputs_of([&](std::size_t i, std::span<std::size_t> extents) { any.shape_of(i, x, extents); });
  }
  streams outputs_for_step(views<Real const> const& x) const {
    return outputs_of([&](std::size_t i, std::span<std::size_t> extents) { any.shape_of_step(i, x, extents); });
  }
  template <class ShapeOf>
  streams outputs_of(ShapeOf const& shape_of) const {
    streams made(description.block().outputs.size());
    for (std::size_t i = 0; i < made.size(); ++i) {
      made[i].extents.resize(description.block().outputs[i].axes.size());
      shape_of(i, made[i].extents);
      made[i].numbers.resize(product(made[i].extents));
    }
    return made;
  }

  runner::description<Real> description;
  std::vector<rt::index> sizes;
  listed<Real> parameters;
  rt::any_kernel<Real> any;
};

template <class Real>
kernel<Real>::kernel(graph::graph_view const& graph, widths const& chosen, parameters<Real> const& p, rt::instruction_set set)
    : kernel(std::make_shared<codegen::block_plan const>(codegen::plan_block(std::string(graph.name), graph)), chosen, p, set) {}

template <class Real>
kernel<Real>::kernel(std::shared_ptr<codegen::block_plan const> plan, widths const& chosen, parameters<Real> const& p,
                     rt::instruction_set set)
    : parts_(std::make_unique<parts>(std::move(plan), chosen, p, set)) {}

template <class Real>
kernel<Real>::~kernel() = default;
template <class Real>
kernel<Real>::kernel(kernel&&) noexcept = default;

template <class Real>
codegen::block_plan const& kernel<Real>::plan() const {
  return parts_->description.plan();
}

template <class Real>
rt::instruction_set kernel<Real>::instructions() const {
  return parts_->any.instructions();
}

template <class Real>
typename kernel<Real>::streams kernel<Real>::forward(streams const& x, padding const& given) const {
  views<Real const> const seen(x);
  streams y = parts_->outputs_for(seen);
  parts_->any.forward(seen, views<Real>(y), of(given), nullptr);
  return y;
}

template <class Real>
std::pair<typename kernel<Real>::streams, typename kernel<Real>::streams> kernel<Real>::jvp(streams const& x, streams const& dx,
                                                                                            padding const& given) const {
  views<Real const> const seen(x);
  std::pair<streams, streams> made{parts_->outputs_for(seen), parts_->outputs_for(seen)};
  parts_->any.jvp(seen, views<Real const>(dx), views<Real>(made.first), views<Real>(made.second), of(given), nullptr);
  return made;
}

template <class Real>
gradients<Real> kernel<Real>::vjp(streams const& x, streams const& g, padding const& given) const {
  views<Real const> const seen(x);
  gradients<Real> made{x, {}};
  listed<Real> into = parts_->parameters;
  parts_->any.vjp(seen, views<Real const>(g), views<Real>(made.inputs), into.any(), of(given), nullptr);
  for (std::size_t i = 0; i < into.list.size(); ++i)
    made.parameters.emplace(parts_->description.block().parameters[i].path, std::move(into.list[i].numbers));
  return made;
}

template <class Real>
typename kernel<Real>::streams kernel<Real>::jacobian(streams const& x, padding const& given) const {
  views<Real const> const seen(x);
  streams made;
  for (tensor<Real> const& y : parts_->outputs_for(seen))
    for (tensor<Real> const& each : x)
      made.push_back({{y.numbers.size(), each.numbers.size()}, std::vector<Real>(y.numbers.size() * each.numbers.size())});
  parts_->any.jacobian(seen, views<Real>(made), of(given));
  return made;
}

template <class Real>
struct cache<Real>::parts {
  rt::token_cache<Real> tokens;
};
template <class Real>
cache<Real>::cache(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
template <class Real>
cache<Real>::~cache() = default;
template <class Real>
cache<Real>::cache(cache&&) noexcept = default;

template <class Real>
cache<Real> kernel<Real>::make_cache(streams const& x, std::ptrdiff_t capacity, padding const& given) const {
  auto made = [](rt::token_cache<Real> tokens) {
    using cache_parts = typename cache<Real>::parts;
    return cache<Real>(std::make_unique<cache_parts>(cache_parts{std::move(tokens)}));
  };
  streams others;
  for (std::size_t i = 0; i < x.size(); ++i)
    if (parts_->description.block().inputs[i].tokens > 0) others.push_back(x[i]);
  if (!others.empty()) return made(parts_->any.make_cache(views<Real const>(others), capacity, of(given)));
  std::vector<rt::index> extents(x.at(0).extents.begin(), x[0].extents.end() - 1);
  extents.back() = capacity;
  return made(parts_->any.make_cache(extents));
}

template <class Real>
typename kernel<Real>::streams kernel<Real>::step(streams const& x, cache<Real>& seen) const {
  views<Real const> const given(x);
  streams y = parts_->outputs_for_step(given);
  parts_->any.step(given, views<Real>(y), seen.parts_->tokens, nullptr);
  return y;
}

template class kernel<float>;
template class kernel<double>;
template class cache<float>;
template class cache<double>;

}  // namespace residua::runner
