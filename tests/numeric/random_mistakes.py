#!/usr/bin/env python3
"""random_mistakes.py SEED COUNT OUT_DIR: COUNT random programs with exactly one mistake each.

Writes mistake_0.cpp, mistake_1.cpp, ... and expected.txt, which has a line for each: file, kind (of enum mistake in
dsl/report/mistake.hpp), and the sentence of <residua/dsl.hpp>, separated by tabs. The kinds take turns; where the mistake
stands, and in what block, is random. Same seed, same bytes. Standard library only.
"""
import random
import re
import sys
from pathlib import Path

from random_blocks import Operation, Value, Writer

UMBRELLA = Path(__file__).resolve().parents[2] / "include/residua/dsl.hpp"


def sentences():
    """The sentence of each kind, as the umbrella header says it."""
    found = re.findall(r'RESIDUA_MISTAKE\((\w+)\) \{.*?RESIDUA_SENTENCE\("((?:[^"\\]|\\.)*)"\)', UMBRELLA.read_text(), re.S)
    return {kind: text.replace('\\"', '"') for kind, text in found}


class MistakenWriter(Writer):
    """Writes a block as its base does, and one mistake at the first chance after a random number of steps."""

    def __init__(self, source, kind):
        super().__init__(source, "wrong")
        self.kind = kind
        self.patience = source.randint(0, 6)
        self.made = False
        self.spot = ""  # the mistake, as it stands in a definition

    # where a mistake can stand

    def step(self, scope, values, depth):
        if not self.made and self.patience <= 0 and self.kind in VALUES:
            self.made = True
            value = self.random.choice(values[-3:])
            wrong = VALUES[self.kind](self, scope, value)
            if wrong is None:  # not with this shape
                self.made = False
                return super().step(scope, values, depth)
            self.spot = wrong
            return Value(wrong, value.shape, frozenset(re.findall(r"\bu\d+\b", wrong)), False, True)
        self.patience -= 1
        return super().step(scope, values, depth)

    def operation_for(self, scope, shape, depth):
        if not self.made and self.patience <= 2 and self.kind in OPERATIONS:
            self.made = True
            self.spot = variable = self.fresh("bad")
            self.define(variable, OPERATIONS[self.kind](self, shape))
            return Operation(variable, shape[-1], None)
        return super().operation_for(scope, shape, depth)

    def lambda_text(self, argument, statements, last):
        """Every local stays, so that the mistake does."""
        lines = [f"  [[maybe_unused]] auto {local} = {text};" for local, text, _ in statements]
        if self.kind == "result_is_not_the_stream" and argument == "x" and not self.made and self.patience <= 6:
            self.made = True
            self.spot = last = self.random.choice([f"linear<\"to\">({self.stream[-1].name}, other_axis)({last.text})",
                                       f"renamed({last.text}, {self.stream[0].name}, {self.same_extent(self.stream[0]).name})"])
        else:
            last = last.text
        return "\n".join([f"[]([[maybe_unused]] auto {argument}) {{", *lines, f"  return {last};", "}"])

    # material

    def same_extent(self, axis):
        return self.make_axis("twin", axis.extent, axis.run_time)

    def other(self, axis):
        """A feature axis that is not this one: another extent, or the same under another name."""
        if self.chance(0.3):
            return self.same_extent(axis)
        return self.make_axis("other", axis.extent + self.random.randint(1, 5), False)

    def program(self):
        """The text, or nothing where no chance came or the block does without the mistake."""
        self.write()
        if not self.made or not any(self.spot in self.definitions[name] for name in self.needed()):
            return None
        if self.kind == "result_is_not_the_stream" and any(t.startswith("map<") and self.spot in t for t in self.definitions.values()):
            return None  # a map may give anything back
        if sum(self.reports(name) for name in self.definitions) > 1:
            return None  # a branch with a mistake in two blocks: each of them says so
        body = ["namespace mistaken {", "using namespace residua::dsl;", 'inline constexpr axis<"other", 23> other_axis;', "inline int run_time_number = 3;", *self.lines,
                "}  // namespace mistaken"]
        return "\n".join(["#include <residua/dsl.hpp>", "", *body, "", "int main() {}", ""])

    def reports(self, name):
        """Whether this definition traces the mistake itself, not through another block."""
        traced = ("block<", "map<", "stack<")
        if not self.definitions[name].startswith(traced):
            return False
        open_texts, seen = [self.definitions[name]], {name}
        while open_texts:
            text = open_texts.pop()
            if self.spot in text:
                return True
            for word in set(re.findall(r"\w+", text)) & set(self.definitions):
                if word not in seen and not self.definitions[word].startswith(traced):
                    open_texts.append(self.definitions[word])
                seen.add(word)
        return False


# mistakes that a value is made with: text of an expression

def two_shapes(writer, scope, value):
    operand = writer.operand(value)
    axis = value.shape[-1]
    if writer.chance(0.5):
        wrong = f"{writer.make_linear(scope, axis, writer.other(axis)).text}({value.text})"
    else:
        where = writer.random.choice(value.shape)
        wrong = f"renamed({value.text}, {where.name}, {writer.same_extent(where).name})"
    return (operand, wrong) if writer.chance(0.5) else (wrong, operand)


def shapes_differ(writer, scope, value):
    a, b = two_shapes(writer, scope, value)
    return writer.random.choice([f"{a} + {b}", f"{a} - {b}"])


def control_flow(writer, scope, value):
    a, b = value.text, writer.operand(value)
    return writer.random.choice([f"({a} ? {a} : {b})", f"(!{a} ? {b} : {a})", f"({a} == {b} ? {a} : {b})", f"(3 < {a} ? {a} : {b})", f"({a} >= {b} ? {a} : {b})"])


def hadamard_shapes_differ(writer, scope, value):
    a, b = two_shapes(writer, scope, value)
    return f"hadamard({a}, {b})"


def wrong_axis(writer, scope, value):
    axis = writer.other(value.shape[-1])
    if writer.chance(0.3):
        return f"{writer.make_attention(scope, axis).text}({value.text})"
    if writer.chance(0.5):
        return f"{writer.make_linear(scope, axis, value.shape[-1]).text}({value.text})"
    name = writer.fresh("F")
    inner = writer.make_linear(scope, axis, value.shape[-1]).text
    writer.define(name, f'branch<"{name}">({inner} | relu)')
    return f"{name}({value.text})"


def wrong_norm_axis(writer, scope, value):
    return f"{writer.make_norm(scope, writer.other(value.shape[-1])).text}({value.text})"


def wrong_stream(writer, scope, value):
    axis = writer.other(value.shape[-1])
    name = writer.fresh("narrow")
    writer.define(name, f'block<"{name}">(stream({", ".join(a.name for a in (*value.shape[:-1], axis))}), [](auto z) {{ return z + z; }})')
    return f"{name}({value.text})"


def wrong_vector_axis(writer, scope, value):
    vector = writer.make_vector(scope, writer.other(value.shape[-1])).text
    return writer.random.choice([f"{vector} * {writer.operand(value)}", f"{vector}({value.text})"])


def not_an_expression(writer, scope, value):
    operand = writer.operand(value)
    operation = writer.make_norm(scope, value.shape[-1]).text
    if writer.chance(0.3):
        attention = writer.make_attention(scope, value.shape[-1], value.shape[-1]).text
        return writer.random.choice([f"{attention}({value.text}, 2)", f"{attention}({value.shape[-1].name}, {value.text})", f"{operand} + {attention}(2)"])
    return writer.random.choice([f"{operand} - {operation}(1.5)", f"hadamard({value.shape[-1].name}, {operand})", f"{operand} * {value.shape[-1].name}",
                                 f"hadamard({operand}, 2)", f"hadamard({operand})"])


def not_applied(writer, scope, value):
    operand = writer.operand(value)
    operation = writer.make_norm(scope, value.shape[-1]).text
    if writer.chance(0.2):
        attention = writer.make_attention(scope, value.shape[-1], value.shape[-1]).text
        return writer.random.choice([f"{attention}({operation}, {value.text})", f"{attention}({value.text}, {operation})", f"{operand} + {attention}"])
    return writer.random.choice([f"{operand} + {operation}", f"{operation} - {operand}", f"hadamard({operand}, {operation})",
                                 f"hadamard(relu({operation}), {operand})", f"{operand} / {operation}", f"{operand} + 0.5 * {operation}",
                                 f"{operand} + -{operation}", f"{operation} / 2 + {operand}", f"{operand} + silu * {operation}", f"{operand} * silu",
                                 f"({operation} + relu)({operand})"])


def divided_by_expression(writer, scope, value):
    operand = writer.operand(value)
    return writer.random.choice([f"1 / {operand}", f"{value.text} / {operand}"])


def not_one_argument(writer, scope, value):
    if writer.chance(0.3):
        return f"{writer.operand(value)} + {writer.make_attention(scope, value.shape[-1]).text}({writer.random.choice(['', f'{value.text}, {value.text}'])})"
    return writer.random.choice([f"relu({value.text}, {value.text})", f"{value.text} + relu()", f"silu({value.text}, 2)"])


def expression_called(writer, scope, value):
    return f"{value.text}({writer.random.choice(['relu', value.text, '2'])})"


def applied_with_bar(writer, scope, value):
    return writer.random.choice([f"{value.text} | relu", f"({value.text} | relu | silu)"])


def made_of_expression(writer, scope, value):
    axis = value.shape[-1].name
    return writer.random.choice([f'layer_norm<"bad">({value.text})', f'linear<"bad">({value.text}, {axis}, {axis})', f"rms_norm({value.text})",
                                 f'learned_vector<"bad">({value.text})', f'attention<"bad">({value.text}, heads<1>)',
                                 f'attention<"bad">({axis}, heads<1>, {value.text})'])


def name_taken(writer, scope, value):
    name = writer.fresh("same")
    axis = value.shape[-1].name
    kinds = [f'linear<"{name}">({axis}, {axis})', f'linear<"{name}">({axis}, {axis}, with_bias)', f'layer_norm<"{name}">({axis})',
             f'layer_norm<"{name}">({axis}, epsilon<1e-3>)', f'attention<"{name}">({axis}, heads<1>, head_width<2>)',
             f'attention<"{name}">({axis}, heads<1>, head_width<2>, causal)', f'learned_vector<"{name}">({axis})', f'learned_scalar<"{name}">', f'branch<"{name}">(relu)']
    first, second = writer.random.sample(kinds, 2)
    writer.define(name + "_a", first)
    writer.define(name + "_b", second)
    return writer.random.choice([f"{name}_a({name}_b({value.text}))", f"{name}_a({value.text}) + {name}_b({value.text})"])


def product_of_expressions(writer, scope, value):
    if value.shape[-1].extent == 1:
        return None  # a number for each token
    return writer.random.choice([f"{value.text} * {value.text}", f"{value.text} ^ {value.text}"])


def not_one_token(writer, scope, value):
    return None if value.shape[-2].extent == 1 else f"at_each_token({value.text}, {writer.operand(value)})"


def axis_not_in_expression(writer, scope, value):
    present = writer.random.choice(value.shape)
    return f"renamed({value.text}, {writer.same_extent(present).name}, {present.name})"


def renamed_extent_differs(writer, scope, value):
    present = writer.random.choice(value.shape)
    return f"renamed({value.text}, {present.name}, {writer.make_axis('longer', present.extent + 1, False).name})"


def no_memory(writer, scope, value):
    cross = writer.make_attention(scope, value.shape[-1], value.shape[-1]).text
    arguments = writer.random.choice([value.text, "", f"{value.text}, {value.text}, {value.text}"])
    if writer.chance(0.3):
        name = writer.fresh("F")
        writer.define(name, f'branch<"{name}">({cross} | relu)')
        return f"{name}({value.text})"
    return f"{writer.operand(value)} + {cross}({arguments})"


def wrong_memory_axis(writer, scope, value):
    return f"{writer.make_attention(scope, value.shape[-1], writer.other(value.shape[-1])).text}({value.text}, {value.text})"


def memory_of_other_sequences(writer, scope, value):
    if len(value.shape) < 3:
        return None
    cross = writer.make_attention(scope, value.shape[-1], value.shape[-1]).text
    axis = writer.random.choice(value.shape[:-2])
    return f"{cross}({value.text}, renamed({value.text}, {axis.name}, {writer.same_extent(axis).name}))"


def causal_across_axes(writer, scope, value):
    name = writer.fresh("X")
    axis = value.shape[-1].name
    writer.define(name, f'attention<"{name}">({axis}, heads<2>, head_width<2>, causal, cross({axis}))')
    token = value.shape[-2]
    return f"{name}({value.text}, renamed({value.text}, {token.name}, {writer.same_extent(token).name}))"


VALUES = {each.__name__: each for each in [
    shapes_differ, hadamard_shapes_differ, wrong_axis, wrong_norm_axis, wrong_vector_axis, wrong_stream, not_an_expression, not_applied,
    product_of_expressions, divided_by_expression, not_one_argument, expression_called, applied_with_bar, made_of_expression, name_taken,
    axis_not_in_expression, renamed_extent_differs, no_memory, wrong_memory_axis, memory_of_other_sequences, causal_across_axes,
    control_flow, not_one_token]}


# mistakes that an operation is made with: text of its definition

def not_an_operation(writer, shape):
    first = writer.make_linear(writer.root, shape[-1], shape[-1]).text
    return writer.random.choice([f"{first} | 3", f"{first} | relu | {shape[-1].name}", f"relu | 1.5 | silu", f"{first} | with_bias",
                                 f'branch<"inner">({first} | 2)'])


def not_an_axis(writer, shape):
    axis = shape[-1].name
    return writer.random.choice([f'linear<"bad">({axis}, 3)', f'linear<"bad">(7, {axis})', f'layer_norm<"bad">(relu)', 'rms_norm<"bad">(16)',
                                 f'learned_vector<"bad">(0.5)', f'attention<"bad">({shape[-1].extent}, heads<1>)', 'attention<"bad">(heads<2>, causal)', f'linear<"bad">({axis}, with_bias)', f'branch<"inner">(linear<"bad">({axis}, 3) | relu)'])


def missing_axis(writer, shape):
    return writer.random.choice([f'linear<"bad">({shape[-1].name})', 'layer_norm<"bad">()', 'attention<"bad">()', f'branch<"inner">(relu | linear<"bad">({shape[-1].name}))'])


def no_name(writer, shape):
    axis = shape[-1].name
    return writer.random.choice([f"linear({axis}, {axis})", f'layer_norm("bad", {axis})', f"rms_norm({axis})", f"attention({axis}, heads<1>)", "branch(relu)",
                                 f'block("bad", {writer.stream_text(shape)}, [](auto z) {{ return z; }})'])


def epsilon_negative(writer, shape):
    if writer.chance(0.3):
        return attention(writer, shape, "heads<1>", "head_width<2>", f"qk_norm<norm::{writer.random.choice(['rms', 'layer'])}>(epsilon<-1e-5>)")
    return f'{writer.random.choice(["layer_norm", "rms_norm"])}<"bad">({shape[-1].name}, epsilon<-1e-5>)'


def not_a_function(writer, shape):
    stream = writer.stream_text(shape)
    return writer.random.choice(['branch<"bad">(7)', f'branch<"bad">({shape[-1].name})', 'branch<"bad">(relu, silu)',
                                 'branch<"bad">([](auto y, auto z) { return y + z; })', f'block<"bad">({stream}, 7)',
                                 f'block<"bad">({stream}, [](auto& z) {{ return z; }})', f'block<"bad">({stream}, [] {{ return 7; }})'])


def not_a_function_of_two(writer, shape):
    stream = writer.stream_text(shape)
    function = writer.random.choice(["[](auto z) { return z; }", "[] { return 7; }", "7", "[](auto z, auto& m) { return z + m; }"])
    return f'{writer.random.choice(["block", "map"])}<"bad">({stream}, {stream}, {function})'


def attention(writer, shape, *options):
    """An attention over the last axis, in any order of its options, alone or in a branch."""
    options = [*options, *writer.random.choice([[], ["causal"], ["alibi"], ["o_bias"]])]
    writer.random.shuffle(options)
    made = f'attention<"bad">({", ".join([shape[-1].name, *options])})'
    return writer.random.choice([made, made, f'branch<"inner">(relu | {made})', f'branch<"inner">([](auto z) {{ return z + {made}(z); }})'])


def heads_missing(writer, shape):
    return attention(writer, shape, *writer.random.choice([[], ["kv_heads<2>"], ["head_width<4>", "rope"]]))


def heads_do_not_divide(writer, shape):
    fixed = writer.make_axis("fixed", writer.random.choice([7, 11, 16]), False)
    return f'linear<"to">({shape[-1].name}, {fixed.name}) | {attention(writer, (fixed,), "heads<5>")} | linear<"back">({fixed.name}, {shape[-1].name})'


def kv_heads_do_not_divide(writer, shape):
    return attention(writer, shape, *writer.random.choice([["heads<6>", "kv_heads<4>"], ["heads<3>", "kv_heads<6>"]]), "head_width<2>")


def head_width_missing(writer, shape):
    free = writer.make_axis("free", 8, True)
    return f'linear<"to">({shape[-1].name}, {free.name}) | {attention(writer, (free,), "heads<2>")} | linear<"back">({free.name}, {shape[-1].name})'


def rotary_width_wrong(writer, shape):
    return attention(writer, shape, "heads<2>", *writer.random.choice([["head_width<3>", "rope"], ["head_width<4>", "rope(rotary_width<6>)"],
                                                                      ["head_width<4>", "rope(interleaved, rotary_width<3>)"]]))


def not_positive(writer, shape):
    return attention(writer, shape, *writer.random.choice([
        ["heads<0>"], ["heads<-2>", "head_width<4>"], ["heads<1>", "kv_heads<0>"], ["heads<1>", "head_width<0>"], ["heads<1>", "softcap<0>"],
        ["heads<1>", "softmax_scale<-0.5>"], ["heads<1>", "head_width<4>", "rope(rope_base<0>)"], ["heads<1>", "sliding_window<-1>"]]))


def scaling_out_of_order(writer, shape):
    return attention(writer, shape, "heads<2>", "head_width<4>", writer.random.choice(["rope(llama3_scaling<8, 4, 1>)", "rope(half_split, llama3_scaling<2, 2, 2>)"]))


def options_contradict(writer, shape):
    return attention(writer, shape, "heads<2>", "head_width<2>", *writer.random.choice([
        ["fused_qkv", "cross"], ["causal", "bidirectional"], ["fused_qkv", "v_bias"], ["no_bias", "with_bias"], ["no_bias", "k_bias"]]))


def not_constant(writer, shape):
    return f'block<"bad">({writer.stream_text(shape)}, [](auto z) {{ return run_time_number * z; }})'


def returns_no_expression(writer, shape):
    body = writer.random.choice(["z + z;", "return 1.5;", "return silu;", "return [] {};"])
    stream = writer.stream_text(shape)
    return writer.random.choice([f'block<"bad">({stream}, []([[maybe_unused]] auto z) {{ {body} }})', f'branch<"bad">([]([[maybe_unused]] auto z) {{ {body} }})'])


def unknown_option(writer, shape):
    axis = shape[-1].name
    return writer.random.choice([f'layer_norm<"bad">({axis}, with_bias)', f'layer_norm<"bad">({axis}, unit_offset)', f'rms_norm<"bad">({axis}, no_bias)',
                                 f'linear<"bad">({axis}, {axis}, no_affine)', f'linear<"bad">({axis}, {axis}, epsilon<1e-6>)', f'linear<"bad">({axis}, {axis}, 3)',
                                 attention(writer, shape, "heads<1>", "head_width<2>", writer.random.choice(
                                     ["no_affine", "epsilon<1e-6>", "2", axis, "rope(causal)", "rope(2)", "qk_norm<norm::layer>(unit_offset)"])),
                                 f'rms_norm<"bad">({axis}, epsilon<1e-6>, with_bias)', f'branch<"inner">(relu | layer_norm<"bad">({axis}, {axis}))'])


def not_an_identifier(writer, shape):
    axis = shape[-1].name
    bad = writer.random.choice(["up..weight", ".up", "up.", "class.up", "1st", "pre-norm", "", "a b", "F/0", "class"])
    return writer.random.choice([f'linear<"{bad}">({axis}, {axis})', f'rms_norm<"{bad}">({axis})', f'learned_vector<"{bad}">({axis})',
                                 f'attention<"{bad}">({axis}, heads<1>, head_width<1>)', f'branch<"{bad}">(relu)', 'branch<"a.b">(relu)',
                                 f'learned_scalar<"{bad}">', f'branch<"inner">(silu | layer_norm<"{bad}">({axis}))',
                                 f'block<"{bad}">({writer.stream_text(shape)}, [](auto z) {{ return z; }})'])


def captures(writer, shape):
    made = writer.random.choice(['branch<"bad">([k](auto z) { return k * z; })', '(relu | branch<"bad">([&k](auto z) { return z + k * z; }))',
                                 f'block<"bad">({writer.stream_text(shape)}, [k](auto z) {{ return z / k; }})'])
    return f"[](int k) {{ return {made}; }}(2)"


def not_a_stream(writer, shape):
    given = writer.random.choice([shape[-1].name, "768", "relu"])
    if writer.chance(0.4):
        streams = [writer.stream_text(shape), given]
        writer.random.shuffle(streams)
        return f'{writer.random.choice(["block", "map"])}<"bad">({", ".join(streams)}, [](auto z, [[maybe_unused]] auto m) {{ return z; }})'
    return f'{writer.random.choice(["block", "map"])}<"bad">({given}, [](auto z) {{ return z; }})'


def rank_not_supported(writer, shape):
    axes = [shape[-1].name] if writer.chance(0.5) else [writer.make_axis("r", 2).name for _ in range(writer.random.randint(4, 6))] + [shape[-1].name]
    return f'block<"bad">(stream({", ".join(axes)}), [](auto z) {{ return z; }})'


def axis_repeated(writer, shape):
    again = writer.random.choice(shape)
    other = f'axis<"{again.name}", {again.extent + 1}>{{}}' if writer.chance(0.3) else again.name
    axes = [axis.name for axis in shape[-3:]]
    if again.name not in axes:
        other = axes[0]
    axes.insert(writer.random.randint(0, len(axes)), other)
    return f'block<"bad">(stream({", ".join(axes)}), [](auto z) {{ return z; }})'


def extent_not_positive(writer, shape):
    axis, empty = shape[-1].name, f'axis<"empty", {writer.random.choice([0, -1, -16])}>{{}}'
    return f'linear<"bad">({axis}, {empty}) | relu | linear<"back">({empty}, {axis})'


def no_layers(writer, shape):
    layer = f'block<"layer">({writer.stream_text(shape)}, [](auto z) {{ return z; }})'
    return writer.random.choice([f'stack<"bad", {writer.random.choice([0, -2])}>({layer})', f'stack<"bad">({layer})'])


def not_a_block(writer, shape):
    branch = writer.make_branch(writer.root, shape, shape[-1], 1).text
    return writer.random.choice([f'stack<"bad", 2>({branch})', 'stack<"bad", 3>(relu)', 'stack<"bad", 2>(7)', f'stack<"bad", 2>([](auto) {{ return {branch}; }})'])


def layers_differ(writer, shape):
    stream = writer.stream_text(shape)
    if writer.chance(0.3):
        two = f'block<"layer">({stream}, {stream}, [](auto z, [[maybe_unused]] auto m) {{ return z; }})'
        one = f'block<"layer">({stream}, [](auto z) {{ return z; }})'
        first, second = writer.random.sample([one, two], 2)
        return f'stack<"bad", 2>([](auto index) {{ if constexpr (index < 1) return {first}; else return {second}; }})'
    other = ", ".join(axis.name for axis in (*shape[:-1], writer.other(shape[-1])))
    block = f'block<"layer">({stream}, [](auto z) {{ return z; }})'
    return f'stack<"bad", 2>([](auto index) {{ if constexpr (index < 1) return {block}; else return block<"layer">(stream({other}), [](auto z) {{ return z; }}); }})'


def beside(writer, shape, wrong):
    """An operation, and beside it something wrong about a block."""
    block = f'block<"inner">({writer.stream_text(shape)}, [](auto z) {{ return z + relu(z); }})'
    return f"(static_cast<void>({wrong.format(block)}), relu)"


def another_jacobian(writer, shape):
    return beside(writer, shape, writer.random.choice(['is<"I">(jacobian({}))', 'is<"I + J_inner">(jacobian({}))']))


def another_route(writer, shape):
    return beside(writer, shape, 'is<"absent">(identity_route({}))')


def nothing_to_compare(writer, shape):
    return beside(writer, shape, writer.random.choice(['is<"I">({})', 'is<"I">(7)', 'is<"I">("I")']))


def no_parameter(writer, shape):
    return beside(writer, shape, 'jacobian({}, by_parameter<"W.weight">)')


OPERATIONS = {each.__name__: each for each in [
    heads_missing, heads_do_not_divide, kv_heads_do_not_divide, head_width_missing, rotary_width_wrong, not_positive, scaling_out_of_order,
    options_contradict, not_a_function_of_two, not_an_operation, not_an_axis, missing_axis, no_name, unknown_option, epsilon_negative, not_an_identifier, captures, not_a_function, not_constant,
    returns_no_expression, not_a_stream, rank_not_supported, axis_repeated, extent_not_positive, no_layers, not_a_block, layers_differ,
    another_jacobian, another_route, nothing_to_compare, no_parameter]}

KINDS = sorted([*VALUES, *OPERATIONS, "result_is_not_the_stream"])

# Of several streams, of features apart and of layers inside a function: written out in tests/reject alone, since the functions
# made here have one stream.
WRITTEN_OUT = {
    "concat_of_other_tokens", "extents_do_not_add_up", "layers_return", "no_such_stream", "not_a_function_of_a_layer",
    "not_a_function_of_streams", "not_as_wide_as_heads", "not_queries_keys_values", "number_of_streams", "part_beyond_the_features",
    "reads_as_factor", "streams_of_one_name", "streams_of_other_sequences", "two_numbers", "values_of_other_tokens", "width_not_known"}


def main(seed, count, folder):
    texts = sentences()
    known = {*KINDS, *WRITTEN_OUT}
    if known != set(texts):
        sys.exit(f"random_mistakes.py and {UMBRELLA} differ: {sorted(known ^ set(texts))}")
    folder.mkdir(parents=True, exist_ok=True)
    expected = []
    for i in range(count):
        kind = KINDS[i % len(KINDS)]
        program = None
        for attempt in range(100):
            program = MistakenWriter(random.Random(f"{seed}/{i}/{attempt}"), kind).program()
            if program:
                break
        name = f"mistake_{i}.cpp"
        (folder / name).write_text(program)
        expected.append(f"{name}\t{kind}\t{texts[kind]}\n")
    (folder / "expected.txt").write_text("".join(expected))


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    main(int(sys.argv[1]), int(sys.argv[2]), Path(sys.argv[3]))
