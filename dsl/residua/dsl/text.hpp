#pragma once
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace residua::dsl {

/// A string that can be a template argument: `axis<"d">`, `block<"pre_norm">`.
template <std::size_t Size>
struct text {
  char data[Size]{};

  constexpr text() = default;
  constexpr text(char const (&literal)[Size]) {
    for (std::size_t i = 0; i < Size; ++i) data[i] = literal[i];
  }
  /// What is given in the place of a name, as `layer_norm<d>`: `the axis "d"`, which no check of a name lets pass.
  template <class Thing>
    requires requires { Thing::kind.size() + Thing::name.size(); }
  constexpr text(Thing const&) {
    std::size_t end = 0;
    for (std::string_view part : {Thing::kind, std::string_view(" \""), Thing::name, std::string_view("\"")})
      for (char each : part) data[end++] = each;
  }
  constexpr std::string_view view() const { return {data, Size - 1}; }
};
template <class Thing>
text(Thing const&) -> text<Thing::kind.size() + Thing::name.size() + 4>;

/// The name as a value that outlives every expression: it points into the template-parameter object.
template <text Name>
inline constexpr std::string_view name_of{Name.data, Name.view().size()};

/// `Length` characters as a template argument. The end is written out: clang prints the text only if it sees one.
template <std::size_t Length>
constexpr text<Length + 1> exactly(std::string_view characters) {
  text<Length + 1> copy;
  for (std::size_t i = 0; i < Length; ++i) copy.data[i] = characters[i];
  copy.data[Length] = '\0';
  return copy;
}

/// A string known only as a constant expression, as a template argument.
template <auto const& View>
inline constexpr auto text_of = exactly<View.size()>(View);

/// The parts in a row, as one string. (A function, as all of its kind here: g++ warns of a local in a variable's lambda
/// that shadows a name of the user's.)
template <text... Parts>
constexpr auto join() {
  text<(1 + ... + Parts.view().size())> whole;
  std::size_t end = 0;
  for (std::string_view part : {std::string_view(), Parts.view()...})
    for (char each : part) whole.data[end++] = each;
  whole.data[end] = '\0';
  return whole;
}
template <text... Parts>
inline constexpr auto joined = join<Parts...>();

/// FNV-1a, so that names can be looked up without comparing each with each (constant evaluation is slow and limited).
constexpr std::uint32_t hash(std::string_view name) {
  std::uint32_t value = 2166136261u;
  for (char c : name) value = (value ^ static_cast<unsigned char>(c)) * 16777619u;
  return value;
}

/// The words that C++ keeps for itself.
inline constexpr std::string_view keywords[] = {
    "alignas",     "alignof",   "and",        "and_eq",    "asm",      "auto",         "bitand",
    "bitor",       "bool",      "break",      "case",      "catch",    "char",         "char8_t",
    "char16_t",    "char32_t",  "class",      "compl",     "concept",  "const",        "consteval",
    "constexpr",   "constinit", "const_cast", "continue",  "co_await", "co_return",    "co_yield",
    "decltype",    "default",   "delete",     "do",        "double",   "dynamic_cast", "else",
    "enum",        "explicit",  "export",     "extern",    "false",    "float",        "for",
    "friend",      "goto",      "if",         "inline",    "int",      "long",         "mutable",
    "namespace",   "new",       "noexcept",   "not",       "not_eq",   "nullptr",      "operator",
    "or",          "or_eq",     "private",    "protected", "public",   "register",     "reinterpret_cast",
    "requires",    "return",    "short",      "signed",    "sizeof",   "static",       "static_assert",
    "static_cast", "struct",    "switch",     "template",  "this",     "thread_local", "throw",
    "true",        "try",       "typedef",    "typeid",    "typename", "union",        "unsigned",
    "using",       "virtual",   "void",       "volatile",  "wchar_t",  "while",        "xor",
    "xor_eq"};

/// A name becomes a C++ member and a file name, so it has to be an identifier and no keyword.
constexpr bool is_identifier(std::string_view name) {
  auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
  // by loops: g++ with sanitizers takes the library's searches of a name for no constant expression
  if (name.empty() || !letter(name[0]) || name[0] == '_') return false;
  for (std::size_t i = 1; i < name.size(); ++i) {
    if (!letter(name[i]) && !(name[i] >= '0' && name[i] <= '9')) return false;
    if (name[i] == '_' && name[i - 1] == '_') return false;  // C++'s own
  }
  for (std::string_view keyword : keywords) {
    if (keyword.size() != name.size()) continue;
    std::size_t same = 0;
    while (same < name.size() && keyword[same] == name[same]) ++same;
    if (same == name.size()) return false;
  }
  return true;
}

/// Whether a name reads in a Jacobian as one of its factors: I, diag, J_N, D_up. A scalar, which stands there bare, has another.
constexpr bool reads_as_factor(std::string_view name) {
  if (name.size() == 1) return name[0] == 'I';
  if (name.size() == 4 && name[0] == 'd' && name[1] == 'i' && name[2] == 'a' && name[3] == 'g') return true;
  if (name[1] != '_') return false;
  for (char letter : {'J', 'D', 'E', 'S', 'R', 'Q', 'K', 'P'})
    if (name[0] == letter) return true;
  return false;
}

/// The name of an operation: an identifier, or several joined by dots, as in a published state dict: output.dense.
constexpr bool is_path(std::string_view name) {
  std::size_t first = 0;
  for (std::size_t i = 0; i <= name.size(); ++i) {
    if (i < name.size() && name[i] != '.') continue;
    if (!is_identifier(name.substr(first, i - first))) return false;
    first = i + 1;
  }
  return true;
}

}  // namespace residua::dsl
