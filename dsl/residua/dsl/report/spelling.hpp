#pragma once
#include <residua/dsl/report/mistake.hpp>
#include <residua/graph/writer.hpp>
#include <type_traits>

namespace residua::dsl {

using graph::writer;

/// The name of a type, as the compiler spells it.
template <class T>
constexpr std::string_view spelling_of() {
  std::string_view const name = __PRETTY_FUNCTION__;
  std::size_t const from = name.find("T = ") + 4;
  std::size_t const end = name.find("; std::string_view", from);  // g++
  return name.substr(from, (end == name.npos ? name.size() - 1 : end) - from);
}

namespace detail {
template <class T>
constexpr writer write_kind() {
  writer out;
  if constexpr (std::is_void_v<T>) out.add("nothing");
  else if constexpr (std::is_arithmetic_v<T>) out.add("a number");
  else if constexpr (std::is_convertible_v<T, char const*>) out.add("text");
  else if constexpr (requires { T::kind; }) {
    out.add(T::kind);
    if constexpr (requires { T::name; })
      if (!T::name.empty()) {
        out.add(" \"");
        out.add(T::name);
        out.add("\"");
      }
  } else {
    out.add(spelling_of<T>());
  }
  return out;
}
template <class T>
inline constexpr auto kind_text = exactly<write_kind<T>().view().size()>(write_kind<T>().view());
}  // namespace detail

/// What a thing is, in the words of a message: `a number`, `the axis "d"`. A class says so by its members `kind` and `name`.
template <class T>
inline constexpr std::string_view kind_of = name_of<detail::kind_text<std::remove_cvref_t<T>>>;

// A lambda that stands in another lambda is compiled while the outer one is, and a message in it would come with all
// that led there. So clang gives it at the end of the file, and in g++ whoever takes the outer lambda does.
#if defined(__clang__)
/// Whether T is, or has in its type, a lambda that stands in a function, or in the global namespace, which clang spells alike.
template <class T>
constexpr bool stands_inside() {
  std::string_view const name = spelling_of<T>();
  std::size_t const at = name.find("(lambda at");
  return at != name.npos && (at == 0 || name[at - 1] != ':');
}

/// Where the first lambda in T stands, as `blocks.hpp:12`.
template <class T>
constexpr std::string_view place_of() {
  std::string_view name = spelling_of<T>();
  std::size_t const at = name.find("(lambda at ");
  if (at == name.npos) return {};
  name.remove_prefix(at + 11);
  name = name.substr(0, name.find(')'));
  name = name.substr(0, name.rfind(':'));
  return name.substr(name.rfind('/') + 1);
}

inline constexpr bool can_say_later = true;  // at the end of the file
#else
/// Whether T is, or has in its type, a lambda that stands in a generic lambda.
template <class T>
constexpr bool stands_inside() {
  std::string_view const name = spelling_of<T>();
  for (std::size_t end = name.find(")>::<lambda"); end != name.npos; end = name.find(")>::<lambda", end + 1))
    if (name.substr(0, end).substr(name.substr(0, end).rfind("<lambda(")).find("auto:") != name.npos) return true;
  return false;
}

/// Nothing: g++ does not say where a lambda stands.
template <class T>
constexpr std::string_view place_of() {
  return {};
}

inline constexpr bool can_say_later = false;
#endif

}  // namespace residua::dsl
