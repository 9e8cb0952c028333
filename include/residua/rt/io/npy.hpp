// One NumPy .npy file (format 1.0 to 3.0, little-endian). xtensor's xnpy.hpp is not used for it: it does not see a truncated
// file, converts nothing to a message that names the file, and reads before it compares shapes. What is written here reads
// with xt::load_npy and numpy.load. Compiled into the package's library.
#pragma once

#include <residua/rt/io/files.hpp>

#include <algorithm>
#include <bit>
#include <cstring>
#include <memory>
#include <optional>
#include <stdexcept>

namespace residua::rt::detail {

static_assert(std::endian::native == std::endian::little,
              "residua: parameter files are read and written on little-endian machines");

/// Elements and how they are stored.
struct npy_type {
  std::string_view name;  // "<f4"
  std::size_t bytes;
};

inline std::string shape_text(std::span<std::size_t const> shape) {
  std::string text = "(";
  for (std::size_t i = 0; i < shape.size(); ++i) text += (i ? ", " : "") + std::to_string(shape[i]);
  return text + (shape.size() == 1 ? ",)" : ")");
}

inline std::size_t element_count(std::span<std::size_t const> shape) {
  std::size_t count = 1;
  for (std::size_t const extent : shape) count *= extent;
  return count;
}

[[noreturn]] inline void npy_error(std::string const& file, std::string const& what) {
  throw std::runtime_error("residua: " + file + ": " + what);
}

struct npy_header {
  std::string type;  // "<f4"
  bool fortran = false;
  std::vector<std::size_t> shape;
};

/// Reads the dictionary of a header: keys and values as Python writes them. Of a key that is there twice the last one counts,
/// as in Python.
class npy_dictionary {
 public:
  npy_dictionary(std::string const& file, std::string_view text) : file_(file), text_(text) {
    expect('{', "is no dictionary");
    while (!next_is('}')) {
      std::optional<std::string_view> const key = quoted();
      if (!key) invalid("is no dictionary");
      expect(':', "has no value of '" + std::string(*key) + "'");
      skip_spaces();
      entry* const known = entry_of(*key);
      std::size_t const start = at_;
      skip_value();
      if (known) known->value = text_.substr(start, at_ - start);
      if (!next_is('}')) expect(',', "is no dictionary");
    }
  }

  npy_header header() const {
    npy_header found;
    std::string_view const type = value_of("descr");
    if (type.size() < 2 || (type[0] != '\'' && type[0] != '"')) npy_error(file_, "its elements are not numbers of one type");
    found.type = type.substr(1, type.size() - 2);
    std::string_view const order = value_of("fortran_order");
    if (order != "True" && order != "False") invalid("has a 'fortran_order' that is neither True nor False");
    found.fortran = order == "True";
    found.shape = shape_of(value_of("shape"));
    return found;
  }

 private:
  struct entry {
    std::string_view key;
    std::optional<std::string_view> value{};
  };

  [[noreturn]] void invalid(std::string const& what) const { npy_error(file_, "not a valid .npy file: its header " + what); }

  entry* entry_of(std::string_view key) {
    for (entry& each : entries_)
      if (each.key == key) return &each;
    return nullptr;
  }
  std::string_view value_of(std::string_view key) const {
    for (entry const& each : entries_)
      if (each.key == key && each.value) return *each.value;
    invalid("has no '" + std::string(key) + "'");
  }

  std::vector<std::size_t> shape_of(std::string_view text) const {
    auto const malformed = [&] { npy_error(file_, "not a valid .npy file: its shape is malformed"); };
    if (text.size() < 2 || text.front() != '(' || text.back() != ')') malformed();
    std::vector<std::size_t> shape;
    text = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == ',' || text[i] == ' ') {
        ++i;
        continue;
      }
      std::size_t extent = 0, digits = 0;
      for (; i < text.size() && text[i] >= '0' && text[i] <= '9'; ++i, ++digits)
        extent = extent * 10 + static_cast<std::size_t>(text[i] - '0');
      if (digits == 0 || digits > 18) malformed();
      shape.push_back(extent);
    }
    return shape;
  }

  void skip_spaces() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t')) ++at_;
  }
  bool next_is(char c) {
    skip_spaces();
    return at_ < text_.size() && text_[at_] == c;
  }
  void expect(char c, std::string const& otherwise) {
    if (!next_is(c)) invalid(otherwise);
    ++at_;
  }
  std::optional<std::string_view> quoted() {
    skip_spaces();
    if (at_ == text_.size() || (text_[at_] != '\'' && text_[at_] != '"')) return {};
    std::size_t const end = text_.find(text_[at_], at_ + 1);
    if (end == text_.npos) return {};
    std::string_view const content = text_.substr(at_ + 1, end - at_ - 1);
    at_ = end + 1;
    return content;
  }
  /// A string, a word, or whatever stands in parentheses or brackets.
  void skip_value() {
    if (quoted()) return;
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      char const c = text_[at_];
      if (c == '(' || c == '[' || c == '{') ++depth;
      if (depth == 0 && (c == ',' || c == '}' || c == ' ' || c == '\n')) return;
      if ((c == ')' || c == ']' || c == '}') && --depth <= 0) {
        ++at_;
        return;
      }
    }
  }

  std::string const& file_;
  std::string_view text_;
  std::size_t at_ = 0;
  entry entries_[3]{{"descr"}, {"fortran_order"}, {"shape"}};
};

/// Reads the header and leaves the file at the first element; gives the bytes before it.
inline std::pair<npy_header, std::size_t> read_npy_header(std::string const& file, descriptor const& in) {
  unsigned char start[12];
  auto const bytes_at = [&](std::size_t first, std::size_t count) {
    return std::as_writable_bytes(std::span(start)).subspan(first, count);
  };
  if (in.read(bytes_at(0, 10)) != 10 || std::memcmp(start, "\x93NUMPY", 6) != 0) npy_error(file, "not a .npy file");
  std::size_t length = start[8] + std::size_t{256} * start[9], before = 10;
  if (start[6] < 1 || start[6] > 3)
    npy_error(file, "not a valid .npy file: format version " + std::to_string(start[6]) + " is unknown");
  if (start[6] >= 2) {
    if (in.read(bytes_at(10, 2)) != 2) npy_error(file, "truncated: it ends inside the header");
    length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
    before = 12;
  }
  if (length > (std::size_t{1} << 20))
    npy_error(file, "not a valid .npy file: its header claims " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (in.read(std::as_writable_bytes(std::span(text))) != static_cast<ssize_t>(length))
    npy_error(file, "truncated: it ends inside the header");
  return {npy_dictionary(file, text).header(), before + length};
}

/// The elements, the last index running fastest, of a file where the first does.
inline std::unique_ptr<std::byte[]> from_fortran_order(std::byte const* from, std::span<std::size_t const> shape,
                                                       std::size_t element_bytes) {
  std::size_t const count = element_count(shape);
  auto ordered = std::make_unique_for_overwrite<std::byte[]>(count * element_bytes);
  std::vector<std::size_t> at(shape.size(), 0);
  for (std::size_t to = 0; to < count; ++to) {
    std::size_t place = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) place = place * shape[axis] + at[axis];
    std::memcpy(ordered.get() + to * element_bytes, from + place * element_bytes, element_bytes);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
  return ordered;
}

/// The elements of one file, after every check; Fortran order is put into C order. `file`: what messages call it.
inline std::unique_ptr<std::byte[]> read_npy(std::string const& file, descriptor const& in, npy_type type,
                                             std::span<std::size_t const> shape) {
  auto const [header, start] = read_npy_header(file, in);
  if (header.type != type.name)
    npy_error(file, "elements are " + header.type + ", must be " + std::string(type.name) +
                        " (nothing is converted; load into the other scalar type)");
  if (!std::equal(shape.begin(), shape.end(), header.shape.begin(), header.shape.end()))
    npy_error(file, "shape is " + shape_text(header.shape) + ", must be " + shape_text(shape));

  std::size_t const wanted = element_count(shape) * type.bytes;
  std::size_t const there = static_cast<std::size_t>(in.status().st_size) - start;
  if (there != wanted)
    npy_error(file, (there < wanted ? "truncated: " : "corrupt: ") + std::to_string(there) +
                        " bytes follow the header, must be " + std::to_string(wanted));
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(wanted);
  if (in.read({bytes.get(), wanted}) != static_cast<ssize_t>(wanted)) npy_error(file, "cannot be read to its end");
  return header.fortran && shape.size() > 1 ? from_fortran_order(bytes.get(), shape, type.bytes) : std::move(bytes);
}

/// What stands before the elements of a file.
inline std::string npy_start(npy_type type, std::span<std::size_t const> shape) {
  std::string header =
      "{'descr': '" + std::string(type.name) + "', 'fortran_order': False, 'shape': " + shape_text(shape) + ", }";
  header.append(63 - (10 + header.size()) % 64, ' ');
  header += '\n';
  std::string start = "\x93NUMPY";
  start += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};
  return start + header;
}

}  // namespace residua::rt::detail
