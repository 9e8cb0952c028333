// What every generated kernel offers: tensors in, tensors out, with every argument checked. The generated class brings
// the tile programs; this one brings the interface, so that it is the same for all blocks.
#pragma once

#include <residua/rt/instruction_set.hpp>
#include <residua/rt/parameters.hpp>
#include <residua/rt/tile_loop.hpp>
#include <residua/rt/weights.hpp>

#include <algorithm>
#include <functional>
#include <stdexcept>

namespace residua::rt {

/// Scratch memory for one call at a time: with it, forward, jvp and vjp allocate nothing, but for the first vjp of a kernel
/// (and the first after update), which packs the transposed weights.
/// It is made for as many threads as there are when it is made.
class workspace {
 public:
  workspace() = default;
  explicit workspace(index bytes_each) : memory_(bytes_each) {}

  /// The memory, if it is enough for this call. Throws std::invalid_argument where the workspace is another kernel's.
  tile_memory& for_call(index bytes_each) {
    if (memory_.threads() == 0 || memory_.bytes_each() < bytes_each)
      throw std::invalid_argument("workspace: has " + std::to_string(memory_.bytes_each()) + " bytes a thread, must have " +
                                  std::to_string(bytes_each) + "; make it with this kernel's make_workspace");
    return memory_;
  }

 private:
  tile_memory memory_;
};

/// One call's bytes of scratch a thread, by what is computed.
struct scratch_bytes {
  index forward = 0;
  index jvp = 0;
  index vjp = 0;
};

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
///   bytes(), run_forward, run_jvp, run_vjp on pointers and rows, and its parameters.
template <class Derived, class Real, std::size_t InputRank, std::size_t OutputRank>
class block_kernel {
 public:
  using input_tensor = tensor<Real, InputRank>;
  using output_tensor = tensor<Real, OutputRank>;

  /// Scratch for calls on streams of these leading extents, as in make_workspace(B, T).
  template <class... Leading>
  workspace make_workspace(Leading... leading) const {
    static_assert(sizeof...(Leading) + 1 == InputRank, "one extent for each leading axis of the stream");
    ((void)leading, ...);  // today's operations need memory for tiles, whatever the stream's extents
    scratch_bytes const bytes = self().bytes();
    return workspace(std::max({bytes.forward, bytes.jvp, bytes.vjp}));
  }

  /// y = b(x)
  template <class X>
  output_tensor forward(X const& x) const {
    output_tensor y = output_for(x);
    workspace scratch(self().bytes().forward);
    forward(x, y, scratch);
    return y;
  }
  template <class X, class Y>
  void forward(X const& x, Y& y, workspace& scratch) const {
    index const rows = check_input("x", x);
    check_output("y", y, x);
    require_apart("y", y, x);
    self().run_forward(tensor_data(x), tensor_data(y), rows, scratch.for_call(self().bytes().forward));
  }

  /// y = b(x) and J dx, J taken at x
  template <class X, class DX>
  std::pair<output_tensor, output_tensor> jvp(X const& x, DX const& dx) const {
    std::pair<output_tensor, output_tensor> result{output_for(x), output_for(x)};
    workspace scratch(self().bytes().jvp);
    jvp(x, dx, result.first, result.second, scratch);
    return result;
  }
  template <class X, class DX, class Y, class DY>
  void jvp(X const& x, DX const& dx, Y& y, DY& dy, workspace& scratch) const {
    index const rows = check_input("x", x);
    check_like_input("dx", dx, x);
    check_output("y", y, x);
    check_output("dy", dy, x);
    require_apart("y", y, x);
    require_apart("y", y, dx);
    require_apart("dy", dy, x);
    require_apart("dy", dy, dx);
    require_apart("dy", dy, y);
    self().run_jvp(tensor_data(x), tensor_data(dx), tensor_data(y), tensor_data(dy), rows, scratch.for_call(self().bytes().jvp));
  }

  /// J^T dy and the gradients of the parameters, for a loss whose gradient by y is dy
  template <class X, class DY>
  auto vjp(X const& x, DY const& dy) const {
    check_input("x", x);
    auto result = self().make_gradient();
    result.x = input_tensor(shape_of(x));
    workspace scratch(self().bytes().vjp);
    vjp(x, dy, result, scratch);
    return result;
  }
  template <class X, class DY, class Gradient>
  void vjp(X const& x, DY const& dy, Gradient& g, workspace& scratch) const {
    index const rows = check_input("x", x);
    check_output("dy", dy, x);
    check_like_input("g.x", g.x, x);
    require_apart("g.x", g.x, x);
    require_apart("g.x", g.x, dy);
    self().run_vjp(tensor_data(x), tensor_data(dy), tensor_data(g.x), g.parameters, rows, scratch.for_call(self().bytes().vjp));
  }

  /// The dense Jacobian, row-major over (tokens, features) on both sides.
  template <class X>
  tensor<Real, 2> jacobian(X const& x) const {
    index const rows = check_input("x", x);
    index const in = self().input_rules().back().extent;
    index const out = self().output_rules().back().extent;
    tensor<Real, 2> j = zeros<Real>(rows * out, rows * in);
    for_each_column(x, rows, [&](index row, index column, Real const* dy) {
      // Tokens do not meet in these blocks: the one seed serves all of them, each in its own diagonal block.
      for (index i = 0; i < out; ++i) j.data()[(row * out + i) * rows * in + row * in + column] = dy[i];
    });
    return j;
  }

  /// The trace of the Jacobian; stores no matrix.
  template <class X>
  Real jacobian_trace(X const& x) const {
    static_assert(InputRank == OutputRank, "a trace needs a square Jacobian");
    index const rows = check_input("x", x);
    if (self().input_rules().back().extent != self().output_rules().back().extent)
      throw std::invalid_argument("jacobian_trace: the result is not as wide as the stream");
    double trace = 0;
    for_each_column(x, rows, [&](index, index column, Real const* dy) { trace += static_cast<double>(dy[column]); });
    return static_cast<Real>(trace);
  }

 private:
  Derived const& self() const { return static_cast<Derived const&>(*this); }

  template <class T>
  static std::array<std::size_t, InputRank> shape_of(T const& t) {
    std::array<std::size_t, InputRank> shape;
    std::copy(t.shape().begin(), t.shape().end(), shape.begin());
    return shape;
  }

  /// Checks a stream argument and gives its number of rows, the product of the leading extents.
  template <class X>
  index check_input(std::string_view name, X const& x) const {
    static_assert(std::is_same_v<std::remove_const_t<typename X::value_type>, Real>,
                  "the tensor's element type is not the kernel's");
    auto const rules = self().input_rules();
    require_shape(name, x, rules);
    index rows = 1;
    for (std::size_t i = 0; i + 1 < InputRank; ++i) rows *= static_cast<index>(x.shape()[i]);
    return rows;
  }
  template <class T, class X>
  void check_like_input(std::string_view name, T const& t, X const& x) const {
    auto rules = self().input_rules();
    match_leading(rules, x);
    require_shape(name, t, rules);
    require_as_empty(name, t, rules);
  }
  template <class Y, class X>
  void check_output(std::string_view name, Y const& y, X const& x) const {
    static_assert(std::is_same_v<std::remove_const_t<typename Y::value_type>, Real>,
                  "the tensor's element type is not the kernel's");
    auto rules = self().output_rules();
    match_leading(rules, x);
    require_shape(name, y, rules);
    require_as_empty(name, y, rules);
  }
  template <class Rules, class X>
  static void match_leading(Rules& rules, X const& x) {
    for (std::size_t i = 0; i + 1 < rules.size(); ++i) rules[i].extent = static_cast<index>(x.shape()[i]);
    for (std::size_t i = 0; i + 1 < rules.size(); ++i) rules[i].origin = "as in x";
  }

  /// A rule of extent 0 allows any, so an axis on which x is empty is compared here.
  template <class T, class Rules>
  static void require_as_empty(std::string_view name, T const& t, Rules const& rules) {
    for (std::size_t i = 0; i + 1 < rules.size(); ++i)
      if (rules[i].extent == 0 && t.shape()[i] != 0)
        throw std::invalid_argument(std::string(name) + ": axis " + std::string(rules[i].axis) + " is " +
                                    std::to_string(t.shape()[i]) + ", must be 0 (as in x)");
  }

  template <class X>
  output_tensor output_for(X const& x) const {
    check_input("x", x);
    std::array<std::size_t, OutputRank> shape;
    std::copy_n(x.shape().begin(), OutputRank - 1, shape.begin());
    shape.back() = static_cast<std::size_t>(self().output_rules().back().extent);
    return output_tensor(shape);
  }

  template <class A, class B>
  static void require_apart(std::string_view name, A const& a, B const& b) {
    std::less<> const before;
    if (before(tensor_data(a), tensor_data(b) + b.size()) && before(tensor_data(b), tensor_data(a) + a.size()))
      throw std::invalid_argument(std::string(name) + ": overlaps another argument");
  }

  /// body(row, column, dy of that row) for the derivative by each input feature, at every row.
  template <class X, class Body>
  void for_each_column(X const& x, index rows, Body const& body) const {
    index const in = self().input_rules().back().extent;
    index const out = self().output_rules().back().extent;
    aligned_buffer<Real> dx(rows * in), y(rows * out), dy(rows * out);
    workspace scratch(self().bytes().jvp);
    tile_memory& memory = scratch.for_call(self().bytes().jvp);
    for (index column = 0; column < in; ++column) {
      for (index row = 0; row < rows; ++row) dx.data()[row * in + column] = 1;
      self().run_jvp(tensor_data(x), dx.data(), y.data(), dy.data(), rows, memory);
      for (index row = 0; row < rows; ++row) {
        dx.data()[row * in + column] = 0;
        body(row, column, dy.data() + row * out);
      }
    }
  }
};

}  // namespace residua::rt
