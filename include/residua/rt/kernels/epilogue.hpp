// What is done with a product while it is still in registers: bias, activation, residual addition.
// Each part is a small value; a chain applies them from left to right. Their types do not depend on the block, so all
// blocks share one instantiation of the product for each combination.
#pragma once

#include <residua/rt/core/matrix.hpp>

namespace residua::rt {

/// s + v, v over the columns: a bias.
template <class Real>
struct plus_vector {
  Real const* v;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return s + at.load(v);
  }
};
template <class Real>
plus_vector(Real const*) -> plus_vector<Real>;

/// s + m: a residual addition.
template <class Real>
struct plus {
  matrix<Real const> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return s + at.load(m);
  }
};

/// s - m
template <class Real>
struct minus {
  matrix<Real const> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return s - at.load(m);
  }
};

/// m - s
template <class Real>
struct subtracted_from {
  matrix<Real const> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return at.load(m) - s;
  }
};

/// s .* m
template <class Real>
struct times {
  matrix<Real const> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return s * at.load(m);
  }
};

template <class Real>
plus(matrix<Real>) -> plus<std::remove_const_t<Real>>;
template <class Real>
minus(matrix<Real>) -> minus<std::remove_const_t<Real>>;
template <class Real>
subtracted_from(matrix<Real>) -> subtracted_from<std::remove_const_t<Real>>;
template <class Real>
times(matrix<Real>) -> times<std::remove_const_t<Real>>;

/// c s
template <class Real>
struct scaled {
  Real c;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const&) const {
    return Batch(c) * s;
  }
};

/// v .* s, v over the columns
template <class Real>
struct scaled_columns {
  Real const* v;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return s * at.load(v);
  }
};
template <class Real>
scaled_columns(Real const*) -> scaled_columns<Real>;

/// f(s)
template <class Function>
struct activated {
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const&) const {
    return Function::value(s);
  }
};

/// f'(m) .* s
template <class Function, class Real>
struct sloped {
  matrix<Real const> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return Function::derivative(at.load(m)) * s;
  }
};
template <class Function, class Real>
[[gnu::always_inline]] inline sloped<Function, std::remove_const_t<Real>> slope_at(matrix<Real> m) {
  return {m};
}

/// s, written to m on the way
template <class Real>
struct kept {
  matrix<Real> m;
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    at.store(m, s);
    return s;
  }
};
template <class Real>
kept(matrix<Real>) -> kept<Real>;

/// The parts from left to right; no part: the product itself.
template <class... Parts>
struct chain;
template <>
struct chain<> {
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const&) const {
    return s;
  }
};
template <class First, class... Rest>
struct chain<First, Rest...> {
  First first;
  chain<Rest...> rest;

  [[gnu::always_inline]] chain(First const& f, Rest const&... r) : first(f), rest(r...) {}
  template <class Batch, class Position>
  [[gnu::always_inline]] Batch operator()(Batch s, Position const& at) const {
    return rest(first(s, at), at);
  }
};
template <class... Parts>
chain(Parts const&...) -> chain<Parts...>;

}  // namespace residua::rt
