#pragma once
#include <residua/dsl/expression.hpp>

namespace residua::dsl {

struct operation_base {};

template <class T>
concept Operation = std::derived_from<std::remove_cvref_t<T>, operation_base>;

/// What a thing is, in the words of a message.
template <class T>
inline constexpr std::string_view kind_of = Operation<T>                      ? "an operation, not applied"
                                            : Expression<T>                   ? "an expression"
                                            : std::is_arithmetic_v<T>         ? "a number"
                                            : is_axis<std::remove_cvref_t<T>> ? "an axis"
                                                                              : spelling<T>();

/// Operations are applied like functions, `F(N(x))`, and composed with `|`. They are empty: all they know is in
/// their type, and `Derived::apply(x, where)` records them in the trace of x.
template <class Derived>
struct operation : operation_base {
  template <class Argument>
  constexpr auto operator()(Argument const& argument, std::source_location where = std::source_location::current()) const {
    if constexpr (Expression<Argument>) return Derived::apply(argument, where);
    else if constexpr (Rejected<Argument>) return argument;
    else
      return rejected{{.kind = mistake::not_an_expression, .subject = Derived::name, .given = kind_of<Argument>, .where = where}};
  }
};

/// What an operation becomes whose own definition is a mistake; its message is out already.
struct broken_operation : operation<broken_operation> {
  static constexpr std::string_view name = "";

  template <class Shape>
  static constexpr rejected apply(expression<Shape> const&, std::source_location) {
    return {{.kind = mistake::reported}};
  }
};

/// a | b: first a, then b.
template <class First, class Second>
struct composed : operation<composed<First, Second>> {
  static constexpr std::string_view name = First::name;

  template <class Shape>
  static constexpr auto apply(expression<Shape> const& x, std::source_location where) {
    return Second{}(First{}(x, where), where);
  }
};
template <Operation First, class Second>
constexpr auto operator|(First, Second) {
  using Message =
      message_if<!Operation<Second>, mistake::not_an_operation, "right side of |", joined<"given: ", text_of<kind_of<Second>>>>;
  said(static_cast<Message*>(nullptr));
  if constexpr (Operation<Second>) return composed<First, Second>{};
  else return broken_operation{};
}

template <class First, Operation Second>
  requires(Expression<First> || Rejected<First>)
constexpr rejected operator|(First const& first, Second) {
  if constexpr (Rejected<First>) return first;
  else {
    failure const found{
        .kind = mistake::not_an_operation, .subject = "left side of |", .given = kind_of<First>, .where = first.where()};
    first.history().fail(found);
    return {found};
  }
}

/// The feature axis that an operation is made for, against the one that x ends in.
template <class Axis, class Shape>
constexpr void require_feature_axis(mistake kind, std::string_view name, expression<Shape> const& x, std::source_location where) {
  if constexpr (!std::is_same_v<feature_axis<Shape>, Axis>)
    x.history().fail(
        {.kind = kind, .subject = name, .left = value_of(Shape{}), .right = {{value_of(Axis{})}, 1}, .where = where});
}

/// A name that cannot be a C++ member is a mistake.
template <text Name>
using name_message = message_if<!is_identifier(name_of<Name>), mistake::not_an_identifier, joined<"name \"", Name, "\"">>;

/// So is an argument that should be an axis and is none; Word is the operation's own name, as in `linear`.
template <text Word, text Name, class... Axes>
using axes_message =
    first_message_of<message_if<!(is_axis<Axes> && ...), mistake::not_an_axis, joined<Word, "<\"", Name, "\">(...)">>,
                     name_message<Name>>;

/// Options are empty types with a word of their own: `with_bias`, `epsilon<1e-6>`.
struct with_bias_option {
  static constexpr std::string_view word = "with_bias";
};
struct no_bias_option {
  static constexpr std::string_view word = "no_bias";
};
struct no_affine_option {
  static constexpr std::string_view word = "no_affine";
};
struct unit_offset_option {
  static constexpr std::string_view word = "unit_offset";
};
struct epsilon_option {
  static constexpr std::string_view word = "epsilon<...>";
};
template <double Value>
struct epsilon_of : epsilon_option {
  static constexpr double value = Value;
};

inline constexpr with_bias_option with_bias;      // linear: + b
inline constexpr no_bias_option no_bias;          // layer_norm: gain only
inline constexpr no_affine_option no_affine;      // layer_norm, rms_norm: neither gain nor bias
inline constexpr unit_offset_option unit_offset;  // rms_norm: the gain is 1 + weight
/// epsilon<1e-6>: what a norm adds to the variance or the mean square.
template <double Value>
inline constexpr epsilon_of<Value> epsilon;

template <class Option, class... Options>
inline constexpr bool has_option = (std::is_base_of_v<Option, Options> || ...);

/// The epsilon among the options; 1e-5 where there is none.
template <class... Options>
inline constexpr double epsilon_among = [] {
  double value = 1e-5;
  [[maybe_unused]] auto look = [&]<class Option>(std::type_identity<Option>) {
    if constexpr (std::is_base_of_v<epsilon_option, Option>) value = Option::value;
  };
  (look(std::type_identity<Options>{}), ...);
  return value;
}();

namespace detail {
template <class Option>
inline constexpr std::string_view word_of = kind_of<Option>;
template <class Option>
  requires requires { Option::word; }
inline constexpr std::string_view word_of<Option> = Option::word;
}  // namespace detail

template <class... Options>
struct options_known {
  template <class Option>
  static constexpr bool contains = (std::is_base_of_v<Options, Option> || ...);
};

/// The message about the first option that the operation does not know.
template <text Word, text Name, class Known, text KnownWords, class... Options>
using options_message = first_message_of<
    message_if<!Known::template contains<Options>, mistake::unknown_option, joined<Word, "<\"", Name, "\">(...)">,
               joined<"given: ", text_of<detail::word_of<Options>>>, joined<"known: ", KnownWords>>...>;

}  // namespace residua::dsl
