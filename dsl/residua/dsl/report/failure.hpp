#pragma once
#include <initializer_list>
#include <residua/dsl/shape.hpp>
#include <source_location>

namespace residua::dsl {

/// A mistake found while a block was traced, with all that its message shows.
struct failure {
  mistake kind = mistake::none;
  std::string_view block{};    // the block with the mistake, where it is not the one that tells
  std::string_view subject{};  // the operation or name that the mistake is about
  std::string_view given{};    // what was given, where it is no shape
  std::string_view inside{};   // the branch that the name is in
  shape_value left{};
  shape_value right{};
  std::source_location where{};
  std::string_view place{};       // of the function, where `where` says nothing
  std::source_location before{};  // where the name was taken first
};

/// What stands in for an expression after a mistake that leaves none. Whatever is done with it gives it back.
struct rejected {
  static constexpr std::string_view kind = "an expression";
  failure why;

  template <class Given>
  constexpr rejected operator()(Given const&, std::source_location where = std::source_location::current()) const {
    return at(where);
  }

  /// The same, placed there if it has no place yet.
  constexpr rejected at(std::source_location where) const {
    rejected placed = *this;
    if (why.where.line() == 0) placed.why.where = where;
    return placed;
  }
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

  /// Adds a phrase; a longer one continues in the next, broken after a space, and ends in dots after three.
  constexpr void add(std::string_view line) {
    for (int part = 0; !line.empty() && count < list.size(); ++part) {
      phrase& next = list[count++];
      std::size_t size = line.size();
      bool const cut = size > longest && (part == 2 || line.substr(0, longest).rfind(' ') == line.npos);
      if (size > longest) size = cut ? longest - 3 : line.substr(0, longest).rfind(' ') + 1;
      for (std::size_t i = 0; i < size; ++i) next.data[i] = line[i];
      if (cut)
        for (int i = 0; i < 3; ++i) next.data[size++] = '.';
      next.size = size;
      if (cut) return;
      line.remove_prefix(size);
    }
  }
  constexpr void add(writer const& line) { add(line.view()); }
  constexpr void add(std::initializer_list<std::string_view> parts) {
    writer line;
    for (std::string_view part : parts) line.add(part);
    add(line);
  }
};

namespace detail {
constexpr std::string_view file_of(std::source_location where) {
  std::string_view const path = where.file_name();
  std::size_t const slash = path.rfind('/');
  return slash == path.npos ? path : path.substr(slash + 1);
}

/// `at blocks.hpp:12`; of a long name the end.
constexpr void add_place(phrases& out, std::string_view role, std::string_view place) {
  bool const cut = place.size() > phrases::longest;
  if (cut) place.remove_prefix(place.size() - phrases::longest + 3);
  out.add({role, cut ? "..." : "", place});
}
constexpr void add_place(phrases& out, std::string_view role, std::source_location where) {
  writer place;
  place.add(file_of(where));
  place.add(":");
  place.add_integer(where.line());
  if (where.line() != 0) add_place(out, role, place.view());
}

constexpr void add_shape(phrases& out, std::initializer_list<std::string_view> role, shape_value const& shape) {
  writer line;
  for (std::string_view part : role) line.add(part);
  if (shape.rank == 0) line.add("none");
  else write(line, shape);
  out.add(line);
}

constexpr void add_axis(phrases& out, std::string_view role, axis_value const& axis) {
  writer line;
  line.add(role);
  write(line, axis);
  out.add(line);
}

constexpr void write_extent(writer& out, axis_value const& axis) {
  if (axis.extent == run_time) out.add("chosen at run time");
  else out.add_integer(axis.extent);
}

/// In what two axes differ: `axis 3 differs in name: d, e`. Which says where they stand.
constexpr void add_difference(phrases& out, writer which, axis_value const& a, axis_value const& b) {
  if (a.name == b.name) {
    which.add(" differs in extent: ");
    write_extent(which, a);
    which.add(", ");
    write_extent(which, b);
  } else if (a.extent == b.extent) {
    which.add(" differs in name: ");
    which.add(a.name);
    which.add(", ");
    which.add(b.name);
  } else {
    which.add(" differs: ");
    write(which, a);
    which.add(", ");
    write(which, b);
  }
  out.add(which);
}

/// The same of the first two axes that differ, or of the two ranks.
constexpr void add_difference(phrases& out, shape_value const& left, shape_value const& right) {
  writer line;
  if (left.rank == 0 || right.rank == 0) return;
  if (left.rank != right.rank) {
    line.add("rank differs: ");
    line.add_integer(static_cast<std::int64_t>(left.rank));
    line.add(", ");
    line.add_integer(static_cast<std::int64_t>(right.rank));
    return out.add(line);
  }
  line.add("axis ");
  for (std::size_t i = 0; i < left.rank; ++i) {
    if (left.axes[i] == right.axes[i]) continue;
    line.add_integer(static_cast<std::int64_t>(i) + 1);
    return add_difference(out, line, left.axes[i], right.axes[i]);
  }
}
}  // namespace detail

/// Says where and what: the block, the user's line, then the details of this kind of mistake.
constexpr phrases describe(failure const& found, std::string_view block) {
  phrases out;
  out.add({"in block \"", found.block.empty() ? block : found.block, "\""});
  detail::add_place(out, "at ", found.where);
  if (found.where.line() == 0 && !found.place.empty()) detail::add_place(out, "at ", found.place);
  writer line, last;
  last.add("axis ");
  last.add_integer(static_cast<std::int64_t>(found.left.rank));
  switch (found.kind) {
    case mistake::shapes_differ:
      detail::add_shape(out, {"left of ", found.subject, ": "}, found.left);
      detail::add_shape(out, {"right of ", found.subject, ": "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::hadamard_shapes_differ:
      detail::add_shape(out, {"first: "}, found.left);
      detail::add_shape(out, {"second: "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::wrong_axis:
    case mistake::wrong_norm_axis:
    case mistake::wrong_vector_axis:
    case mistake::wrong_memory_axis:
      out.add({"name \"", found.subject, "\""});
      detail::add_shape(out, {found.kind == mistake::wrong_memory_axis ? "memory: " : "given: "}, found.left);
      line.add("takes: (..., ");
      write(line, found.right.feature());
      line.add(")");
      out.add(line);
      detail::add_difference(out, last, found.left.feature(), found.right.feature());
      break;
    case mistake::memory_of_other_sequences:
    case mistake::causal_across_axes:
      if (!found.subject.empty()) out.add({"name \"", found.subject, "\""});
      detail::add_shape(out, {found.subject.empty() ? "stream: " : "queries: "}, found.left);
      detail::add_shape(out, {"memory: "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::axis_not_in_expression:
      detail::add_shape(out, {"given: "}, found.left);
      detail::add_axis(out, "no axis: ", found.right.axes[0]);
      break;
    case mistake::axis_repeated:
      out.add({"name \"", found.subject, "\""});
      detail::add_shape(out, {"result: "}, found.right);
      break;
    case mistake::renamed_extent_differs:
      detail::add_shape(out, {"given: "}, found.left);
      detail::add_axis(out, "from: ", found.right.axes[0]);
      detail::add_axis(out, "to: ", found.right.axes[1]);
      break;
    case mistake::wrong_stream:
      out.add({"block applied: \"", found.subject, "\""});
      detail::add_shape(out, {found.inside, "given: "}, found.left);
      detail::add_shape(out, {found.inside, "reads: "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::result_is_not_the_stream:
      detail::add_shape(out, {"stream: "}, found.left);
      detail::add_shape(out, {"result: "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::layers_differ:
      out.add(found.subject);
      if (!found.inside.empty()) out.add(found.inside);
      detail::add_shape(out, {"layer 0: "}, found.left);
      detail::add_shape(out, {"this layer: "}, found.right);
      detail::add_difference(out, found.left, found.right);
      break;
    case mistake::name_taken:
      out.add({"name \"", found.subject, "\""});
      if (!found.inside.empty()) out.add({"in branch \"", found.inside, "\""});
      detail::add_place(out, "taken at ", found.before);
      break;
    default:
      for (std::string_view rest = found.subject; !rest.empty();) {  // a phrase on each line
        std::size_t const end = rest.find('\n');
        out.add(rest.substr(0, end));
        rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
      }
  }
  if (!found.given.empty()) out.add({"given: ", found.given});
  return out;
}

}  // namespace residua::dsl
