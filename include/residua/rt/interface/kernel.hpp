// What every generated kernel of one stream offers: tensors in, tensors out, with every argument checked. The generated
// class brings the tile programs; this one brings the interface, so that it is the same for all blocks.
#pragma once

#include <residua/rt/interface/argument_checks.hpp>
#include <residua/rt/interface/cache.hpp>
#include <residua/rt/core/instruction_set.hpp>
#include <residua/rt/interface/parameters.hpp>
#include <residua/rt/interface/weights.hpp>
#include <residua/rt/interface/workspace.hpp>

#include <utility>

namespace residua::rt {

/// The instruction set to run of those that a library was compiled for: the selected one, or the best below it.
template <std::size_t Count>
instruction_set selected_among(std::array<instruction_set, Count> const& compiled) {
  instruction_set const wanted = selected();
  instruction_set found = instruction_set::baseline;
  for (instruction_set set : compiled)
    if (set <= wanted && set > found) found = set;
  return found;
}

/// The interface of a kernel. `Derived` is the generated class, with
///   input_rules(), output_rules(): the axes with name and extent, 0 where chosen at run time
///   couples_tokens: whether it has an attention
///   bytes(), forward_whole_bytes, run_forward and their siblings on pointers and sequences, and its parameters.
template <class Derived, class Real, std::size_t InputRank, std::size_t OutputRank>
class block_kernel {
 public:
  using input_tensor = tensor<Real, InputRank>;
  using output_tensor = tensor<Real, OutputRank>;

  /// Scratch for calls on streams of these leading extents, or smaller ones, as in make_workspace(B, T).
  template <class... Leading>
  workspace make_workspace(Leading... leading) const {
    static_assert(sizeof...(Leading) + 1 == InputRank, "one extent for each leading axis of the stream");
    std::array<index, InputRank - 1> const extents{static_cast<index>(leading)...};
    call_sequences s{.count = 1, .tokens = extents.back()};
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) s.count *= extents[i];
    return workspace(self().bytes().most(),
                     most_of({self().forward_whole_bytes(s), self().jvp_whole_bytes(s), self().vjp_whole_bytes(s)}));
  }

  /// y = b(x)
  template <class X>
  output_tensor forward(X const& x, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    output_tensor y = output_for(x);
    workspace scratch(self().bytes().forward, self().forward_whole_bytes(s));
    forward(x, y, scratch, given);
    return y;
  }
  template <class X, class Y>
  void forward(X const& x, Y& y, workspace& scratch, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    check_output("y", y, x);
    require_apart("y", y, x);
    self().run_forward(tensor_data(x), tensor_data(y), s,
                       scratch.for_call(self().bytes().forward, self().forward_whole_bytes(s)));
  }

  /// y = b(x) and J dx, J taken at x
  template <class X, class DX>
  std::pair<output_tensor, output_tensor> jvp(X const& x, DX const& dx, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    std::pair<output_tensor, output_tensor> result{output_for(x), output_for(x)};
    workspace scratch(self().bytes().jvp, self().jvp_whole_bytes(s));
    jvp(x, dx, result.first, result.second, scratch, given);
    return result;
  }
  template <class X, class DX, class Y, class DY>
  void jvp(X const& x, DX const& dx, Y& y, DY& dy, workspace& scratch, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    check_tensor_as<Real>("dx", dx, self().input_rules(), x, InputRank - 1);
    check_output("y", y, x);
    check_output("dy", dy, x);
    require_apart_from_all("y", y, x, dx);
    require_apart_from_all("dy", dy, x, dx, y);
    self().run_jvp(tensor_data(x), tensor_data(dx), tensor_data(y), tensor_data(dy), s,
                   scratch.for_call(self().bytes().jvp, self().jvp_whole_bytes(s)));
  }

  /// J^T dy and the gradients of the parameters, for a loss whose gradient by y is dy
  template <class X, class DY>
  auto vjp(X const& x, DY const& dy, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    auto result = self().make_gradient();
    result.x = input_tensor(shape_array<InputRank>(x));
    workspace scratch(self().bytes().vjp, self().vjp_whole_bytes(s));
    vjp(x, dy, result, scratch, given);
    return result;
  }
  template <class X, class DY, class Gradient>
  void vjp(X const& x, DY const& dy, Gradient& g, workspace& scratch, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    check_output("dy", dy, x);
    check_tensor_as<Real>("g.x", g.x, self().input_rules(), x, InputRank - 1);
    require_apart_from_all("g.x", g.x, x, dy);
    self().run_vjp(tensor_data(x), tensor_data(dy), tensor_data(g.x), g.parameters, s,
                   scratch.for_call(self().bytes().vjp, self().vjp_whole_bytes(s)));
  }

  /// A cache for step, of sequences of up to `capacity` tokens: the leading extents with the capacity in place of the tokens,
  /// as in make_cache(B, capacity).
  template <class... Leading>
  token_cache<Real> make_cache(Leading... leading) const {
    static_assert(Derived::can_step, "residua: step is for blocks with attention that is causal; call forward");
    static_assert(sizeof...(Leading) + 1 == InputRank, "one extent for each leading axis of the stream, the capacity last");
    std::array<index, InputRank - 1> const extents{static_cast<index>(leading)...};
    index sequences = 1;
    for (std::size_t i = 0; i + 1 < extents.size(); ++i) sequences *= extents[i];
    return token_cache<Real>(self().revision(), Derived::cache_rules, sequences, extents.back());
  }

  /// The results of the tokens that follow those in the cache, one or several of each sequence: what forward gives for them
  /// in the whole sequence. Throws std::invalid_argument where the cache is full, and changes nothing then.
  template <class X>
  output_tensor step(X const& x, token_cache<Real>& cache) const {
    call_sequences const s = sequences_of(x, {});
    output_tensor y = output_for(x);
    workspace scratch(self().bytes().forward, self().forward_whole_bytes(s));
    step(x, y, cache, scratch);
    return y;
  }
  template <class X, class Y>
  void step(X const& x, Y& y, token_cache<Real>& cache, workspace& scratch) const {
    static_assert(Derived::can_step, "residua: step is for blocks with attention that is causal; call forward");
    call_sequences s = sequences_of(x, {});
    check_output("y", y, x);
    require_apart("y", y, x);
    check_cache(cache, self().revision(), s);
    call_memory& memory = scratch.for_call(self().bytes().forward, self().forward_whole_bytes(s));
    cache.make_room(s.tokens);
    s.position = cache.position();
    self().run_step(tensor_data(x), tensor_data(y), s, cache, memory);
    cache.advance(s.tokens);
  }

  /// The dense Jacobian, row-major over (tokens, features) on both sides.
  template <class X>
  tensor<Real, 2> jacobian(X const& x, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, given);
    index const in = self().input_rules().back().extent;
    index const out = self().output_rules().back().extent;
    tensor<Real, 2> j = zeros<Real>(s.rows() * out, s.rows() * in);
    for_each_column(x, s, [&](index row, index from, index column, Real const* dy) {
      for (index i = 0; i < out; ++i) j.data()[(row * out + i) * s.rows() * in + from * in + column] = dy[i];
    });
    return j;
  }

  /// The trace of the Jacobian; stores no matrix.
  template <class X>
  Real jacobian_trace(X const& x, padding const& given = {}) const {
    static_assert(InputRank == OutputRank, "a trace needs a square Jacobian");
    call_sequences const s = sequences_of(x, given);
    if (self().input_rules().back().extent != self().output_rules().back().extent)
      throw std::invalid_argument("jacobian_trace: the result is not as wide as the stream");
    double trace = 0;
    for_each_column(x, s, [&](index row, index from, index column, Real const* dy) {
      if (row == from) trace += static_cast<double>(dy[column]);
    });
    return static_cast<Real>(trace);
  }

 private:
  Derived const& self() const { return static_cast<Derived const&>(*this); }

  /// Checks the stream and its padding.
  template <class X>
  call_sequences sequences_of(X const& x, padding const& given) const {
    check_tensor<Real>("x", x, self().input_rules());
    call_sequences s{.count = 1, .tokens = extent(x, InputRank - 2)};
    for (std::size_t i = 0; i + 2 < InputRank; ++i) s.count *= extent(x, i);
    if constexpr (Derived::couples_tokens) s.lengths = check_lengths("lengths", given.lengths, s.count, s.tokens);
    else if (!given.lengths.empty()) throw std::invalid_argument("lengths: this block has no attention that could use them");
    if (!given.memory_lengths.empty()) throw std::invalid_argument("memory_lengths: this block reads no memory");
    return s;
  }
  template <class Y, class X>
  void check_output(std::string_view name, Y const& y, X const& x) const {
    check_tensor_as<Real>(name, y, self().output_rules(), x, OutputRank - 1);
  }
  template <class X>
  output_tensor output_for(X const& x) const {
    std::array<std::size_t, OutputRank> shape;
    std::copy_n(x.shape().begin(), OutputRank - 1, shape.begin());
    shape.back() = static_cast<std::size_t>(self().output_rules().back().extent);
    return output_tensor(shape);
  }

  /// body(row, seeded row, column, dy of the row), for the derivative by each input feature. Sequences do not meet, and
  /// without an attention tokens do not either, so one seed serves all that do not.
  template <class X, class Body>
  void for_each_column(X const& x, call_sequences const& s, Body const& body) const {
    index const in = self().input_rules().back().extent;
    index const out = self().output_rules().back().extent;
    index const apart = Derived::couples_tokens ? s.tokens : 1;  // seeds of one sequence that must not meet
    aligned_buffer<Real> dx(s.rows() * in), y(s.rows() * out), dy(s.rows() * out);
    workspace scratch(self().bytes().jvp, self().jvp_whole_bytes(s));
    call_memory& memory = scratch.for_call(self().bytes().jvp, self().jvp_whole_bytes(s));
    for (index token = 0; token < apart; ++token)
      for (index column = 0; column < in; ++column) {
        for (index row = token; row < s.rows(); row += apart) dx.data()[row * in + column] = 1;
        self().run_jvp(tensor_data(x), dx.data(), y.data(), dy.data(), s, memory);
        for (index row = 0; row < s.rows(); ++row) body(row, row / apart * apart + token, column, dy.data() + row * out);
        for (index row = token; row < s.rows(); row += apart) dx.data()[row * in + column] = 0;
      }
  }
};

}  // namespace residua::rt
