#pragma once
#include <residua/dsl/text.hpp>

namespace residua::dsl {

/// Every way in which a block can be wrong. Each has its sentence in <residua/dsl.hpp> and its entry in docs/errors.md.
enum class mistake {
  none,
  already_reported,  // has its message, and says nothing again
  // what an operator or an operation was given
  shapes_differ,
  hadamard_shapes_differ,
  wrong_axis,
  wrong_norm_axis,
  wrong_vector_axis,
  wrong_stream,
  number_of_streams,
  not_an_expression,
  not_applied,
  product_of_expressions,
  divided_by_expression,
  not_one_argument,
  control_flow,
  expression_called,
  not_one_token,
  axis_not_in_expression,
  renamed_extent_differs,
  // attention
  heads_missing,
  heads_do_not_divide,
  kv_heads_do_not_divide,
  head_width_missing,
  rotary_width_wrong,
  not_positive,
  scaling_out_of_order,
  options_contradict,
  no_memory,
  wrong_memory_axis,
  memory_of_other_sequences,
  causal_across_axes,
  not_queries_keys_values,
  not_as_wide_as_heads,
  values_of_other_tokens,
  width_not_known,
  part_beyond_the_features,
  concat_of_other_tokens,
  extents_do_not_add_up,
  // what an operation is made of
  no_name,
  not_an_identifier,
  reads_as_factor,
  two_numbers,
  not_an_axis,
  missing_axis,
  made_of_expression,
  unknown_option,
  epsilon_negative,
  not_an_operation,
  applied_with_bar,
  extent_not_positive,
  // streams, blocks, stacks
  not_a_stream,
  streams_of_one_name,
  streams_of_other_sequences,
  rank_not_supported,
  axis_repeated,
  not_a_function,
  not_a_function_of_two,
  not_a_function_of_streams,
  captures,
  not_constant,
  returns_no_expression,
  result_is_not_the_stream,
  name_taken,
  not_a_block,
  no_layers,
  layers_differ,
  not_a_function_of_a_layer,
  layers_return,
  // what a block was expected to be
  another_jacobian,
  another_route,
  nothing_to_compare,
  no_parameter,
  no_such_stream,
};

/// The compile error of one mistake; its phrases are the details, each short enough for clang to print whole.
/// Defined in <residua/dsl.hpp>, so that one line at most says where it was included from.
///
/// `said(static_cast<Message*>(nullptr))` makes the compiler print it, once for equal phrases, and goes on as if
/// nothing had happened: looking up `said` needs the class complete, and nothing else depends on the class, so no
/// second error follows. It stands directly in the function that the user calls, to keep the chain of notes short.
template <mistake Kind, text... Phrases>
struct mistake_message;

struct no_message {};

constexpr void said(void const*) {}

}  // namespace residua::dsl
