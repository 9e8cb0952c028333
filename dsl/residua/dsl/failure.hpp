#pragma once
#include <residua/dsl/shape.hpp>
#include <source_location>

namespace residua::dsl {

/// A mistake found while a block was traced, with all that its message shows.
struct failure {
  mistake kind = mistake::none;
  std::string_view subject{};  // the operation or name that the mistake is about
  std::string_view given{};    // what was given, where it is no shape
  shape_value left{};
  shape_value right{};
  std::source_location where{};
};

/// The details of a message, in phrases that clang prints whole (it cuts a string after 36 characters).
struct phrases {
  static constexpr std::size_t longest = 35;
  struct phrase {
    std::array<char, longest> data{};
    std::size_t size = 0;
  };
  std::array<phrase, 12> list{};
  std::size_t count = 0;

  /// Adds a phrase; a longer one continues in the next, broken at a space where there is one.
  constexpr void add(std::string_view line) {
    while (count < list.size() && !line.empty()) {
      std::size_t size = line.size();
      if (size > longest) {
        size = line.substr(0, longest).rfind(' ') + 1;
        if (size == 0) size = longest;
      }
      phrase& next = list[count++];
      for (std::size_t i = 0; i < size; ++i) next.data[i] = line[i];
      next.size = size;
      line.remove_prefix(size);
    }
  }
  constexpr void add(writer const& line) { add(line.view()); }
};

namespace detail {
constexpr std::string_view file_of(std::source_location where) {
  std::string_view const path = where.file_name();
  std::size_t const slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

constexpr void add_shape(phrases& out, std::string_view role, shape_value const& shape) {
  writer line;
  line.add(role);
  write(line, shape);
  out.add(line);
}

constexpr void add_axis(phrases& out, std::string_view role, axis_value const& axis) {
  writer line;
  line.add(role);
  write(line, axis);
  out.add(line);
}

/// Which axis differs: "axis 3: d = 768, h = 3072", or the two ranks.
constexpr void add_difference(phrases& out, shape_value const& left, shape_value const& right) {
  writer line;
  if (left.rank != right.rank) {
    line.add("rank: ");
    line.add_integer(static_cast<std::int64_t>(left.rank));
    line.add(", ");
    line.add_integer(static_cast<std::int64_t>(right.rank));
    return out.add(line);
  }
  for (std::size_t i = 0; i < left.rank; ++i) {
    if (left.axes[i] == right.axes[i]) continue;
    line.add("axis ");
    line.add_integer(static_cast<std::int64_t>(i) + 1);
    line.add(": ");
    write(line, left.axes[i]);
    line.add(", ");
    write(line, right.axes[i]);
    return out.add(line);
  }
}
}  // namespace detail

/// Says where and what: the block, the user's line, then the details of this kind of mistake.
constexpr phrases describe(failure const& found, std::string_view block) {
  phrases out;
  writer place;
  place.add("block \"");
  place.add(block);
  place.add("\"");
  out.add(place);
  if (found.where.line() != 0) {
    writer line;
    line.add(detail::file_of(found.where));
    line.add(":");
    line.add_integer(found.where.line());
    out.add(line);
  }
  writer subject;
  switch (found.kind) {
    case mistake::shapes_differ:
      detail::add_shape(out, "left: ", found.left);
      detail::add_shape(out, "right: ", found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::result_is_not_the_stream:
      detail::add_shape(out, "stream: ", found.left);
      if (found.right.rank == 0) break;
      detail::add_shape(out, "result: ", found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::wrong_axis:
    case mistake::wrong_vector_axis:
    case mistake::cannot_rename:
      subject.add(found.subject);
      out.add(subject);
      detail::add_shape(out, "given: ", found.left);
      detail::add_axis(out, found.kind == mistake::cannot_rename ? "no axis: " : "feature axis must be: ", found.right.feature());
      break;
    case mistake::axis_repeated:
      subject.add(found.subject);
      out.add(subject);
      detail::add_shape(out, "result: ", found.right);
      break;
    default: subject.add(found.subject); out.add(subject);
  }
  if (!found.given.empty()) {
    writer given;
    given.add("given: ");
    given.add(found.given);
    out.add(given);
  }
  return out;
}

}  // namespace residua::dsl
