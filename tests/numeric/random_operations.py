"""What random blocks are made of: axes and operations with random options, as text of the language. Standard library only."""
import re
from dataclasses import dataclass, field

from activations import ACTIVATIONS

WIDTHS = [1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 15, 16, 17, 19]  # lanes -1, 0, +1 of float and double, and primes
WORDS = ["residua::dsl::tanh" if each == "tanh" else each for each in ACTIVATIONS]  # C's library has one too
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


class Vocabulary:
    """Names, axes and operations, each with the line that defines it."""

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
        word = self.random.choice(WORDS)
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
