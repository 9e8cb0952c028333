// Stages of layered, rolled into segments of three turns, and the tables by which the engine runs them.
#include "../naive_kernels.hpp"

#include <residua/rt/interface/block.hpp>

namespace handwritten::layered {

template <class Real>
residua::rt::block_description<Real> const& description();

namespace {

namespace rt = residua::rt;
using rt::index;
using kind = rt::whole_description::kind;

constexpr rt::width d{.chosen = 0}, n{.chosen = 1};

// Parameters of a layer, in the block's list.
constexpr index weight(index layer) { return 3 * layer; }
constexpr index bias(index layer) { return 3 * layer + 1; }
constexpr index alpha(index layer) { return 3 * layer + 2; }

/// h' = h + alpha t, t = tanh(h W + b); t is left in `to`.
template <class Real>
void layer_of(rt::tile<Real> const& t, index layer, index from, rt::matrix<Real> const& to, rt::matrix<Real> const& result) {
  rt::matrix<Real> const h = t.rows_of(from);
  t.kernels.multiply(h, t.weight(weight(layer)), to, {});
  for (index i = 0; i < t.rows; ++i)
    for (index j = 0; j < h.columns; ++j) {
      to.row(i)[j] = std::tanh(to.row(i)[j] + t.vector(bias(layer))[j]);
      result.row(i)[j] = h.row(i)[j] + t.vector(alpha(layer))[0] * to.row(i)[j];
    }
}

// h of all layers lies in the entries 0 (x) to 3 (y).
template <class Real>
void forward(rt::tile<Real> const& t) {
  layer_of(t, t.layer, t.layer, t.buffer(0), t.rows_of(t.layer + 1));
}

// Besides, their tangents in 4 (dx) to 7 (dy).
template <class Real>
void jvp(rt::tile<Real> const& t) {
  forward(t);
  rt::matrix<Real> const dh = t.rows_of(4 + t.layer), result = t.rows_of(5 + t.layer), at = t.buffer(0);
  t.kernels.multiply(dh, t.weight(weight(t.layer)), t.buffer(1), {});
  for (index i = 0; i < t.rows; ++i)
    for (index j = 0; j < dh.columns; ++j)
      result.row(i)[j] = dh.row(i)[j] + t.vector(alpha(t.layer))[0] * (1 - at.row(i)[j] * at.row(i)[j]) * t.buffer(1).row(i)[j];
}

// vjp: h in 0 (x), 1, 2, the last one in a buffer; t of all layers in 3 to 5; cotangents in 6 (dy) to 9 (gx).
template <class Real>
void vjp_forward(rt::tile<Real> const& t) {
  layer_of(t, t.layer, t.layer, t.rows_of(3 + t.layer), t.layer < 2 ? t.rows_of(t.layer + 1) : t.buffer(0));
}
template <class Real>
void vjp_backward(rt::tile<Real> const& t) {
  index const layer = 2 - t.layer;
  rt::matrix<Real> const at = t.rows_of(3 + layer), g = t.rows_of(6 + t.layer), gz = t.buffer(0);
  Real sum = 0;
  for (index i = 0; i < t.rows; ++i)
    for (index j = 0; j < g.columns; ++j) {
      sum += g.row(i)[j] * at.row(i)[j];
      gz.row(i)[j] = t.vector(alpha(layer))[0] * g.row(i)[j] * (1 - at.row(i)[j] * at.row(i)[j]);
    }
  *t.partial(1) += sum;
  t.kernels.accumulate_column_sums(gz, t.partial(0));
  t.kernels.multiply(gz, t.transposed(weight(layer)), t.rows_of(7 + t.layer), {});
  t.kernels.accumulate(g, t.rows_of(7 + t.layer));
}
template <class Real>
void vjp_backward_sums(rt::tile<Real> const& t, rt::gradient_sums<Real> const& into, index part, index parts) {
  index const layer = 2 - t.layer, rows = into.matrix_of(weight(layer)).rows;
  t.kernels.accumulate_outer(t.rows_of(layer), t.buffer(0), into.matrix_of(weight(layer)), rows * part / parts,
                             rows * (part + 1) / parts);
  for (int which : {0, 1}) {
    rt::matrix<Real> const to = into.matrix_of(which == 0 ? bias(layer) : alpha(layer));
    if (part == which % parts) t.kernels.accumulate(rt::as_row(t.partial(which), to.columns), to);
  }
}

constexpr rt::axis_description stream_axes[] = {{"B", {}}, {"T", {}}, {"d", d}};
constexpr rt::axis_description weight_axes[] = {{"d", d}, {"n", n}};
constexpr rt::axis_description bias_axes[] = {{"n", n}};
constexpr rt::stream_description inputs[] = {{.name = "x", .axes = stream_axes}};
constexpr rt::stream_description outputs[] = {{.name = "y", .axes = stream_axes, .shared = 2}};
constexpr rt::parameter_description parameters[] = {
    {"h.0.weight", weight_axes}, {"h.0.bias", bias_axes}, {"h.0.alpha", {}},
    {"h.1.weight", weight_axes}, {"h.1.bias", bias_axes}, {"h.1.alpha", {}},
    {"h.2.weight", weight_axes}, {"h.2.bias", bias_axes}, {"h.2.alpha", {}},
};
constexpr std::string_view size_names[] = {"d", "n"};
constexpr rt::renamed_width renamed[] = {{.fresh = 1, .old = {"d", d}}};
constexpr rt::instruction_set sets[] = {rt::instruction_set::baseline};

constexpr rt::whole_description forward_whole[] = {
    {.is = kind::argument, .of = 0, .columns = d},
    {.is = kind::between, .columns = d, .layers = 2},
    {.is = kind::result, .of = 0, .columns = d},
};
constexpr rt::whole_description jvp_whole[] = {
    {.is = kind::argument, .of = 0, .columns = d},    {.is = kind::between, .columns = d, .layers = 2},
    {.is = kind::result, .of = 0, .columns = d},      {.is = kind::argument, .of = 1, .columns = d},
    {.is = kind::between, .columns = d, .layers = 2}, {.is = kind::result, .of = 1, .columns = d},
};
constexpr rt::whole_description vjp_whole[] = {
    {.is = kind::argument, .of = 0, .columns = d},    {.is = kind::between, .columns = d, .layers = 2},
    {.is = kind::between, .columns = d, .layers = 3}, {.is = kind::argument, .of = 1, .columns = d},
    {.is = kind::between, .columns = d, .layers = 2}, {.is = kind::result, .of = 0, .columns = d},
};
constexpr rt::width one[] = {n}, two[] = {n, n}, shares[] = {n, {1}};

template <class Real>
constexpr rt::stage_description<Real> forward_stages[] = {{.buffers = one, .run = forward<Real>}};
template <class Real>
constexpr rt::stage_description<Real> jvp_stages[] = {{.buffers = two, .run = jvp<Real>}};
template <class Real>
constexpr rt::stage_description<Real> vjp_stages[] = {
    {.buffers = one, .run = vjp_forward<Real>},
    {.buffers = one, .partials = shares, .run = vjp_backward<Real>, .sum = vjp_backward_sums<Real>},
};
constexpr rt::segment_description three_times[] = {{.first = 0, .stages = 1, .times = 3}};
constexpr rt::segment_description there_and_back[] = {{.first = 0, .stages = 1, .times = 3},
                                                      {.first = 1, .stages = 1, .times = 3}};

template <class Real>
constexpr rt::block_description<Real> described{
    .name = "layered",
    .inputs = inputs,
    .outputs = outputs,
    .parameters = parameters,
    .sizes = size_names,
    .renamed = renamed,
    .forward = {forward_whole, forward_stages<Real>, three_times},
    .jvp = {jvp_whole, jvp_stages<Real>, three_times},
    .vjp = {vjp_whole, vjp_stages<Real>, there_and_back},
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

}  // namespace handwritten::layered
