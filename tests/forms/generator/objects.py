"""Random programs over objects: deques, slots, arrays, iterators, classes with special methods, Cells, modules."""

import functools
import heapq
import itertools
import linecache
import operator
import random
import sys
import types
import typing
from collections import deque

import numpy
from generator.expressions import condition, scalar, small_whole, vector
from generator.programs import Box
from generator.statements import block
from generator.writing import STARTS as USUAL_STARTS
from generator.writing import Writer, indented
from program import Call, Program, Scene

from dyad import Parameter, Tensor, float32, nn, ops
from dyad.common.initializer import Normal

_numbers = itertools.count()


class Slotted:
    __slots__ = ("a", "v")

    def __init__(self, a):
        self.a, self.v = a, Tensor([1.0, 0.5, -1.0])


class Counted:
    """The base of a class with special methods: some are its own, some are overridden."""

    step = 1

    def __init__(self, n):
        self.n = n

    def __add__(self, other):
        return NotImplemented if isinstance(other, Tensor) else type(self)((self.n + int(other)) % 60)

    def __eq__(self, other):
        return isinstance(other, Counted) and self.n == other.n

    def __len__(self):
        return 2


class Amount(Counted):
    def __radd__(self, other):
        return Amount((other + self.n + self.step) % 60)

    def __iadd__(self, other):
        self.n = (self.n + other) % 60
        return self

    def __mul__(self, other):
        return other * 2.0

    def __lt__(self, other):
        return self.n < other

    def __int__(self):
        return self.n

    def __getitem__(self, place):
        return self.n + place

    def __iter__(self):
        return iter([self.n, self.n + self.step])

    def __str__(self):
        return f"Amount {self.step}"


class Config(dict):
    """Attributes that are entries, by methods of dict."""

    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class SharedConfig(dict):
    """Attributes that are entries, as both are one dict."""

    def __init__(self, **entries):
        super().__init__(**entries)
        self.__dict__ = self


class Layer(nn.Cell):
    """A Cell whose constructor reads and changes what lies outside, and whose call changes its weights."""

    step = 1
    made = 0
    log: typing.ClassVar = []

    def __init__(self, n):
        super().__init__()
        Layer.made = (Layer.made + 1) % 90
        Layer.log.append(n)
        del Layer.log[:-4]
        print("layer", n, Layer.made)
        self.n = n + self.step + OFFSETS["layer"]
        self.w = Parameter(Tensor([1.0, 0.5, 2.0]), name="w")
        self.inner = nn.SequentialCell(nn.Dense(3, 3, weight_init="ones", bias_init=0.25), nn.ReLU())

    def construct(self, v):
        y = self.inner((v * self.w).reshape(1, 3))[0] / 8 + self.n % 7
        ops.assign(self.w, self.w + 0.5)
        return y


class Drawn(nn.Cell):
    """A Cell with random weights, as many as its setting says."""

    def __init__(self, n):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3) for _ in range(1 + n % 2)])
        if n > 3:
            self.layers.append(nn.Dense(3, 3, weight_init="normal"))

    def construct(self, v):
        v = v.reshape(1, 3)
        for layer in self.layers:
            v = layer(v)
        return v[0] / 2


OFFSETS = {"layer": 0}
MODULE = "generated_settings"

STARTS = {
    "layer": "Layer({n})",
    "queue": "deque([{n}, 2])",
    "slotted": "Slotted({n})",
    "amount": "Amount({n})",
    "elements": "iter([{n}, 5, 6, 7])",
    "grid": "numpy.full(2, {n}.0)",
}


def change_queue(w, depth):
    name = w.pick(lambda: w.variable("queue"), "box.queue")
    changes = [
        lambda: f"{name}[{w.choose('01')}] = {small_whole(w)}",
        lambda: f"{name}.rotate({w.number(-1, 2)})",
        lambda: f"{w.variable('whole')} = sum({name}) % 50",
        lambda: f"{w.variable('whole')} = {name}[-1] + len({name})",
    ]
    if not w.graph_loops:
        changes += [
            lambda: f"{name}.append({small_whole(w)})",
            lambda: f"{name}.appendleft({w.number(0, 4)})",
            lambda: f"{name} += [{small_whole(w)}]" if name != "box.queue" else f"{name}.extend([1])",
            lambda: f"heapq.heappush({w.variable('numbers')}, {w.number(0, 9)})",
            lambda: f"list.append({w.variable('numbers')}, {small_whole(w)})",
        ]
    w.line(w.pick(*changes))


def change_slots(w, depth):
    name = w.pick(lambda: w.variable("slotted"), "box.slotted")
    w.line(
        w.pick(
            lambda: f"{name}.a = {small_whole(w)}",
            lambda: f"{name}.a += {w.number(1, 3)}",
            lambda: f"{name}.v = {vector(w, 1)}",
            lambda: f"{w.variable('vector')} = {name}.v * {name}.a",
            lambda: f"object.__setattr__({name}, 'a', {small_whole(w)})",
        )
    )


def change_config(w, depth):
    name = w.choose(["box.config", "box.shared"])
    w.line(
        w.pick(
            lambda: f"{name}.a = {small_whole(w)}",
            lambda: f"{name}['a'] = {small_whole(w)}",
            lambda: f"{name}.a += {w.number(1, 3)}",
            lambda: f"{name}.b = 1; del {name}.b",
            lambda: f"{w.variable('whole')} = {name}.a % 50 + {name}['a'] % 20",
            lambda: f"{w.variable('whole')} = (sum(box.values) + len(box.values)) % 50",
            lambda: f"{w.variable('whole')} = getattr({name}, 'a') % 50 + ('b' in {name})",
        )
    )


def use_amount(w, depth):
    name = w.pick(lambda: w.variable("amount"), "box.amount")
    uses = [
        lambda: f"{name} += {w.number(1, 3)}",
        lambda: f"{w.variable('whole')} = {name}.n % 40",
        lambda: f"{w.variable('flag')} = bool({name} == {w.variable('amount')} or {name} < {w.number(0, 9)})",
        lambda: f"{w.variable('whole')} = int({name}) % 40",
        lambda: f"{w.variable('scalar')} = {name} * {scalar(w, 1)}",
        lambda: f"{w.variable('whole')} = {name}[{w.number(0, 3)}] + len({name})",
        lambda: f"{w.variable('whole')} = max(e for e in {name}) % 40",
        lambda: f"print({name})",
    ]
    if not w.graph_loops:  # which object a name holds after each turn is no variable of a loop
        uses += [
            lambda: f"{w.variable('amount')} = {name} + {small_whole(w)}",
            lambda: f"{w.variable('amount')} = {small_whole(w)} + {name}",
        ]
    w.line(w.pick(*uses))


def use_iterator(w, depth):
    name = w.variable("elements")
    uses = [
        lambda: f"{w.variable('whole')} = next({name}, {w.number(0, 4)})",
        lambda: f"{w.variable('whole')} = sum(a * b for a, b in zip({name}, {name})) % 50",
        lambda: f"{w.variable('flag')} = any(e > {w.number(3, 6)} for e in {name})",
        lambda: f"{w.variable('flag')} = bool(any({w.variable('scalar')} > e for e in [3, -1, 9]))",
        lambda: f"{w.variable('vector')} = functools.reduce(operator.add, [{vector(w, 1)}, {vector(w, 1)}])",
    ]
    if not w.graph_loops:  # which iterator a name holds after each turn is no variable of a loop
        uses += [
            lambda: (
                f"{w.variable('numbers')} = list(map(lambda e: e + {w.number(0, 3)}, {name}))[:3] or [1, 2]"
            ),
            lambda: f"{w.variable('elements')} = filter(lambda e: e != {w.number(4, 6)}, {name})",
            lambda: f"{w.variable('elements')} = (e + {small_whole(w)} for e in [1, 2, 3])",
            lambda: f"{w.variable('elements')} = itertools.chain([1], {w.variable('numbers')})",
            lambda: f"{w.variable('numbers')} = list(itertools.islice({name}, 2)) or [1]",
        ]
    w.line(w.pick(*uses))


def loop_over_iterator(w, depth):
    w.line(f"for turn in {w.variable('elements')}:")
    w.level += 1
    w.line(f"{w.variable('whole')} = turn % 50")
    if w.chance(4):
        w.line(f"if {w.pick('turn > 5', lambda: condition(w, 1))}:")
        w.line("    break")
    w.level -= 1
    w.loops += 1
    block(w, depth + 1)
    w.loops -= 1


def change_grid(w, depth):
    name = w.variable("grid")
    changes = [lambda: f"{w.variable('real')} = float({name}.sum())"]
    if not w.graph_loops:  # an array is no variable of a loop
        changes += [
            lambda: f"{name} = {name} + {w.number(0, 3)}",
            lambda: f"{name} += {w.number(1, 2)}",
            lambda: f"{name}[0] = {w.number(1, 4)}",
        ]
    w.line(w.pick(*changes))


def change_function(w, depth):
    w.line(
        w.pick(
            lambda: f"build.count = {small_whole(w)}",
            lambda: "build.count += 1",
            lambda: f"{w.variable('whole')} = build.count % 50",
            lambda: f"vars(box)['n'] = {small_whole(w)}",
            lambda: f"{w.variable('whole')} = box.__dict__['n'] % 50",
            lambda: f"Amount.step = {w.number(1, 3)}",
        )
    )


def make_cells(w, depth):
    uses = [
        lambda: f"{w.variable('vector')} = Layer({small_whole(w)})({vector(w, 1)})",
        lambda: f"{w.variable('vector')} = Drawn({small_whole(w)})({vector(w, 1)})",
        lambda: f"{w.variable('vector')} = nn.Dense(3, 3)({vector(w, 1)}.reshape(1, 3))[0] / 2",
        lambda: f"{w.variable('vector')} = nn.SequentialCell([nn.Tanh(), nn.Softmax()])({vector(w, 1)})",
        lambda: (
            f"{w.variable('vector')} = Tensor(shape=(3,), dtype=float32, init=Normal(1.0)).init_data() + s"
        ),
        lambda: f"{w.variable('whole')} = Layer.made + len(Layer.log)",
        lambda: f"Layer.step = {w.number(1, 3)}",
        lambda: f"OFFSETS['layer'] = {small_whole(w)}",
    ]
    if not w.graph_loops:  # which Cell a name holds after each turn is no variable of a loop
        name = w.variable("layer")
        uses += [
            lambda: f"{w.variable('vector')} = {name}({vector(w, 1)})",
            lambda: f"{w.variable('vector')} = {name}.w * {name}.n % 5",
            lambda: f"{name}.n = {small_whole(w)}",
            lambda: f"ops.assign({name}.w, {vector(w, 1)} % 4)",
            lambda: f"{name} = Layer({small_whole(w)})",
            lambda: f"{w.variable('whole')} = len({name}.trainable_params()) + {name}.n % 40",
        ]
    w.line(w.pick(*uses))


def use_module(w, depth):
    w.line(w.choose([f"import {MODULE} as module", f"from {MODULE} import R", f"import {MODULE}"]))
    if w.lines[-1].endswith("module"):
        w.line(
            w.pick(
                lambda: f"{w.variable('whole')} = (module.R + len(module.table)) % 50",
                lambda: f"module.R = {small_whole(w)}",
                lambda: f"{w.variable('vector')} = module.scale({vector(w, 1)})",
                lambda: f"module.table['{w.choose('ab')}'] = {small_whole(w)}",
            )
        )
    elif w.lines[-1].endswith("R"):
        w.line(f"{w.variable('whole')} = R % 50")
    else:
        w.line(f"{w.variable('whole')} = {MODULE}.R % 50")


STATEMENTS = (
    make_cells,
    make_cells,
    use_module,
    change_queue,
    change_slots,
    change_config,
    use_amount,
    use_iterator,
    loop_over_iterator,
    change_grid,
    change_function,
)


class BoxOfObjects(Box):
    def __init__(self):
        super().__init__()
        self.queue, self.slotted, self.amount = deque([1, 2]), Slotted(3), Amount(2)
        self.config, self.shared = Config(a=1), SharedConfig(a=2)
        self.values = self.config.values()


def _doubled(v):
    return v * 2


def _halved(v):
    return v / 2 + 1


def sources_of(chosen_seed, count):
    """The texts of that many programs, the same ones on every machine."""
    numbers = random.Random(chosen_seed)
    for _ in range(count):
        yield written(numbers.randrange)


def written(draw, budget=14):
    """The text of a function `build(box)` that gives the program as a closure over it."""
    w = Writer(draw, 0)
    w.starts = {**USUAL_STARTS, **STARTS}
    w.further = [*STATEMENTS, *STATEMENTS]
    w.budget = w.number(budget // 4, budget)
    block(w, 0, most=6)
    body = [line[4:] for line in w.lines]
    results = [name for name in w.declared if not name.startswith(("elements", "slotted", "amount", "layer"))]
    results += [f"{name}.a" for name in w.declared if name.startswith("slotted")]
    results += [f"{name}.n" for name in w.declared if name.startswith(("amount", "layer"))]
    results += [f"{name}.w * 1" for name in w.declared if name.startswith("layer")]
    inside = [*w.head(), *body, f"return {', '.join([*results, 'x'])},"]
    lines = ["def build(box, weight):", "    def program(x, s, n, k, items, table):"]
    return "\n".join([*lines, *indented(inside, 2), "    return program", ""])


def as_program(source):
    """The source as a program of the session; what it holds is changed before the last call."""
    filename = f"<generated with objects {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {
        "Tensor": Tensor,
        "ops": ops,
        "deque": deque,
        "Slotted": Slotted,
        "Amount": Amount,
        "numpy": numpy,
        "Layer": Layer,
        "Drawn": Drawn,
        "OFFSETS": OFFSETS,
        "Normal": Normal,
        "float32": float32,
        "nn": nn,
    }
    space |= {"heapq": heapq, "itertools": itertools, "functools": functools, "operator": operator}
    space["__name__"] = "generated"
    exec(compile(source, filename, "exec"), space)

    def scene():
        box, weight = BoxOfObjects(), Parameter(Tensor([0.5, 1.0, -1.0]), name="weight")
        space["build"].count, Amount.step = 1, 1
        Layer.step, Layer.made, Layer.log[:], OFFSETS["layer"] = 1, 0, [], 0
        module = sys.modules[MODULE] = types.ModuleType(MODULE)
        module.R, module.table, module.scale = 3, {"a": 1}, _doubled

        def change():
            Layer.step, OFFSETS["layer"], module.R, module.scale = 3, 5, 8, _halved
            box.queue.append(9)
            box.config.a, box.shared.a = 5, 6
            box.slotted.a, box.amount.n, Amount.step, space["build"].count = 7, 30, 2, 11

        def watch():
            held = (box.slotted.a, box.slotted.v, box.amount.n, list(box.queue), box.n, box.v, box.items)
            held += (dict(box.config), dict(box.shared))
            made = (Layer.made, list(Layer.log), Layer.step, dict(OFFSETS), module.R, dict(module.table))
            return (*held, Amount.step, space["build"].count, weight, made)

        return Scene(space["build"](box, weight), change, watch)

    x = Tensor([1.0, -2.0, 3.0])
    first = Call(x, Tensor(2.0), Tensor(2), 1, [3, 1], {"a": 4})
    other = Call(x, Tensor(-1.0), Tensor(3), 1, [3, 1], {"a": 4})
    return Program("generated", scene, [first, first, other, first.negated()])
