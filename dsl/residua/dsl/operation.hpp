#pragma once
#include <residua/dsl/expression.hpp>

namespace residua::dsl {

struct operation_base {
  static constexpr std::string_view kind = "the operation";
  static constexpr bool reads_memory = false;  // applied to two expressions
  static constexpr std::string_view too_many = "several";
};

template <class T>
concept Operation = std::derived_from<std::remove_cvref_t<T>, operation_base>;

namespace detail {
/// The first trace among the arguments keeps the mistake, should the result be unused; and the message points to the
/// line where the last expression among them was made or copied.
template <class... Given>
constexpr rejected reject(failure found, Given const&... given) {
  rejected made{found};
  std::source_location place{};
  bool earlier = false;
  auto look = [&]<class T>(T const& each) {
    if constexpr (Rejected<T>) {
      if (!earlier) made = each;
      earlier = true;
    } else if constexpr (Expression<T>) {
      place = later(place, each.where());
    }
  };
  (look(given), ...);
  made = made.at(place);
  auto record = [&]<class T>(T const& each) {
    if constexpr (Expression<T>) each.history().fail(made.why);
  };
  (record(given), ...);
  return made;
}

/// What Derived, applied to these, is a mistake of: they are not one expression, or two if it reads a memory.
template <class Derived, class... Given>
constexpr failure misapplied() {
  constexpr std::string_view subject = name_of<kind_text<Derived>>;
  if constexpr (requires { Derived::mistake_found(); }) return Derived::mistake_found();  // its own comes first
  else if constexpr (Derived::reads_memory && sizeof...(Given) == 2) {
    constexpr bool operation = (Operation<Given> || ...);
    std::string_view other{};
    ((other = other.empty() && !Operand<Given> && Operation<Given> == operation ? kind_of<Given> : other), ...);
    return {.kind = operation ? mistake::not_applied : mistake::not_an_expression, .subject = subject, .given = other};
  } else {
    return {.kind = Derived::reads_memory ? mistake::no_memory : mistake::not_one_argument,
            .subject = subject,
            .given = sizeof...(Given) == 0 ? std::string_view("none") : Derived::too_many};
  }
}
}  // namespace detail

/// Operations are applied like functions, `F(N(x))`, and composed with `|`. They are empty: all they know is in
/// their type, and `Derived::apply(x, where)` records them in the trace of x.
template <class Derived>
struct operation : operation_base {
  template <class Argument>
  constexpr auto operator()(Argument const& argument, std::source_location where = std::source_location::current()) const {
    if constexpr (Expression<Argument>) return Derived::apply(argument, where);
    else if constexpr (Rejected<Argument>) return argument;
    else if constexpr (std::is_class_v<Argument> && !requires { Argument::kind; }) {  // a tensor, most likely
      said(static_cast<mistake_message<mistake::not_an_expression, text_of<kind_of<Derived>>, given_phrase<Argument>>*>(nullptr));
      return rejected{{.kind = mistake::reported}};
    } else
      return rejected{{.kind = Operation<Argument> ? mistake::not_applied : mistake::not_an_expression,
                       .subject = name_of<detail::kind_text<Derived>>,
                       .given = kind_of<Argument>,
                       .where = where}};
  }

  // Mistaken: nothing to apply to, or too much.
  constexpr rejected operator()(std::source_location where = std::source_location::current()) const {
    return rejected{detail::misapplied<Derived>()}.at(where);
  }
  template <class First, class Second, class... Rest>
    requires(!std::same_as<Second, std::source_location>)
  constexpr rejected operator()(First first, Second second, Rest... rest) const {
    return detail::reject(detail::misapplied<Derived, First, Second, Rest...>(), first, second, rest...);
  }
};

/// What an operation becomes whose own definition is a mistake; its message is out already.
struct broken_operation : operation<broken_operation> {
  static constexpr std::string_view name = "";

  static constexpr failure mistake_found() { return {.kind = mistake::reported}; }

  template <class Shape>
  static constexpr rejected apply(expression<Shape> const&, std::source_location) {
    return {mistake_found()};
  }
};

/// The same where the message has to wait until the operation is applied. The message itself is no template argument:
/// any use would complete the class, in search of functions, and thereby give the message.
template <mistake Kind, text Details>
struct mistaken_operation : operation<mistaken_operation<Kind, Details>> {
  static constexpr std::string_view name = "";

  static constexpr failure mistake_found() { return {.kind = Kind, .subject = name_of<Details>}; }

  template <class Shape>
  static constexpr rejected apply(expression<Shape> const& x, std::source_location where) {
    return x.history().reject(rejected{mistake_found()}.at(where).why);
  }
};
template <class Message>
struct mistaken {
  using operation = broken_operation;
};
template <mistake Kind, text First, text... Rest>
struct mistaken<mistake_message<Kind, First, Rest...>> {
  using operation = mistaken_operation<Kind, joined<First, joined<"\n", Rest>...>>;
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
template <Operation First, Operation Second>
constexpr composed<First, Second> operator|(First, Second) {
  return {};
}
template <class First, class Second>
  requires((Operation<First> || Operation<Second>) && !(Operation<First> && Operation<Second>))
constexpr auto operator|(First first, Second second) {
  if constexpr (Operand<First>)
    return detail::reject({.kind = mistake::applied_with_bar, .subject = name_of<given_phrase<Second>>}, first, second);
  else if constexpr (Operand<Second>)
    return detail::reject({.kind = mistake::not_an_operation, .subject = "right of |", .given = kind_of<Second>}, first, second);
  else {
    using Message =
        std::conditional_t<Operation<First>, mistake_message<mistake::not_an_operation, "right of |", given_phrase<Second>>,
                           mistake_message<mistake::not_an_operation, "left of |", given_phrase<First>>>;
    said(static_cast<Message*>(nullptr));
    return broken_operation{};
  }
}

/// The feature axis that an operation is made for, against the one that x ends in.
template <class Axis, class Shape>
constexpr void require_feature_axis(mistake kind, std::string_view name, expression<Shape> const& x, std::source_location where) {
  if constexpr (!std::is_same_v<feature_axis<Shape>, Axis>)
    x.history().fail(
        {.kind = kind, .subject = name, .left = value_of(Shape{}), .right = {{value_of(Axis{})}, 1}, .where = where});
}

/// The message about an operation that was not made of axes and options; Made shows how it is made. None where an
/// expression is among the arguments: that message waits for the block.
template <text Made, class... Given>
using misfit_message = std::conditional_t<
    (Operand<Given> || ...), no_message,
    first_message_of<message_if<!is_axis<Given>, mistake::not_an_axis, joined<"made as: ", Made>, given_phrase<Given>>...,
                     mistake_message<mistake::missing_axis, joined<"made as: ", Made>>>>;
template <text Made, class... Given>
using nameless_message =
    std::conditional_t<(Operand<Given> || ...), no_message, mistake_message<mistake::no_name, joined<"made as: ", Made>>>;

/// Options are empty types with a word of their own: `with_bias`, `epsilon<1e-6>`.
struct option_base {
  static constexpr std::string_view kind = "the option";
};
struct with_bias_option : option_base {
  static constexpr std::string_view name = "with_bias";
};
struct no_bias_option : option_base {
  static constexpr std::string_view name = "no_bias";
};
struct no_affine_option : option_base {
  static constexpr std::string_view name = "no_affine";
};
struct unit_offset_option : option_base {
  static constexpr std::string_view name = "unit_offset";
};
/// An option with a number of its own, which g++ does not see at once in a block's function.
struct numbered_option : option_base {};
struct epsilon_option : numbered_option {
  static constexpr std::string_view name = "epsilon";
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

template <class Option>
constexpr double epsilon_or(double otherwise) {
  if constexpr (std::is_base_of_v<epsilon_option, Option>) return Option::value;
  else return otherwise;
}
template <class... Options>
constexpr double find_epsilon() {
  double value = 1e-5;
  ((value = epsilon_or<Options>(value)), ...);
  return value;
}
/// The epsilon among the options; 1e-5 where there is none.
template <class... Options>
inline constexpr double epsilon_among = find_epsilon<Options...>();

template <class... Options>
struct options_known {
  template <class Option>
  static constexpr bool contains = (std::is_base_of_v<Options, Option> || ...);
};

/// The message about the name, or about the first option that the operation does not know.
template <text Word, text Name, class Known, text KnownWords, class... Options>
using options_message = first_message_of<
    path_message<Name>,
    message_if<!Known::template contains<Options>, mistake::unknown_option, joined<"in ", Word, "<\"", Name, "\">(...)">,
               given_phrase<Options>, joined<"known: ", KnownWords>>...,
    message_if<!(epsilon_among<Options...> >= 0), mistake::epsilon_negative, joined<"in ", Word, "<\"", Name, "\">(...)">>>;

/// Whether a message is about an axis, which gave it when it was made.
template <class Message>
inline constexpr bool said_by_an_axis = false;
template <mistake Kind, text First, text... Rest>
inline constexpr bool said_by_an_axis<mistake_message<Kind, First, Rest...>> =
    First.view().starts_with("axis \"") || First.view().starts_with("in axis \"");

/// The operation that was made, or what becomes of it and its message. In a block's function g++ looks at `epsilon<1e-6>`
/// only while it compiles the block, so a message about what stands beside it waits until the operation is applied.
template <class Sound, class Message, class... Options>
struct making {
  static constexpr bool sound = std::is_same_v<Message, no_message>;
  static constexpr bool waits = !sound && has_option<numbered_option, Options...> && !said_by_an_axis<Message>;
  using message = std::conditional_t<waits, no_message, Message>;
  using type =
      std::conditional_t<sound, Sound, std::conditional_t<waits, typename mistaken<Message>::operation, broken_operation>>;
};

/// What becomes of an operation that was not made of axes and options.
template <class Made, class... Given>
constexpr auto misfit([[maybe_unused]] std::string_view made, Given const&... given) {
  if constexpr ((Operand<Given> || ...)) return detail::reject({.kind = mistake::made_of_expression, .subject = made}, given...);
  else return typename Made::type{};
}

}  // namespace residua::dsl
