// Stages of reader, and the tables by which the engine runs them.
#include "../naive_kernels.hpp"

#include <residua/rt/interface/block.hpp>

namespace handwritten::reader {

template <class Real>
residua::rt::block_description<Real> const& description();

namespace {

namespace rt = residua::rt;
using rt::index;
using kind = rt::whole_description::kind;

namespace parameter {
enum : index { queries, kv, memory };
}
constexpr rt::attention_options window{.heads = 1, .kv_heads = 1, .head_width = 4, .scale = 0.5, .causal = true, .window = 3};
constexpr rt::attention_options all{.heads = 1, .kv_heads = 1, .head_width = 4, .scale = 0.5};

template <class Real>
struct stages {
  using tile = rt::tile<Real>;
  using sums = rt::gradient_sums<Real>;

  static void sum(tile const& t, index a, rt::matrix<Real> const& b, rt::matrix<Real> const& into, index part, index parts) {
    t.kernels.accumulate_outer(t.rows_of(a), b, into, into.rows * part / parts, into.rows * (part + 1) / parts);
  }

  // forward
  enum forward_entry : index {
    x,
    memory,
    y,
    kv,
    memory_kv,
    keys,
    values,
    keys_seen,
    values_seen,
    m_keys,
    m_values,
    m_keys_seen,
    m_values_seen
  };
  static void forward_kv(tile const& t) { t.kernels.multiply(t.rows_of(x), t.weight(parameter::kv), t.rows_of(kv), {}); }
  static void forward_memory(tile const& t) {
    t.kernels.multiply(t.rows_of(memory), t.weight(parameter::memory), t.rows_of(memory_kv), {});
  }
  static void forward_attend(tile const& t) {
    t.kernels.multiply(t.rows_of(x), t.weight(parameter::queries), t.buffer(0), {});
    t.kernels.attend(window, t.layouts[0], t.first, t.buffer(0), t.all(keys_seen), t.all(values_seen), t.buffer(1), {},
                     t.attention);
    t.kernels.attend(all, t.layouts[1], t.first, t.buffer(0), t.all(m_keys_seen), t.all(m_values_seen), t.rows_of(y), {},
                     t.attention);
    t.kernels.accumulate(t.buffer(1), t.rows_of(y));
    t.kernels.accumulate(t.rows_of(x), t.rows_of(y));
  }

  // jvp: tangents of x, memory, the joined keys and values, and of their parts
  enum jvp_entry : index { jx, jm, dx, dm, jy, dy, jkv, dkv, jmkv, dmkv, jk, jv, dk, dv, jmk, jmv, dmk, dmv };
  static void jvp_kv(tile const& t) {
    t.kernels.multiply(t.rows_of(jx), t.weight(parameter::kv), t.rows_of(jkv), {});
    t.kernels.multiply(t.rows_of(dx), t.weight(parameter::kv), t.rows_of(dkv), {});
  }
  static void jvp_memory(tile const& t) {
    t.kernels.multiply(t.rows_of(jm), t.weight(parameter::memory), t.rows_of(jmkv), {});
    t.kernels.multiply(t.rows_of(dm), t.weight(parameter::memory), t.rows_of(dmkv), {});
  }
  static void jvp_attend(tile const& t) {
    rt::matrix<Real> const q = t.buffer(0), dq = t.buffer(1), o = t.buffer(2), d_o = t.buffer(3);
    t.kernels.multiply(t.rows_of(jx), t.weight(parameter::queries), q, {});
    t.kernels.multiply(t.rows_of(dx), t.weight(parameter::queries), dq, {});
    t.kernels.attend_jvp(window, t.layouts[0], t.first, q, t.all(jk), t.all(jv), dq, t.all(dk), t.all(dv), o, d_o, t.attention);
    t.kernels.attend_jvp(all, t.layouts[1], t.first, q, t.all(jmk), t.all(jmv), dq, t.all(dmk), t.all(dmv), t.rows_of(jy),
                         t.rows_of(dy), t.attention);
    t.kernels.accumulate(o, t.rows_of(jy));
    t.kernels.accumulate(t.rows_of(jx), t.rows_of(jy));
    t.kernels.accumulate(d_o, t.rows_of(dy));
    t.kernels.accumulate(t.rows_of(dx), t.rows_of(dy));
  }

  // vjp
  enum vjp_entry : index { vx, vm, g, gx, gm, vkv, vmkv, q, gq, vk, vv, vmk, vmv };
  static void vjp_kv(tile const& t) {
    t.kernels.multiply(t.rows_of(vx), t.weight(parameter::kv), t.rows_of(vkv), {});
    t.kernels.multiply(t.rows_of(vx), t.weight(parameter::queries), t.rows_of(q), {});
  }
  static void vjp_memory(tile const& t) { t.kernels.multiply(t.rows_of(vm), t.weight(parameter::memory), t.rows_of(vmkv), {}); }
  static void vjp_queries(tile const& t) {
    t.kernels.attend_vjp_queries(window, t.layouts[0], t.first, t.rows_of(q), t.all(vk), t.all(vv), {}, {}, t.rows_of(g),
                                 t.rows_of(gq), t.attention);
    t.kernels.attend_vjp_queries(all, t.layouts[1], t.first, t.rows_of(q), t.all(vmk), t.all(vmv), {}, {}, t.rows_of(g),
                                 t.buffer(0), t.attention);
    t.kernels.accumulate(t.buffer(0), t.rows_of(gq));
    t.kernels.multiply(t.rows_of(gq), t.transposed(parameter::queries), t.rows_of(gx), {});
    t.kernels.accumulate(t.rows_of(g), t.rows_of(gx));
  }
  static void vjp_keys(tile const& t) {
    residua::test::naive<Real>::key_gradients(window, t.layouts[0], t.first, t.all(vk), t.all(vv), t.all(q), t.all(g),
                                              t.buffer(0).columns_from(0, 4), t.buffer(0).columns_from(4, 4));
    t.kernels.multiply(t.buffer(0), t.transposed(parameter::kv), t.buffer(1), {});
    t.kernels.accumulate(t.buffer(1), t.rows_of(gx));
  }
  static void vjp_keys_sums(tile const& t, sums const& into, index part, index parts) {
    sum(t, vx, t.buffer(0), into.matrix_of(parameter::kv), part, parts);
    sum(t, vx, t.rows_of(gq), into.matrix_of(parameter::queries), part, parts);
  }
  static void vjp_memory_keys(tile const& t) {
    residua::test::naive<Real>::key_gradients(all, t.layouts[1], t.first, t.all(vmk), t.all(vmv), t.all(q), t.all(g),
                                              t.buffer(0).columns_from(0, 4), t.buffer(0).columns_from(4, 4));
    t.kernels.multiply(t.buffer(0), t.transposed(parameter::memory), t.rows_of(gm), {});
  }
  static void vjp_memory_sums(tile const& t, sums const& into, index part, index parts) {
    sum(t, vm, t.buffer(0), into.matrix_of(parameter::memory), part, parts);
  }
};

constexpr rt::axis_description x_axes[] = {{"B", {}}, {"T", {}}, {"d", {4}}};
constexpr rt::axis_description memory_axes[] = {{"B", {}}, {"S", {}}, {"e", {3}}};
constexpr rt::axis_description queries_axes[] = {{"d", {4}}, {"queries", {4}}};
constexpr rt::axis_description kv_axes[] = {{"d", {4}}, {"kv", {8}}};
constexpr rt::axis_description memory_kv_axes[] = {{"e", {3}}, {"kv", {8}}};
constexpr rt::stream_description inputs[] = {{.name = "x", .axes = x_axes},
                                             {.name = "memory", .axes = memory_axes, .tokens = 1, .shared = 1}};
constexpr rt::stream_description outputs[] = {{.name = "y", .axes = x_axes, .shared = 2}};
constexpr rt::parameter_description parameters[] = {{"queries", queries_axes}, {"kv", kv_axes}, {"memory", memory_kv_axes}};
constexpr rt::attention_description attentions[] = {{.queries = 0, .keys = 0, .cached = 0},
                                                    {.queries = 0, .keys = 1, .cached = 2}};
constexpr rt::cached_description cached[] = {
    {.seen = 7, .written = 5, .stage = 0, .columns = 4, .window = 3},
    {.seen = 8, .written = 6, .stage = 0, .columns = 4, .window = 3},
    {.seen = 11, .written = 9, .stage = 1, .tokens = 1, .columns = 4},
    {.seen = 12, .written = 10, .stage = 1, .tokens = 1, .columns = 4},
};
constexpr rt::instruction_set sets[] = {rt::instruction_set::baseline};
constexpr rt::whole_description forward_whole[] = {
    {.is = kind::argument, .of = 0, .columns = {4}},
    {.is = kind::argument, .of = 1, .tokens = 1, .columns = {3}},
    {.is = kind::result, .of = 0, .columns = {4}},
    {.is = kind::between, .columns = {8}},
    {.is = kind::between, .tokens = 1, .columns = {8}},
    {.is = kind::part, .of = 3, .columns = {4}},
    {.is = kind::part, .of = 3, .columns = {4}, .first = {4}},
    {.is = kind::seen, .of = 3, .columns = {4}},
    {.is = kind::seen, .of = 3, .columns = {4}, .first = {4}},
    {.is = kind::part, .of = 4, .tokens = 1, .columns = {4}},
    {.is = kind::part, .of = 4, .tokens = 1, .columns = {4}, .first = {4}},
    {.is = kind::seen, .of = 4, .tokens = 1, .columns = {4}},
    {.is = kind::seen, .of = 4, .tokens = 1, .columns = {4}, .first = {4}},
};
constexpr rt::whole_description jvp_whole[] = {
    {.is = kind::argument, .of = 0, .columns = {4}},
    {.is = kind::argument, .of = 1, .tokens = 1, .columns = {3}},
    {.is = kind::argument, .of = 2, .columns = {4}},
    {.is = kind::argument, .of = 3, .tokens = 1, .columns = {3}},
    {.is = kind::result, .of = 0, .columns = {4}},
    {.is = kind::result, .of = 1, .columns = {4}},
    {.is = kind::between, .columns = {8}},
    {.is = kind::between, .columns = {8}},
    {.is = kind::between, .tokens = 1, .columns = {8}},
    {.is = kind::between, .tokens = 1, .columns = {8}},
    {.is = kind::part, .of = 6, .columns = {4}},
    {.is = kind::part, .of = 6, .columns = {4}, .first = {4}},
    {.is = kind::part, .of = 7, .columns = {4}},
    {.is = kind::part, .of = 7, .columns = {4}, .first = {4}},
    {.is = kind::part, .of = 8, .tokens = 1, .columns = {4}},
    {.is = kind::part, .of = 8, .tokens = 1, .columns = {4}, .first = {4}},
    {.is = kind::part, .of = 9, .tokens = 1, .columns = {4}},
    {.is = kind::part, .of = 9, .tokens = 1, .columns = {4}, .first = {4}},
};
constexpr rt::whole_description vjp_whole[] = {
    {.is = kind::argument, .of = 0, .columns = {4}},
    {.is = kind::argument, .of = 1, .tokens = 1, .columns = {3}},
    {.is = kind::argument, .of = 2, .columns = {4}},
    {.is = kind::result, .of = 0, .columns = {4}},
    {.is = kind::result, .of = 1, .tokens = 1, .columns = {3}},
    {.is = kind::between, .columns = {8}},
    {.is = kind::between, .tokens = 1, .columns = {8}},
    {.is = kind::between, .columns = {4}},
    {.is = kind::between, .columns = {4}},
    {.is = kind::part, .of = 5, .columns = {4}},
    {.is = kind::part, .of = 5, .columns = {4}, .first = {4}},
    {.is = kind::part, .of = 6, .tokens = 1, .columns = {4}},
    {.is = kind::part, .of = 6, .tokens = 1, .columns = {4}, .first = {4}},
};
constexpr rt::attention_options both[] = {window, all};
constexpr rt::width wide[] = {{8}}, wide_and_narrow[] = {{8}, {4}}, narrow[] = {{4}}, two[] = {{4}, {4}},
                    four[] = {{4}, {4}, {4}, {4}};

template <class Real>
constexpr rt::stage_description<Real> forward_stages[] = {
    {.run = stages<Real>::forward_kv},
    {.tokens = 1, .run = stages<Real>::forward_memory},
    {.buffers = two, .attentions = both, .run = stages<Real>::forward_attend},
};
template <class Real>
constexpr rt::stage_description<Real> jvp_stages[] = {
    {.run = stages<Real>::jvp_kv},
    {.tokens = 1, .run = stages<Real>::jvp_memory},
    {.buffers = four, .attentions = both, .run = stages<Real>::jvp_attend},
};
template <class Real>
constexpr rt::stage_description<Real> vjp_stages[] = {
    {.run = stages<Real>::vjp_kv},
    {.tokens = 1, .run = stages<Real>::vjp_memory},
    {.buffers = narrow, .attentions = both, .run = stages<Real>::vjp_queries},
    {.buffers = wide_and_narrow, .run = stages<Real>::vjp_keys, .sum = stages<Real>::vjp_keys_sums},
    {.tokens = 1, .buffers = wide, .run = stages<Real>::vjp_memory_keys, .sum = stages<Real>::vjp_memory_sums},
};

template <class Real>
constexpr rt::block_description<Real> described{
    .name = "reader",
    .inputs = inputs,
    .outputs = outputs,
    .parameters = parameters,
    .attentions = attentions,
    .cached = cached,
    .forward = {forward_whole, forward_stages<Real>},
    .jvp = {jvp_whole, jvp_stages<Real>},
    .vjp = {vjp_whole, vjp_stages<Real>},
    .kernels = residua::test::naive_kernels<Real>,
    .sets = sets,
};

}  // namespace

template <>
residua::rt::block_description<float> const& description<float>() {
  return described<float>;
}
template <>
residua::rt::block_description<double> const& description<double>() {
  return described<double>;
}

}  // namespace handwritten::reader
