#pragma once
#include <residua/dsl/activation.hpp>
#include <residua/dsl/comparison.hpp>
#include <residua/dsl/linear.hpp>
#include <residua/dsl/norm.hpp>
#include <residua/dsl/tracing.hpp>

namespace residua::dsl {

struct block_base {};

/// A block, a map or a stack: a traced function of one stream, with its graph.
template <class T>
concept Block = std::derived_from<std::remove_cvref_t<T>, block_base>;

/// What block, map and stack make. Applied to a stream inside another block it stands for its own expression, with
/// the parameters under the same names.
template <text Name, class Shape, class Body, detail::result_rule Rule>
struct block_operation : operation<block_operation<Name, Shape, Body, Rule>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  using stream_type = Shape;

  using memory_type = typename detail::memory_of<Body>::type;
  static constexpr bool reads_memory = detail::reads_memory<Body>;
  using operation<block_operation>::operator();

  static constexpr graph_view view() { return detail::graph_of<Body, Shape, Rule>.view(name); }

  template <class Given>
  static constexpr auto apply(expression<Given> const& x, std::source_location where) {
    trace& history = x.history();
    if constexpr (reads_memory) {
      return history.poison(detail::misapplied<block_operation, expression<Given>>().at(where));
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
    given.history().add_report(report(mistake::wrong_stream, where)
                                   .say({"block applied: \"", name, "\""})
                                   .compare({role, "given"}, value_of(Given{}), {role, "reads"}, reads));
  }
};

/// What a block becomes that has a mistake. It is silent from here on: it answers every question with what is asked.
/// Or the report waits, for the block stands in another's function; then whoever uses it tells it.
template <text Name, report const& Why = already_reported>
struct poisoned_block : operation<poisoned_block<Name, Why>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  static constexpr report const& why = Why;
  using message = message_of<Why>;

  static constexpr graph_view view() {
    said(static_cast<message*>(nullptr));
    return nothing.view(name);
  }

  template <class Shape>
  static constexpr poisoned apply(expression<Shape> const& x, std::source_location) {
    return x.history().poison(Why);
  }

 private:
  static constexpr stored_graph<1, 1, 0> nothing{};
};

namespace detail {

template <class T>
inline constexpr bool is_poisoned_block = false;
template <text Name, report const& Why>
inline constexpr bool is_poisoned_block<poisoned_block<Name, Why>> = true;

/// What is wrong with the function of a block or branch, as far as can be seen without running it.
template <class Body>
constexpr mistake examine_function() {
  if (!std::is_class_v<Body> || is_axis<Body> || Operand<Body>) return mistake::not_a_function;
  if (!std::is_empty_v<Body> || !std::is_default_constructible_v<Body>) return mistake::captures;
  return mistake::none;
}

/// The report as that of this block, if it is not of one inside, and with the place of its function, if that is known.
constexpr report in_block(report found, std::string_view name, std::string_view place) {
  if (found.block.empty()) found.block = name;
  found.place = place;
  return found;
}

/// What block and map were given: a stream, a memory or none, and a function.
template <class... Given>
struct block_parts {
  static constexpr bool fit = false;
  using function = void;
};
template <class Stream, class Body>
struct block_parts<Stream, Body> {
  static constexpr bool fit = true;
  using stream = Stream;
  using memory = void;
  using function = Body;
  using traced = Body;
};
template <class Stream, class Memory, class Body>
  requires(is_stream<Stream> || is_stream<Memory>)
struct block_parts<Stream, Memory, Body> {
  static constexpr bool fit = true;
  using stream = Stream;
  using memory = Memory;
  using function = Body;
  using traced = with_memory<Body, shape_in<Memory>>;
};

/// What is wrong with a block of one or two streams and a function, which is traced if nothing else is.
template <text Name, class Parts, result_rule Rule>
constexpr report examine_parts() {
  using Stream = typename Parts::stream;
  using Memory = typename Parts::memory;
  using Function = typename Parts::function;
  constexpr bool two = !std::is_void_v<Memory>;
  if constexpr (!is_stream<Stream>) return report(mistake::not_a_stream).given(kind_of<Stream>);
  else if constexpr (two && !is_stream<Memory>) return report(mistake::not_a_stream).given(kind_of<Memory>);
  else if constexpr (is_poisoned_stream<Stream> || is_poisoned_stream<Memory>) return already_reported;
  else if constexpr (two && !same_sequences(shape_of<shape_in<Stream>>, shape_of<shape_in<Memory>>))
    return report(mistake::memory_of_other_sequences)
        .compare({"stream"}, shape_of<shape_in<Stream>>, {"memory"}, shape_of<shape_in<Memory>>);
  else if constexpr (!is_identifier(name_of<Name>)) return report(mistake::not_an_identifier);
  else if constexpr (constexpr mistake wrong = examine_function<Function>(); wrong == mistake::not_a_function)
    return report(two ? mistake::not_a_function_of_two : wrong).given(kind_of<Function>);
  else if constexpr (wrong != mistake::none) return report(wrong);
  else return trace_size_of<typename Parts::traced, shape_in<Stream>, Rule>.found;
}

template <class Spec, text... Name, class... Given>
constexpr report examine_block(names<Name...>, types<Given...>) {
  using Parts = block_parts<Given...>;
  if constexpr (sizeof...(Name) != 1) return report(mistake::no_name).say({"made as: ", Spec::example});
  else {
    constexpr std::string_view name = (name_of<Name>, ...);
    if constexpr (!Parts::fit)
      return report(mistake::not_a_function).say({"in ", Spec::word, " \"", name, "\""}).given("not a stream and a function");
    else return in_block(examine_parts<Name..., Parts, Spec::rule>(), name, place_of<typename Parts::function>());
  }
}
template <class Spec, class Names, class... Given>
inline constexpr report block_report = examine_block<Spec>(Names{}, types<Given...>{});

/// The block that was made, or what stands in for it, and its message.
template <class Spec, class Names, class... Given>
struct made_block {
  using told = telling_of<block_report<Spec, Names, Given...>, typename block_parts<Given...>::function>;
  using message = typename told::type;

  template <text Name>
  static constexpr auto make(names<Name>) {
    if constexpr (block_report<Spec, Names, Given...>) return poisoned_block<Name, told::remaining>{};
    else {
      using Parts = block_parts<Given...>;
      return block_operation<Name, shape_in<typename Parts::stream>, typename Parts::traced, Spec::rule>{};
    }
  }
  static constexpr auto make(auto) { return poisoned_block<"nameless">{}; }
};

}  // namespace detail

struct block_spec {
  static constexpr std::string_view word = "block", example = "block<\"b\">(stream, ...)";
  static constexpr detail::result_rule rule = detail::result_rule::same_shape;
};
/// block<"pre_norm">(stream(B, T, d), [](auto x) { return x + F(N(x)); }): reads a stream and gives the same stream back.
/// block<"decoder">(stream(B, T, d), stream(B, S, d), [](auto x, auto memory) { ... }): reads a second stream, the memory.
template <text... Name, class... Given>
constexpr auto block(Given...) {
  using Made = detail::made_block<block_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::make(names<Name...>{});
}

struct map_spec {
  static constexpr std::string_view word = "map", example = "map<\"m\">(stream, ...)";
  static constexpr detail::result_rule rule = detail::result_rule::any_shape;
};
/// map<"head">(stream(B, T, d), ...): like a block, of one stream or two, but its result may have another shape.
template <text... Name, class... Given>
constexpr auto map(Given...) {
  using Made = detail::made_block<map_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::make(names<Name...>{});
}

}  // namespace residua::dsl
