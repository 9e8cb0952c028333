// What kernels do: check, take the memory of a call, run the engine. Compiled into the package's library.
#pragma once

#include <residua/rt/interface/any_kernel.hpp>
#include <residua/rt/interface/cache_definitions.hpp>
#include <residua/rt/interface/call_checks.hpp>
#include <residua/rt/interface/engine_definitions.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace residua::rt {

namespace detail {

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
void any_kernel<Real>::shape_of(std::size_t output, inputs x, std::span<std::size_t> shape) const {
  detail::call_checks<Real> checks(running());
  checks.check_inputs(x, {});
  checks.shape_of(output, *x[0], shape);
}

template <class Real>
void any_kernel<Real>::shape_of_step(std::size_t output, inputs x, std::span<std::size_t> shape) const {
  detail::call_checks<Real> checks(running());
  checks.check_streams(x);
  checks.shape_of(output, *x[0], shape);
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
  index rows_of_seed(int tokens) const { return are_tokens_apart() ? 1 : s_.tokens(tokens); }
  /// Whether each token of a result depends on the stream's own token alone.
  bool are_tokens_apart() const { return on_.block().attentions.empty() && !on_.block().has_conditions; }
  Real const* tangent(std::size_t output) const { return dy_[output].data(); }

  /// Whether an output can depend on an input: where tokens are apart, only that of the same tokens.
  bool reaches(stream_description const& input, stream_description const& output) const {
    return !are_tokens_apart() || input.tokens == output.tokens;
  }

  /// body(row, column) for each seed of an input, which stands in this row of each sequence, or of each token.
  template <class Body>
  void for_each(std::size_t input, Body const& body) {
    stream_description const& stream = on_.block().inputs[input];
    if (!reaches_any(stream)) return;
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
  bool reaches_any(stream_description const& input) const {
    for (stream_description const& output : on_.block().outputs)
      if (reaches(input, output)) return true;
    return false;
  }

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
        if (!columns.reaches(on.block().inputs[i], y)) continue;
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
