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
                         return history.within(
                             layer, [&] { return Block{}(expression<Shape>{history, at, x.where()}, memory..., x.where()); });
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

/// What is wrong with layer I, beside the first.
template <class First, class B, int I>
constexpr report examine_layer() {
  constexpr std::int64_t layer = I;
  if constexpr (!Block<B>) return report(mistake::not_a_block).say({"layer ", layer}).given(kind_of<B>);
  else if constexpr (is_poisoned_block<B>) return B::why;
  else if constexpr (shape_of<typename B::stream_type> != B::view().result().shape)
    return report(mistake::result_is_not_the_stream)
        .compare({"stream"}, shape_of<typename B::stream_type>, {"result"}, B::view().result().shape);
  else if constexpr (!Block<First> || is_poisoned_block<First>) return {};  // the first layer tells
  else if constexpr (!std::is_same_v<typename B::stream_type, typename First::stream_type>)
    return report(mistake::layers_differ)
        .say({"layer ", layer})
        .compare({"layer 0"}, shape_of<typename First::stream_type>, {"this layer"}, shape_of<typename B::stream_type>);
  else if constexpr (!std::is_same_v<typename B::memory_type, typename First::memory_type>)
    return report(mistake::layers_differ)
        .say({"layer ", layer})
        .say({"in their memory"})
        .compare({"layer 0"}, shape_of<typename First::memory_type>, {"this layer"}, shape_of<typename B::memory_type>);
  else return {};
}

/// The first mistake among the layers.
template <class Layer, int... I>
constexpr report examine_layers(std::integer_sequence<int, I...>) {
  report first;
  (void)((first = examine_layer<layer_of<Layer, 0>, layer_of<Layer, I>, I>(), first.kind != mistake::none) || ...);
  return first;
}

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

/// What gives the block of each layer: a function, or a block for all of them.
template <class Given>
struct layer_function {
  using type = Given;
};
template <Block Given>
struct layer_function<Given> {
  using type = same_each_layer<Given>;
};

/// What is wrong with a stack of so many layers; it is traced if nothing else is.
template <text Name, int Layers, class Given>
constexpr report examine_layers_of() {
  using Layer = typename layer_function<Given>::type;
  using Each = std::make_integer_sequence<int, (Block<Given> || Layers < 1) ? 1 : Layers>;
  if constexpr (!is_identifier(name_of<Name>)) return report(mistake::not_an_identifier);
  else if constexpr (Layers < 1) return report(mistake::no_layers).say({"layers: ", std::int64_t{Layers}});
  else if constexpr (!MakesLayers<Layer>) return report(mistake::not_a_block).given(kind_of<Given>);
  else if constexpr (constexpr report found = examine_layers<Layer>(Each{})) return found;
  else
    return trace_size_of<typename stack_body<Name, Layers, Layer>::type, typename layer_of<Layer, 0>::stream_type,
                         result_rule::same_shape>.found;
}

template <text Name, int Layers, class... Given>
constexpr report examine_stack() {
  if constexpr (sizeof...(Given) == 1)
    return in_block(examine_layers_of<Name, Layers, Given...>(), name_of<Name>, (place_of<Given>(), ...));
  else {
    constexpr std::int64_t count = sizeof...(Given);
    return report(mistake::not_a_block).say({"in stack \"", name_of<Name>, "\""}).say({"given: ", count, " arguments"});
  }
}
template <text Name, int Layers, class... Given>
inline constexpr report stack_report = examine_stack<Name, Layers, Given...>();

/// The stack that was made, or what stands in for it, and its message.
template <text Name, int Layers, class... Given>
struct made_stack {
  using told = telling_of<stack_report<Name, Layers, Given...>, types<Given...>>;
  using message = typename told::type;

  static constexpr auto make() {
    if constexpr (stack_report<Name, Layers, Given...>) return poisoned_block<Name, told::remaining>{};
    else {
      using Layer = typename layer_function<Given...>::type;
      return block_operation<Name, typename layer_of<Layer, 0>::stream_type, typename stack_body<Name, Layers, Layer>::type,
                             result_rule::same_shape>{};
    }
  }
};

/// What is wrong with a stack without a number of layers, or even a name.
template <text... Name>
constexpr report examine_unnumbered_stack() {
  if constexpr (sizeof...(Name) == 0) return report(mistake::no_name).say({"made as: stack<\"h\", 12>(block)"});
  else
    return report(mistake::no_layers)
        .say({"in stack \"", name_of<Name>..., "\""})
        .say({"made as: stack<\"", name_of<Name>..., "\", 12>(block)"});
}
template <text... Name>
inline constexpr report unnumbered_stack_report = examine_unnumbered_stack<Name...>();

}  // namespace detail

/// stack<"h", 12>(pre_norm): L layers with parameters h.0.N.weight ... h.11.N.weight. The layers may differ: give a
/// function from the index (a std::integral_constant, 0 to L - 1) to a block.
template <text Name, int Layers, class... Given>
constexpr auto stack(Given...) {
  using Made = detail::made_stack<Name, Layers, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::make();
}
template <text... Name, class... Given>
constexpr auto stack(Given...) {  // mistaken: no number of layers, or no name
  said(static_cast<message_of<detail::unnumbered_stack_report<Name...>>*>(nullptr));
  return poisoned_block<"nameless">{};
}

}  // namespace residua::dsl
