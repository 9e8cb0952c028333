// What the generator says of a block, as data, and the tile functions that it writes. The engine (engine.hpp) runs it: packing,
// memory, loops over tiles and layers, caches stand there once and not in every block. Needs neither xtensor nor SIMD.
#pragma once

#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/blocking.hpp>
#include <residua/rt/kernels/choice.hpp>

#include <span>
#include <string_view>

namespace residua::rt {

/// An extent: a number, or the place among the widths that are chosen when the parameters are made.
struct width {
  index fixed = 0;  // 0 and none chosen: given by the call
  int chosen = -1;

  constexpr index in(index const* sizes) const { return chosen < 0 ? fixed : sizes[chosen]; }
};

struct axis_description {
  std::string_view name;
  width extent{};
};

/// A stream that a block reads or gives, the feature axis last.
struct stream_description {
  std::string_view name;  // x, memory; of a result: y
  std::span<axis_description const> axes;
  int tokens = 0;          // whose tokens its rows are: streams of one number have as many
  std::size_t shared = 0;  // so many leading axes are as long as those of the first input
};

/// A width that is another one under a new name, so both must be the same.
struct renamed_width {
  int fresh = 0;  // its place among the widths that are chosen at run time
  axis_description old;
};

/// A parameter: no axis: a scalar; one: a vector; two: a weight (in, out), which is packed.
struct parameter_description {
  std::string_view path;  // F.up.weight
  std::span<axis_description const> axes;

  constexpr bool is_matrix() const { return axes.size() == 2; }
};

/// A matrix that is there for all tokens while a program runs; `layers` in a row where the layers of a stack have one each.
struct whole_description {
  enum class kind : unsigned char {
    argument,  // number `of` of the call
    result,    // likewise
    between,   // passes from one stage to a later one
    part,      // columns of the entry `of`, which stands before it: [first, first + columns); of layers: one of each of theirs
    seen,      // likewise, but in a step what the cache holds of the same columns
  };
  kind is = kind::between;
  int of = -1;
  int tokens = 0;
  width columns{};
  width first{};
  int layers = 1;
};

/// Between whose tokens an attention runs; `cached`: the place of its keys among the values of the cache, -1 where it has none.
struct attention_description {
  int queries = 0;
  int keys = 0;
  int cached = -1;
};

/// A value of the forward program that a cache keeps: keys or values of an attention.
struct cached_description {
  int seen = -1;     // an entry that attention reads; others may be the same columns of the same entry
  int written = -1;  // the entry where the rows of new tokens stand
  int stage = 0;     // after which they do: its place in the order in which stages run
  int tokens = 0;    // 0: of the stream, kept token by token; otherwise of a memory, computed once
  index columns = 0;
  index window = 0;  // only so many of the last tokens are needed; 0: all
};

template <class Real>
struct stage_description;

/// The packed parameters, by their place in the block's list.
template <class Real>
struct operand {
  Real const* vector = nullptr;
  packed_view<Real> matrix{};
  packed_view<Real> transposed{};  // there for gradients only
};

/// Where the gradients of the parameters are summed, by the same places.
template <class Real>
struct gradient_sums {
  matrix<Real> const* of = nullptr;  // a vector is one row

  [[gnu::always_inline]] matrix<Real> matrix_of(index parameter) const { return of[parameter]; }
};

/// What a stage's function works on: at most tile_rows rows of one token space.
template <class Real>
struct tile {
  functions<Real> const& kernels;
  stage_description<Real> const& stage;
  operand<Real> const* operands;
  matrix<Real> const* whole;      // the program's table
  token_layout const* layouts;    // of the attentions
  token_layout const* positions;  // of the token spaces
  index const* sizes;             // the widths chosen at run time
  matrix<Real> const* buffers;
  Real* const* partials;
  void* attention;  // scratch
  index first;
  index rows;
  index layer;  // of a stack, counted as the stages run; 0 elsewhere

  Real const* vector(index parameter) const { return operands[parameter].vector; }
  packed_view<Real> const& weight(index parameter) const { return operands[parameter].matrix; }
  packed_view<Real> const& transposed(index parameter) const { return operands[parameter].transposed; }
  /// A matrix of all tokens, and the tile's rows of one.
  matrix<Real> const& all(index entry) const { return whole[entry]; }
  matrix<Real> rows_of(index entry) const { return whole[entry].rows_from(first, rows); }
  matrix<Real> const& buffer(index at) const { return buffers[at]; }
  Real* partial(index at) const { return partials[at]; }
};

/// One stage: instructions that run tile by tile, and then the sums that its tiles leave.
template <class Real>
struct stage_description {
  int tokens = 0;                                   // whose rows
  std::span<width const> buffers{};                 // scratch of tile_rows rows each
  std::span<width const> partials{};                // vectors, zero when a tile starts
  std::span<attention_options const> attentions{};  // whose scratch it needs
  void (*run)(tile<Real> const&) = nullptr;
  /// Adds a tile's gradients; part `part` of `parts`, so that threads share no output. Null where there is none.
  void (*sum)(tile<Real> const&, gradient_sums<Real> const&, index part, index parts) = nullptr;
  void const* data = nullptr;  // for `run` and `sum`, where they are no generated functions
};

/// Stages [first, first + stages), run `times` times in a row: the layers of a stack.
struct segment_description {
  int first = 0;
  int stages = 1;
  int times = 1;
};

template <class Real>
struct program_description {
  std::span<whole_description const> whole{};
  std::span<stage_description<Real> const> stages{};
  std::span<segment_description const> segments{};  // in the order in which they run; none: every stage, once
};

/// One block: all that the engine and the interface need to know. Arguments and results of the programs, in this order:
///   forward  inputs; outputs
///   jvp      inputs, their tangents; outputs, their tangents
///   vjp      inputs, cotangents of the outputs; gradients of the inputs
template <class Real>
struct block_description {
  std::string_view name;
  std::span<stream_description const> inputs{};
  std::span<stream_description const> outputs{};
  std::span<parameter_description const> parameters{};
  std::span<std::string_view const> sizes{};  // the names of the widths that are chosen at run time
  std::span<renamed_width const> renamed{};
  std::span<attention_description const> attentions{};
  std::span<cached_description const> cached{};  // none: no step
  bool has_conditions = false;                   // tokens read what their sequence has one row of
  program_description<Real> forward{};
  program_description<Real> jvp{};
  program_description<Real> vjp{};
  /// The kernels for an instruction set, of those that the block was built for.
  functions<Real> const& (*kernels)(instruction_set) = nullptr;
  std::span<instruction_set const> sets{};
};

}  // namespace residua::rt
