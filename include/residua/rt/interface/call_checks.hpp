// What kernels check of their arguments, beyond one tensor at a time: streams against each other and against the block,
// padding, widths, parameters, overlaps. Compiled into the package's library.
#pragma once

#include <residua/rt/interface/any_kernel.hpp>
#include <residua/rt/interface/argument_checks.hpp>
#include <residua/rt/interface/engine.hpp>

#include <string>
#include <vector>

namespace residua::rt::detail {

/// The axes that an argument must have.
class axis_rules {
 public:
  axis_rules(std::span<axis_description const> axes, index const* sizes) {
    for (axis_description const& axis : axes) rules_[count_++] = {axis.name, axis.extent.in(sizes)};
  }
  /// The first `shared` axes as long as those of another argument.
  axis_rules(std::span<axis_description const> axes, index const* sizes, std::string_view origin, tensor_extents const& other,
             std::size_t shared)
      : axis_rules(axes, sizes) {
    for (std::size_t i = 0; i < shared; ++i) rules_[i] = {rules_[i].axis, other.shape[i], origin};
  }
  /// The axis of the tokens as long as that of an argument called `origin`.
  axis_rules& with_tokens(index tokens, std::string_view origin) {
    extent_rule& rule = rules_[count_ - 2];
    rule = {rule.axis, tokens, origin};
    return *this;
  }
  operator std::span<extent_rule const>() const { return {rules_, count_}; }

 private:
  extent_rule rules_[tensor_extents::most];
  std::size_t count_ = 0;
};

/// Checks the parameters and lists where they are.
template <class Real>
class parameter_list final : public tensor_visitor<Real> {
 public:
  parameter_list(std::span<parameter_description const> wanted, index const* sizes, Real** into)
      : wanted_(wanted), sizes_(sizes), into_(into) {}

  void visit(tensor_view<Real> const& t) override {
    parameter_description const& p = wanted_[at_];
    check_tensor({{}, p.path}, t, t.data, axis_rules(p.axes, sizes_));
    into_[at_++] = t.data;
  }

 private:
  std::span<parameter_description const> wanted_;
  index const* sizes_;
  Real** into_;
  std::size_t at_ = 0;
};

template <class Real>
std::vector<Real*> checked_parameters(block_description<Real> const& block, index const* sizes, any_parameters<Real> const& p) {
  std::vector<Real*> list(block.parameters.size());
  parameter_list<Real> checked(block.parameters, sizes, list.data());
  p.visit(p.of, checked);
  return list;
}

/// "extents: d is 0, must be 1 or more"
template <class Real>
void check_sizes(block_description<Real> const& block, std::span<index const> sizes) {
  for (std::size_t i = 0; i < sizes.size(); ++i)
    if (sizes[i] < 1)
      throw std::invalid_argument("extents: " + std::string(block.sizes[i]) + " is " + std::to_string(sizes[i]) +
                                  ", must be 1 or more");
  for (renamed_width const& each : block.renamed) {
    auto const fresh = static_cast<std::size_t>(each.fresh);
    index const old = each.old.extent.in(sizes.data());
    if (sizes[fresh] != old)
      throw std::invalid_argument("extents: " + std::string(block.sizes[fresh]) + " is " + std::to_string(sizes[fresh]) +
                                  ", must be " + std::to_string(old) + ": it is " + std::string(each.old.name) + ", renamed");
  }
}

inline index checked_product(std::string_view name, index a, index b) {
  index product = 0;
  if (__builtin_mul_overflow(a, b, &product))
    throw std::invalid_argument(std::string(name) + ": the extents are more than memory can hold");
  return product;
}

inline constexpr std::size_t most_streams = 16;

/// The checks of one call of a block. References the block, its widths and the call's first argument.
template <class Real>
class call_checks {
 public:
  using inputs = typename any_kernel<Real>::inputs;
  using outputs = typename any_kernel<Real>::outputs;

  explicit call_checks(engine<Real> const& of) : block_(of.block()), sizes_(of.sizes().data()) {}

  call_sequences sequences() const { return {count_, {spaces_, block_.inputs.size()}, 0}; }

  /// The streams of a call: of forward, of a step, of a new cache.
  void check_inputs(inputs x, padding const& given) {
    for (std::size_t i = 0; i < x.size(); ++i) check_input(i, *x[i], i > 0 ? x[0] : nullptr);
    set_lengths(given);
  }
  void check_streams(inputs x) {
    require_count("step", x.size(), [](int tokens) { return tokens == 0; });
    std::size_t next = 0;
    for (std::size_t i = 0; i < block_.inputs.size(); ++i)
      if (block_.inputs[i].tokens == 0) check_input(i, *x[next], next > 0 ? x[0] : nullptr), ++next;
  }
  void check_memories(inputs memories, padding const& given) {
    require_count("make_cache", memories.size(), [](int tokens) { return tokens > 0; });
    std::size_t next = 0;
    for (std::size_t i = 0; i < block_.inputs.size(); ++i)
      if (block_.inputs[i].tokens > 0) check_input(i, *memories[next++], nullptr);
    if (!given.lengths.empty()) throw std::invalid_argument("lengths: a cache has no padding of the stream, only of the memory");
    set_lengths(given);
  }

  /// Extents of streams that are not there yet: the leading ones of the first input, then the tokens of each with its own.
  void set_extents(std::string_view call, std::span<index const> extents) {
    std::size_t const leading = first().axes.size() - 1;
    std::size_t wanted = leading;
    for (std::size_t i = 0; i < block_.inputs.size(); ++i) wanted += block_.inputs[i].tokens > 0 && first_with_tokens(i) == i;
    if (extents.size() != wanted)
      throw std::invalid_argument(std::string(call) + ": has " + std::to_string(extents.size()) + " extents, must have " +
                                  std::to_string(wanted));
    set_sequences(call, extents.first(leading > 0 ? leading - 1 : 0));
    if (leading > 0) set_tokens(call, first(), extents[leading - 1]);
    for (std::size_t i = 0, next = leading; i < block_.inputs.size(); ++i)
      if (block_.inputs[i].tokens > 0 && first_with_tokens(i) == i) set_tokens(call, block_.inputs[i], extents[next++]);
  }
  /// Leading extents of the first input.
  void set_sequences(std::string_view call, std::span<index const> extents) {
    count_ = 1;
    for (std::size_t i = 0; i < extents.size(); ++i)
      count_ = checked_product(call, count_, checked_extent(call, first().axes[i], extents[i]));
  }

  /// Tangents or gradients of the inputs: "dx: axis T is 3, must be 4 (as in x)".
  template <class View>
  void check_beside_inputs(std::string_view prefix, std::span<View const* const> list, inputs x) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      stream_description const& s = block_.inputs[i];
      check_tensor({prefix, s.name}, *list[i], list[i]->data, axis_rules(s.axes, sizes_, s.name, *x[i], s.axes.size() - 1));
    }
  }
  /// Outputs, their tangents or cotangents.
  template <class View>
  void check_outputs(std::string_view prefix, std::span<View const* const> list, tensor_extents const& x) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      stream_description const& s = block_.outputs[i];
      axis_rules rules(s.axes, sizes_, first().name, x, s.shared);
      if (s.tokens > 0) rules.with_tokens(spaces_[s.tokens].tokens, input_with_tokens(s.tokens).name);
      check_tensor({prefix, s.name}, *list[i], list[i]->data, rules);
    }
  }
  /// The extents of an output, of streams that are checked.
  void shape_of(std::size_t output, tensor_extents const& x, std::span<std::size_t> shape) const {
    stream_description const& y = block_.outputs[output];
    for (std::size_t i = 0; i < shape.size(); ++i)
      shape[i] = static_cast<std::size_t>(i < y.shared ? x.shape[i] : y.axes[i].extent.in(sizes_));
    if (y.tokens > 0) shape[shape.size() - 2] = static_cast<std::size_t>(spaces_[y.tokens].tokens);
  }

  void set_lengths(padding const& given) {
    int const memory = own_tokens();
    bool const any = !(given.lengths.empty() && given.memory_lengths.empty());
    if (block_.attentions.empty() && (memory > 0 ? any : !given.lengths.empty()))
      throw std::invalid_argument("lengths: this block has no attention that could use them");
    if (memory == 0 && !given.memory_lengths.empty()) throw std::invalid_argument("memory_lengths: this block reads no memory");
    spaces_[0].lengths = check_lengths("lengths", given.lengths, count_, spaces_[0].tokens);
    if (memory > 0)
      spaces_[memory].lengths = check_lengths("memory_lengths", given.memory_lengths, count_, spaces_[memory].tokens);
  }

 private:
  stream_description const& first() const { return block_.inputs[0]; }

  /// The first input that has the tokens of this one.
  std::size_t first_with_tokens(std::size_t i) const {
    std::size_t found = 0;
    while (block_.inputs[found].tokens != block_.inputs[i].tokens) ++found;
    return found;
  }
  stream_description const& input_with_tokens(int tokens) const {
    std::size_t i = 0;
    while (block_.inputs[i].tokens != tokens) ++i;
    return block_.inputs[i];
  }

  void check_input(std::size_t i, tensor_view<Real const> const& x, tensor_view<Real const> const* first_of_call) {
    stream_description const& s = block_.inputs[i];
    axis_rules rules =
        first_of_call ? axis_rules(s.axes, sizes_, first().name, *first_of_call, s.shared) : axis_rules(s.axes, sizes_);
    if (s.tokens > 0 && first_with_tokens(i) < i) rules.with_tokens(spaces_[s.tokens].tokens, input_with_tokens(s.tokens).name);
    check_tensor({{}, s.name}, x, x.data, rules);
    std::size_t const rank = s.axes.size();
    index count = 1;
    for (std::size_t axis = 0; axis + 2 < rank; ++axis) count = checked_product(s.name, count, x.shape[axis]);
    if (!first_of_call) count_ = count;
    spaces_[s.tokens].tokens = rank > 1 ? x.shape[rank - 2] : 1;
  }
  /// As many streams as the block has in these token spaces.
  template <class OfCall>
  void require_count(std::string_view call, std::size_t given, OfCall const& of_call) const {
    std::size_t wanted = 0;
    for (stream_description const& each : block_.inputs) wanted += of_call(each.tokens);
    if (given != wanted)
      throw std::invalid_argument(std::string(call) + ": has " + std::to_string(given) + " streams, must have " +
                                  std::to_string(wanted));
  }
  void set_tokens(std::string_view call, stream_description const& of, index tokens) {
    spaces_[of.tokens].tokens = checked_extent(call, of.axes[of.axes.size() - 2], tokens);
    checked_product(call, count_, tokens);
  }
  static index checked_extent(std::string_view call, axis_description const& axis, index extent) {
    if (extent < 0)
      throw std::invalid_argument(std::string(call) + ": axis " + std::string(axis.name) + " is " + std::to_string(extent) +
                                  ", must be 0 or more");
    return extent;
  }
  /// The last token space: the memory's where there is one, otherwise of the streams; 0 where they have one alone.
  int own_tokens() const {
    int last = 0;
    for (stream_description const& s : block_.inputs) last = s.tokens > last ? s.tokens : last;
    return last;
  }

  block_description<Real> const& block_;
  index const* sizes_;
  index count_ = 1;
  token_space spaces_[most_streams];
};

/// Each of a call's results apart from all that it reads and from the results before it.
template <class Real>
class overlap_check {
 public:
  using inputs = typename any_kernel<Real>::inputs;
  using outputs = typename any_kernel<Real>::outputs;

  explicit overlap_check(inputs a, inputs b = {}) : read_{a, b} {}

  void add(std::string_view prefix, std::span<stream_description const> streams, outputs list, outputs before = {}) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      argument_name const name{prefix, streams[i].name};
      against_read(name, *list[i]);
      for (tensor_view<Real> const* other : before) require_apart(name, *list[i], *other);
      for (std::size_t k = 0; k < i; ++k) require_apart(name, *list[i], *list[k]);
    }
  }
  template <class View>
  void against_read(argument_name const& name, View const& one) const {
    for (inputs list : read_)
      for (tensor_view<Real const> const* other : list) require_apart(name, one, *other);
  }

 private:
  inputs read_[2];
};

/// Lists the gradients of the parameters, each apart from the call's other arguments.
template <class Real>
class gradient_list final : public tensor_visitor<Real> {
 public:
  gradient_list(block_description<Real> const& block, parameter_list<Real>& checked, overlap_check<Real> const& apart,
                typename any_kernel<Real>::outputs gx)
      : block_(block), checked_(checked), apart_(apart), gx_(gx) {}

  void visit(tensor_view<Real> const& t) override {
    checked_.visit(t);
    argument_name const name{"g.parameters.", block_.parameters[at_++].path};
    apart_.against_read(name, t);
    for (tensor_view<Real> const* other : gx_) require_apart(name, t, *other);
  }

 private:
  block_description<Real> const& block_;
  parameter_list<Real>& checked_;
  overlap_check<Real> const& apart_;
  typename any_kernel<Real>::outputs gx_;
  std::size_t at_ = 0;
};

}  // namespace residua::rt::detail
