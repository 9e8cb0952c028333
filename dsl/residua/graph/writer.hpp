#pragma once
#include <cstdint>
#include <iosfwd>
#include <string_view>
#include <vector>

namespace residua::graph {

/// Builds text in constant evaluation and at run time alike (g++ 12 cannot move a constexpr std::string).
class writer {
 public:
  constexpr void add(std::string_view part) { data_.insert(data_.end(), part.begin(), part.end()); }

  constexpr void add_integer(std::int64_t value) {
    char digits[20]{};
    int count = 0;
    bool const negative = value < 0;
    do {
      auto const digit = value % 10;
      digits[count++] = static_cast<char>('0' + (digit < 0 ? -digit : digit));
      value /= 10;
    } while (value != 0);
    if (negative) data_.push_back('-');
    while (count > 0) data_.push_back(digits[--count]);
  }

  constexpr std::string_view view() const { return {data_.data(), data_.size()}; }

 private:
  std::vector<char> data_;
};

/// Text that a function of the language returned: compares with a literal in `static_assert`, prints at run time.
class rendered {
 public:
  constexpr explicit rendered(writer text) : text_(static_cast<writer&&>(text)) {}

  constexpr std::string_view view() const { return text_.view(); }
  constexpr operator std::string_view() const { return view(); }
  friend constexpr bool operator==(rendered const& a, std::string_view b) { return a.view() == b; }
  friend constexpr bool operator==(rendered const& a, rendered const& b) { return a.view() == b.view(); }
  template <class Traits>
  friend std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, rendered const& text) {
    return out << text.view();
  }

 private:
  writer text_;
};

}  // namespace residua::graph
