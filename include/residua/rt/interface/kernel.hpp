// What every generated kernel offers: tensors in, tensors out, with every argument checked, for any number of streams. The
// generated class says which block it is; any_kernel does the work, so that a program compiles little more than this cover.
#pragma once

#include <residua/rt/interface/any_kernel.hpp>

#include <bit>
#include <tuple>
#include <utility>

namespace residua::rt {

/// The ranks of a block's streams, of its outputs, or of its memory where it reads one.
template <std::size_t... Rank>
struct ranks {};

/// What a kernel of a stream and a memory gives as its Jacobian: J v = by_x dx + by_memory dmemory
template <class Real>
struct two_jacobians {
  tensor<Real, 2> x;       // (tokens * features of the result, tokens * features of x)
  tensor<Real, 2> memory;  // (tokens * features of the result, tokens * features of the memory)
};

namespace detail {

template <class... Tensor>
struct one_or_tuple {
  using type = std::tuple<Tensor...>;
};
template <class Tensor>
struct one_or_tuple<Tensor> {
  using type = Tensor;
};

}  // namespace detail

template <class Derived, class Real, class Streams, class Outputs, class Memory = ranks<>>
class block_kernel;

/// The interface of a kernel. `Derived` is the generated class, with
///   parameters_type: its tensors are visited by a for_each that is found by its argument; where widths are chosen at run
///     time, its member `sizes` has them, in the order of the block's description
///   gradient_type: a tensor for each input, then `parameters`; streams() ties those tensors together
///   can_step: whether the block can be computed token by token
/// The inputs are x, the streams beside it and the memory: calls are forward(x, memory), or forward(x, r) of two streams. Where a
/// block has several outputs, results are tuples; a call that is given its results takes them one by one.
template <class Derived, class Real, std::size_t First, std::size_t... Beside, std::size_t... Out, std::size_t... Memory>
class block_kernel<Derived, Real, ranks<First, Beside...>, ranks<Out...>, ranks<Memory...>> {
  template <std::size_t>
  using input = tensor_view<Real const>;
  template <std::size_t>
  using output = tensor_view<Real>;

  static constexpr std::size_t input_count = 1 + sizeof...(Beside) + sizeof...(Memory), output_count = sizeof...(Out);
  using inputs = std::array<tensor_view<Real const> const*, input_count>;
  using streams = std::array<tensor_view<Real const> const*, 1 + sizeof...(Beside)>;
  using outputs = std::array<tensor_view<Real> const*, output_count>;
  using cotangents = std::array<tensor_view<Real const> const*, output_count>;
  using result_tuple = std::tuple<tensor<Real, Out>...>;

 public:
  using result_type = typename detail::one_or_tuple<tensor<Real, Out>...>::type;

  /// Packs other parameters, as after a training step; where it throws, those from before stay. Caches have to be made again.
  template <class Own = Derived>
  void update(typename Own::parameters_type const& p) {
    kernel_.update(any_of<Real>(p));
  }
  /// The instruction set that runs.
  instruction_set instructions() const { return kernel_.instructions(); }

  /// Scratch for calls on streams of these extents, or smaller ones: the leading ones of x, then the tokens of the memory, or of
  /// a stream that has its own, as in make_workspace(B, T) or make_workspace(B, T, S).
  template <class... Extents>
  workspace make_workspace(Extents... extents) const {
    static_assert(sizeof...(Extents) + 1 >= First && sizeof...(Extents) + 2 <= First + input_count,
                  "the leading extents of x, then the number of tokens of each that has its own");
    std::array<index, sizeof...(Extents)> const given{static_cast<index>(extents)...};
    return kernel_.make_workspace(given);
  }

  /// y = b(x)
  result_type forward(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory,
                      padding const& given = {}) const {
    kernel_.check(inputs{&x, &more..., &memory...}, given);
    result_tuple y = results_for(x, more..., memory...);
    std::apply([&](auto&... each) { run_forward(x, more..., memory..., each..., given, nullptr); }, y);
    return unwrapped(std::move(y));
  }
  void forward(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory, output<Out> const&... y,
               workspace& scratch, padding const& given = {}) const {
    run_forward(x, more..., memory..., y..., given, &scratch);
  }

  /// y = b(x) and J dx, J taken at x
  std::pair<result_type, result_type> jvp(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory,
                                          input<First> const& dx, input<Beside> const&... dmore, input<Memory> const&... dmemory,
                                          padding const& given = {}) const {
    kernel_.check(inputs{&x, &more..., &memory...}, given);
    result_tuple y = results_for(x, more..., memory...), dy = results_for(x, more..., memory...);
    std::apply(
        [&](auto&... of_y) {
          std::apply(
              [&](auto&... of_dy) {
                run_jvp(x, more..., memory..., dx, dmore..., dmemory..., of_y..., of_dy..., given, nullptr);
              },
              dy);
        },
        y);
    return {unwrapped(std::move(y)), unwrapped(std::move(dy))};
  }
  void jvp(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory, input<First> const& dx,
           input<Beside> const&... dmore, input<Memory> const&... dmemory, output<Out> const&... y, output<Out> const&... dy,
           workspace& scratch, padding const& given = {}) const {
    run_jvp(x, more..., memory..., dx, dmore..., dmemory..., y..., dy..., given, &scratch);
  }

  /// J^T dy and the gradients of the parameters, for a loss whose gradient by y is dy
  template <class Own = Derived>
  typename Own::gradient_type vjp(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory,
                                  input<Out> const&... dy, padding const& given = {}) const {
    kernel_.check(inputs{&x, &more..., &memory...}, given);
    typename Own::gradient_type g{tensor<Real, First>(shape_of<First>(x)), tensor<Real, Beside>(shape_of<Beside>(more))...,
                                  tensor<Real, Memory>(shape_of<Memory>(memory))...,
                                  make_parameters<typename Own::parameters_type>()};
    run_vjp(inputs{&x, &more..., &memory...}, cotangents{&dy...}, g, given, nullptr);
    return g;
  }
  template <class Own = Derived>
  void vjp(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory, input<Out> const&... dy,
           typename Own::gradient_type& g, workspace& scratch, padding const& given = {}) const {
    run_vjp(inputs{&x, &more..., &memory...}, cotangents{&dy...}, g, given, &scratch);
  }

  /// A cache for step, of sequences of up to `capacity` tokens: the leading extents with the capacity in place of the tokens,
  /// as in make_cache(B, capacity).
  template <class... Leading>
    requires(sizeof...(Memory) == 0)
  token_cache<Real> make_cache(Leading... leading) const {
    require_steps();
    static_assert(sizeof...(Leading) + 1 == First, "one extent for each leading axis of the stream, the capacity last");
    std::array<index, sizeof...(Leading)> const extents{static_cast<index>(leading)...};
    return kernel_.make_cache(extents);
  }
  /// The same of sequences that attend to this memory: what the block needs of the memory is computed here, once.
  token_cache<Real> make_cache(input<Memory> const&... memory, index capacity, padding const& given = {}) const
    requires(sizeof...(Memory) > 0)
  {
    require_steps();
    return kernel_.make_cache(std::array<tensor_view<Real const> const*, sizeof...(Memory)>{&memory...}, capacity, given);
  }

  /// The results of the tokens that follow those in the cache, one or several of each sequence: what forward gives for them
  /// in the whole sequence. Throws std::invalid_argument where the cache is full, and changes nothing then.
  result_type step(input<First> const& x, input<Beside> const&... more, token_cache<Real>& cache) const {
    result_tuple y = results_of(
        [&](std::size_t at, std::span<std::size_t> shape) { kernel_.shape_of_step(at, streams{&x, &more...}, shape); });
    std::apply([&](auto&... each) { run_step(x, more..., each..., cache, nullptr); }, y);
    return unwrapped(std::move(y));
  }
  void step(input<First> const& x, input<Beside> const&... more, output<Out> const&... y, token_cache<Real>& cache,
            workspace& scratch) const {
    run_step(x, more..., y..., cache, &scratch);
  }

  /// The dense Jacobian, row-major over (tokens, features) on both sides; of a stream and a memory those by both, of several
  /// streams or outputs a tuple of one matrix for each pair, output by output: std::get<output * inputs + input>(J).
  auto jacobian(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory,
                padding const& given = {}) const {
    inputs const in{&x, &more..., &memory...};
    kernel_.check(in, given);
    std::array<tensor<Real, 2>, input_count * output_count> j;
    result_tuple const y = results_for(x, more..., memory...);
    std::size_t at = 0;
    std::apply(
        [&](auto const&... each) { ((rows_of_jacobian(static_cast<index>(each.size()), in, &j[at++ * input_count])), ...); }, y);
    return std::apply(
        [&](auto&... each) {
          std::array<tensor_view<Real>, input_count * output_count> const views{tensor_view<Real>(each)...};
          std::array<tensor_view<Real> const*, input_count * output_count> pointers;
          for (std::size_t i = 0; i < pointers.size(); ++i) pointers[i] = &views[i];
          kernel_.jacobian(in, pointers, given);
          if constexpr (sizeof...(each) == 1) return tensor<Real, 2>(std::move(each)...);
          else if constexpr (input_count == 2 && output_count == 1 && sizeof...(Memory) == 1)
            return two_jacobians<Real>{std::move(each)...};
          else return std::tuple(std::move(each)...);
        },
        j);
  }

  /// The trace of the Jacobian; stores no matrix.
  Real jacobian_trace(input<First> const& x, padding const& given = {}) const
    requires(input_count == 1 && output_count == 1)
  {
    static_assert(((First == Out) && ...), "a trace needs a square Jacobian");
    return kernel_.jacobian_trace(inputs{&x}, given);
  }

 protected:
  template <class Parameters>
  block_kernel(block_description<Real> const& block, Parameters const& p) : kernel_(block, sizes_of(p), any_of<Real>(p)) {}

 private:
  /// The widths that are chosen at run time, in the order of the description.
  template <class Parameters>
  static auto sizes_of(Parameters const& p) {
    if constexpr (requires { p.sizes; }) return std::bit_cast<std::array<index, sizeof(p.sizes) / sizeof(index)>>(p.sizes);
    else return std::array<index, 0>{};
  }
  /// Parameters of the kernel's widths, zero.
  template <class Parameters>
  Parameters make_parameters() const {
    if constexpr (requires(Parameters p) { p.sizes; }) {
      decltype(sizes_of(std::declval<Parameters const&>())) sizes;
      std::copy_n(kernel_.sizes().begin(), sizes.size(), sizes.begin());
      return Parameters(std::bit_cast<decltype(Parameters::sizes)>(sizes));
    } else {
      return {};
    }
  }

  template <std::size_t Rank>
  static std::array<std::size_t, Rank> shape_of(tensor_view<Real const> const& t) {
    std::array<std::size_t, Rank> shape;
    std::copy_n(t.shape, Rank, shape.begin());
    return shape;
  }
  /// The outputs for streams.
  result_tuple results_for(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory) const {
    return results_of(
        [&](std::size_t at, std::span<std::size_t> shape) { kernel_.shape_of(at, inputs{&x, &more..., &memory...}, shape); });
  }
  template <class ShapeOf>
  static result_tuple results_of(ShapeOf const& shape_of) {
    std::size_t at = 0;
    auto const one = [&]<std::size_t Rank>(std::integral_constant<std::size_t, Rank>) {
      std::array<std::size_t, Rank> shape;
      shape_of(at++, shape);
      return tensor<Real, Rank>(shape);
    };
    return result_tuple{one(std::integral_constant<std::size_t, Out>())...};
  }
  static result_type unwrapped(result_tuple&& y) {
    if constexpr (output_count == 1) return std::get<0>(std::move(y));
    else return std::move(y);
  }

  void run_forward(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory, output<Out> const&... y,
                   padding const& given, workspace* scratch) const {
    kernel_.forward(inputs{&x, &more..., &memory...}, outputs{&y...}, given, scratch);
  }
  void run_jvp(input<First> const& x, input<Beside> const&... more, input<Memory> const&... memory, input<First> const& dx,
               input<Beside> const&... dmore, input<Memory> const&... dmemory, output<Out> const&... y, output<Out> const&... dy,
               padding const& given, workspace* scratch) const {
    kernel_.jvp(inputs{&x, &more..., &memory...}, inputs{&dx, &dmore..., &dmemory...}, outputs{&y...}, outputs{&dy...}, given,
                scratch);
  }
  template <class Gradient>
  void run_vjp(inputs const& x, cotangents const& dy, Gradient& g, padding const& given, workspace* scratch) const {
    std::apply([&](auto&... each) { run_vjp(x, dy, g, given, scratch, each...); }, g.streams());
  }
  template <class Gradient>
  void run_vjp(inputs const& x, cotangents const& dy, Gradient& g, padding const& given, workspace* scratch,
               output<First> const& gx, output<Beside> const&... gmore, output<Memory> const&... gmemory) const {
    kernel_.vjp(x, dy, std::array<tensor_view<Real> const*, input_count>{&gx, &gmore..., &gmemory...}, any_of<Real>(g.parameters),
                given, scratch);
  }
  void run_step(input<First> const& x, input<Beside> const&... more, output<Out> const&... y, token_cache<Real>& cache,
                workspace* scratch) const {
    require_steps();
    kernel_.step(streams{&x, &more...}, outputs{&y...}, cache, scratch);
  }
  static void require_steps() {
    static_assert(Derived::can_step, "residua: step is for blocks whose self-attention is causal; call forward");
  }

  static void rows_of_jacobian(index rows, inputs const& x, tensor<Real, 2>* into) {
    for (tensor_view<Real const> const* each : x) *into++ = zeros<Real>(rows, each->size());
  }

  any_kernel<Real> kernel_;
};

}  // namespace residua::rt
