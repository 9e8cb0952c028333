// A folder of parameters, read as one and replaced as one. Compiled into the package's library.
//
// Saving writes all files into a new folder beside the old one and then swaps the two, so whoever reads finds one set of
// parameters or the other. Where the old folder holds anything but these parameters, that stays: then, and where a file system
// cannot swap folders, the files are replaced one after the other once all of them are written. Nothing is flushed to the disk.
#pragma once

#include <residua/rt/io/npy.hpp>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <new>

namespace residua::rt::detail {

/// A parameter without its element type.
struct byte_slot {
  std::string_view path;
  std::span<std::size_t const> shape;
  std::byte* data;
};

/// "a" or "a and 3 more"
inline std::string first_of(std::vector<std::string> const& names) {
  return names.front() + (names.size() > 1 ? " and " + std::to_string(names.size() - 1) + " more" : "");
}

[[noreturn]] inline void folder_error(std::string const& folder, std::string const& what) {
  throw std::runtime_error("residua: parameter folder " + folder + " " + what);
}

inline std::vector<std::string> file_names(std::span<byte_slot const> slots) {
  std::vector<std::string> names;
  for (byte_slot const& slot : slots) names.push_back(std::string(slot.path) + ".npy");
  return names;
}

inline void require_memory(std::span<byte_slot const> slots) {
  for (byte_slot const& slot : slots)
    if (!slot.data && element_count(slot.shape) > 0)
      throw std::invalid_argument(std::string(slot.path) + ": has a shape but no memory; it was moved from");
}

// ------------------------------------------------------------------------------------------------ reading

inline std::string path_in(std::string const& folder, std::string const& name) {
  return folder + (folder.ends_with('/') ? "" : "/") + name;
}

/// The elements of every parameter, or none where another has taken the folder's place meanwhile and its files are gone.
inline std::vector<std::unique_ptr<std::byte[]>> read_all(std::string const& folder, descriptor const& from,
                                                          std::span<byte_slot const> slots, npy_type type) {
  std::vector<std::string> const names = file_names(slots);
  auto const replaced = [&] {
    struct ::stat now{};
    return ::stat(folder.c_str(), &now) == 0 && !same_file(now, from.status());
  };
  std::vector<std::string> missing, surplus;
  for (std::string const& name : names) {
    struct ::stat found{};
    if (::fstatat(from.number(), name.c_str(), &found, 0) != 0 || !S_ISREG(found.st_mode)) missing.push_back(name);
  }
  if (!missing.empty() && replaced()) return {};
  int error = 0;
  std::vector<std::string> expected = names;
  std::sort(expected.begin(), expected.end());
  for (std::string const& name : names_in(from, error))
    if (name.ends_with(".npy") && !std::binary_search(expected.begin(), expected.end(), name)) surplus.push_back(name);
  if (error != 0) folder_error(folder, "cannot be listed: " + reason(error));
  std::sort(surplus.begin(), surplus.end());
  if (!missing.empty()) folder_error(folder, "has no " + first_of(missing));
  if (!surplus.empty()) folder_error(folder, "has " + first_of(surplus) + ", which no parameter is named after");

  std::vector<std::unique_ptr<std::byte[]>> contents;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    descriptor const in(::openat(from.number(), names[i].c_str(), O_RDONLY | O_CLOEXEC));
    if (!in && replaced()) return {};
    if (!in) npy_error(path_in(folder, names[i]), "cannot be opened for reading");
    contents.push_back(read_npy(path_in(folder, names[i]), in, type, slots[i].shape));
  }
  return contents;
}

inline void load_folder(std::string const& folder, std::span<byte_slot const> slots, npy_type type) {
  require_memory(slots);
  for (;;) {
    descriptor const from = open_folder(folder);
    if (!from) folder_error(folder, "does not exist");
    auto const contents = read_all(folder, from, slots, type);
    if (contents.size() < slots.size()) continue;
    for (std::size_t i = 0; i < slots.size(); ++i)
      if (std::size_t const count = element_count(slots[i].shape))
        std::memcpy(slots[i].data, contents[i].get(), count * type.bytes);
    return;
  }
}

// ------------------------------------------------------------------------------------------------ writing

/// A new folder for files that are not all there yet. Whatever has its name when it ends is removed with its files: the folder
/// itself, or the old one that it has changed places with.
class unfinished_folder {
 public:
  /// Beside `folder` or, where that cannot be, in it. `names`: of the files that it will hold.
  unfinished_folder(std::string const& folder, std::vector<std::string> const& names) : names_(names) {
    static std::atomic<unsigned> last{0};
    for (bool inside : {false, true})
      for (int tries = 0; tries < 100 && !made_; ++tries) {
        path_ =
            (inside ? path_in(folder, "") : folder) + ".unfinished-" + std::to_string(::getpid()) + "-" + std::to_string(++last);
        if (::mkdir(path_.c_str(), 0777) == 0) made_ = true;
        else if (errno != EEXIST) {
          if (!inside || errno != ENOENT) error_ = errno;
          break;
        }
      }
    if (made_) open_ = open_folder(path_);
    if (made_ && !open_) error_ = errno;
  }
  unfinished_folder(unfinished_folder const&) = delete;
  ~unfinished_folder() {
    if (!made_) return;
    descriptor const now(::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    for (std::string const& name : names_) ::unlinkat(now.number(), name.c_str(), 0);
    ::rmdir(path_.c_str());
  }

  explicit operator bool() const { return static_cast<bool>(open_); }
  int error() const { return error_; }
  std::string const& path() const { return path_; }
  descriptor const& files() const { return open_; }
  /// After it was given another name.
  void keep() { made_ = false; }

 private:
  std::vector<std::string> const& names_;
  std::string path_;
  bool made_ = false;
  int error_ = 0;
  descriptor open_;
};

inline void write_file(std::string const& shown, descriptor const& folder, std::string const& name, byte_slot const& slot,
                       npy_type type) {
  descriptor out(::openat(folder.number(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  std::string const start = npy_start(type, slot.shape);
  int error = out ? 0 : errno;
  if (!error && !(out.write(std::as_bytes(std::span(start))) && out.write({slot.data, element_count(slot.shape) * type.bytes})))
    error = errno;
  if (int const at_end = out.close(); !error) error = at_end;
  if (error) npy_error(shown, "cannot be written: " + reason(error));
}

/// Makes the folders above a path; gives the error, 0 where there is none.
inline int make_folders_above(std::string const& path) {
  for (std::size_t end = path.find('/', 1); end != path.npos; end = path.find('/', end + 1)) {
    std::string const above = path.substr(0, end);
    struct ::stat found{};
    if (::mkdir(above.c_str(), 0777) == 0) continue;
    int const error = errno;
    if (::stat(above.c_str(), &found) != 0) return error;
    if (!S_ISDIR(found.st_mode)) return ENOTDIR;
  }
  return 0;
}

/// Gives two folders each other's place; false where the system cannot.
inline bool swap_folders(std::string const& a, std::string const& b) {
#if defined(RENAME_EXCHANGE)
  return ::renameat2(AT_FDCWD, a.c_str(), AT_FDCWD, b.c_str(), RENAME_EXCHANGE) == 0;
#else
  return static_cast<void>(a), static_cast<void>(b), false;
#endif
}

/// Whether a folder has nothing but these files, and is not the one that the program stands in.
inline bool holds_only(descriptor const& folder, std::vector<std::string> const& names) {
  struct ::stat here{};
  int error = 0;
  if (::stat(".", &here) == 0 && same_file(here, folder.status())) return false;
  for (std::string const& name : names_in(folder, error))
    if (std::find(names.begin(), names.end(), name) == names.end()) return false;
  return error == 0;
}

/// Moves what came into the old folder just before it was swapped; the parameters are saved whether or not that can be done.
inline void move_others(descriptor const& from, std::vector<std::string> const& names, descriptor const& to) noexcept try {
  int error = 0;
  for (std::string const& name : names_in(from, error))
    if (std::find(names.begin(), names.end(), name) == names.end())
      ::renameat(from.number(), name.c_str(), to.number(), name.c_str());
} catch (std::bad_alloc const&) {}

/// Puts the finished files in the place of `folder`. `shown`: what messages call it.
inline void put_in_place(std::string const& shown, std::string const& folder, unfinished_folder& fresh,
                         std::vector<std::string> const& names) {
  descriptor old = open_folder(folder);
  if (!old && ::rename(fresh.path().c_str(), folder.c_str()) == 0) return fresh.keep();
  if (!old) old = open_folder(folder);  // another may have made it meanwhile
  if (!old) folder_error(shown, "cannot be written: " + reason(errno));
  if (::access(folder.c_str(), W_OK | X_OK) != 0) folder_error(shown, "cannot be written: " + reason(errno));
  if (holds_only(old, names)) {
    ::fchmod(fresh.files().number(), old.status().st_mode & 07777);
    if (swap_folders(fresh.path(), folder)) return move_others(open_folder(fresh.path()), names, fresh.files());
  }
  for (std::string const& name : names)
    if (::renameat(fresh.files().number(), name.c_str(), old.number(), name.c_str()) != 0)
      npy_error(path_in(shown, name), "cannot be written: " + reason(errno));
}

inline void save_folder(std::string const& folder, std::span<byte_slot const> slots, npy_type type) {
  require_memory(slots);
  std::vector<std::string> const names = file_names(slots);
  std::string place = folder;
  while (place.size() > 1 && place.ends_with('/')) place.pop_back();
  struct ::stat found{};
  if (::stat(place.c_str(), &found) == 0) {
    std::unique_ptr<char, void (*)(void*)> const resolved(::realpath(place.c_str(), nullptr), &std::free);
    if (!S_ISDIR(found.st_mode) || !resolved)
      folder_error(folder, "cannot be created: " + reason(S_ISDIR(found.st_mode) ? errno : ENOTDIR));
    place = resolved.get();
  } else if (int const error = make_folders_above(place)) {
    folder_error(folder, "cannot be created: " + reason(error));
  }

  unfinished_folder fresh(place, names);
  if (!fresh) folder_error(folder, "cannot be created: " + reason(fresh.error()));
  for (std::size_t i = 0; i < slots.size(); ++i) write_file(path_in(folder, names[i]), fresh.files(), names[i], slots[i], type);
  put_in_place(folder, place, fresh, names);
}

}  // namespace residua::rt::detail
