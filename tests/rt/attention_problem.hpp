// One attention on the kernels: its numbers, guarded against writes beside them, and the calls tile by tile.
#pragma once
#include "testing.hpp"

#include <algorithm>
#include <cstring>

namespace residua::test {

struct shape {
  rt::attention_options options;
  index sequences;
  rt::token_layout layout;
  std::vector<index> lengths;
  double size = 1;  // of queries and keys
};

inline std::string describe(shape const& s) {
  auto const& o = s.options;
  auto const& l = s.layout;
  std::string text =
      "heads " + std::to_string(o.heads) + "/" + std::to_string(o.kv_heads) + " x " + std::to_string(o.head_width) + ", " +
      std::to_string(s.sequences) + " x " + std::to_string(l.tokens) + " tokens at " + std::to_string(l.position) + ", keys " +
      std::to_string(l.keys) + " in " + std::to_string(l.key_rows) + " rows, causal " + std::to_string(o.causal) + " window " +
      std::to_string(o.window) + " cap " + std::to_string(o.softcap) + " alibi " + std::to_string(o.alibi) + " lengths";
  for (index n : s.lengths) text += " " + std::to_string(n);
  return text;
}

template <class Real>
struct problem {
  shape s;
  guarded<Real> q, k, v, dq, dk, dv, go;
  guarded<Real> o, d_o, o_again, sums, delta, gq, gk, gv;

  explicit problem(shape const& s_, std::uint64_t seed = 1) : problem(s_, numbers(seed)) {}
  problem(shape const& s_, numbers random)
      : s(s_),
        q(queries(), wide(), random, s.size),
        k(keys(), narrow(), random, s.size),
        v(keys(), narrow(), random),
        dq(queries(), wide(), random),
        dk(keys(), narrow(), random),
        dv(keys(), narrow(), random),
        go(queries(), wide(), random),
        o(queries(), wide()),
        d_o(queries(), wide()),
        o_again(queries(), wide()),
        sums(queries(), 2 * s.options.heads),
        delta(queries(), s.options.heads),
        gq(queries(), wide()),
        gk(keys(), narrow()),
        gv(keys(), narrow()) {
    for (auto* m : {&o, &d_o, &o_again, &sums, &delta, &gq, &gk, &gv}) m->fill(nan);
  }

  index queries() const { return s.sequences * s.layout.tokens; }
  index keys() const { return s.sequences * s.layout.key_rows; }
  index wide() const { return s.options.heads * s.options.head_width; }
  index narrow() const { return s.options.kv_heads * s.options.head_width; }
  index group() const { return s.options.heads / s.options.kv_heads; }
  bool ring() const { return s.layout.keys > s.layout.key_rows; }
  index key_row(index sequence, index j) const { return sequence * s.layout.key_rows + j % s.layout.key_rows; }

  bool allowed(index sequence, index token, index j) const {
    index const i = s.layout.position + token;
    auto const& o_ = s.options;
    if (!s.lengths.empty() && j >= s.lengths[static_cast<std::size_t>(sequence)]) return false;
    if (o_.causal) return j <= i && (o_.window == 0 || i - j < o_.window);
    return o_.window == 0 || std::abs(i - j) <= o_.window / 2;
  }

  /// Calls body(first row, rows) for tiles, the first one `cut` rows long.
  template <class Body>
  static void for_each_tile(index rows, index cut, Body const& body) {
    for (index first = 0; first < rows;) {
      index const count = std::min(first == 0 ? cut : index{84}, rows - first);
      body(first, count);
      first += count;
    }
  }

  /// log sum_j exp(s_ij), of the two numbers that stand for it.
  double log_sum(index row, index head) const {
    return static_cast<double>(sums.at(row, head)) + std::log(static_cast<double>(sums.at(row, s.options.heads + head)));
  }

  /// Everything, in scratch of the promised size full of NaN. Key gradients only where each key has a row.
  void run(rt::functions<Real> const& kernels, index cut) {
    rt::token_layout layout = s.layout;
    if (!s.lengths.empty()) layout.lengths = s.lengths.data();
    auto const bytes = static_cast<std::size_t>(kernels.attention_scratch_bytes(s.options));
    BOOST_TEST(bytes % 64 == 0U);
    rt::aligned_buffer<std::byte> memory(static_cast<index>(bytes) + 64);
    std::memset(memory.data(), 0xff, bytes + 64);
    for_each_tile(queries(), cut, [&](index first, index rows) {
      kernels.attend(s.options, layout, first, q.view().rows_from(first, rows), k.view(), v.view(),
                     o.view().rows_from(first, rows), sums.view().rows_from(first, rows), memory.data());
      kernels.attend_jvp(s.options, layout, first, q.view().rows_from(first, rows), k.view(), v.view(),
                         dq.view().rows_from(first, rows), dk.view(), dv.view(), o_again.view().rows_from(first, rows),
                         d_o.view().rows_from(first, rows), memory.data());
      kernels.attend_dots(s.options, o.view().rows_from(first, rows), go.view().rows_from(first, rows),
                          delta.view().rows_from(first, rows));
      kernels.attend_vjp_queries(s.options, layout, first, q.view().rows_from(first, rows), k.view(), v.view(),
                                 sums.view().rows_from(first, rows), delta.view().rows_from(first, rows),
                                 go.view().rows_from(first, rows), gq.view().rows_from(first, rows), memory.data());
    });
    if (!ring())
      for_each_tile(keys(), cut, [&](index first, index rows) {
        kernels.attend_vjp_keys(s.options, layout, first, k.view().rows_from(first, rows), v.view().rows_from(first, rows),
                                q.view(), sums.view(), delta.view(), go.view(), gk.view().rows_from(first, rows),
                                gv.view().rows_from(first, rows), memory.data());
      });
    for (std::size_t i = bytes; i < bytes + 64; ++i) BOOST_TEST_REQUIRE((memory.data()[i] == std::byte{0xff}));
    for (auto const* m : {&o, &d_o, &o_again, &sums, &delta, &gq, &gk, &gv}) BOOST_TEST(m->padding_untouched());
  }
};

}  // namespace residua::test
