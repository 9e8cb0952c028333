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

/// What block, map and stack make. Applied to streams inside another block it stands for its own expression, with the
/// parameters under the same names.
template <text Name, class Reading, class Body, detail::result_rule Rule>
struct block_operation : operation<block_operation<Name, Reading, Body, Rule>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  using reads = Reading;

  static constexpr bool reads_memory = Reading::has_memory && Reading::streams == 1;
  static constexpr bool reads_several = Reading::inputs > 1 || Reading::how == passing::together;
  using operation<block_operation>::operator();

  static constexpr graph_view view() { return detail::graph_of<Body, Reading, Rule>.view(name); }

  /// Records the block's expression, of inputs that it reads.
  static constexpr auto record(trace& history, int const* inputs, std::source_location where) {
    using Made = detail::made_value<detail::result_with<Body, Reading>>;
    auto const nodes = detail::nodes_of(detail::function_of<Body, Reading>::run(history, inputs, where));
    return Made::from(history, nodes.data(), where);
  }

  template <Values Given>
  static constexpr auto apply(Given const& x, std::source_location where) {
    return applied(where, x);
  }
  /// residual(x, r), decoder(x, memory): of a block that reads several.
  template <Values First, Values Second, Values... Rest>
    requires(reads_several)
  constexpr auto operator()(First first, Second second, Rest... rest) const {
    std::source_location where = later(first.where(), second.where());
    ((where = later(where, rest.where())), ...);
    return applied(where, first, second, rest...);
  }

 private:
  template <class... Given>
  static constexpr auto applied(std::source_location where, Given const&... given) {
    constexpr std::size_t count = (detail::made_value<Given>::nodes + ...);
    std::array<int, count> nodes{};
    std::size_t next = 0;
    auto list = [&](auto const& of) {
      for (int each : of) nodes[next++] = each;
    };
    (list(detail::nodes_of(given)), ...);
    trace& history = first_of(given...).history();
    if constexpr (count != Reading::inputs) {
      if constexpr (reads_memory && count == 1) return history.poison(detail::misapplied<block_operation, Given...>().at(where));
      else
        return misfit(history,
                      report(mistake::number_of_streams, where)
                          .say({"block applied: \"", name, "\""})
                          .say({"given: ", static_cast<std::int64_t>(count)})
                          .say({"reads: ", static_cast<std::int64_t>(Reading::inputs)}),
                      nodes[0]);
    } else {
      constexpr auto read = Reading::all();
      for (std::size_t k = 0; k < count; ++k) {
        shape_value const& shape = history[nodes[k]].shape;
        if (shape == read[k]) continue;
        report found(mistake::wrong_stream, where);
        found.say({"block applied: \"", name, "\""});
        if (Reading::streams > 1) found.say({"stream \"", Reading::names()[k], "\""});
        std::string_view const role = reads_memory && k == 1 ? "memory " : "";
        return misfit(history, found.compare({role, "given"}, shape, {role, "reads"}, read[k]), nodes[0]);
      }
      return record(history, nodes.data(), where);
    }
  }
  template <class First, class... Rest>
  static constexpr First const& first_of(First const& first, Rest const&...) {
    return first;
  }
  /// What stands in for the result of a block that was applied to other streams: of its shapes.
  static constexpr auto misfit(trace& history, report const& found, int node) {
    using Made = detail::made_value<detail::result_with<Body, Reading>>;
    history.add_report(found);
    std::array<int, Made::nodes> nodes{};
    for (int& each : nodes) each = node;
    return Made::from(history, nodes.data(), found.where);
  }
};

/// What a block becomes that has a mistake. It is silent from here on: it answers every question with what is asked.
/// Or the report waits, for the block stands in another's function; then whoever uses it tells it.
/// `Result`: what stands in for its result, several values where it was to give several.
template <text Name, report const& Why = already_reported, class Result = poisoned>
struct poisoned_block : operation<poisoned_block<Name, Why, Result>>, block_base {
  static constexpr std::string_view kind = "the block";
  static constexpr std::string_view name = name_of<Name>;
  static constexpr report const& why = Why;
  using message = message_of<Why>;

  static constexpr graph_view view() {
    said(static_cast<message*>(nullptr));
    return nothing.view(name);
  }

  static constexpr bool reads_several = true;  // whatever it was to read

  using operation<poisoned_block>::operator();

  template <Values Given>
  static constexpr Result apply(Given const& x, std::source_location where) {
    poisoned const told = x.history().poison(Why);
    if constexpr (Poisoned<Result>) return told;
    else {
      std::array<int, Result::count> nodes{};
      return Result(x.history(), nodes, where);
    }
  }
  template <Values First, Values Second, Values... Rest>
  constexpr Result operator()(First first, Second, Rest...) const {
    return apply(first, first.where());
  }

 private:
  static constexpr stored_graph<1, 1, 0> nothing{};
};

namespace detail {

template <class T>
inline constexpr bool is_poisoned_block = false;
template <text Name, report const& Why, class Result>
inline constexpr bool is_poisoned_block<poisoned_block<Name, Why, Result>> = true;

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

/// What a block reads, by what it was given: a stream or several, and a memory or none.
template <class Stream, class Memory>
struct reading_of {
  using type = reading<passing::one_by_one, Memory, Stream>;
};
template <passing How, class... Stream, class Memory>
struct reading_of<stream_list<How, Stream...>, Memory> {
  using type = reading<How, Memory, Stream...>;
};

template <class T>
inline constexpr bool is_streams = is_stream<T>;
template <passing How, class... Stream>
inline constexpr bool is_streams<stream_list<How, Stream...>> = true;

/// What block and map were given: streams, a memory or none, and a function.
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
};
template <class Stream, class Memory, class Body>
  requires(is_streams<Stream> || is_stream<Memory>)
struct block_parts<Stream, Memory, Body> {
  static constexpr bool fit = true;
  using stream = Stream;
  using memory = Memory;
  using function = Body;
};
template <class Parts>
using reading_in = typename reading_of<typename Parts::stream, typename Parts::memory>::type;

/// What is wrong with the streams of a block beside one another.
template <class Reading>
constexpr report examine_reading() {
  constexpr auto shapes = Reading::all();
  constexpr auto names = Reading::names();
  for (std::size_t k = 1; k < shapes.size(); ++k) {
    bool const memory = k == Reading::streams;
    if (!same_sequences(shapes[0], shapes[k]))
      return report(memory ? mistake::memory_of_other_sequences : mistake::streams_of_other_sequences)
          .compare({Reading::streams > 1 ? names[0] : "stream"}, shapes[0], {memory ? "memory" : names[k]}, shapes[k]);
    for (std::size_t i = 0; i < k; ++i)
      if (names[i] == names[k]) return report(mistake::streams_of_one_name).say({"name \"", names[k], "\""});
  }
  return {};
}

/// What is wrong with a block of streams, a memory or none, and a function, which is traced if nothing else is.
template <text Name, class Parts, result_rule Rule>
constexpr report examine_parts() {
  using Stream = typename Parts::stream;
  using Memory = typename Parts::memory;
  using Function = typename Parts::function;
  constexpr bool two = !std::is_void_v<Memory>;
  if constexpr (!is_streams<Stream>) return report(mistake::not_a_stream).given(kind_of<Stream>);
  else if constexpr (two && !is_stream<Memory>) return report(mistake::not_a_stream).given(kind_of<Memory>);
  else if constexpr (is_poisoned_stream<Stream> || is_poisoned_stream<Memory>) return already_reported;
  else {
    using Reading = reading_in<Parts>;
    if constexpr (constexpr report found = examine_reading<Reading>()) return found;
    else if constexpr (!is_identifier(name_of<Name>)) return report(mistake::not_an_identifier);
    else if constexpr (constexpr mistake wrong = examine_function<Function>(); wrong == mistake::not_a_function)
      return not_a_function_of<Reading>().given(kind_of<Function>);
    else if constexpr (wrong != mistake::none) return report(wrong);
    else return trace_size_of<Function, Reading, Rule>.found;
  }
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

/// What stands in for the result of a mistaken block: its streams where these are several, and it gives them back.
template <class Parts, result_rule Rule>
struct mistaken_result {
  using type = poisoned;
};
template <class Parts>
  requires requires { requires is_streams<typename Parts::stream> && reading_in<Parts>::streams != 1; }
struct mistaken_result<Parts, result_rule::same_shape> {
  using type = result_values<typename reading_in<Parts>::shapes, reading_in<Parts>::how>;
};

/// The block that was made, or what stands in for it, and its message.
template <class Spec, class Names, class... Given>
struct made_block {
  using told = telling_of<block_report<Spec, Names, Given...>, typename block_parts<Given...>::function>;
  using message = typename told::type;

  template <text Name>
  static constexpr auto make(names<Name>) {
    if constexpr (block_report<Spec, Names, Given...>)
      return poisoned_block<Name, told::remaining, typename mistaken_result<block_parts<Given...>, Spec::rule>::type>{};
    else {
      using Parts = block_parts<Given...>;
      return block_operation<Name, reading_in<Parts>, typename Parts::function, Spec::rule>{};
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
/// block<"residual">(streams(stream(B, T, d), stream(B, T, d)), [](auto x, auto r) { ...; return streams(x, r); }): several.
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
/// map<"head">(stream(B, T, d), ...): like a block, but its result may have another shape, or be another number of streams.
template <text... Name, class... Given>
constexpr auto map(Given...) {
  using Made = detail::made_block<map_spec, names<Name...>, Given...>;
  said(static_cast<typename Made::message*>(nullptr));
  return Made::make(names<Name...>{});
}

}  // namespace residua::dsl
