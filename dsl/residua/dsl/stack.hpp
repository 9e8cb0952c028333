#pragma once
#include <residua/dsl/block.hpp>
#include <utility>

namespace residua::dsl {

namespace detail {

/// Layers 0 to L - 1 in a row; Layer{}(index) is the block of one.
template <text Name, int Layers, class Layer>
struct repeated {
  template <class Shape>
  constexpr expression<Shape> operator()(expression<Shape> const& x) const {
    return run(x, std::make_integer_sequence<int, Layers>{});
  }
  template <class Shape, class Memory>
  constexpr expression<Shape> operator()(expression<Shape> const& x, expression<Memory> const& memory) const {
    return run(x, std::make_integer_sequence<int, Layers>{}, memory);
  }

 private:
  template <class Shape, int... I, class... Memory>
  static constexpr expression<Shape> run(expression<Shape> const& x, std::integer_sequence<int, I...>, Memory const&... memory) {
    trace& history = x.history();
    int at = x.at();
    int const whole = history.scope_of(name_of<Name>, hash(name_of<Name>), &identity_of<repeated>, x.where());
    auto step = [&]<int Index>(std::integral_constant<int, Index> index) {
      using Block = decltype(Layer{}(index));
      at = history
               .within(whole,
                       [&] {
                         int const layer = history.scope_of({}, 0, &identity_of<repeated>, x.where(), Index);
                         return history.within(layer,
                                               [&] { return Block{}(expression<Shape>{history, at, x.where()}, memory..., x.where()); });
                       })
               .at();
    };
    (step(std::integral_constant<int, I>{}), ...);
    return {history, at, x.where()};
  }
};

template <class Block>
struct same_each_layer {
  constexpr Block operator()(auto) const { return {}; }
};

template <class Layer, int I>
using layer_of = decltype(Layer{}(std::integral_constant<int, I>{}));

/// A shape as a value; of no axis where there is none.
template <class Shape>
constexpr shape_value shape_of() {
  if constexpr (std::is_void_v<Shape>) return {};
  else return value_of(Shape{});
}

/// What is wrong with layer I, beside the first.
template <class First, class B, int I>
constexpr failure wrong_layer() {
  constexpr std::string_view layer = name_of<joined<"layer ", digits<I>>>;
  if constexpr (!Block<B>) return {.kind = mistake::not_a_block, .subject = layer, .given = kind_of<B>};
  else if constexpr (is_broken_block<B>) return B::mistake_found();
  else if constexpr (value_of(typename B::stream_type{}) != B::view().result().shape)
    return {.kind = mistake::result_is_not_the_stream,
            .left = value_of(typename B::stream_type{}),
            .right = B::view().result().shape};
  else if constexpr (!Block<First> || is_broken_block<First>) return {};  // the first layer tells
  else if constexpr (!std::is_same_v<typename B::stream_type, typename First::stream_type>)
    return {.kind = mistake::layers_differ,
            .subject = layer,
            .left = value_of(typename First::stream_type{}),
            .right = value_of(typename B::stream_type{})};
  else if constexpr (!std::is_same_v<typename B::memory_type, typename First::memory_type>)
    return {.kind = mistake::layers_differ,
            .subject = layer,
            .inside = "in their memory",
            .left = shape_of<typename First::memory_type>(),
            .right = shape_of<typename B::memory_type>()};
  else return {};
}

/// The first mistake among the layers.
template <class Layer, int Layers>
struct stack_mistake {
  template <int... I>
  static constexpr failure look(std::integer_sequence<int, I...>) {
    failure first;
    (void)((first = wrong_layer<layer_of<Layer, 0>, layer_of<Layer, I>, I>(), first.kind != mistake::none) || ...);
    return first;
  }
  static constexpr failure found = look(std::make_integer_sequence<int, Layers>{});
};

/// The function of a stack: of one stream, or of two where its layers read a memory.
template <text Name, int Layers, class Layer>
struct stack_body {
  using type = repeated<Name, Layers, Layer>;
};
template <text Name, int Layers, class Layer>
  requires(!std::is_void_v<typename layer_of<Layer, 0>::memory_type>)
struct stack_body<Name, Layers, Layer> {
  using type = with_memory<repeated<Name, Layers, Layer>, typename layer_of<Layer, 0>::memory_type>;
};

template <class Layer>
concept MakesLayers = !Operation<Layer> && std::is_empty_v<Layer> && std::is_default_constructible_v<Layer> &&
                      requires { typename layer_of<Layer, 0>; };

template <text Name, int Layers, class Layer, class Wrong>
struct layers_verdict : verdict<Name, void, Wrong, Layer> {};
template <text Name, int Layers, class Layer, class Wrong>
  requires(Wrong::found.kind == mistake::none)
struct layers_verdict<Name, Layers, Layer, Wrong>
    : verdict<
          Name,
          block_operation<Name, typename layer_of<Layer, 0>::stream_type, typename stack_body<Name, Layers, Layer>::type,
                          result_rule::same_shape>,
          traced_mistake<typename stack_body<Name, Layers, Layer>::type, typename layer_of<Layer, 0>::stream_type, result_rule::same_shape>,
          Layer> {};

/// The verdict on any arguments of stack.
template <text Name, int Layers, class Layer>
struct stack_verdict : verdict<Name, void, plain_mistake<mistake::not_a_block, "", Layer>, Layer> {};
template <text Name, int Layers, class Layer>
  requires(!is_identifier(name_of<Name>))
struct stack_verdict<Name, Layers, Layer> : verdict<Name, void, plain_mistake<wrong_part<Name, Layer>, "">, Layer> {};
template <text Name, int Layers, class Layer>
  requires(is_identifier(name_of<Name>) && Layers < 1)
struct stack_verdict<Name, Layers, Layer>
    : verdict<Name, void, plain_mistake<mistake::no_layers, joined<"layers: ", digits<Layers>>>, Layer> {};
template <text Name, int Layers, Block Layer>
  requires(is_identifier(name_of<Name>) && Layers >= 1)
struct stack_verdict<Name, Layers, Layer>
    : layers_verdict<Name, Layers, same_each_layer<Layer>, stack_mistake<same_each_layer<Layer>, 1>> {};
template <text Name, int Layers, class Layer>
  requires(is_identifier(name_of<Name>) && Layers >= 1 && !Block<Layer> && MakesLayers<Layer>)
struct stack_verdict<Name, Layers, Layer> : layers_verdict<Name, Layers, Layer, stack_mistake<Layer, Layers>> {};

}  // namespace detail

/// stack<"h", 12>(pre_norm): L layers with parameters h.0.N.weight ... h.11.N.weight. The layers may differ: give a
/// function from the index (a std::integral_constant, 0 to L - 1) to a block.
template <text Name, int Layers, class Layer>
constexpr auto stack(Layer) {
  using Verdict = detail::stack_verdict<Name, Layers, Layer>;
  if constexpr (Verdict::later) say_later<typename Verdict::message>();
  else said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

// Mistaken: no block, several, no number of layers, or no name.
template <text Name, int Layers, class... Given>
constexpr auto stack(Given...) {
  using Message = mistake_message<mistake::not_a_block, joined<"in stack \"", Name, "\"">,
                                  joined<"given: ", digits<sizeof...(Given)>, " arguments">>;
  said(static_cast<Message*>(nullptr));
  return broken_block<Name>{};
}
template <text Name, class... Given>
constexpr auto stack(Given...) {
  using Message =
      mistake_message<mistake::no_layers, joined<"in stack \"", Name, "\"">, joined<"made as: stack<\"", Name, "\", 12>(block)">>;
  said(static_cast<Message*>(nullptr));
  return broken_block<Name>{};
}
template <class... Given>
constexpr auto stack(Given...) {
  using Message = nameless_message<"stack<\"h\", 12>(block)", Given...>;
  said(static_cast<Message*>(nullptr));
  return broken_block<"nameless">{};
}

}  // namespace residua::dsl
