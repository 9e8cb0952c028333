// Parameters on disk: one NumPy .npy file (format 1.0 to 3.0, little-endian, C order) for each parameter of a folder.
// xtensor's xnpy.hpp is not used for it: it does not see a truncated file, converts nothing to a message that names the
// file, and reads before it compares shapes. What is written here reads with xt::load_npy and numpy.load.
#pragma once

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <type_traits>
#include <vector>

namespace residua::rt {

/// One parameter: its path in the block ("F.up.weight"), its shape (empty: a scalar), and where its elements are.
template <class Real>
struct parameter_slot {
  std::string path;
  std::vector<std::size_t> shape;
  Real* data;
};

namespace detail {

static_assert(std::endian::native == std::endian::little,
              "residua: parameter files are read and written on little-endian machines");

/// A parameter without its element type.
struct byte_slot {
  std::string_view path;
  std::span<std::size_t const> shape;
  std::byte* data;
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

struct npy_header {
  std::string type;  // "<f4"
  bool fortran = false;
  std::vector<std::size_t> shape;
};

[[noreturn]] inline void npy_error(std::filesystem::path const& file, std::string const& what) {
  throw std::runtime_error("residua: " + file.string() + ": " + what);
}

/// The text that follows 'key': in a header dictionary.
inline std::string_view npy_value(std::filesystem::path const& file, std::string_view header, std::string_view key) {
  std::size_t const at = header.find("'" + std::string(key) + "'");
  std::size_t const colon = at == header.npos ? at : header.find(':', at);
  if (colon == header.npos) npy_error(file, "not a valid .npy file: its header has no '" + std::string(key) + "'");
  std::size_t const first = header.find_first_not_of(' ', colon + 1);
  if (first == header.npos) npy_error(file, "not a valid .npy file: its header ends after '" + std::string(key) + "'");
  return header.substr(first);
}

/// Reads the header and leaves the stream at the first element.
inline npy_header read_npy_header(std::filesystem::path const& file, std::istream& in) {
  unsigned char start[12];
  if (!in.read(reinterpret_cast<char*>(start), 10) || std::memcmp(start, "\x93NUMPY", 6) != 0) npy_error(file, "not a .npy file");
  std::size_t length = start[8] + std::size_t{256} * start[9];
  if (start[6] < 1 || start[6] > 3)
    npy_error(file, "not a valid .npy file: format version " + std::to_string(start[6]) + " is unknown");
  if (start[6] >= 2) {
    if (!in.read(reinterpret_cast<char*>(start) + 10, 2)) npy_error(file, "truncated: it ends inside the header");
    length += (std::size_t{start[10]} << 16) + (std::size_t{start[11]} << 24);
  }
  if (length > (std::size_t{1} << 20))
    npy_error(file, "not a valid .npy file: its header claims " + std::to_string(length) + " bytes");
  std::string text(length, '\0');
  if (!in.read(text.data(), static_cast<std::streamsize>(length))) npy_error(file, "truncated: it ends inside the header");

  npy_header header;
  std::string_view const type = npy_value(file, text, "descr");
  std::size_t const quote = type.empty() || type[0] != '\'' ? type.npos : type.find('\'', 1);
  if (quote == type.npos) npy_error(file, "its elements are not numbers of one type");
  header.type = type.substr(1, quote - 1);
  header.fortran = npy_value(file, text, "fortran_order").starts_with("True");
  std::string_view shape = npy_value(file, text, "shape");
  std::size_t const close = shape.find(')');
  if (shape[0] != '(' || close == shape.npos) npy_error(file, "not a valid .npy file: its shape is malformed");
  shape = shape.substr(1, close - 1);
  for (std::size_t i = 0; i < shape.size();) {
    if (shape[i] == ',' || shape[i] == ' ') {
      ++i;
      continue;
    }
    std::size_t extent = 0, digits = 0;
    for (; i < shape.size() && shape[i] >= '0' && shape[i] <= '9'; ++i, ++digits)
      extent = extent * 10 + static_cast<std::size_t>(shape[i] - '0');
    if (digits == 0 || digits > 18) npy_error(file, "not a valid .npy file: its shape is malformed");
    header.shape.push_back(extent);
  }
  return header;
}

/// The elements of one file, after every check; Fortran order is put into C order.
inline std::vector<std::byte> read_npy(std::filesystem::path const& file, std::string_view type, std::size_t element_bytes,
                                       std::span<std::size_t const> shape) {
  std::ifstream in(file, std::ios::binary);
  if (!in) npy_error(file, "cannot be opened for reading");
  npy_header const header = read_npy_header(file, in);
  if (header.type != type)
    npy_error(file, "elements are " + header.type + ", must be " + std::string(type) +
                        " (nothing is converted; load into the other scalar type)");
  if (!std::equal(shape.begin(), shape.end(), header.shape.begin(), header.shape.end()))
    npy_error(file, "shape is " + shape_text(header.shape) + ", must be " + shape_text(shape));

  std::size_t const count = element_count(shape);
  std::error_code unknown_size;
  std::uintmax_t const size = std::filesystem::file_size(file, unknown_size);
  std::uintmax_t const start = static_cast<std::uintmax_t>(in.tellg());
  if (!unknown_size && size - start != count * element_bytes)
    npy_error(file, (size - start < count * element_bytes ? "truncated: " : "corrupt: ") + std::to_string(size - start) +
                        " bytes follow the header, must be " + std::to_string(count * element_bytes));
  std::vector<std::byte> bytes(count * element_bytes);
  if (!in.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size())))
    npy_error(file, "cannot be read to its end");
  if (!header.fortran || shape.size() < 2 || count == 0) return bytes;

  std::vector<std::byte> ordered(bytes.size());
  std::vector<std::size_t> at(shape.size(), 0);
  for (std::size_t to = 0; to < count; ++to) {
    std::size_t from = 0;
    for (std::size_t axis = shape.size(); axis-- > 0;) from = from * shape[axis] + at[axis];
    std::memcpy(ordered.data() + to * element_bytes, bytes.data() + from * element_bytes, element_bytes);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
      if (++at[axis] < shape[axis]) break;
      at[axis] = 0;
    }
  }
  return ordered;
}

/// "a" or "a and 3 more"
inline std::string first_of(std::vector<std::string> const& names) {
  return names.front() + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

inline void load_bytes(std::filesystem::path const& folder, std::span<byte_slot const> slots, std::string_view type,
                       std::size_t element_bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  if (!fs::is_directory(folder, error))
    throw std::runtime_error("residua: parameter folder " + folder.string() + " does not exist");

  std::vector<std::string> expected, missing, surplus;
  for (byte_slot const& slot : slots) {
    expected.push_back(std::string(slot.path) + ".npy");
    if (!fs::is_regular_file(folder / expected.back(), error)) missing.push_back(expected.back());
  }
  std::sort(expected.begin(), expected.end());
  for (auto entry = fs::directory_iterator(folder, error); !error && entry != fs::directory_iterator(); entry.increment(error)) {
    std::string const found = entry->path().filename().string();
    if (entry->path().extension() == ".npy" && !std::binary_search(expected.begin(), expected.end(), found))
      surplus.push_back(found);
  }
  if (error) throw std::runtime_error("residua: parameter folder " + folder.string() + " cannot be listed: " + error.message());
  std::sort(surplus.begin(), surplus.end());
  if (!missing.empty()) throw std::runtime_error("residua: parameter folder " + folder.string() + " has no " + first_of(missing));
  if (!surplus.empty())
    throw std::runtime_error("residua: parameter folder " + folder.string() + " has " + first_of(surplus) +
                             ", which no parameter is named after");

  std::vector<std::vector<std::byte>> contents;
  for (byte_slot const& slot : slots)
    contents.push_back(read_npy(folder / (std::string(slot.path) + ".npy"), type, element_bytes, slot.shape));
  for (std::size_t i = 0; i < slots.size(); ++i)
    if (!contents[i].empty()) std::memcpy(slots[i].data, contents[i].data(), contents[i].size());
}

inline void save_bytes(std::filesystem::path const& folder, std::span<byte_slot const> slots, std::string_view type,
                       std::size_t element_bytes) {
  namespace fs = std::filesystem;
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || !fs::is_directory(folder))
    throw std::runtime_error("residua: parameter folder " + folder.string() + " cannot be created" +
                             (error ? ": " + error.message() : ""));
  for (byte_slot const& slot : slots) {
    std::string header =
        "{'descr': '" + std::string(type) + "', 'fortran_order': False, 'shape': " + shape_text(slot.shape) + ", }";
    header.append(63 - (10 + header.size()) % 64, ' ');
    header += '\n';
    std::string start = "\x93NUMPY";
    start += {'\1', '\0', static_cast<char>(header.size() % 256), static_cast<char>(header.size() / 256)};

    fs::path const file = folder / (std::string(slot.path) + ".npy");
    fs::path const unfinished = folder / (std::string(slot.path) + ".npy.unfinished");
    std::ofstream out(unfinished, std::ios::binary | std::ios::trunc);
    out << start << header;
    if (std::size_t const count = element_count(slot.shape))
      out.write(reinterpret_cast<char const*>(slot.data), static_cast<std::streamsize>(count * element_bytes));
    out.close();
    if (!out) {
      std::error_code const reason(errno, std::generic_category());
      fs::remove(unfinished, error);
      npy_error(file, "cannot be written: " + reason.message());
    }
    fs::rename(unfinished, file, error);
    if (error) npy_error(file, "cannot be written: " + error.message());
  }
}

template <class Real>
inline constexpr std::string_view npy_type = sizeof(Real) == 4 ? "<f4" : "<f8";

template <class Real>
std::vector<byte_slot> byte_slots(std::span<parameter_slot<Real> const> slots) {
  std::vector<byte_slot> bytes;
  for (parameter_slot<Real> const& slot : slots)
    bytes.push_back({slot.path, slot.shape, const_cast<std::byte*>(reinterpret_cast<std::byte const*>(slot.data))});
  return bytes;
}

}  // namespace detail

/// Reads `<folder>/<path>.npy` for every slot. Every file is read and checked before anything is written: on an error,
/// nothing has changed. Fortran order is read correctly; no element type is converted.
/// Throws std::runtime_error, each message beginning "residua: " and naming the folder or the file: folder missing,
/// files missing, surplus .npy files, wrong element type, wrong shape, not a .npy file, truncated, corrupt.
template <class Real>
void load_parameters(std::filesystem::path const& folder, std::span<parameter_slot<Real> const> slots) {
  auto const bytes = detail::byte_slots(slots);
  detail::load_bytes(folder, bytes, detail::npy_type<Real>, sizeof(Real));
}

/// Writes `<folder>/<path>.npy` for every slot, each under another name first and renamed when complete; creates the folder.
/// Throws std::runtime_error that names the file and the reason.
template <class Real>
void save_parameters(std::filesystem::path const& folder, std::span<parameter_slot<Real> const> slots) {
  auto const bytes = detail::byte_slots(slots);
  detail::save_bytes(folder, bytes, detail::npy_type<std::remove_const_t<Real>>, sizeof(Real));
}

}  // namespace residua::rt
