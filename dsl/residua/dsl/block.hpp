#pragma once
#include <residua/dsl/activation.hpp>
#include <residua/dsl/linear.hpp>
#include <residua/dsl/norm.hpp>
#include <residua/dsl/residual.hpp>

namespace residua::dsl {

struct block_base {};

/// A block, a map or a stack: a traced function of one stream, with its graph.
template <class T>
concept Block = std::derived_from<std::remove_cvref_t<T>, block_base>;

namespace detail {

template <class Body, class Shape>
using result_of = std::remove_cvref_t<decltype(Body{}(std::declval<expression<Shape>>()))>;

/// Calls a branch's function, or applies its operation, which then knows the place in the user's code.
template <class Body, class Shape>
constexpr decltype(auto) call(expression<Shape>&& x, std::source_location where) {
  if constexpr (Operation<Body>) return Body{}(x, where);
  else return Body{}(static_cast<expression<Shape>&&>(x));
}

/// A block's function of two streams as one of the first: it brings the second, the memory, as an input of its own.
template <class Body, class Memory>
struct with_memory {
  using function = Body;

  template <class Shape>
    requires requires(expression<Shape> (*x)(), expression<Memory> (*memory)()) { Body{}(x(), memory()); }
  constexpr auto operator()(expression<Shape> const& x) const {
    trace& history = x.history();
    int const input = history.add_input(value_of(Memory{}), "memory");
    return Body{}(expression<Shape>{history, x.at(), x.where()}, expression<Memory>{history, input, x.where()});
  }
};

/// The shape of a block's memory, or void.
template <class Body>
struct memory_of {
  using type = void;
};
template <class Body, class Memory>
struct memory_of<with_memory<Body, Memory>> {
  using type = Memory;
};

/// What is wrong with the name or the function of a block or branch, as far as can be seen without running it.
template <text Name, class Body>
inline constexpr mistake wrong_part = !is_identifier(name_of<Name>)                              ? mistake::not_an_identifier
                                      : !std::is_class_v<Body> || is_axis<Body> || Operand<Body> ? mistake::not_a_function
                                      : !std::is_empty_v<Body> || !std::is_default_constructible_v<Body> ? mistake::captures
                                                                                                         : mistake::none;

template <text Name, class Body, class Memory>
inline constexpr mistake wrong_part<Name, with_memory<Body, Memory>> =
    wrong_part<Name, Body> == mistake::not_a_function ? mistake::not_a_function_of_two : wrong_part<Name, Body>;

/// The feature axis of a stack's or block's result must be its stream's; a map may give anything.
enum class result_rule { same_shape, any_shape };

/// Runs a block's function once on a fresh trace. Text, sizes and graph of one block all come from here.
template <class Body, class Shape, result_rule Rule>
struct tracing {
  trace history;
  failure found;
  int output = 0;

  /// Whether the compiler can run the function to its end: a constant expression, or none.
  static constexpr bool ends() { return tracing{}.output >= 0; }

  constexpr tracing() {
    int const input = history.add_input(value_of(Shape{}), "x");
    if constexpr (!FunctionOf<Body, Shape>) {
      found = {.kind = std::is_void_v<typename memory_of<Body>::type> ? mistake::not_a_function : mistake::not_a_function_of_two};
    } else {
      using Result = result_of<Body, Shape>;
      if constexpr (Expression<Result>) {
        Result const result = Body{}(expression<Shape>{history, input, {}});
        output = result.at();
        found = history.first_failure();
        if constexpr (Rule == result_rule::same_shape)
          if (found.kind == mistake::none && !(value_of(typename Result::shape{}) == value_of(Shape{})))
            found = {.kind = mistake::result_is_not_the_stream,
                     .left = value_of(Shape{}),
                     .right = value_of(typename Result::shape{}),
                     .where = result.where()};
      } else if constexpr (Rejected<Result>) {
        failure const why = Body{}(expression<Shape>{history, input, {}}).why;
        found = history.first_failure().kind == mistake::none ? why : history.first_failure();
      } else {
        Body{}(expression<Shape>{history, input, {}});
        found = history.first_failure();
        if (found.kind == mistake::none) found = {.kind = mistake::returns_no_expression, .given = kind_of<Result>};
      }
    }
  }
};

/// What is wrong with a block's function, and how large its graph is.
struct outline {
  failure found;
  std::size_t nodes = 0, scopes = 0, calls = 0, inputs = 0;
};
template <class Body, class Shape, result_rule Rule>
constexpr outline draw() {
  tracing<Body, Shape, Rule> const traced;
  return {traced.found, traced.history.nodes().size(), traced.history.scopes().size(), traced.history.calls().size(),
          traced.history.inputs().size()};
}

/// A function that the compiler cannot run has a mistake too.
template <class Body, class Shape, result_rule Rule>
inline constexpr outline outline_of{
    .found = {.kind = mistake::not_constant, .subject = "not constexpr, or over the compiler's limits"}};
template <class Body, class Shape, result_rule Rule>
  requires requires { typename std::bool_constant<tracing<Body, Shape, Rule>::ends()>; }
inline constexpr outline outline_of<Body, Shape, Rule> = draw<Body, Shape, Rule>();

template <class Body, class Shape, result_rule Rule>
constexpr auto freeze() {
  constexpr outline const& size = outline_of<Body, Shape, Rule>;
  tracing<Body, Shape, Rule> const traced;
  stored_graph<size.nodes, size.scopes, size.calls, size.inputs> frozen;
  for (std::size_t i = 0; i < size.nodes; ++i) frozen.nodes[i] = traced.history.nodes()[i];
  for (std::size_t i = 0; i < size.scopes; ++i) frozen.scopes[i] = traced.history.scopes()[i];
  for (std::size_t i = 0; i < size.calls; ++i) frozen.calls[i] = traced.history.calls()[i];
  for (std::size_t i = 0; i < size.inputs; ++i) frozen.inputs[i] = traced.history.inputs()[i];
  frozen.outputs = {traced.output};
  return frozen;
}
/// The graph of a block that has no mistake, in static storage.
template <class Body, class Shape, result_rule Rule>
inline constexpr auto graph_of = freeze<Body, Shape, Rule>();

template <class Seen>
constexpr failure place(failure found) {
  found.place = place_of<Seen>();
  return found;
}

/// The message of a mistake: its phrases as template arguments, so that every compiler prints them.
template <text Name, class Wrong, class Seen = void>
struct failure_message {
  static constexpr failure found = place<Seen>(Wrong::found);
  static constexpr phrases details = describe(found, name_of<Name>);

  template <std::size_t I>
  static constexpr auto phrase = exactly<details.list[I].size>({details.list[I].data.data(), details.list[I].size});

  template <std::size_t... I>
  static mistake_message<found.kind, phrase<I>...> make(std::index_sequence<I...>);
  using type = decltype(make(std::make_index_sequence<details.count>{}));
};
template <text Name, class Wrong, class Seen>
  requires(Wrong::found.kind == mistake::none || Wrong::found.kind == mistake::reported)
struct failure_message<Name, Wrong, Seen> {
  using type = no_message;
};

}  // namespace detail

/// What block, map and stack make. Applied to a stream inside another block it stands for its own expression, with
/// the parameters under the same names.
template <text Name, class Shape, class Body, detail::result_rule Rule>
struct block_operation : operation<block_operation<Name, Shape, Body, Rule>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  using stream_type = Shape;

  using memory_type = typename detail::memory_of<Body>::type;
  static constexpr bool reads_memory = !std::is_void_v<memory_type>;
  using operation<block_operation>::operator();

  static constexpr graph_view view() { return detail::graph_of<Body, Shape, Rule>.view(name); }

  template <class Given>
  static constexpr auto apply(expression<Given> const& x, std::source_location where) {
    trace& history = x.history();
    if constexpr (reads_memory) {
      return history.reject(
          {.kind = mistake::no_memory, .subject = name_of<detail::kind_text<block_operation>>, .given = "one", .where = where});
    } else if constexpr (!same_shape<Given, Shape>) {
      refuse(x, value_of(Shape{}), where);
      return detail::result_of<Body, Shape>{history, x.at(), where};
    } else {
      auto const result = Body{}(expression<Shape>{history, x.at(), where});
      return detail::result_of<Body, Shape>{history, result.at(), where};
    }
  }

  /// decoder(x, memory), of a block of two streams.
  template <class Given, class GivenMemory>
    requires reads_memory
  constexpr auto operator()(expression<Given> const& x, expression<GivenMemory> const& memory,
                            std::source_location where = std::source_location::current()) const {
    using Result = detail::result_of<Body, Shape>;
    trace& history = x.history();
    if constexpr (!same_shape<Given, Shape>) {
      refuse(x, value_of(Shape{}), where);
      return Result{history, x.at(), where};
    } else if constexpr (!same_shape<GivenMemory, memory_type>) {
      refuse(memory, value_of(memory_type{}), where, "memory ");
      return Result{history, x.at(), where};
    } else {
      auto const result = typename Body::function{}(expression<Shape>{history, x.at(), where},
                                                    expression<memory_type>{history, memory.at(), where});
      return Result{history, result.at(), where};
    }
  }

 private:
  template <class Given>
  static constexpr void refuse(expression<Given> const& given, shape_value const& reads, std::source_location where,
                               std::string_view role = {}) {
    given.history().fail({.kind = mistake::wrong_stream,
                          .subject = name,
                          .inside = role,
                          .left = value_of(Given{}),
                          .right = reads,
                          .where = where});
  }
};

/// The mistake of a block whose message is out.
struct reported_mistake {
  static constexpr failure found{.kind = mistake::reported};
};

/// What a block becomes that has a mistake. It is silent from here on: it answers every question with what is asked.
/// Or the message waits, for the block stands in another's function; then whoever uses it says it.
template <text Name, class Wrong = reported_mistake>
struct broken_block : operation<broken_block<Name, Wrong>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  using message = typename detail::failure_message<Name, Wrong>::type;

  static constexpr graph_view view() {
    said(static_cast<message*>(nullptr));
    return nothing.view(name);
  }

  static constexpr failure mistake_found() {
    failure found = Wrong::found;
    if (found.block.empty()) found.block = name;
    return found;
  }

  template <class Shape>
  static constexpr rejected apply(expression<Shape> const& x, std::source_location) {
    return x.history().reject(mistake_found());
  }

 private:
  static constexpr stored_graph<1, 1, 0> nothing{};
};

namespace detail {

template <class T>
inline constexpr bool is_broken_block = false;
template <text Name, class Wrong>
inline constexpr bool is_broken_block<broken_block<Name, Wrong>> = true;

/// What becomes of a block, and what there is to say about it, from the mistake that it has.
template <text Name, class Sound, class Wrong, class Seen>
struct verdict {
  static constexpr bool inside = Wrong::found.kind != mistake::none && stands_inside<Seen>();
  static constexpr bool waits = inside && !can_say_later;
  static constexpr bool later = inside && can_say_later;
  using message = typename std::conditional_t<waits, std::type_identity<no_message>, failure_message<Name, Wrong, Seen>>::type;
  using block = std::conditional_t<Wrong::found.kind == mistake::none, Sound,
                                   broken_block<Name, std::conditional_t<waits, Wrong, reported_mistake>>>;
};

template <class Body, class Shape, result_rule Rule>
struct traced_mistake {
  static constexpr failure found = outline_of<Body, Shape, Rule>.found;
};
template <mistake Kind, text Subject, class Given = void>
struct plain_mistake {
  static constexpr failure found{.kind = Kind, .subject = name_of<Subject>, .given = kind_of<Given>};
};
template <mistake Kind, text Subject>
struct plain_mistake<Kind, Subject, void> {
  static constexpr failure found{.kind = Kind, .subject = name_of<Subject>};
};

/// The verdict on any arguments of block and map: what is no stream or cannot be traced is not traced.
template <text Name, result_rule Rule, class Stream, class Body>
struct block_verdict : verdict<Name, void, plain_mistake<mistake::not_a_stream, "", Stream>, Body> {};
template <text Name, result_rule Rule, class Body>
struct block_verdict<Name, Rule, stream_shape<void>, Body> : verdict<Name, void, reported_mistake, Body> {};
template <text Name, result_rule Rule, class Shape, class Body>
struct block_verdict<Name, Rule, stream_shape<Shape>, Body>
    : verdict<Name, void, plain_mistake<wrong_part<Name, Body>, "">, Body> {};
template <text Name, result_rule Rule, class Shape, class Body>
  requires(wrong_part<Name, Body> == mistake::not_a_function)
struct block_verdict<Name, Rule, stream_shape<Shape>, Body>
    : verdict<Name, void, plain_mistake<mistake::not_a_function, "", Body>, Body> {};
template <text Name, result_rule Rule, class Shape, class Body>
  requires(wrong_part<Name, Body> == mistake::none)
struct block_verdict<Name, Rule, stream_shape<Shape>, Body>
    : verdict<Name, block_operation<Name, Shape, Body, Rule>, traced_mistake<Body, Shape, Rule>, Body> {};
template <text Name, result_rule Rule, class Shape, class Body, class Memory>
  requires(wrong_part<Name, with_memory<Body, Memory>> == mistake::not_a_function_of_two)
struct block_verdict<Name, Rule, stream_shape<Shape>, with_memory<Body, Memory>>
    : verdict<Name, void, plain_mistake<mistake::not_a_function_of_two, "", Body>, Body> {};

/// Two streams that cannot be read side by side: the kernels go through both, sequence by sequence.
template <class Shape, class Memory>
struct streams_mistake {
  static constexpr failure found{.kind = same_sequences(value_of(Shape{}), value_of(Memory{})) ? mistake::none
                                                                                              : mistake::memory_of_other_sequences,
                                 .left = value_of(Shape{}),
                                 .right = value_of(Memory{})};
};

/// The verdict on two streams, or what was given in their place, and a function of both.
template <text Name, result_rule Rule, class Stream, class Memory, class Body>
struct two_stream_verdict
    : verdict<Name, void, plain_mistake<mistake::not_a_stream, "", std::conditional_t<is_stream<Stream>, Memory, Stream>>, Body> {};
template <text Name, result_rule Rule, class Shape, class Memory, class Body>
struct two_stream_verdict<Name, Rule, stream_shape<Shape>, stream_shape<Memory>, Body>
    : verdict<Name, void, streams_mistake<Shape, Memory>, Body> {};
template <text Name, result_rule Rule, class Shape, class Memory, class Body>
  requires(std::is_void_v<Shape> || std::is_void_v<Memory>)
struct two_stream_verdict<Name, Rule, stream_shape<Shape>, stream_shape<Memory>, Body>
    : verdict<Name, void, reported_mistake, Body> {};
template <text Name, result_rule Rule, class Shape, class Memory, class Body>
  requires(!std::is_void_v<Shape> && !std::is_void_v<Memory> && streams_mistake<Shape, Memory>::found.kind == mistake::none)
struct two_stream_verdict<Name, Rule, stream_shape<Shape>, stream_shape<Memory>, Body>
    : block_verdict<Name, Rule, stream_shape<Shape>, with_memory<Body, Memory>> {};

}  // namespace detail

/// block<"pre_norm">(stream(B, T, d), [](auto x) { return x + F(N(x)); }): reads a stream and gives the same stream back.
template <text Name, class Stream, class Body>
constexpr auto block(Stream, Body) {
  using Verdict = detail::block_verdict<Name, detail::result_rule::same_shape, Stream, Body>;
  if constexpr (Verdict::later) say_later<typename Verdict::message>();
  else said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

/// map<"head">(stream(B, T, d), ...): like a block, but its result may have another shape.
template <text Name, class Stream, class Body>
constexpr auto map(Stream, Body) {
  using Verdict = detail::block_verdict<Name, detail::result_rule::any_shape, Stream, Body>;
  if constexpr (Verdict::later) say_later<typename Verdict::message>();
  else said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

/// block<"decoder">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { ... }): reads a second stream, the memory.
template <text Name, class Stream, class Memory, class Body>
  requires(is_stream<Stream> || is_stream<Memory>)
constexpr auto block(Stream, Memory, Body) {
  using Verdict = detail::two_stream_verdict<Name, detail::result_rule::same_shape, Stream, Memory, Body>;
  if constexpr (Verdict::later) say_later<typename Verdict::message>();
  else said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}
template <text Name, class Stream, class Memory, class Body>
  requires(is_stream<Stream> || is_stream<Memory>)
constexpr auto map(Stream, Memory, Body) {
  using Verdict = detail::two_stream_verdict<Name, detail::result_rule::any_shape, Stream, Memory, Body>;
  if constexpr (Verdict::later) say_later<typename Verdict::message>();
  else said(static_cast<typename Verdict::message*>(nullptr));
  return typename Verdict::block{};
}

// Mistaken: not a stream and a function, or no name.
template <text Name, class... Given>
constexpr auto block(Given...) {
  using Message =
      mistake_message<mistake::not_a_function, joined<"in block \"", Name, "\"">, "given: not a stream and a function">;
  said(static_cast<Message*>(nullptr));
  return broken_block<Name>{};
}
template <class... Given>
constexpr auto block(Given...) {
  using Message = nameless_message<"block<\"b\">(stream, ...)", Given...>;
  said(static_cast<Message*>(nullptr));
  return broken_block<"nameless">{};
}
template <text Name, class... Given>
constexpr auto map(Given...) {
  using Message = mistake_message<mistake::not_a_function, joined<"in map \"", Name, "\"">, "given: not a stream and a function">;
  said(static_cast<Message*>(nullptr));
  return broken_block<Name>{};
}
template <class... Given>
constexpr auto map(Given...) {
  using Message = nameless_message<"map<\"m\">(stream, ...)", Given...>;
  said(static_cast<Message*>(nullptr));
  return broken_block<"nameless">{};
}

}  // namespace residua::dsl
