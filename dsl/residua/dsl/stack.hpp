#pragma once
#include <residua/dsl/block.hpp>
#include <utility>

namespace residua::dsl {

namespace detail {

template <class Layer, int I>
using layer_of = decltype(Layer{}(std::integral_constant<int, I>{}));

/// Layers 0 to L - 1 in a row; Layer{}(index) is the block of one. A function of all that they read.
template <text Name, int Layers, class Layer>
struct repeated {
  template <Values Streams, Values... More>
  constexpr auto operator()(Streams const& x, More const&... more) const {
    using Reads = typename layer_of<Layer, 0>::reads;
    std::array<int, Reads::inputs> at{};
    std::size_t next = 0;
    auto list = [&](auto const& of) {
      for (int each : of) at[next++] = each;
    };
    (list(nodes_of(x)), ..., list(nodes_of(more)));
    trace& history = x.history();
    run(history, at, x.where(), std::make_integer_sequence<int, Layers>{});
    return made_value<result_values<typename Reads::shapes, Reads::how>>::from(history, at.data(), x.where());
  }

 private:
  /// Leaves in `at` what each layer gives; a memory behind it stays.
  template <class Nodes, int... I>
  static constexpr void run(trace& history, Nodes& at, std::source_location where, std::integer_sequence<int, I...>) {
    int const whole = history.scope_of(name_of<Name>, hash(name_of<Name>), &identity_of<repeated>, where);
    auto step = [&]<int Index>(std::integral_constant<int, Index>) {
      auto const made = history.within(whole, [&] {
        int const layer = history.scope_of({}, 0, &identity_of<repeated>, where, Index);
        return history.within(layer, [&] { return nodes_of(layer_of<Layer, Index>::record(history, at.data(), where)); });
      });
      for (std::size_t k = 0; k < made.size(); ++k) at[k] = made[k];
    };
    (step(std::integral_constant<int, I>{}), ...);
  }
};

template <class Block>
struct same_each_layer {
  constexpr Block operator()(auto) const { return {}; }
};

/// What is wrong with what a layer gives.
template <class B>
constexpr report examine_layer_results() {
  graph_view const graph = B::view();
  std::vector<shape_value> shapes;
  for (int at : graph.outputs) shapes.push_back(graph[at].shape);
  return examine_results<typename B::reads>(shapes.data(), shapes.size(), {});
}

/// What a layer reads beside what the first does.
template <class First, class Other>
constexpr report compare_layers(report found) {
  constexpr auto first = First::all();
  constexpr auto other = Other::all();
  if (First::streams != Other::streams || First::how != Other::how)
    return found.say({"layer 0 reads: ", static_cast<std::int64_t>(First::streams)})
        .say({"this layer reads: ", static_cast<std::int64_t>(Other::streams)});
  for (std::size_t k = 0; k < First::streams; ++k) {
    if (first[k] == other[k]) continue;
    if (First::streams > 1) found.say({"stream \"", First::names()[k], "\""});
    return found.compare({"layer 0"}, first[k], {"this layer"}, other[k]);
  }
  if (shape_of<typename First::memory> == shape_of<typename Other::memory>) return {};
  return found.say({"in their memory"})
      .compare({"layer 0"}, shape_of<typename First::memory>, {"this layer"}, shape_of<typename Other::memory>);
}

/// What is wrong with layer I, beside the first.
template <class First, class B, int I>
constexpr report examine_layer() {
  constexpr std::int64_t layer = I;
  if constexpr (!Block<B>) return report(mistake::not_a_block).say({"layer ", layer}).given(kind_of<B>);
  else if constexpr (is_poisoned_block<B>) return B::why;
  else if constexpr (constexpr report found = examine_layer_results<B>()) return found;
  else if constexpr (!Block<First> || is_poisoned_block<First>) return {};  // the first layer tells
  else return compare_layers<typename First::reads, typename B::reads>(report(mistake::layers_differ).say({"layer ", layer}));
}

/// The first mistake among the layers.
template <class Layer, int... I>
constexpr report examine_layers(std::integer_sequence<int, I...>) {
  report first;
  (void)((first = examine_layer<layer_of<Layer, 0>, layer_of<Layer, I>, I>(), first.kind != mistake::none) || ...);
  return first;
}

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
  else return trace_size_of<repeated<Name, Layers, Layer>, typename layer_of<Layer, 0>::reads, result_rule::same_shape>.found;
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

/// What stands in for the result of a mistaken stack: that of its block.
template <class... Given>
struct mistaken_layers {
  using type = poisoned;
};
template <text Name, report const& Why, class Result>
struct mistaken_layers<poisoned_block<Name, Why, Result>> {
  using type = Result;
};

/// The stack that was made, or what stands in for it, and its message.
template <text Name, int Layers, class... Given>
struct made_stack {
  using told = telling_of<stack_report<Name, Layers, Given...>, types<Given...>>;
  using message = typename told::type;

  static constexpr auto make() {
    if constexpr (stack_report<Name, Layers, Given...>)
      return poisoned_block<Name, told::remaining, typename mistaken_layers<Given...>::type>{};
    else {
      using Layer = typename layer_function<Given...>::type;
      return block_operation<Name, typename layer_of<Layer, 0>::reads, repeated<Name, Layers, Layer>, result_rule::same_shape>{};
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
