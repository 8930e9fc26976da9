"""Random programs with host code: NumPy on run-time data, objects, generators, `try` and `with` at random places.

What the programs of this kind hold needs Python while they run, so that they are split. None may be refused.
"""

import itertools
import linecache
import random
import zlib
from pathlib import Path

import numpy
from described import difference
from generator import blocks
from generator.hosting_expressions import EXPRESSIONS
from generator.hosting_statements import STATEMENTS
from generator.programs import Box, _inner_function
from generator.statements import block
from generator.writing import STARTS as USUAL_STARTS
from generator.writing import Writer, indented
from program import Call, Program, Scene
from session import bytecode, bytecode_without_source, dynamic, graph_mode, jit, run
from sourceless import forget_texts

import dyad
from dyad import Parameter, Tensor, float64, int32, ops

# What stands before each program: helpers that need Python, classes, generators.
PRELUDE = blocks.PRELUDE + Path(__file__).with_name("hosting_prelude.txt").read_text()
STARTS = {
    **USUAL_STARTS,
    "array": "np.array([{n}.0, -1.0, 2.5])",
    "thing": "Thing({n}, x)",
    "bag": "{{{n}, 7}}",
    "rows": "(e + {n} for e in [1, 2, 3, 4])",
    "text": "'t{n}'",
}
_numbers = itertools.count()


class HostWriter(Writer):
    """Writes programs whose expressions may need Python anywhere. No loop is one of a graph only."""

    def __init__(self, draw, budget):
        super().__init__(draw, budget)
        self.starts = STARTS
        self.further = [*STATEMENTS, *STATEMENTS]
        self.more = [blocks.statements]
        self.declared["kept"] = "None"

    @property
    def graph_loops(self):
        return 0

    @graph_loops.setter
    def graph_loops(self, value):
        pass

    def takes_host(self, depth):
        return depth > 0 and self.chance(2)

    def host(self, kind, depth):
        return self.pick(*EXPRESSIONS[kind](self, depth - 1))


def sources_of(chosen_seed, count, budget=16):
    """The texts of that many programs of up to about `budget` statements, the same ones on every machine."""
    numbers = random.Random(chosen_seed)
    for _ in range(count):
        yield PRELUDE + written(numbers.randrange, budget)


def written(draw, budget):
    """The text of a function `build(box, weight)` that gives the program as a closure over both."""
    w = HostWriter(draw, 0)
    w.budget = w.number(budget // 4, budget)
    head = []
    for _ in range(w.number(0, 1)):
        head += _inner_function(w)
    w.lines.clear()
    block(w, 0, most=7)
    body = [line[4:] for line in w.lines]
    results = ", ".join([*(name for name in w.declared if not name.startswith("rows")), "x"])
    inside = ["nonlocal state", *w.head(), *head, *body, f"return {results}, state,"]
    lines = ["def build(box, weight):", "    box.notes, net, state = [], Net(), 1"]
    lines += ["    box.net = net", "    def program(x, s, n, k, items, table):"]
    return "\n".join([*lines, *indented(inside, 2), "    return program", ""])


def as_program(source):
    """The source as a program of the session, called with other types and values behind two equal calls."""
    filename = f"<generated with host code {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"Tensor": Tensor, "ops": ops, "np": numpy, "dyad": dyad, "itertools": itertools}
    space["__name__"] = "generated"
    exec(compile(source, filename, "exec"), space)
    log = space["LOG"]

    def scene():
        box, weight = Box(), Parameter(Tensor([0.5, 1.0, -1.0]), name="weight")
        function = space["build"](box, weight)
        log.clear()
        space["COUNT"], space["Thing"].made, space["Thing"].step = 0, 0, 1

        def watch():
            logged = list(log)
            log.clear()
            return logged, space["COUNT"], box, weight, box.net.calls, vars(space["Thing"]).get("step")

        return Scene(function, None, watch)

    x = Tensor([1.0, -2.0, 3.0])
    first = Call(x, Tensor(2.0), Tensor(2), 1, [3, 1], {"a": 4})
    kind = float64 if zlib.crc32(source.encode()) % 2 else int32
    other = Call(
        Tensor([2.0, 2.0, -1.0]).astype(kind), Tensor(-1.0), Tensor(3), 2, [1, 2, 3], {"b": 1, "a": 2}
    )
    return Program("generated", scene, [first, first, other])


# The text of a program is taken away for the last one.
FORMS = (jit, graph_mode, bytecode, bytecode_without_source)


def difference_of(source, forms=FORMS):
    """Where a program gives something else than in the dynamic graph, in which form; None where all agree.

    Which new Tensors are one and the same is not compared, see `comparing.compare`.
    """
    program = as_program(source)
    truth = run(program, dynamic, new_tensors_alike=True)
    for form in forms:
        if form is bytecode_without_source:
            forget_texts()
        try:
            static = run(program, form, new_tensors_alike=True)
        except dyad._core.CaptureError as error:  # when what a call gave was looked at
            return f"{form.__name__}, result/stand-in: a Tensor without a value\nthis form raised {error!r}"
        for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
            found = difference(ours, theirs, f"call {number}")
            if found is not None:
                error = static.raised[min(number, len(static.raised) - 1)]
                return f"{form.__name__}, {found}\nthis form raised {error!r}"
    return None
