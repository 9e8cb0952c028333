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

 private:
  template <class Shape, int... I>
  static constexpr expression<Shape> run(expression<Shape> const& x, std::integer_sequence<int, I...>) {
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
                                               [&] { return Block{}(expression<Shape>{history, at, x.where()}, x.where()); });
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

template <class T>
inline constexpr bool is_broken_block = false;
template <text Name>
inline constexpr bool is_broken_block<broken_block<Name>> = true;

template <class Layer, int I>
using layer_of = decltype(Layer{}(std::integral_constant<int, I>{}));

/// Whether B is a block of the first layer's stream. A broken one fits: its message is out.
/// (A template of its own, for clang looks into a generic lambda's discarded branches.)
template <class First, class B>
constexpr bool fits() {
  if constexpr (!Block<B>) return false;
  else if constexpr (is_broken_block<B> || is_broken_block<First>) return true;
  else if constexpr (!Block<First>) return true;  // the first layer is the misfit
  else
    return std::is_same_v<typename B::stream_type, typename First::stream_type> &&
           B::view().nodes[0].shape == B::view().nodes[static_cast<std::size_t>(B::view().output)].shape;
}

/// The first layer that is no block of the first layer's stream, or -1.
template <class Layer, int... I>
constexpr int first_misfit(std::integer_sequence<int, I...>) {
  int misfit = -1;
  ((misfit < 0 && !fits<layer_of<Layer, 0>, layer_of<Layer, I>>() ? (void)(misfit = I) : (void)0), ...);
  return misfit;
}

template <class Given>
inline constexpr std::string_view misfit_kind = Block<Given> ? std::string_view("a block of another stream") : kind_of<Given>;

template <text Name, int Layers, class Layer>
struct stack_verdict {
  static constexpr int misfit = first_misfit<Layer>(std::make_integer_sequence<int, Layers>{});
  static constexpr bool broken = []<int... I>(std::integer_sequence<int, I...>) {
    return (is_broken_block<layer_of<Layer, I>> || ...);
  }(std::make_integer_sequence<int, Layers>{});

  static auto decide() {
    if constexpr (misfit >= 0)
      return broken_verdict<Name, mistake_message<mistake::not_a_block, joined<"stack \"", Name, "\", layer ", digits<misfit>>,
                                                  joined<"given: ", text_of<misfit_kind<layer_of<Layer, misfit>>>>>>{};
    else if constexpr (broken) return broken_verdict<Name, no_message>{};
    else
      return traced_verdict<Name, result_rule::same_shape, typename layer_of<Layer, 0>::stream_type,
                            repeated<Name, Layers, Layer>>{};
  }
};

template <text Name, int Layers, class Layer>
auto decide_stack() {
  if constexpr (!is_identifier(name_of<Name>)) return broken_verdict<Name, name_message<Name>>{};
  else if constexpr (Layers < 1)
    return broken_verdict<Name, mistake_message<mistake::extent_not_positive, joined<"stack \"", Name, "\"">,
                                                joined<"layers: ", digits<Layers>, ", must be 1 or more">>>{};
  else if constexpr (Block<Layer>) return stack_verdict<Name, Layers, same_each_layer<Layer>>::decide();
  else if constexpr (!Operation<Layer> && std::is_empty_v<Layer> && std::is_invocable_v<Layer, std::integral_constant<int, 0>>)
    return stack_verdict<Name, Layers, Layer>::decide();
  else
    return broken_verdict<Name, mistake_message<mistake::not_a_block, joined<"stack \"", Name, "\"">,
                                                joined<"given: ", text_of<kind_of<Layer>>>>>{};
}

}  // namespace detail

/// stack<"h", 12>(pre_norm): L layers with parameters h.0.N.weight ... h.11.N.weight. The layers may differ: give a
/// function from the index (a std::integral_constant, 0 to L - 1) to a block.
template <text Name, int Layers, class Layer>
constexpr auto stack(Layer) {
  using Verdict = decltype(detail::decide_stack<Name, Layers, Layer>());
  said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

}  // namespace residua::dsl
