// Files and folders by POSIX calls: unlike std::filesystem's and streams, they throw std::bad_alloc where memory is lacking,
// keep a folder in hand while others replace it, and create without following a link.
#pragma once

#include <cerrno>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace residua::rt::detail {

inline std::string reason(int error) { return std::generic_category().message(error); }

/// An open file or folder.
class descriptor {
 public:
  explicit descriptor(int number = -1) : number_(number) {}
  descriptor(descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  descriptor& operator=(descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~descriptor() { close(); }

  explicit operator bool() const { return number_ >= 0; }
  int number() const { return number_; }
  /// Gives the error, 0 where there is none.
  int close() { return number_ < 0 || ::close(std::exchange(number_, -1)) == 0 ? 0 : errno; }

  void release() { number_ = -1; }

  struct ::stat status() const {
    struct ::stat found{};
    if (::fstat(number_, &found) != 0) found.st_mode = 0;
    return found;
  }

  /// Reads until `to` is full or the file ends; gives how much was read. -1: an error.
  ssize_t read(std::span<std::byte> to) const {
    std::size_t done = 0;
    while (done < to.size()) {
      ssize_t const got = ::read(number_, to.data() + done, to.size() - done);
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) return -1;
      if (got == 0) break;
      done += static_cast<std::size_t>(got);
    }
    return static_cast<ssize_t>(done);
  }
  bool write(std::span<std::byte const> from) const {
    while (!from.empty()) {
      ssize_t const put = ::write(number_, from.data(), from.size());
      if (put < 0 && errno == EINTR) continue;
      if (put < 0) return false;
      from = from.subspan(static_cast<std::size_t>(put));
    }
    return true;
  }

 private:
  int number_;
};

inline descriptor open_folder(std::string const& path) {
  return descriptor(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/// The names in a folder; `error` is 0, or why it cannot be listed.
inline std::vector<std::string> names_in(descriptor const& folder, int& error) {
  struct closing {
    DIR* stream;
    ~closing() {
      if (stream) ::closedir(stream);
    }
  };
  std::vector<std::string> names;
  descriptor own(::openat(folder.number(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  closing const list{own ? ::fdopendir(own.number()) : nullptr};
  error = list.stream ? 0 : errno;
  if (!list.stream) return names;
  own.release();  // the list closes it
  for (;;) {
    errno = 0;
    dirent const* const entry = ::readdir(list.stream);
    if (!entry) break;
    std::string_view const name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  error = errno;
  return names;
}

inline bool same_file(struct ::stat const& a, struct ::stat const& b) { return a.st_dev == b.st_dev && a.st_ino == b.st_ino; }

}  // namespace residua::rt::detail
