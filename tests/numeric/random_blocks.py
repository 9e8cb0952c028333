"""Well-typed random blocks as text of the language: Writer(random.Random(seed), name).write() gives the lines of one block.
random_mistakes.py puts one mistake into each. Same seed, same text. Standard library only."""
import random
import re
from dataclasses import dataclass, field

WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19]  # lanes -1, 0, +1 of float and double, and primes
ACTIVATIONS = ["residua::dsl::tanh", "relu", "relu_squared", "gelu_erf", "gelu_tanh", "silu", "sigmoid", "softplus"]
LITERALS = ["0.5", "2", "-1.5", "0.25", "3", "(1.0 / 3)", "1e-1", "-1", "1"]
EPSILONS = ["1e-6", "1e-12", "1e-3", "0.1"]


@dataclass(frozen=True)
class Axis:
    name: str
    extent: int
    run_time: bool

    def declaration(self):
        return f'inline constexpr axis<"{self.name}"{"" if self.run_time else f", {self.extent}"}> {self.name};'


@dataclass(frozen=True)
class Operation:
    """Something to apply: what it is called, the feature axis it takes (None: any) and makes (None: the same)."""

    text: str
    takes: Axis | None
    makes: Axis | None
    nodes: int = 1
    stream: tuple | None = None  # of a block: the whole shape it takes

    def result(self, shape):
        return shape if self.makes is None else (*shape[:-1], self.makes)


@dataclass
class Value:
    text: str
    shape: tuple
    uses: frozenset = frozenset()  # local names in the text
    simple: bool = True  # may be an operand as it stands
    bound: bool = False  # must have a local of its own


@dataclass
class Scope:
    """The names taken below one branch, and the operations that only it may use."""

    prefix: str = ""
    taken: set = field(default_factory=set)
    operations: list = field(default_factory=list)


class Writer:
    """Writes one block: its axes and operations, innermost first, then the block."""

    most_nodes = 60

    def __init__(self, source, name):
        self.random = source
        self.name = name
        self.lines = []
        self.definitions = {}
        self.counter = {}
        self.root = Scope()
        self.nodes = 0
        self.squares = 0
        self.aliases = {}
        self.learned = {}  # of each operation: the axes that its parameters lie over
        self.stream = self.make_stream()
        self.features = [self.stream[-1]] + [self.make_axis("w", self.random.choice(WIDTHS)) for _ in range(self.random.randint(1, 3))]
        self.blocks = []

    # names and axes

    def fresh(self, prefix):
        number = self.counter.get(prefix, 0)
        self.counter[prefix] = number + 1
        return f"{prefix}{number}"

    def chance(self, probability):
        return self.random.random() < probability

    def make_axis(self, prefix, extent, run_time=None):
        if run_time is None:
            run_time = self.chance(0.3)
        axis = Axis(self.fresh(prefix), extent, run_time)
        self.lines.append(axis.declaration())
        self.aliases[axis] = [axis]
        return axis

    def make_stream(self):
        leading = self.random.randint(1, 3)
        lengths = {1: [1, 2, 3, 5, 7], 2: [1, 2, 3, 4], 3: [1, 2, 3]}[leading]
        axes = [self.make_axis("L", self.random.choice(lengths), self.chance(0.6)) for _ in range(leading)]
        return (*axes, self.make_axis("w", self.random.choice(WIDTHS)))

    def alias(self, axis):
        """An axis of the same extent under another name."""
        group = self.aliases[axis]
        if len(group) < 3:
            made = Axis(self.fresh(axis.name + "_as_"), axis.extent, axis.run_time)
            self.lines.append(made.declaration())
            group.append(made)
            self.aliases[made] = group
        return self.random.choice([each for each in group if each != axis])

    def define(self, name, text, *learned):
        self.lines.append(f"inline constexpr auto {name} = {text};")
        self.definitions[name] = text
        self.learned[name] = learned

    def needed(self):
        """The definitions that the block is made of."""
        found, open_names = set(), [self.name]
        while open_names:
            name = open_names.pop()
            if name in self.definitions and name not in found:
                found.add(name)
                open_names += re.findall(r"\w+", self.definitions[name])
        return found

    def learned_axes(self):
        """The run-time widths: the stream's and those that parameters lie over."""
        axes = [self.stream[-1], *(axis for name in self.needed() for axis in self.learned[name])]
        return sorted({axis.name: axis for axis in axes if axis.run_time}.values(), key=lambda axis: axis.name)

    def named(self, scope, prefix, vocabulary):
        """A C++ name and the name in parameter paths; in a branch the latter is a plain word such as `up`."""
        free = [word for word in vocabulary if word not in scope.taken]
        if scope is self.root or not free:
            name = self.fresh(prefix)
            return name, name
        word = self.random.choice(free)
        scope.taken.add(word)
        return self.fresh(f"{scope.prefix}_{word}_"), word

    # operations

    def make_linear(self, scope, takes, makes=None):
        makes = makes or self.random.choice(self.features)
        variable, name = self.named(scope, "W", ["up", "down", "gate", "in", "out", "mix"])
        bias = self.random.choice(["", "", ", with_bias", ", with_bias", ", no_bias"])
        self.define(variable, f'linear<"{name}">({takes.name}, {makes.name}{bias})', takes, makes)
        return self.keep(scope, Operation(variable, takes, makes))

    def make_norm(self, scope, takes):
        kind = self.random.choice(["layer_norm", "rms_norm"])
        options = [self.random.choice(["", "", "no_affine", "no_bias" if kind == "layer_norm" else "unit_offset"])]
        if self.chance(0.4):
            options.append(f"epsilon<{self.random.choice(EPSILONS)}>")
        self.random.shuffle(options)
        variable, name = self.named(scope, "N", ["norm", "N", "ln"])
        arguments = ", ".join([takes.name] + [option for option in options if option])
        self.define(variable, f'{kind}<"{name}">({arguments})', *([] if "no_affine" in options else [takes]))
        return self.keep(scope, Operation(variable, takes, None))

    def make_activation(self):
        word = self.random.choice(ACTIVATIONS)
        if word == "relu_squared":
            if self.squares >= 2:
                word = "relu"
            self.squares += 1
        return Operation(word, None, None)

    def make_scalar(self, scope):
        variable, name = self.named(scope, "alpha", ["scale", "a"])
        self.define(variable, f'learned_scalar<"{name}">')
        return self.keep(scope, Operation(variable, None, None))

    def make_vector(self, scope, takes):
        variable, name = self.named(scope, "gamma", ["gain", "g"])
        self.define(variable, f'learned_vector<"{name}">({takes.name})', takes)
        return self.keep(scope, Operation(variable, takes, None))

    def make_attention(self, scope, takes, memory=None):
        """Self-attention, or cross-attention to a memory of another feature axis."""
        variable, name = self.named(scope, "A", ["attn", "A", "heads"])
        kv = self.random.choice([1, 1, 2, 3])
        heads = kv * self.random.choice([1, 1, 2])
        width = self.random.choice([1, 2, 3, 4, 5, 8])
        options = [f"heads<{heads}>", f"head_width<{width}>"]
        if kv != heads:
            options.append(f"kv_heads<{kv}>")
        elif not takes.run_time and takes.extent % heads == 0 and self.chance(0.5):
            options.pop()  # d / heads
            width = takes.extent // heads
        options.append(self.random.choice(["causal", "causal", "bidirectional"]))
        if self.chance(0.25):
            options.append(f"sliding_window<{self.random.choice([1, 2, 3, 4, 7])}>")
        if self.chance(0.2):
            options.append("alibi")
        if width > 1 and self.chance(0.4):
            layout = self.random.choice(["half_split", "interleaved"])
            rotary = f", rotary_width<{self.random.randrange(2, width + 1, 2)}>" if width % 2 or self.chance(0.5) else ""
            scaling = ", llama3_scaling<8, 1, 4, 16>" if self.chance(0.3) else ""
            options.append(f"rope({layout}{rotary}{scaling}, rope_base<{self.random.choice(['10', '1e4'])}>)")
        if self.chance(0.2):
            options.append(f"softcap<{self.random.choice(['1', '30'])}>")
        if self.chance(0.2):
            options.append("softmax_scale<0.7>")
        if self.chance(0.3):
            inside = self.random.choice(["", "epsilon<1e-3>", "no_affine", "across_heads"])
            options.append(f"qk_norm<norm::{self.random.choice(['rms', 'layer'])}>({inside})")
        if self.chance(0.4):
            options.append(self.random.choice(["with_bias", "qkv_bias", "q_bias, v_bias", "k_bias", "o_bias"]))
        if memory:
            options.append(f"cross({memory.name})")
        elif not {"q_bias, v_bias", "k_bias"} & set(options) and self.chance(0.3):
            options.append("fused_qkv")
        self.define(variable, f'attention<"{name}">({takes.name}, {", ".join(options)})', takes, *([memory] if memory else []))
        operation = Operation(variable, takes, None, 9)
        return operation if memory else self.keep(scope, operation)

    def keep(self, scope, operation):
        scope.operations.append(operation)
        return operation

    def make_branch(self, scope, takes, makes, depth):
        """A branch of a pipeline or of a function; `takes` is the whole shape."""
        variable, name = self.named(scope, "F", ["mlp", "F", "inner"])
        inside = Scope(variable)
        before = self.nodes
        if self.chance(0.5):
            text, makes = self.pipeline(inside, takes[-1], makes, depth)
        else:
            result = (*takes[:-1], makes)
            text = self.function(inside, takes, result, self.random.randint(1, 4), depth + 1)
        nodes = self.nodes - before
        self.nodes = before
        self.define(variable, f'branch<"{name}">({text})')
        return self.keep(scope, Operation(variable, takes[-1], makes, nodes, None))

    def pipeline(self, scope, takes, makes, depth):
        """linear | activation | ... from one feature axis to another."""
        parts = []
        at = takes
        for _ in range(self.random.randint(1, 4)):
            kind = self.random.choice(["linear", "linear", "activation", "activation", "norm", "scalar", "vector", "branch", "attention"])
            if kind == "branch" and depth < 2:
                operation = self.make_branch(scope, (*self.stream[:-1], at), self.random.choice(self.features), depth + 1)
            elif kind == "activation":
                operation = self.make_activation()
            elif kind == "norm":
                operation = self.make_norm(scope, at)
            elif kind == "attention" and self.nodes + 9 < self.most_nodes:
                operation = self.make_attention(scope, at)
            elif kind == "scalar":
                operation = self.make_scalar(scope)
            elif kind == "vector":
                operation = self.make_vector(scope, at)
            else:
                operation = self.make_linear(scope, at)
            parts.append(operation.text)
            self.nodes += operation.nodes
            at = operation.makes or at
        if at != makes:
            parts.append(self.make_linear(scope, at, makes).text)
            self.nodes += 1
        return " | ".join(parts), makes

    def operation_for(self, scope, shape, depth):
        """One that exists already and fits, or a new one."""
        fits = [o for o in {*scope.operations, *self.root.operations} if o.takes in (None, shape[-1]) and o.stream in (None, shape)]
        fits = [o for o in fits if self.nodes + o.nodes < self.most_nodes]
        if fits and self.chance(0.35):
            return self.random.choice(sorted(fits, key=lambda o: o.text))
        kind = self.random.choice(["linear", "norm", "norm", "activation", "attention", "attention", "branch", "branch", "branch"])
        if kind == "branch" and depth < 2 and self.nodes < self.most_nodes:
            makes = shape[-1] if self.chance(0.7) else self.random.choice(self.features)
            return self.make_branch(scope, shape, makes, depth)
        if kind == "norm":
            return self.make_norm(scope, shape[-1])
        if kind == "activation":
            return self.make_activation()
        if kind == "attention" and self.nodes + 9 < self.most_nodes:
            return self.make_attention(scope, shape[-1])
        return self.make_linear(scope, shape[-1])

    # values

    def apply(self, operation, value):
        self.nodes += operation.nodes
        return Value(f"{operation.text}({value.text})", operation.result(value.shape), value.uses)

    def operand(self, value):
        return value.text if value.simple else f"({value.text})"

    def two(self, symbol, a, b):
        self.nodes += 1
        right = self.operand(b) if symbol == "-" else b.text
        return Value(f"{a.text} {symbol} {right}", a.shape, a.uses | b.uses, False)

    def renamed(self, value, axis, to):
        self.nodes += 1
        shape = tuple(to if each == axis else each for each in value.shape)
        return Value(f"renamed({value.text}, {axis.name}, {to.name})", shape, value.uses)

    def to_shape(self, scope, value, shape, depth):
        """The value with the axes of `shape`: renamed where that is enough, through an operation where it is not."""
        for axis, to in zip(value.shape[:-1], shape[:-1]):
            if axis != to:
                value = self.renamed(value, axis, to)
        axis, to = value.shape[-1], shape[-1]
        if axis == to:
            return value
        if to in self.aliases[axis] and self.chance(0.5):
            return self.renamed(value, axis, to)
        if depth < 2 and self.nodes < self.most_nodes and self.chance(0.3):
            return self.apply(self.make_branch(scope, value.shape, to, depth), value)
        return self.apply(self.make_linear(scope, axis, to), value)

    def scaled(self, scope, value):
        self.nodes += 1
        kind = self.random.randrange(6)
        text = self.operand(value)
        if kind == 0:
            literal = "0" if self.chance(0.05) else self.random.choice(LITERALS)
            made = f"{literal} * {text}" if self.chance(0.7) else f"{text} * {literal}"
        elif kind == 1:
            made = f"{text} / {self.random.choice(['2', '3', '0.5'])}"
        elif kind == 2:
            name = self.fresh("c")
            self.define(name, f'constant<"{name}">({self.random.choice(["0.7", "2.83", "-0.3", "1.5"])})')
            made = f"{name} * {text}"
        elif kind == 3:
            made = f"-({text})" if text.startswith("-") else f"-{text}"
        else:
            fits = [o for o in scope.operations if o.text.startswith(("alpha", "gamma")) and o.takes in (None, value.shape[-1])]
            if fits and self.chance(0.4):
                operation = self.random.choice(fits)
            else:
                operation = self.make_scalar(scope) if kind == 4 else self.make_vector(scope, value.shape[-1])
            made = f"{operation.text} * {text}"
        return Value(made, value.shape, value.uses, kind == 3)

    def step(self, scope, values, depth):
        """One more value from those there are."""
        recent = values[-3:]
        value = self.random.choice(recent)
        kind = self.random.choices(
            ["apply", "add", "subtract", "scale", "hadamard", "renamed", "cross", "block"],
            [8, 4, 2, 3, 2, 1, 1, 1 if self.blocks else 0])[0]
        if kind == "apply":
            return self.apply(self.operation_for(scope, value.shape, depth), value)
        if kind == "scale":
            return self.scaled(scope, value)
        if kind == "cross" and self.nodes + 9 < self.most_nodes:
            others = [each for each in values if each.shape[:-1] == value.shape[:-1]]
            memory = self.random.choice(others)
            operation = self.make_attention(scope, value.shape[-1], memory.shape[-1])
            self.nodes += operation.nodes
            return Value(f"{operation.text}({value.text}, {memory.text})", value.shape, value.uses | memory.uses)
        if kind == "renamed":
            axis = self.random.choice(value.shape)
            return self.renamed(value, axis, self.alias(axis))
        if kind == "block":
            operation = self.random.choice(self.blocks)
            if self.nodes + operation.nodes < self.most_nodes:
                return self.apply(operation, self.to_shape(scope, value, operation.stream, depth))
        # two operands of one shape
        others = [each for each in values if each.shape == value.shape and each is not value]
        if others and self.chance(0.7):
            other = self.random.choice(others)
        elif self.chance(0.15):
            other = value
        else:
            other = self.to_shape(scope, self.apply(self.operation_for(scope, value.shape, depth), value), value.shape, depth)
        if kind == "hadamard":
            self.nodes += 1
            return Value(f"hadamard({value.text}, {other.text})", value.shape, value.uses | other.uses)
        a, b = (value, other) if self.chance(0.5) else (other, value)
        return self.two("-" if kind == "subtract" else "+", a, b)

    def function(self, scope, shape, result, steps, depth):
        """[](auto x) { ... } from one shape to another."""
        argument = "x" if depth == 0 else f"z{depth}"
        values = [Value(argument, shape)]
        statements = []  # (local, text, uses)

        def bind(value):
            local = self.fresh("u")
            statements.append((local, value.text, value.uses))
            return Value(local, value.shape, frozenset([local]))

        for _ in range(steps):
            if self.nodes > self.most_nodes:
                break
            value = self.step(scope, values, depth)
            if self.chance(0.5) or value.bound or len(value.text) > 70:
                value = bind(value)
            values.append(value)
        last = self.to_shape(scope, values[-1], result, depth)
        skips = [each for each in values if each.shape == result]
        if skips and self.chance(0.75):
            skip = self.random.choice(skips[:2])
            if self.chance(0.3):
                skip = self.scaled(scope, skip)
            if self.chance(0.3):
                last = self.scaled(scope, last)
            last = self.two("-" if self.chance(0.15) else "+", skip, last)
            if self.chance(0.3):
                last = self.apply(self.make_norm(scope, result[-1]), last)
        return self.lambda_text(argument, statements, last)

    def lambda_text(self, argument, statements, last):
        needed = set(last.uses)
        lines = []
        for local, text, uses in reversed(statements):
            if local in needed:
                lines.append(f"  auto {local} = {text};")
            elif self.chance(0.1):  # computed for nothing
                lines.append(f"  [[maybe_unused]] auto {local} = {text};")
            else:
                continue
            needed |= uses
        if not lines:
            return f"[](auto {argument}) {{ return {last.text}; }}"
        return "\n".join([f"[](auto {argument}) {{", *reversed(lines), f"  return {last.text};", "}"])

    # blocks

    def stream_text(self, shape):
        return f'stream({", ".join(axis.name for axis in shape)})'

    def make_block(self, name, word="block", result=None, steps=None):
        self.nodes = 0
        steps = steps or self.random.randint(2, 7)
        text = self.function(self.root, self.stream, result or self.stream, steps, 0)
        self.define(name, f'{word}<"{name}">({self.stream_text(self.stream)}, {text})')
        return Operation(name, self.stream[-1], result[-1] if result else None, self.nodes, self.stream)

    def make_stack(self, name):
        layers = self.random.randint(1, 3)
        kind = self.random.randrange(3)
        first = self.make_block(self.fresh("layer"), steps=self.random.randint(1, 4))
        nodes = layers * first.nodes
        if kind == 0:
            text = first.text
        elif kind == 1:
            second = self.make_block(self.fresh("layer"), steps=self.random.randint(1, 4))
            nodes = layers * max(first.nodes, second.nodes)
            text = (f"[](auto index) {{\n  if constexpr (index < {self.random.randint(0, layers)}) return {first.text};\n"
                    f"  else return {second.text};\n}}")
        else:  # a layer that knows its index
            text = (f'[](auto index) {{\n  return block<"scaled">({self.stream_text(self.stream)}, [](auto x) {{\n'
                    f"    return x + {first.text}(x) / (decltype(index)::value + 1);\n  }});\n}}")
            nodes += 2 * layers
        self.define(name, f'stack<"{name}", {layers}>({text})')
        return Operation(name, self.stream[-1], None, nodes, self.stream)

    def write(self):
        if self.chance(0.25):
            self.blocks.append(self.make_block(self.fresh("part"), steps=self.random.randint(1, 4)))
        if self.chance(0.15):
            self.blocks.append(self.make_stack(self.fresh("deep")))
        self.result = self.stream
        kind = self.random.random()
        if kind < 0.15:
            self.make_stack(self.name)
        elif kind < 0.3:
            self.result = (*self.stream[:-1], self.random.choice(self.features))
            self.make_block(self.name, "map", self.result)
        else:
            self.make_block(self.name)
        needed = self.needed()
        kept = [line for line in self.lines if not line.startswith("inline constexpr auto ") or line.split()[3] in needed]
        return [f"namespace {self.name}_parts {{", "using namespace residua::dsl;", *kept, f"}}  // namespace {self.name}_parts",
                f"using {self.name}_parts::{self.name};"]
