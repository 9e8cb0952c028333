// The border between xtensor and the kernels: a tensor as its memory, shape and strides. A kernel is handed row-major
// contiguous memory and never copies it; what is not that is told when the call checks its arguments.
#pragma once

#include <residua/rt/core/matrix.hpp>

#include <concepts>
#include <cstddef>
#include <type_traits>

namespace residua::rt {

/// Anything with memory, a shape and strides: xt::xtensor, xt::xarray, xt::adapt over foreign memory, views of them.
template <class Tensor>
concept contiguous_tensor = requires(std::remove_reference_t<Tensor>& t) {
  { *t.data() } -> std::convertible_to<typename std::remove_reference_t<Tensor>::value_type>;
  { t.data_offset() } -> std::convertible_to<std::size_t>;
  { t.shape().size() } -> std::convertible_to<std::size_t>;
  t.shape()[0];
  t.strides()[0];
};

/// Shape and strides of a tensor of any rank; beyond `most` axes only their number is known.
struct tensor_extents {
  static constexpr std::size_t most = 32;

  std::size_t rank = 0;
  index shape[most];
  index strides[most];

  index size() const {
    index product = 1;
    for (std::size_t axis = 0; axis < rank && axis < most; ++axis) product *= shape[axis];
    return product;
  }
};

/// What a kernel reads (Element const) or writes of a tensor; every such tensor converts to it.
template <class Element>
struct tensor_view : tensor_extents {
  using scalar = std::remove_const_t<Element>;

  Element* data = nullptr;

  template <class Tensor>
    requires(std::is_const_v<Element> && !std::derived_from<Tensor, tensor_extents>)
  tensor_view(Tensor const& t) {
    take(t);
  }
  template <class Tensor>
    requires(!std::is_const_v<Element> && !std::derived_from<Tensor, tensor_extents>)
  tensor_view(Tensor& t) {
    take(t);
  }

 private:
  template <class Tensor>
  void take(Tensor& t) {
    constexpr bool has_memory = contiguous_tensor<Tensor>;
    static_assert(has_memory, "residua: this is no tensor with memory; assign it to an xt::xtensor first");
    if constexpr (has_memory) {
      constexpr bool is_of_the_kernel = std::is_same_v<std::remove_const_t<typename Tensor::value_type>, scalar>;
      constexpr bool is_writable = !is_of_the_kernel || std::is_convertible_v<decltype(t.data()), Element*>;
      static_assert(is_of_the_kernel, "the tensor's element type is not the kernel's");
      static_assert(is_writable, "residua: the tensor for a result is const");
      if constexpr (is_of_the_kernel && is_writable) take_memory(t);
    }
  }
  template <class Tensor>
  void take_memory(Tensor& t) {
    data = t.data() + t.data_offset();
    rank = t.shape().size();
    for (std::size_t axis = 0; axis < rank && axis < most; ++axis) {
      shape[axis] = static_cast<index>(t.shape()[axis]);
      strides[axis] = static_cast<index>(t.strides()[axis]);
    }
  }
};

}  // namespace residua::rt
