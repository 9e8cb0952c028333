#include <residua/runner/stage.hpp>

namespace residua::runner {

namespace {

/// One instruction on one tile.
template <class Real>
class interpretation {
 public:
  explicit interpretation(rt::tile<Real> const& t) : t_(t), k_(t.kernels) {}

  rt::matrix<Real> matrix(place const& p) const {
    rt::index const at = p.at.first + p.at.step * t_.layer;
    rt::matrix<Real> m{};
    switch (p.is) {
      case place::kind::none: return m;
      case place::kind::buffer: m = t_.buffer(at); break;
      case place::kind::rows: m = t_.rows_of(at); break;
      case place::kind::all: m = t_.all(at); break;
      case place::kind::partial: m = rt::as_row(t_.partial(at), p.columns.in(t_.sizes)); break;
    }
    return p.of_columns ? m.columns_from(p.first, p.columns.in(t_.sizes)) : m;
  }
  rt::index at(parameter_place const& p) const { return p.first + p.step * t_.layer; }

  void run(decoded_instruction const& i) const {
    auto in = [&](std::size_t k) { return matrix(i.inputs[k]); };
    auto out = [&](std::size_t k = 0) { return k < i.results.size() ? matrix(i.results[k]) : rt::matrix<Real>{}; };
    switch (i.what) {
      case opcode::copy: return k_.copy(in(0), out());
      case opcode::zero: return k_.zero(out());
      case opcode::multiply: return multiply(i, t_.weight(at(i.weight)));
      case opcode::multiply_transposed: return multiply(i, t_.transposed(at(i.weight)));
      case opcode::norm:
      case opcode::norm_jvp:
      case opcode::norm_vjp: return norm(i);
      case opcode::activate: return k_.activate(i.function, in(0), out());
      case opcode::slope: return k_.slope(i.function, in(0), in(1), out());
      case opcode::add: return k_.add(in(0), in(1), out());
      case opcode::subtract: return k_.subtract(in(0), in(1), out());
      case opcode::scale: return k_.scale(static_cast<Real>(i.number), in(0), out());
      case opcode::scale_by: return k_.scale(*vector(i.vector), in(0), out());
      case opcode::scale_columns: return k_.scale_columns(vector(i.vector), in(0), out());
      case opcode::hadamard: return k_.hadamard(in(0), in(1), out());
      case opcode::scale_rows: return k_.scale_rows(in(0), in(1), out());
      case opcode::row_dots: return k_.row_dots(in(0), in(1), out());
      case opcode::row_means: return k_.row_means(in(0), out());
      case opcode::spread_means: return k_.spread_means(in(0), out());
      case opcode::repeat_sequences: return k_.repeat_sequences(t_.positions[i.tokens], t_.first, in(0), out());
      case opcode::sum_sequences: return k_.sum_sequences(t_.positions[i.tokens], t_.first, in(0), out());
      case opcode::repeat: return k_.repeat(vector(i.vector), out());
      case opcode::add_term: return with_term(i, 1, 1);
      case opcode::subtract_term: return with_term(i, 1, -1);
      case opcode::subtract_from_term: return with_term(i, -1, 1);
      case opcode::column_sums: return k_.accumulate_column_sums(in(0), partial(i, 0));
      case opcode::column_dots: return k_.accumulate_column_dots(in(0), in(1), partial(i, 0));
      case opcode::sum: *partial(i, 0) += k_.sum(in(0)); return;
      case opcode::dot: *partial(i, 0) += k_.dot(in(0), in(1)); return;
      case opcode::join: return join(i);
      case opcode::rope: return k_.rope(i.rope, t_.positions[i.tokens], t_.first, in(0), out());
      case opcode::rope_transposed: return k_.rope_transposed(i.rope, t_.positions[i.tokens], t_.first, in(0), out());
      case opcode::attend: return k_.attend(i.attention, layout(i), t_.first, in(0), in(1), in(2), out(), out(1), t_.attention);
      case opcode::attend_jvp:
        return k_.attend_jvp(i.attention, layout(i), t_.first, in(0), in(1), in(2), in(3), in(4), in(5), out(), out(1),
                             t_.attention);
      case opcode::attend_dots: return k_.attend_dots(i.attention, in(0), in(1), out());
      case opcode::attend_vjp_queries:
        return k_.attend_vjp_queries(i.attention, layout(i), t_.first, in(0), in(1), in(2), in(3), in(4), in(5), out(),
                                     t_.attention);
      case opcode::attend_vjp_keys:
        return k_.attend_vjp_keys(i.attention, layout(i), t_.first, in(0), in(1), in(2), in(3), in(4), in(5), out(), out(1),
                                  t_.attention);
    }
  }

 private:
  Real const* vector(parameter_place const& p) const { return p.first < 0 ? nullptr : t_.vector(at(p)); }
  /// A literal, or a learned scalar where there is one.
  Real number(parameter_place const& p, double literal) const { return p.first < 0 ? static_cast<Real>(literal) : *vector(p); }

  /// The operand and a term, each with its sign.
  void with_term(decoded_instruction const& i, Real sign, Real of_term) const {
    rt::matrix<Real> const x = matrix(i.inputs[0]), y = matrix(i.results[0]);
    if (i.is_vector) k_.shift_columns(sign, x, of_term, vector(i.vector), y);
    else k_.shift(sign, x, of_term * number(i.vector, i.number), y);
  }
  Real* partial(decoded_instruction const& i, std::size_t k) const {
    return k < i.partials.size() && i.partials[k].is == place::kind::partial ? t_.partial(i.partials[k].at.first) : nullptr;
  }
  rt::token_layout const& layout(decoded_instruction const& i) const { return t_.layouts[at(i.layout)]; }

  /// The result may be one of its operands' own rows, but the parts have their places.
  template <class Weight>
  void multiply(decoded_instruction const& i, Weight const& w) const {
    using step = typename rt::epilogue_part<Real>::step;
    std::vector<rt::epilogue_part<Real>> parts;
    for (decoded_part const& each : i.epilogue) {
      rt::epilogue_part<Real> part{.what = static_cast<step>(each.what), .function = each.function};
      bool const is_number = part.what == step::scaled || part.what == step::shifted;
      part.number = number(is_number ? each.vector : parameter_place{-1}, each.number);
      part.vector = vector(each.vector);
      if (part.what == step::kept) part.written = matrix(each.other);
      else part.read = matrix(each.other);
      parts.push_back(part);
    }
    k_.multiply(matrix(i.inputs[0]), w, matrix(i.results[0]), {parts.data(), static_cast<rt::index>(parts.size())});
  }

  /// Head by head, where each is normalised alone.
  void norm(decoded_instruction const& i) const {
    rt::matrix<Real> const x = matrix(i.inputs[0]), y = matrix(i.results[0]);
    rt::matrix<Real> const b = i.inputs.size() > 1 ? matrix(i.inputs[1]) : rt::matrix<Real>{};
    rt::index const width = x.columns / i.groups;
    rt::norm_options<Real> options{.offset = i.offset, .epsilon = i.number};
    rt::norm_gradients<Real> sums{};
    for (std::size_t k = 0; k < i.parameters.size(); ++k) {
      options.parameters[k] = vector(i.parameters[k]);
      sums.parameters[k] = partial(i, k);
    }
    for (rt::index head = 0; head < i.groups; ++head) {
      auto of = [&](rt::matrix<Real> const& m) { return m.columns_from(head * width, width); };
      if (i.what == opcode::norm) k_.normalise(i.norm, of(x), options, of(y));
      else if (i.what == opcode::norm_jvp) k_.normalise_jvp(i.norm, of(x), options, of(b), of(y));
      else k_.normalise_vjp(i.norm, of(x), options, of(b), of(y), sums);
    }
  }

  /// The columns of all parts, and zeros between them.
  void join(decoded_instruction const& i) const {
    rt::matrix<Real> const y = matrix(i.results[0]);
    std::size_t const parts = i.inputs.size();
    rt::index covered = 0;
    for (std::size_t k = 0; k < parts; ++k) covered += i.columns[parts + k];
    if (covered != i.columns.back()) k_.zero(y);
    for (std::size_t k = 0; k < parts; ++k) k_.copy(matrix(i.inputs[k]), y.columns_from(i.columns[k], i.columns[parts + k]));
  }

  rt::tile<Real> const& t_;
  rt::functions<Real> const& k_;
};

}  // namespace

template <class Real>
void run(rt::tile<Real> const& t) {
  interpretation<Real> const here(t);
  for (decoded_instruction const& i : static_cast<decoded_stage const*>(t.stage.data)->instructions) here.run(i);
}

template <class Real>
void sum(rt::tile<Real> const& t, rt::gradient_sums<Real> const& into, rt::index part, rt::index parts) {
  interpretation<Real> const here(t);
  rt::index vectors = 0;
  for (decoded_sum const& each : static_cast<decoded_stage const*>(t.stage.data)->sums) {
    rt::matrix<Real> const sums = into.matrix_of(here.at(each.parameter));
    if (each.b.is == place::kind::none) {
      if (part == vectors++ % parts) t.kernels.accumulate(here.matrix(each.a), sums);
      continue;
    }
    rt::index const rows = each.rows.in(t.sizes);
    t.kernels.accumulate_outer(here.matrix(each.a), here.matrix(each.b), sums, rows * part / parts, rows * (part + 1) / parts);
  }
}

template void run(rt::tile<float> const&);
template void run(rt::tile<double> const&);
template void sum(rt::tile<float> const&, rt::gradient_sums<float> const&, rt::index, rt::index);
template void sum(rt::tile<double> const&, rt::gradient_sums<double> const&, rt::index, rt::index);

}  // namespace residua::runner
