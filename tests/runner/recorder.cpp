#include "recorder.hpp"

#include <stdexcept>

namespace residua::random_graph {

shape_value with_feature(shape_value shape, axis_value const& feature) {
  shape.axes[shape.rank - 1] = feature;
  return shape;
}

value recorder::run(function const& body, value x, value const* memory) {
  std::vector<value> values{x};
  if (memory != nullptr) values.push_back(*memory);
  for (step const& each : body.steps) {
    value const a = values[static_cast<std::size_t>(each.a)];
    value const* const b = each.b < 0 ? nullptr : &values[static_cast<std::size_t>(each.b)];
    auto of_two = [&](op operation) { return add({.operation = operation, .operands = {a.at, b->at, -1}, .shape = a.shape}); };
    value made;
    switch (each.is) {
      case step::kind::apply:
        made = each.c < 0 ? apply(*each.what, a, b) : attend(*each.what, a, *b, values[static_cast<std::size_t>(each.c)]);
        break;
      case step::kind::add: made = of_two(op::add); break;
      case step::kind::subtract: made = of_two(op::subtract); break;
      case step::kind::hadamard: made = of_two(op::hadamard); break;
      case step::kind::token_multiple: made = of_two(op::token_multiple); break;  // a times the number b
      case step::kind::mean:
        made = add({.operation = op::mean, .operands = {a.at, -1, -1}, .shape = with_feature(a.shape, number_of_token)});
        break;
      case step::kind::inner:
        made = add({.operation = op::inner, .operands = {a.at, b->at, -1}, .shape = with_feature(a.shape, number_of_token)});
        break;
      case step::kind::multiple:
        made = add({.operation = op::constant_multiple,
                    .operands = {a.at, -1, -1},
                    .shape = a.shape,
                    .factor = each.factor,
                    .symbol = each.symbol});
        break;
      case step::kind::part:
        made = add({.operation = op::columns,
                    .operands = {a.at, -1, -1},
                    .shape = with_feature(a.shape, each.to),
                    .first_feature = each.first});
        break;
      case step::kind::concat:
        made = add({.operation = op::concat,
                    .operands = {a.at, b->at, each.c < 0 ? -1 : values[static_cast<std::size_t>(each.c)].at},
                    .shape = with_feature(a.shape, each.to)});
        break;
      case step::kind::renamed: {
        shape_value shape = a.shape;
        for (axis_value& axis : shape.axes)
          if (axis == each.from) axis = each.to;
        made = add({.operation = op::renamed, .operands = {a.at, -1, -1}, .shape = shape});
        break;
      }
      case step::kind::with_term: {
        value const t = term(each, a);
        made = add({.operation = each.sum,
                    .operands = {each.term_first ? t.at : a.at, each.term_first ? a.at : t.at, -1},
                    .shape = a.shape});
        break;
      }
      case step::kind::condition: {  // the one token of a's sequences at each token of b
        shape_value const shape = with_feature(b->shape, a.shape.feature());
        made = {trace_.add({.operation = op::at_each_token, .operands = {a.at, -1, -1}, .shape = shape}, trace_[b->at].tokens),
                shape};
        break;
      }
      case step::kind::stopped: made = add({.operation = op::stopped, .operands = {a.at, -1, -1}, .shape = a.shape}); break;
      case step::kind::at_each_token: made = term(each, a); break;
    }
    values.push_back(made);
  }
  return values[static_cast<std::size_t>(body.result)];
}

value recorder::apply(operation const& what, value x, value const* memory) {
  auto owner = [&] { return scope(what.name, what.identities[0]); };
  switch (what.is) {
    case operation::kind::linear: return linear(what.name, what.identities[0], x, what.makes, what.has_bias);
    case operation::kind::norm:
      return add({.operation = what.which,
                  .operands = {x.at, -1, -1},
                  .scope = owner(),
                  .shape = x.shape,
                  .has_weight = what.has_weight,
                  .has_bias = what.has_bias,
                  .epsilon = what.epsilon,
                  .unit_offset = what.unit_offset,
                  .groups = what.groups});
    case operation::kind::activation: return add({.operation = what.which, .operands = {x.at, -1, -1}, .shape = x.shape});
    case operation::kind::scalar:
    case operation::kind::vector:
      return add({.operation = what.is == operation::kind::scalar ? op::scalar_multiple : op::vector_multiple,
                  .operands = {x.at, -1, -1},
                  .scope = owner(),
                  .shape = x.shape});
    case operation::kind::rotary:
      return add({.operation = op::rope,
                  .operands = {x.at, -1, -1},
                  .scope = owner(),
                  .shape = x.shape,
                  .groups = what.attention.value.heads,
                  .attention = &what.attention.value});
    case operation::kind::attention: {
      if (memory == nullptr) return attend(what, x, x, -1);
      value source = *memory;
      if (source.at == x.at) source = add({.operation = op::renamed, .operands = {x.at, -1, -1}, .shape = x.shape});
      return attend(what, x, source, source.at);
    }
    case operation::kind::branch: {
      int const own = owner();
      if (int const known = trace_.result_of(own, x.at); known >= 0) return {known, trace_[known].shape};
      int const opened = trace_.open(own, x.at);
      value const result = trace_.within(own, [&] { return run(what.functions[0], x, nullptr); });
      trace_.close(opened, result.at);
      return result;
    }
    case operation::kind::block: return run(what.functions[0], x, memory);
    case operation::kind::stack: return stacked(what, x, memory);
    case operation::kind::attend: break;
  }
  throw std::logic_error("random graph: no such operation");
}

value recorder::term(step const& made, value like) {
  bool const is_vector = made.what && made.what->is == operation::kind::vector;
  node term{.operation = op::constant, .shape = like.shape, .factor = made.factor, .symbol = made.symbol};
  shape_value const shape = is_vector                              ? with_feature(like.shape, made.what->takes)
                            : made.is == step::kind::at_each_token ? with_feature(like.shape, number_of_token)
                                                                   : like.shape;
  if (made.what)
    term = {.operation = is_vector ? op::learned_vector : op::learned_scalar,
            .scope = scope(made.what->name, made.what->identities[0]),
            .shape = shape};
  return {trace_.add(term, trace_[like.at].tokens), term.shape};
}

value recorder::linear(std::string_view name, char const& identity, value x, axis_value const& makes, bool has_bias) {
  int const owner = scope(name, identity);
  return add({.operation = op::linear,
              .operands = {x.at, -1, -1},
              .scope = owner,
              .shape = with_feature(x.shape, makes),
              .has_weight = true,
              .has_bias = has_bias});
}

value recorder::attend(operation const& what, value x, value source, int memory) {
  dsl::attention_settings const& s = what.attention;
  axis_value const queries{"queries", s.value.heads * s.value.head_width};
  axis_value const keys{"keys", s.value.kv_heads * s.value.head_width};
  axis_value const values{"values", keys.extent};
  int const owner = scope(what.name, what.identities[0]);
  if (int const known = trace_.result_of(owner, x.at, memory); known >= 0) return {known, trace_[known].shape};
  int const opened = trace_.open(owner, x.at, memory);
  value const result = trace_.within(owner, [&] {
    value q, k, v;
    if (s.fused) {
      value const all = linear(what.projections[4], what.identities[1], x, {"qkv", queries.extent + 2 * keys.extent}, s.q_bias);
      auto part = [&](axis_value const& axis, std::int64_t first) {
        return add({.operation = op::columns,
                    .operands = {all.at, -1, -1},
                    .shape = with_feature(x.shape, axis),
                    .first_feature = first});
      };
      q = part(queries, 0);
      k = part(keys, queries.extent);
      v = part(values, queries.extent + keys.extent);
    } else {
      q = linear(what.projections[0], what.identities[1], x, queries, s.q_bias);
      k = linear(what.projections[1], what.identities[2], source, keys, s.k_bias);
      v = linear(what.projections[2], what.identities[3], source, values, s.v_bias);
    }
    value const turned_q = turned(what, q, true, owner);
    value const turned_k = turned(what, k, false, owner);
    value const attended = add({.operation = op::attend,
                                .operands = {turned_q.at, turned_k.at, v.at},
                                .scope = owner,
                                .shape = q.shape,
                                .attention = &s.value});
    return linear(what.projections[3], what.identities[4], attended, what.takes, s.o_bias);
  });
  trace_.close(opened, result.at);
  return result;
}

value recorder::attend(operation const& what, value q, value k, value v) {
  return add({.operation = op::attend,
              .operands = {q.at, k.at, v.at},
              .scope = scope(what.name, what.identities[0]),
              .shape = q.shape,
              .attention = &what.attention.value});
}

value recorder::turned(operation const& what, value x, bool queries, int owner) {
  dsl::attention_settings const& s = what.attention;
  std::int64_t const heads = queries ? s.value.heads : s.value.kv_heads;
  if (s.qk_norm.present)
    x = add({.operation = s.qk_norm.operation,
             .operands = {x.at, -1, -1},
             .scope = scope(queries ? "q_norm" : "k_norm", what.identities[0]),
             .shape = x.shape,
             .has_weight = s.qk_norm.has_weight,
             .has_bias = s.qk_norm.has_bias,
             .epsilon = s.qk_norm.epsilon,
             .unit_offset = s.qk_norm.unit_offset,
             .groups = s.qk_norm.across_heads ? 1 : heads});
  if (s.value.rope.width > 0)
    x = add({.operation = op::rope,
             .operands = {x.at, -1, -1},
             .scope = owner,
             .shape = x.shape,
             .groups = heads,
             .attention = &s.value});
  return x;
}

value recorder::stacked(operation const& what, value x, value const* memory) {
  int const whole = scope(what.name, what.identities[0]);
  for (std::size_t layer = 0; layer < what.functions.size(); ++layer)
    x = trace_.within(whole, [&] {
      int const own = scope({}, what.identities[0], static_cast<int>(layer));
      return trace_.within(own, [&] { return run(what.functions[layer], x, memory); });
    });
  return x;
}

}  // namespace residua::random_graph
