// What every generated kernel of two streams offers: the block's own stream x and a memory that its cross-attention reads,
// of the same sequences but of its own length and width.
#pragma once

#include <residua/rt/interface/kernel.hpp>

namespace residua::rt {

/// J v = by_x dx + by_memory dmemory
template <class Real>
struct two_jacobians {
  tensor<Real, 2> x;       // (tokens * features of the result, tokens * features of x)
  tensor<Real, 2> memory;  // (tokens * features of the result, tokens * features of the memory)
};

/// The interface of a kernel of two streams; see block_kernel. `Derived` has memory_rules() besides.
template <class Derived, class Real, std::size_t Rank, std::size_t OutputRank>
class memory_kernel {
 public:
  using input_tensor = tensor<Real, Rank>;
  using memory_tensor = tensor<Real, Rank>;
  using output_tensor = tensor<Real, OutputRank>;

  /// Scratch for calls on streams of these leading extents, or smaller ones: those of x, then the tokens of the memory, as in
  /// make_workspace(B, T, S).
  template <class... Extents>
  workspace make_workspace(Extents... extents) const {
    static_assert(sizeof...(Extents) == Rank, "the leading extents of x, then the number of the memory's tokens");
    std::array<index, Rank> const given{static_cast<index>(extents)...};
    call_sequences s{.count = 1, .tokens = given[Rank - 2], .memory_tokens = given[Rank - 1]};
    for (std::size_t i = 0; i + 2 < Rank; ++i) s.count *= given[i];
    return workspace(self().bytes().most(),
                     most_of({self().forward_whole_bytes(s), self().jvp_whole_bytes(s), self().vjp_whole_bytes(s)}));
  }

  /// y = b(x, memory)
  template <class X, class M>
  output_tensor forward(X const& x, M const& memory, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    output_tensor y = output_for(x);
    workspace scratch(self().bytes().forward, self().forward_whole_bytes(s));
    forward(x, memory, y, scratch, given);
    return y;
  }
  template <class X, class M, class Y>
  void forward(X const& x, M const& memory, Y& y, workspace& scratch, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    check_output("y", y, x);
    require_apart_from_all("y", y, x, memory);
    self().run_forward(tensor_data(x), tensor_data(memory), tensor_data(y), s,
                       scratch.for_call(self().bytes().forward, self().forward_whole_bytes(s)));
  }

  /// y = b(x, memory) and its derivative along (dx, dmemory)
  template <class X, class M, class DX, class DM>
  std::pair<output_tensor, output_tensor> jvp(X const& x, M const& memory, DX const& dx, DM const& dmemory,
                                              padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    std::pair<output_tensor, output_tensor> result{output_for(x), output_for(x)};
    workspace scratch(self().bytes().jvp, self().jvp_whole_bytes(s));
    jvp(x, memory, dx, dmemory, result.first, result.second, scratch, given);
    return result;
  }
  template <class X, class M, class DX, class DM, class Y, class DY>
  void jvp(X const& x, M const& memory, DX const& dx, DM const& dmemory, Y& y, DY& dy, workspace& scratch,
           padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    check_tensor_as<Real>("dx", dx, self().input_rules(), x, Rank - 1);
    check_tensor_as<Real>("dmemory", dmemory, self().memory_rules(), memory, Rank - 1, "as in memory");
    check_output("y", y, x);
    check_output("dy", dy, x);
    require_apart_from_all("y", y, x, memory, dx, dmemory);
    require_apart_from_all("dy", dy, x, memory, dx, dmemory, y);
    self().run_jvp(tensor_data(x), tensor_data(memory), tensor_data(dx), tensor_data(dmemory), tensor_data(y), tensor_data(dy), s,
                   scratch.for_call(self().bytes().jvp, self().jvp_whole_bytes(s)));
  }

  /// The gradients by x, by the memory and by the parameters, for a loss whose gradient by y is dy
  template <class X, class M, class DY>
  auto vjp(X const& x, M const& memory, DY const& dy, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    auto result = self().make_gradient();
    result.x = input_tensor(shape_array<Rank>(x));
    result.memory = memory_tensor(shape_array<Rank>(memory));
    workspace scratch(self().bytes().vjp, self().vjp_whole_bytes(s));
    vjp(x, memory, dy, result, scratch, given);
    return result;
  }
  template <class X, class M, class DY, class Gradient>
  void vjp(X const& x, M const& memory, DY const& dy, Gradient& g, workspace& scratch, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    check_output("dy", dy, x);
    check_tensor_as<Real>("g.x", g.x, self().input_rules(), x, Rank - 1);
    check_tensor_as<Real>("g.memory", g.memory, self().memory_rules(), memory, Rank - 1, "as in memory");
    require_apart_from_all("g.x", g.x, x, memory, dy);
    require_apart_from_all("g.memory", g.memory, x, memory, dy, g.x);
    self().run_vjp(tensor_data(x), tensor_data(memory), tensor_data(dy), tensor_data(g.x), tensor_data(g.memory), g.parameters, s,
                   scratch.for_call(self().bytes().vjp, self().vjp_whole_bytes(s)));
  }

  /// A cache for step, of sequences of up to `capacity` tokens that attend to this memory: what the block needs of the memory
  /// is computed here, once.
  template <class M>
  token_cache<Real> make_cache(M const& memory, index capacity, padding const& given = {}) const {
    static_assert(Derived::can_step, "residua: step is for blocks whose self-attention is causal; call forward");
    check_tensor<Real>("memory", memory, self().memory_rules());
    if (!given.lengths.empty()) throw std::invalid_argument("lengths: a cache has no padding of the stream, only of the memory");
    call_sequences s{.count = 1, .memory_tokens = extent(memory, Rank - 2)};
    for (std::size_t i = 0; i + 2 < Rank; ++i) s.count *= extent(memory, i);
    s.memory_lengths = check_lengths("memory_lengths", given.memory_lengths, s.count, s.memory_tokens);
    token_cache<Real> cache(self().revision(), Derived::cache_rules, s.count, capacity, s.memory_tokens);
    cache.set_memory_lengths(given.memory_lengths);
    workspace scratch(self().bytes().forward, self().forward_whole_bytes(s));
    self().run_memory(tensor_data(memory), s, cache, scratch.for_call(self().bytes().forward, self().forward_whole_bytes(s)));
    return cache;
  }

  /// The results of the tokens that follow those in the cache; see block_kernel::step.
  template <class X>
  output_tensor step(X const& x, token_cache<Real>& cache) const {
    call_sequences const s = sequences_of(x);
    output_tensor y = output_for(x);
    workspace scratch(self().bytes().forward, self().forward_whole_bytes(s));
    step(x, y, cache, scratch);
    return y;
  }
  template <class X, class Y>
  void step(X const& x, Y& y, token_cache<Real>& cache, workspace& scratch) const {
    static_assert(Derived::can_step, "residua: step is for blocks whose self-attention is causal; call forward");
    call_sequences s = sequences_of(x);
    check_output("y", y, x);
    require_apart("y", y, x);
    check_cache(cache, self().revision(), s);
    call_memory& memory = scratch.for_call(self().bytes().forward, self().forward_whole_bytes(s));
    cache.make_room(s.tokens);
    s.position = cache.position();
    self().run_step(tensor_data(x), tensor_data(y), s, cache, memory);
    cache.advance(s.tokens);
  }

  /// The dense Jacobians by x and by the memory, row-major over (tokens, features) on both sides.
  template <class X, class M>
  two_jacobians<Real> jacobian(X const& x, M const& memory, padding const& given = {}) const {
    call_sequences const s = sequences_of(x, memory, given);
    index const rows = s.rows() * self().output_rules().back().extent;
    index const in = self().input_rules().back().extent;
    index const wide = self().memory_rules().back().extent;
    two_jacobians<Real> j{zeros<Real>(rows, s.rows() * in), zeros<Real>(rows, s.memory_rows() * wide)};
    aligned_buffer<Real> dx(s.rows() * in), dm(s.memory_rows() * wide), y(rows), dy(rows);
    workspace scratch(self().bytes().jvp, self().jvp_whole_bytes(s));
    call_memory& space = scratch.for_call(self().bytes().jvp, self().jvp_whole_bytes(s));
    index const out = rows / (s.count > 0 ? s.count : 1);  // of one sequence
    auto const columns = [&](aligned_buffer<Real>& seed, tensor<Real, 2>& into) {
      index const each = seed.size() / (s.count > 0 ? s.count : 1);  // sequences do not meet: one seed serves all of them
      for (index column = 0; column < each; ++column) {
        for (index q = 0; q < s.count; ++q) seed.data()[q * each + column] = 1;
        self().run_jvp(tensor_data(x), tensor_data(memory), dx.data(), dm.data(), y.data(), dy.data(), s, space);
        for (index q = 0; q < s.count; ++q) {
          seed.data()[q * each + column] = 0;
          for (index i = 0; i < out; ++i) into.data()[(q * out + i) * seed.size() + q * each + column] = dy.data()[q * out + i];
        }
      }
    };
    columns(dx, j.x);
    columns(dm, j.memory);
    return j;
  }

 private:
  Derived const& self() const { return static_cast<Derived const&>(*this); }

  template <class X>
  call_sequences sequences_of(X const& x) const {
    check_tensor<Real>("x", x, self().input_rules());
    call_sequences s{.count = 1, .tokens = extent(x, Rank - 2)};
    for (std::size_t i = 0; i + 2 < Rank; ++i) s.count *= extent(x, i);
    return s;
  }
  /// Checks both streams and their padding.
  template <class X, class M>
  call_sequences sequences_of(X const& x, M const& memory, padding const& given) const {
    call_sequences s = sequences_of(x);
    check_tensor_as<Real>("memory", memory, self().memory_rules(), x, self().shared_axes());
    s.memory_tokens = extent(memory, Rank - 2);
    if (!Derived::couples_tokens && !(given.lengths.empty() && given.memory_lengths.empty()))
      throw std::invalid_argument("lengths: this block has no attention that could use them");
    s.lengths = check_lengths("lengths", given.lengths, s.count, s.tokens);
    s.memory_lengths = check_lengths("memory_lengths", given.memory_lengths, s.count, s.memory_tokens);
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
};

}  // namespace residua::rt
