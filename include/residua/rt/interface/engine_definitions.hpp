// What the engine does; compiled into the package's library.
#pragma once

#include <residua/rt/interface/engine.hpp>
#include <residua/rt/interface/tile_loop.hpp>

#include <algorithm>
#include <atomic>
#include <stdexcept>
#include <type_traits>

namespace residua::rt {

namespace detail {

/// A number for each packing of parameters, so that a cache knows whose keys and values it holds.
inline index next_revision() {
  static std::atomic<index> last{0};
  return ++last;
}

/// Adds up bytes and refuses more than memory can hold.
class byte_count {
 public:
  void add(index pieces, index rows, index bytes_of_row) {
    index bytes = 0;
    if (__builtin_mul_overflow(rows, bytes_of_row, &bytes) || bytes > most || __builtin_mul_overflow(bytes, pieces, &bytes) ||
        bytes > most || (sum_ += bytes) > most)
      throw std::invalid_argument("extents: the call needs more bytes than memory can hold");
  }
  index sum() const { return sum_; }

 private:
  static constexpr index most = std::numeric_limits<index>::max() / 4;
  index sum_ = 0;
};

template <class Real>
index row_bytes(index columns) {
  if (columns > std::numeric_limits<index>::max() / 64)
    throw std::invalid_argument("extents: a row is more than memory can hold");
  return padded_stride<Real>(columns) * static_cast<index>(sizeof(Real));
}

/// body(stage, layer, place), place counting in the order in which stages run.
template <class Real, class Body>
void for_each_stage(program_description<Real> const& code, Body const& body) {
  segment_description const all{0, static_cast<int>(code.stages.size()), 1};
  std::span<segment_description const> const segments = code.segments.empty() ? std::span(&all, 1) : code.segments;
  int place = 0;
  for (segment_description const& segment : segments)
    for (int turn = 0; turn < segment.times; ++turn)
      for (int i = 0; i < segment.stages; ++i, ++place)
        body(code.stages[static_cast<std::size_t>(segment.first + i)], index{turn}, place);
}

template <class Real>
index entries_of(program_description<Real> const& code) {
  index entries = 0;
  for (whole_description const& row : code.whole) entries += row.layers;
  return entries;
}

}  // namespace detail

/// What all tiles of a call are told; the lists lie in the call's memory.
template <class Real>
struct engine<Real>::call {
  call_sequences sequences{};
  pointers at{};
  operand<Real> const* operands = nullptr;
  matrix<Real>* whole = nullptr;
  token_layout* layouts = nullptr;
  token_layout* positions = nullptr;
  matrix<Real>* sums = nullptr;
};

/// A tile's buffers and shares of gradients, listed at the start of its scratch.
template <class Real>
struct engine<Real>::scratch {
  matrix<Real>* buffers = nullptr;
  Real** partials = nullptr;
  std::byte* attention = nullptr;
};

template <class Real>
engine<Real>::engine(block_description<Real> const& block, std::span<index const> sizes)
    : block_(block),
      sizes_(sizes.begin(), sizes.end()),
      kernels_(block.kernels(selected_among(block.sets))),
      parameters_(block.parameters, sizes_.data()) {
  for (program_kind kind : {program_kind::forward, program_kind::jvp, program_kind::vjp}) {
    index& most = tile_bytes_[static_cast<std::size_t>(kind)] = 0;
    for (stage_description<Real> const& stage : code(kind).stages) most = std::max(most, scratch_bytes(stage));
  }
  find_seen();
}

template <class Real>
void engine<Real>::find_seen() {
  struct columns {
    std::size_t entry;
    int of;
    index first, count;
  };
  std::vector<columns> all;
  std::size_t entry = 0;
  for (whole_description const& row : block_.forward.whole)
    for (int layer = 0; layer < row.layers; ++layer, ++entry)
      if (row.is == whole_description::kind::seen)
        all.push_back({entry, row.of + layer, row.first.in(sizes_.data()), row.columns.in(sizes_.data())});
  for (std::size_t i = 0; i < block_.cached.size(); ++i)
    for (columns const& kept : all)
      for (columns const& each : all)
        if (kept.entry == static_cast<std::size_t>(block_.cached[i].seen) && each.of == kept.of && each.first == kept.first &&
            each.count == kept.count)
          seen_.emplace_back(each.entry, i);
}

template <class Real>
void engine<Real>::pack(std::span<Real const* const> parameters) noexcept {
  parameters_.pack(parameters);
  revision_ = detail::next_revision();
}

template <class Real>
program_description<Real> const& engine<Real>::code(program_kind kind) const {
  return kind == program_kind::forward ? block_.forward : kind == program_kind::jvp ? block_.jvp : block_.vjp;
}

// ------------------------------------------------------------------------------------------------ memory of a call

/// Takes the lists of a call, which depend on no extent.
template <class Real>
typename engine<Real>::call engine<Real>::carve_tables(program_kind kind, call_sequences const& s, carver& memory) const {
  auto const size = [](auto const& list) { return static_cast<index>(list.size()); };
  index const inputs = size(block_.inputs), outputs = size(block_.outputs), parameters = size(block_.parameters);
  call made;
  made.sequences = s;
  made.at.arguments = memory.take_vector<Real const*>(2 * inputs + outputs);
  made.at.results = memory.take_vector<Real*>(inputs + 2 * outputs);
  made.at.gradients = memory.take_vector<Real*>(parameters);
  made.whole = memory.take_vector<matrix<Real>>(detail::entries_of(code(kind)));
  made.layouts = memory.take_vector<token_layout>(size(block_.attentions));
  made.positions = memory.take_vector<token_layout>(inputs);
  made.sums = memory.take_vector<matrix<Real>>(parameters);
  return made;
}

template <class Real>
typename engine<Real>::pointers engine<Real>::pointers_in(call_memory& memory) const {
  carver from(memory.whole());
  return carve_tables(program_kind::forward, {}, from).at;
}

template <class Real>
index engine<Real>::whole_bytes(program_kind kind, call_sequences const& s) const {
  carver tables;
  carve_tables(kind, s, tables);
  detail::byte_count count;
  count.add(1, 1, tables.bytes());
  for (whole_description const& row : code(kind).whole)
    if (row.is == whole_description::kind::between)
      count.add(row.layers, s.rows(row.tokens), detail::row_bytes<Real>(row.columns.in(sizes_.data())));
  return count.sum();
}

template <class Real>
call_memory engine<Real>::memory_for(program_kind kind, call_sequences const& s) const {
  index tiles = 1;
  for (stage_description<Real> const& stage : code(kind).stages) tiles = std::max(tiles, tiles_of(s.rows(stage.tokens)));
  index const threads = thread_count();
  return {threads, std::min(tiles, threads), tile_bytes(kind), whole_bytes(kind, s)};
}

template <class Real>
typename engine<Real>::call engine<Real>::make_call(program_kind kind, pointers const& at, call_sequences const& s,
                                                    token_cache<Real>* cache, call_memory& memory) const {
  carver from(memory.whole());
  call made = carve_tables(kind, s, from);
  made.at = at;
  made.operands = kind == program_kind::vjp ? parameters_.with_transposed() : parameters_.operands();

  matrix<Real>* entry = made.whole;
  for (whole_description const& row : code(kind).whole) {
    index const rows = s.rows(row.tokens), columns = row.columns.in(sizes_.data());
    for (int layer = 0; layer < row.layers; ++layer, ++entry) switch (row.is) {
        case whole_description::kind::argument:
          *entry = {const_cast<Real*>(at.arguments[row.of]), rows, columns, columns};  // which no stage writes
          break;
        case whole_description::kind::result: *entry = {at.results[row.of], rows, columns, columns}; break;
        case whole_description::kind::between: *entry = from.take<Real>(rows, columns); break;
        case whole_description::kind::part:
        case whole_description::kind::seen: {
          matrix<Real> const& of = made.whole[row.of + layer];
          *entry = rows > 0 ? of.columns_from(row.first.in(sizes_.data()), columns) : matrix<Real>{nullptr, 0, columns, columns};
          break;
        }
      }
  }
  if (cache)
    for (auto const& [seen, at_cache] : seen_) made.whole[seen] = cache->rows(at_cache);

  for (std::size_t i = 0; i < block_.attentions.size(); ++i) {
    attention_description const& a = block_.attentions[i];
    made.layouts[i] =
        cache && a.cached >= 0 ? cache->layout(static_cast<std::size_t>(a.cached), s.tokens(0)) : s.between(a.queries, a.keys);
  }
  for (std::size_t i = 0; i < block_.inputs.size(); ++i) {
    int const space = block_.inputs[i].tokens;
    made.positions[space] = s.between(space, space);
  }
  return made;
}

// ------------------------------------------------------------------------------------------------ memory of a tile

template <class Real>
typename engine<Real>::scratch engine<Real>::carve_lists(stage_description<Real> const& stage, carver& memory) const {
  index most = 0;
  for (attention_options const& each : stage.attentions) most = std::max(most, kernels_.attention_scratch_bytes(each));
  scratch made;
  made.buffers = memory.take_vector<matrix<Real>>(static_cast<index>(stage.buffers.size()));
  made.partials = memory.take_vector<Real*>(static_cast<index>(stage.partials.size()));
  made.attention = memory.take_vector<std::byte>(most);
  return made;
}

/// Fills the lists of a tile, and sets its shares of gradients to zero.
template <class Real>
void engine<Real>::carve_buffers(stage_description<Real> const& stage, index rows, scratch const& lists, carver& memory) const {
  for (std::size_t i = 0; i < stage.buffers.size(); ++i)
    lists.buffers[i] = memory.take<Real>(tile_rows, stage.buffers[i].in(sizes_.data())).rows_from(0, rows);
  for (std::size_t i = 0; i < stage.partials.size(); ++i) {
    index const count = stage.partials[i].in(sizes_.data());
    lists.partials[i] = memory.take_vector<Real>(count);
    std::fill_n(lists.partials[i], count, Real(0));
  }
}

template <class Real>
index engine<Real>::scratch_bytes(stage_description<Real> const& stage) const {
  carver lists;
  carve_lists(stage, lists);
  detail::byte_count count;
  count.add(1, 1, lists.bytes());
  for (width const& each : stage.buffers) count.add(1, tile_rows, detail::row_bytes<Real>(each.in(sizes_.data())));
  for (width const& each : stage.partials) count.add(1, 1, detail::row_bytes<Real>(each.in(sizes_.data())));
  return count.sum();
}

// ------------------------------------------------------------------------------------------------ running

template <class Real>
void engine<Real>::run_stage(stage_description<Real> const& stage, index layer, call const& with, call_memory& memory) const {
  auto const tile_of = [&](index first, index rows, scratch const& lists) {
    return tile<Real>{kernels_,      stage,          with.operands,   with.whole, with.layouts, with.positions, sizes_.data(),
                      lists.buffers, lists.partials, lists.attention, first,      rows,         layer};
  };
  auto const run = [&](index first, index rows, std::byte* piece) {
    carver from(piece);
    scratch const lists = carve_lists(stage, from);
    carve_buffers(stage, rows, lists, from);
    stage.run(tile_of(first, rows, lists));
  };
  auto const sum = [&](index first, index rows, std::byte* piece, index part, index parts) {
    carver from(piece);  // the lists are there, and other threads read them
    stage.sum(tile_of(first, rows, carve_lists(stage, from)), {with.sums}, part, parts);
  };
  index const rows = with.sequences.rows(stage.tokens);
  if (stage.sum) for_each_tile_round(rows, memory, run, sum);
  else for_each_tile(rows, memory, run);
}

template <class Real>
void engine<Real>::run(program_kind kind, pointers const& at, call_sequences const& s, call_memory& memory) const {
  call const with = make_call(kind, at, s, nullptr, memory);
  for (std::size_t i = 0; i < block_.parameters.size() && kind == program_kind::vjp; ++i) {
    parameter_description const& p = block_.parameters[i];
    index const columns = p.axes.empty() ? 1 : p.axes.back().extent.in(sizes_.data());
    index const rows = p.is_matrix() ? p.axes[0].extent.in(sizes_.data()) : 1;
    with.sums[i] = {at.gradients[i], rows, columns, columns};
    std::fill_n(at.gradients[i], rows * columns, Real(0));
  }
  detail::for_each_stage(code(kind), [&](auto const& stage, index layer, int) { run_stage(stage, layer, with, memory); });
}

template <class Real>
void engine<Real>::step(pointers const& at, call_sequences const& s, token_cache<Real>& cache, call_memory& memory) const {
  call const with = make_call(program_kind::forward, at, s, &cache, memory);
  run_cached(with, cache, memory, [](int tokens) { return tokens == 0; });
}

template <class Real>
void engine<Real>::fill_cache(pointers const& at, call_sequences const& s, token_cache<Real>& cache, call_memory& memory) const {
  call const with = make_call(program_kind::forward, at, s, nullptr, memory);
  run_cached(with, cache, memory, [](int tokens) { return tokens > 0; });
}

/// The stages over some of the token spaces; what is kept of them goes into the cache when its stage is done, and attention
/// reads it there.
template <class Real>
template <class Runs>
void engine<Real>::run_cached(call const& with, token_cache<Real>& cache, call_memory& memory, Runs const& runs) const {
  detail::for_each_stage(block_.forward, [&](auto const& stage, index layer, int place) {
    if (!runs(stage.tokens)) return;
    run_stage(stage, layer, with, memory);
    for (std::size_t i = 0; i < block_.cached.size(); ++i)
      if (block_.cached[i].stage == place && runs(block_.cached[i].tokens))
        cache.append(i, with.whole[block_.cached[i].written], with.sequences.tokens(block_.cached[i].tokens));
  });
}

}  // namespace residua::rt
