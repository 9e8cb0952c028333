"""Well-typed random blocks as text of the language: Writer(random.Random(seed), name).write() gives the lines of one block.
random_mistakes.py puts one mistake into each. Same seed, same text. Standard library only."""
from random_operations import LITERALS, Operation, Scope, Value, Vocabulary


class Writer(Vocabulary):
    """Writes one block: its axes and operations, innermost first, then the block."""

    most_nodes = 60

    # operations made of others

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
