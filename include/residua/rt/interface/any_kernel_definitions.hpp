// What kernels check and how they call the engine; compiled into the package's library.
#pragma once

#include <residua/rt/interface/any_kernel.hpp>
#include <residua/rt/interface/argument_checks.hpp>
#include <residua/rt/interface/cache_definitions.hpp>
#include <residua/rt/interface/engine_definitions.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace residua::rt {

namespace detail {

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
  void check_first(tensor_view<Real const> const& x) { check_input(0, x, nullptr); }
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
    if (!given.lengths.empty())
      throw std::invalid_argument("lengths: a cache has no padding of the stream, only of the memory");
    set_lengths(given);
  }

  /// Extents of streams that are not there yet: the leading ones of the first input, then the tokens of each with its own.
  void set_extents(std::string_view call, std::span<index const> extents) {
    std::size_t const leading = first().axes.size() - 1;
    std::size_t wanted = leading;
    for (stream_description const& each : block_.inputs) wanted += each.tokens > 0;
    if (extents.size() != wanted)
      throw std::invalid_argument(std::string(call) + ": has " + std::to_string(extents.size()) + " extents, must have " +
                                  std::to_string(wanted));
    set_sequences(call, extents.first(leading > 0 ? leading - 1 : 0));
    if (leading > 0) set_tokens(call, first(), extents[leading - 1]);
    for (std::size_t i = 0, next = leading; i < block_.inputs.size(); ++i)
      if (block_.inputs[i].tokens > 0) set_tokens(call, block_.inputs[i], extents[next++]);
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
      check_tensor({prefix, s.name}, *list[i], list[i]->data,
                   axis_rules(s.axes, sizes_, s.name, *x[i], s.axes.size() - 1));
    }
  }
  /// Outputs, their tangents or cotangents.
  template <class View>
  void check_outputs(std::string_view prefix, std::span<View const* const> list, tensor_extents const& x) const {
    for (std::size_t i = 0; i < list.size(); ++i) {
      stream_description const& s = block_.outputs[i];
      check_tensor({prefix, s.name}, *list[i], list[i]->data, axis_rules(s.axes, sizes_, first().name, x, s.shared));
    }
  }

  void set_lengths(padding const& given) {
    int const memory = own_tokens();
    bool const any = !(given.lengths.empty() && given.memory_lengths.empty());
    if (block_.attentions.empty() && (memory > 0 ? any : !given.lengths.empty()))
      throw std::invalid_argument("lengths: this block has no attention that could use them");
    if (memory == 0 && !given.memory_lengths.empty())
      throw std::invalid_argument("memory_lengths: this block reads no memory");
    spaces_[0].lengths = check_lengths("lengths", given.lengths, count_, spaces_[0].tokens);
    if (memory > 0)
      spaces_[memory].lengths = check_lengths("memory_lengths", given.memory_lengths, count_, spaces_[memory].tokens);
  }

 private:
  stream_description const& first() const { return block_.inputs[0]; }

  void check_input(std::size_t i, tensor_view<Real const> const& x, tensor_view<Real const> const* first_of_call) {
    stream_description const& s = block_.inputs[i];
    check_tensor({{}, s.name}, x, x.data,
                 first_of_call ? axis_rules(s.axes, sizes_, first().name, *first_of_call, s.shared) : axis_rules(s.axes, sizes_));
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
  /// The first token space that is not the stream's, 0 where there is none.
  int own_tokens() const {
    for (stream_description const& s : block_.inputs)
      if (s.tokens > 0) return s.tokens;
    return 0;
  }

  block_description<Real> const& block_;
  index const* sizes_;
  index count_ = 1;
  token_space spaces_[most_streams];
};

/// The memory of a call: the caller's where it is enough, or the call's own.
template <class Real>
class memory_of_call {
 public:
  memory_of_call(engine<Real> const& of, program_kind kind, call_sequences const& s, workspace* given) {
    if (!given) {
      own_ = of.memory_for(kind, s);
      return;
    }
    call_memory const& memory = given->memory();
    index const each = of.tile_bytes(kind), whole = of.whole_bytes(kind, s);
    if (memory.pieces() == 0 || memory.bytes_each() < each)
      throw std::invalid_argument("workspace: holds " + std::to_string(memory.bytes_each()) + " bytes per thread, needs " +
                                  std::to_string(each) + "; make it with this kernel's make_workspace");
    if (memory.whole_bytes() < whole)
      throw std::invalid_argument("workspace: holds " + std::to_string(memory.whole_bytes()) + " bytes for tokens, needs " +
                                  std::to_string(whole) + "; make it for extents as large as the stream's");
    used_ = &given->memory();
  }
  memory_of_call(memory_of_call const&) = delete;

  call_memory& operator*() { return *used_; }

 private:
  call_memory own_;
  call_memory* used_ = &own_;
};

template <class Pointer, class View>
Pointer* list_pointers(Pointer* into, std::span<View const* const> views) {
  for (View const* view : views) *into++ = view->data;
  return into;
}

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

}  // namespace detail

template <class Real>
any_kernel<Real>::any_kernel(block_description<Real> const& block, std::span<index const> sizes, any_parameters<Real> const& p) {
  if (block.inputs.size() > detail::most_streams || block.outputs.size() > detail::most_streams)
    throw std::invalid_argument(std::string(block.name) + ": has more than " + std::to_string(detail::most_streams) + " streams");
  detail::check_sizes(block, sizes);
  std::vector<Real*> const parameters = detail::checked_parameters(block, sizes.data(), p);
  engine_ = std::make_unique<engine<Real>>(block, sizes);
  engine_->pack(parameters);
}

template <class Real>
any_kernel<Real>::any_kernel(any_kernel&&) noexcept = default;
template <class Real>
any_kernel<Real>& any_kernel<Real>::operator=(any_kernel&&) noexcept = default;
template <class Real>
any_kernel<Real>::~any_kernel() = default;

template <class Real>
engine<Real> const& any_kernel<Real>::running() const {
  if (!engine_) throw std::invalid_argument("kernel: was moved from");
  return *engine_;
}

template <class Real>
void any_kernel<Real>::update(any_parameters<Real> const& p) {
  engine_->pack(detail::checked_parameters(running().block(), running().sizes().data(), p));
}

template <class Real>
instruction_set any_kernel<Real>::instructions() const {
  return running().instructions();
}

template <class Real>
std::span<index const> any_kernel<Real>::sizes() const {
  return running().sizes();
}

template <class Real>
void any_kernel<Real>::check(inputs x, padding const& given) const {
  detail::call_checks<Real>(running()).check_inputs(x, given);
}

template <class Real>
void any_kernel<Real>::shape_of(std::size_t output, tensor_view<Real const> const& x, std::span<std::size_t> shape) const {
  detail::call_checks<Real>(running()).check_first(x);
  stream_description const& y = running().block().outputs[output];
  for (std::size_t i = 0; i < shape.size(); ++i)
    shape[i] = static_cast<std::size_t>(i < y.shared ? x.shape[i] : y.axes[i].extent.in(sizes().data()));
}

template <class Real>
void any_kernel<Real>::forward(inputs x, outputs y, padding const& given, workspace* scratch) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_inputs(x, given);
  checks.check_outputs({}, y, *x[0]);
  detail::overlap_check<Real>(x).add({}, on.block().outputs, y);
  detail::memory_of_call<Real> memory(on, program_kind::forward, checks.sequences(), scratch);
  auto const at = on.pointers_in(*memory);
  detail::list_pointers(at.arguments, x);
  detail::list_pointers(at.results, y);
  on.run(program_kind::forward, at, checks.sequences(), *memory);
}

template <class Real>
void any_kernel<Real>::jvp(inputs x, inputs dx, outputs y, outputs dy, padding const& given, workspace* scratch) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_inputs(x, given);
  checks.check_beside_inputs("d", dx, x);
  checks.check_outputs({}, y, *x[0]);
  checks.check_outputs("d", dy, *x[0]);
  detail::overlap_check<Real> const apart(x, dx);
  apart.add({}, on.block().outputs, y);
  apart.add("d", on.block().outputs, dy, y);
  detail::memory_of_call<Real> memory(on, program_kind::jvp, checks.sequences(), scratch);
  auto const at = on.pointers_in(*memory);
  detail::list_pointers(detail::list_pointers(at.arguments, x), dx);
  detail::list_pointers(detail::list_pointers(at.results, y), dy);
  on.run(program_kind::jvp, at, checks.sequences(), *memory);
}

template <class Real>
void any_kernel<Real>::vjp(inputs x, inputs dy, outputs gx, any_parameters<Real> const& gradients, padding const& given,
                           workspace* scratch) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_inputs(x, given);
  checks.check_outputs("d", dy, *x[0]);
  checks.check_beside_inputs("g.", gx, x);
  detail::overlap_check<Real> const apart(x, dy);
  apart.add("g.", on.block().inputs, gx);
  detail::memory_of_call<Real> memory(on, program_kind::vjp, checks.sequences(), scratch);
  auto const at = on.pointers_in(*memory);
  detail::parameter_list<Real> shapes(on.block().parameters, on.sizes().data(), at.gradients);
  detail::gradient_list<Real> checked(on.block(), shapes, apart, gx);
  gradients.visit(gradients.of, checked);
  detail::list_pointers(detail::list_pointers(at.arguments, x), dy);
  detail::list_pointers(at.results, gx);
  on.run(program_kind::vjp, at, checks.sequences(), *memory);
}

namespace detail {

/// Derivatives by one input feature after the other. Sequences do not meet, and without an attention tokens do not either,
/// so one seed serves all that do not.
template <class Real>
class derivative_columns {
 public:
  derivative_columns(engine<Real> const& on, typename any_kernel<Real>::inputs x, call_sequences const& s)
      : on_(on), s_(s), memory_(on, program_kind::jvp, s, nullptr), at_(on.pointers_in(*memory_)) {
    Real** result = at_.results;
    Real const** tangent = list_pointers(at_.arguments, x);
    for (tensor_view<Real const> const* each : x) *tangent++ = seeds_.emplace_back(each->size()).data();
    for (std::vector<aligned_buffer<Real>>* list : {&y_, &dy_})
      for (stream_description const& each : on.block().outputs)
        *result++ = list->emplace_back(checked_product("jacobian", s.rows(each.tokens), width_of(each))).data();
  }

  index width_of(stream_description const& stream) const { return stream.axes.back().extent.in(on_.sizes().data()); }
  /// Rows of a stream that derive from one seed: a sequence's or a token's.
  index rows_of_seed(int tokens) const { return on_.block().attentions.empty() ? 1 : s_.tokens(tokens); }
  Real const* tangent(std::size_t output) const { return dy_[output].data(); }

  /// body(row, column) for each seed of an input, which stands in this row of each sequence, or of each token.
  template <class Body>
  void for_each(std::size_t input, Body const& body) {
    stream_description const& stream = on_.block().inputs[input];
    if (on_.block().attentions.empty() && stream.tokens > 0) return;  // nothing depends on it
    index const width = width_of(stream), rows = s_.rows(stream.tokens), apart = rows_of_seed(stream.tokens);
    Real* const seed = seeds_[input].data();
    for (index token = 0; token < apart; ++token)
      for (index column = 0; column < width; ++column) {
        for (index row = token; row < rows; row += apart) seed[row * width + column] = 1;
        on_.run(program_kind::jvp, at_, s_, *memory_);
        body(token, column);
        for (index row = token; row < rows; row += apart) seed[row * width + column] = 0;
      }
  }

 private:
  engine<Real> const& on_;
  call_sequences s_;
  memory_of_call<Real> memory_;
  typename engine<Real>::pointers at_;
  std::vector<aligned_buffer<Real>> seeds_, y_, dy_;
};

}  // namespace detail

template <class Real>
void any_kernel<Real>::jacobian(inputs x, outputs j, padding const& given) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_inputs(x, given);
  call_sequences const s = checks.sequences();
  detail::derivative_columns<Real> columns(on, x, s);
  for (std::size_t i = 0; i < x.size(); ++i) {
    index const width = columns.width_of(on.block().inputs[i]), each = columns.rows_of_seed(on.block().inputs[i].tokens);
    columns.for_each(i, [&](index token, index column) {
      for (std::size_t o = 0; o < on.block().outputs.size(); ++o) {
        stream_description const& y = on.block().outputs[o];
        Real const* const dy = columns.tangent(o);
        Real* const into = j[o * x.size() + i]->data;
        index const of_seed = columns.rows_of_seed(y.tokens) * columns.width_of(y);
        index const size = s.rows(y.tokens) * columns.width_of(y);
        for (index at = 0; at < size; ++at) into[at * x[i]->size() + (at / of_seed * each + token) * width + column] = dy[at];
      }
    });
  }
}

template <class Real>
Real any_kernel<Real>::jacobian_trace(inputs x, padding const& given) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_inputs(x, given);
  call_sequences const s = checks.sequences();
  detail::derivative_columns<Real> columns(on, x, s);
  index const width = columns.width_of(on.block().inputs[0]);
  if (width != columns.width_of(on.block().outputs[0]))
    throw std::invalid_argument("jacobian_trace: the result is not as wide as the stream");
  double trace = 0;
  columns.for_each(0, [&](index token, index column) {
    for (index row = token; row < s.rows(0); row += columns.rows_of_seed(0))
      trace += static_cast<double>(columns.tangent(0)[row * width + column]);
  });
  return static_cast<Real>(trace);
}

template <class Real>
workspace any_kernel<Real>::make_workspace(std::span<index const> extents) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.set_extents("make_workspace", extents);
  index each = 0, whole = 0;
  for (program_kind kind : {program_kind::forward, program_kind::jvp, program_kind::vjp}) {
    each = std::max(each, on.tile_bytes(kind));
    whole = std::max(whole, on.whole_bytes(kind, checks.sequences()));
  }
  index const threads = thread_count();
  return workspace(call_memory(threads, threads, each, whole));
}

template <class Real>
token_cache<Real> any_kernel<Real>::make_cache(std::span<index const> extents) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.set_sequences("make_cache", extents.first(extents.size() - 1));
  call_sequences const s = checks.sequences();
  return token_cache<Real>(on.owner(), on.block(), s.count, extents.back(), s.spaces);
}

template <class Real>
token_cache<Real> any_kernel<Real>::make_cache(inputs memories, index capacity, padding const& given) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_memories(memories, given);
  call_sequences const s = checks.sequences();
  token_cache<Real> cache(on.owner(), on.block(), s.count, capacity, s.spaces);
  detail::memory_of_call<Real> memory(on, program_kind::forward, s, nullptr);
  auto const at = on.pointers_in(*memory);
  std::size_t next = 0;
  for (std::size_t i = 0; i < on.block().inputs.size(); ++i)
    at.arguments[i] = on.block().inputs[i].tokens > 0 ? memories[next++]->data : nullptr;
  std::fill_n(at.results, on.block().outputs.size(), nullptr);
  on.fill_cache(at, s, cache, *memory);
  return cache;
}

template <class Real>
void any_kernel<Real>::step(inputs x, outputs y, token_cache<Real>& cache, workspace* scratch) const {
  engine<Real> const& on = running();
  detail::call_checks<Real> checks(on);
  checks.check_streams(x);
  checks.check_outputs({}, y, *x[0]);
  detail::overlap_check<Real>(x).add({}, on.block().outputs, y);
  call_sequences s = checks.sequences();
  if (!cache.is_of(on.owner()))
    throw std::invalid_argument("cache: was not made by this kernel with its current parameters; call make_cache() again");
  if (cache.sequences() != s.count)
    throw std::invalid_argument("cache: is of " + std::to_string(cache.sequences()) + " sequences, must be of " +
                                std::to_string(s.count) + " (as in " + std::string(on.block().inputs[0].name) + ")");
  detail::memory_of_call<Real> memory(on, program_kind::forward, s, scratch);
  auto const at = on.pointers_in(*memory);
  std::size_t next = 0;
  for (std::size_t i = 0; i < on.block().inputs.size(); ++i)
    at.arguments[i] = on.block().inputs[i].tokens == 0 ? x[next++]->data : nullptr;
  detail::list_pointers(at.results, y);
  cache.make_room(s.tokens(0));
  s.position = cache.position();
  on.step(at, s, cache, *memory);
  cache.advance(s.tokens(0));
}

}  // namespace residua::rt
