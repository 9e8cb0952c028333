// Buffers, scratch and threads: misaligned or overlapping pieces, strides that alias in L1, tasks run twice or never.
#define BOOST_TEST_MODULE rt_memory
#include <residua/rt/core/arena.hpp>
#include <residua/rt/core/parallel.hpp>
#include <residua/rt/kernels/pack.hpp>

#include <boost/test/unit_test.hpp>

#include <cstdint>
#include <vector>

namespace residua::test {

using rt::index;

bool aligned(void const* p) { return reinterpret_cast<std::uintptr_t>(p) % 64 == 0; }

BOOST_AUTO_TEST_CASE(buffers_are_aligned_zero_and_movable) {
  rt::aligned_buffer<float> buffer(1001);
  BOOST_TEST(aligned(buffer.data()));
  for (index i = 0; i < buffer.size(); ++i) BOOST_TEST_REQUIRE(buffer.data()[i] == 0.0F);
  float const* const where = buffer.data();
  rt::aligned_buffer<float> other = std::move(buffer);
  BOOST_TEST(other.data() == where);
  BOOST_TEST(other.size() == 1001);
  BOOST_TEST(rt::aligned_buffer<double>(0).data() == nullptr);
}

BOOST_AUTO_TEST_CASE(strides_are_whole_lines_and_never_whole_pages) {
  for (index columns = 0; columns < 5000; ++columns) {
    index const bytes = rt::padded_stride<float>(columns) * 4;
    BOOST_TEST_REQUIRE(bytes % 64 == 0);
    BOOST_TEST_REQUIRE((columns == 0 || bytes % 4096 != 0));
    BOOST_TEST_REQUIRE(bytes >= columns * 4);
    BOOST_TEST_REQUIRE(bytes <= columns * 4 + 127);
  }
  static_assert(rt::padded_stride<double>(512) == 520);
}

BOOST_AUTO_TEST_CASE(a_carver_counts_and_carves_alike) {
  auto const take = [](rt::carver& scratch) {
    auto const a = scratch.take<float>(3, 100);
    auto const b = scratch.take<double>(2, 512);
    return std::pair{a, b};
  };
  rt::carver counting;
  BOOST_TEST(take(counting).first.data == nullptr);
  rt::aligned_buffer<std::byte> memory(counting.bytes());
  rt::carver carving(memory.data());
  auto const [a, b] = take(carving);
  BOOST_TEST(carving.bytes() == counting.bytes());
  BOOST_TEST((aligned(a.data) && aligned(b.data) && aligned(b.row(1))));
  BOOST_TEST(reinterpret_cast<std::byte*>(a.data + 3 * a.stride) <= reinterpret_cast<std::byte*>(b.data));
  BOOST_TEST(reinterpret_cast<std::byte*>(b.data + 2 * b.stride) <= memory.data() + memory.size());
}

BOOST_AUTO_TEST_CASE(packing_again_keeps_the_memory) {
  std::vector<float> const w(6, 2.0F);
  rt::packed_matrix<float> packed;
  BOOST_TEST(packed.columns() == 0);
  packed.pack(w.data(), 2, 3);
  float const* const where = packed.panel_data(0);
  BOOST_TEST(aligned(where));
  BOOST_TEST((where[2] == 2.0F && where[3] == 0.0F && where[rt::panel<float>] == 2.0F));
  packed.pack(w.data(), 2, 3);
  BOOST_TEST(packed.panel_data(0) == where);
  packed.pack(w.data(), 0, 3);
  BOOST_TEST(packed.rows() == 0);
}

BOOST_AUTO_TEST_CASE(every_task_runs_once) {
  for (index count : {0, 1, 2, 100}) {
    std::vector<int> runs(static_cast<std::size_t>(count), 0);
    rt::parallel_for(count, [&](index task, index thread) {
      ++runs[static_cast<std::size_t>(task)];
      if (thread < 0 || thread >= rt::thread_count()) runs[static_cast<std::size_t>(task)] = -1000;
    });
    for (int const r : runs) BOOST_TEST(r == 1);
  }
}

}  // namespace residua::test
