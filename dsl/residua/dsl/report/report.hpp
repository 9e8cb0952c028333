#pragma once
#include <array>
#include <initializer_list>
#include <residua/dsl/graph.hpp>
#include <residua/dsl/report/spelling.hpp>
#include <source_location>
#include <utility>

namespace residua::dsl {

/// A part of a phrase: text, a number, an axis or a shape.
class phrase_part {
 public:
  constexpr phrase_part(char const* text) : text_(text) {}
  constexpr phrase_part(std::string_view text) : text_(text) {}
  constexpr phrase_part(std::int64_t number) : has_number_(true), number_(number) {}
  constexpr phrase_part(axis_value const& axis) : axis_(&axis) {}
  constexpr phrase_part(shape_value const& shape) : shape_(&shape) {}

  constexpr void add_to(writer& out) const {
    if (has_number_) out.add_integer(number_);
    else if (axis_ != nullptr) write(out, *axis_);
    else if (shape_ == nullptr) out.add(text_);
    else if (shape_->rank == 0) out.add("none");
    else write(out, *shape_);
  }

 private:
  std::string_view text_{};
  bool has_number_ = false;
  std::int64_t number_ = 0;
  axis_value const* axis_ = nullptr;
  shape_value const* shape_ = nullptr;
};
using phrase_parts = std::initializer_list<phrase_part>;

inline constexpr std::size_t longest_phrase = 35;  // clang cuts a string after 36 characters

/// How much of a text goes into one phrase: all of it, or what ends with a space.
constexpr std::size_t phrase_length(std::string_view rest) {
  std::size_t const space = rest.substr(0, longest_phrase).rfind(' ');
  return rest.size() <= longest_phrase ? rest.size() : space == rest.npos ? longest_phrase : space + 1;
}

/// A mistake with its details, written where it is found: `report(mistake::no_layers).say({"layers: ", 0})`. Without a
/// mistake it is false.
struct report {
  struct phrase {
    std::array<char, longest_phrase> data{};
    std::size_t size = 0;

    constexpr std::string_view view() const { return {data.data(), size}; }
  };

  mistake kind = mistake::none;
  std::string_view block{};      // the block whose function has the mistake
  std::source_location where{};  // the line of the user's code
  std::string_view place{};      // of the function, where the line is not known
  std::array<phrase, 14> phrases{};
  std::size_t count = 0;

  constexpr report() = default;
  constexpr explicit report(mistake found, std::source_location at = {}) : kind(found), where(at) {}

  constexpr explicit operator bool() const { return kind != mistake::none; }

  /// Adds a phrase; a longer one continues in the next, broken after a space, and ends in dots after three.
  constexpr report& say(phrase_parts parts) {
    writer whole;
    for (phrase_part const& part : parts) part.add_to(whole);
    std::string_view rest = whole.view();
    for (int part = 0; !rest.empty() && count < phrases.size(); ++part) {
      phrase& next = phrases[count++];
      next.size = phrase_length(rest);
      bool const cut = next.size < rest.size() && (part == 2 || rest[next.size - 1] != ' ');
      if (cut) next.size = longest_phrase - 3;
      for (std::size_t i = 0; i < next.size; ++i) next.data[i] = rest[i];
      rest.remove_prefix(next.size);
      if (!cut) continue;
      for (int i = 0; i < 3; ++i) next.data[next.size++] = '.';
      break;
    }
    return *this;
  }

  /// What was given, where it is no shape: `given: a number`; of a long type the beginning.
  constexpr report& given(std::string_view what) {
    std::size_t const most = longest_phrase - 7;
    bool const cut = what.size() > most && what.substr(0, most).find(' ') == what.npos;
    return say({"given: ", cut ? what.substr(0, most - 3) : what, cut ? "..." : ""});
  }

  /// A name that is none; what stands in its place tells what it is.
  constexpr report& named(std::string_view what, std::string_view it) {
    return it.find('"') == it.npos ? say({what, " \"", it, "\""}) : given(it);
  }

  /// `at blocks.hpp:12`; of a long place the end.
  constexpr report& say_place(std::string_view role, std::string_view at) {
    bool const cut = at.size() > longest_phrase;
    if (cut) at.remove_prefix(at.size() - longest_phrase + 3);
    return at.empty() ? *this : say({role, cut ? "..." : "", at});
  }
  constexpr report& say_place(std::string_view role, std::source_location at) {
    writer line;
    std::string_view const path = at.file_name();
    line.add(path.substr(path.rfind('/') + 1));
    line.add(":");
    line.add_integer(at.line());
    return at.line() == 0 ? *this : say_place(role, line.view());
  }

  /// Two axes and in what they differ: `axis 3 differs in name: d, e`.
  constexpr report& difference(std::size_t position, axis_value const& a, axis_value const& b) {
    auto extent = [](axis_value const& axis) {
      return axis.extent == run_time ? phrase_part("chosen at run time") : phrase_part(axis.extent);
    };
    phrase_part const at = static_cast<std::int64_t>(position);
    if (a.name == b.name) return say({"axis ", at, " differs in extent: ", extent(a), ", ", extent(b)});
    if (a.extent == b.extent) return say({"axis ", at, " differs in name: ", a.name, ", ", b.name});
    return say({"axis ", at, " differs: ", a, ", ", b});
  }

  /// Two shapes, each under its label, and the first axis in which they differ, or their ranks.
  constexpr report& compare(phrase_parts label_a, shape_value const& a, phrase_parts label_b, shape_value const& b) {
    auto say_shape = [this](phrase_parts label, shape_value const& shape) {
      writer line;
      for (phrase_part const& part : label) part.add_to(line);
      say({line.view(), ": ", shape});
    };
    say_shape(label_a, a);
    say_shape(label_b, b);
    if (a.rank == 0 || b.rank == 0) return *this;
    if (a.rank != b.rank)
      return say({"rank differs: ", static_cast<std::int64_t>(a.rank), ", ", static_cast<std::int64_t>(b.rank)});
    for (std::size_t i = 0; i < a.rank; ++i)
      if (!(a.axes[i] == b.axes[i])) return difference(i + 1, a.axes[i], b.axes[i]);
    return *this;
  }

  /// The report with this line, if it has none yet.
  constexpr report at(std::source_location line) const {
    report placed = *this;
    if (where.line() == 0) placed.where = line;
    return placed;
  }
};

/// The report about what has its message: nothing more is said.
inline constexpr report already_reported(mistake::already_reported);

/// What stands in for an expression after a mistake. Whatever is done with it gives it back.
struct poisoned {
  static constexpr std::string_view kind = "an expression";
  report why;

  template <class Given>
  constexpr poisoned operator()(Given const& given, std::source_location where = std::source_location::current()) const {
    if constexpr (requires { given.history(); }) given.history().poison(why.at(where));
    return {why.at(where)};
  }
  constexpr explicit operator bool() const { return false; }
};

namespace detail {
/// The phrases of a message: the block and the line, then the details.
constexpr report told(report const& found) {
  report out(found.kind);
  if (!found.block.empty()) out.say({"in block \"", found.block, "\""});
  if (found.where.line() != 0) out.say_place("at ", found.where);
  else out.say_place("at ", found.place);
  for (std::size_t i = 0; i < found.count && out.count < out.phrases.size(); ++i) out.phrases[out.count++] = found.phrases[i];
  return out;
}
template <report const& Found>
inline constexpr report told_of = told(Found);

template <report const& Told, std::size_t... I>
mistake_message<Told.kind, exactly<Told.phrases[I].size>(Told.phrases[I].view())...> message(std::index_sequence<I...>);

template <report const& Found>
struct message_about {
  using type = decltype(message<told_of<Found>>(std::make_index_sequence<told_of<Found>.count>{}));
};
template <report const& Found>
  requires(Found.kind == mistake::none || Found.kind == mistake::already_reported)
struct message_about<Found> {
  using type = no_message;
};
}  // namespace detail

/// The compile error of a report: its phrases as template arguments, so that every compiler prints them.
template <report const& Found>
using message_of = typename detail::message_about<Found>::type;

namespace detail {
template <report const& Found>
void say_at_the_end() {
  said(static_cast<message_of<Found>*>(nullptr));
}
/// The message that the compiler gives at the end of the file, where it has forgotten what led there. It is no template
/// argument here: looking up `said` would complete it, and thereby give it at once.
template <report const& Found>
struct delayed {
  enum : bool { queued = (static_cast<void>(&say_at_the_end<Found>), true) };
};
}  // namespace detail

/// A text of any length as phrases: how many, and each.
constexpr std::size_t phrases_in(std::string_view rest) {
  std::size_t count = 0;
  for (; !rest.empty(); ++count) rest.remove_prefix(phrase_length(rest));
  return count;
}
constexpr std::string_view phrase_at(std::string_view rest, std::size_t index) {
  for (; index > 0; --index) rest.remove_prefix(phrase_length(rest));
  return rest.substr(0, phrase_length(rest));
}
template <text Whole, std::size_t Index>
inline constexpr auto phrase_of = exactly<phrase_at(Whole.view(), Index).size()>(phrase_at(Whole.view(), Index));

/// What is told of a report where something is made, and what remains to be told by whoever uses it.
template <report const& Found, bool Waits, bool AtTheEnd = false>
struct telling {
  using type = std::conditional_t<AtTheEnd, detail::delayed<Found>, message_of<Found>>;
  static constexpr report const& remaining = already_reported;
};
template <report const& Found, bool AtTheEnd>
struct telling<Found, true, AtTheEnd> {
  using type = no_message;
  static constexpr report const& remaining = Found;
};
/// Where a function was given, that may stand inside another one.
template <report const& Found, class Function, bool Inside = Found && stands_inside<Function>()>
using telling_of = telling<Found, Inside && !can_say_later, Inside && can_say_later>;

}  // namespace residua::dsl
