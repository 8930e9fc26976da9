"""Random programs: source, module, and the scene that the session runs."""

import itertools
import linecache
import random

from generator import blocks
from generator.expressions import vector, whole
from generator.statements import block
from generator.writing import Writer, indented
from hypothesis import strategies as st
from program import Call, Program, Scene

from dyad import Parameter, Tensor, ops, value_and_grad

_numbers = itertools.count()


class Box:
    def __init__(self):
        self.n, self.v, self.items = 1, Tensor([1.0, 2.0, 3.0]), [5, 6]


@st.composite
def sources(draw, differentiated=False):
    """Texts of programs that shrink to short ones."""
    return written(lambda count: draw(st.integers(0, count - 1)), differentiated)


def sources_of(chosen_seed, count, differentiated=False, writing=None):
    """The texts of that many programs, the same ones on every machine; `writing` writes those of another kind."""
    numbers = random.Random(chosen_seed)
    for _ in range(count):
        yield (writing or written)(numbers.randrange, differentiated)


def written_with_blocks(draw, differentiated=False):
    """A program with `try`, `with` and nested loops; what it looks at is how blocks end, not who shares memory."""
    text = written(
        draw, differentiated, budget=16, more=(blocks.statements,), names={"kept": "None"}, writes=False
    )
    opening = "def build(box, weight):\n"
    return blocks.PRELUDE + text.replace(opening, opening + "    box.notes = []\n", 1)


def written(draw, differentiated=False, budget=24, more=(), names=(), writes=True):
    """The text of a function `build(box, weight)` that gives the program as a closure over both.

    `more` gives further kinds of statements, `names` what the names start from that they use.
    """
    w = Writer(draw, 0, differentiated)
    w.more += more
    w.writes = writes
    w.declared.update(names)
    w.budget = w.number(budget // 4, budget)
    head = []
    for _ in range(w.number(0, 2)):
        head += _inner_function(w)
    w.lines.clear()
    w.level = 0
    block(w, 0, most=6)
    body = [line[4:] for line in w.lines]
    results = ", ".join([*w.declared, "x"])
    inside = [*w.head(), *head, *body, f"return {results},"]
    lines = ["def build(box, weight):", "    def program(x, s, n, k, items, table):"]
    return "\n".join([*lines, *indented(inside, 2), "    return program", ""])


def _inner_function(w):
    """A function of a Tensor and a number that may change a variable of the program around it."""
    name = w.fresh("inner")
    lines = [f"def {name}(a, b):"]
    if w.chance(4):
        counted = w.variable("whole")
        lines += [f"    nonlocal {counted}", f"    {counted} = ({counted} + 1) % 50"]
    lines.append(f"    if {w.choose(['b > 1', 'a.sum() > 0'])}:")
    lines.append(f"        return a * {w.number(1, 2)} + {whole(w, 0)}")
    lines.append(f"    return {w.pick('a - b', lambda: vector(w, 1))}")
    w.functions.append(name)
    return lines


def _on_a_computed_tensor(program):
    """The program given a Tensor that it may write in place: an input of a gradient it may not."""

    def called(x, s, n, k, items, table):
        return program(x * 1.0, s, n, k, items, table)

    return called


def as_program(source, differentiated=False):
    """The source as a program of the session; its text is found by whatever reads source.

    `differentiated`: its value and its gradients by x, s and the weight are what is called.
    """
    filename = f"<generated {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"Tensor": Tensor, "ops": ops, "__name__": "generated"}
    exec(compile(source, filename, "exec"), space)

    def build():
        box, weight = Box(), Parameter(Tensor([0.5, 1.0, -1.0]), name="weight")

        def change():
            box.n, box.items[:] = 3, [8]
            weight.set_data(Tensor([2.0, 2.0, 2.0]))

        scene = Scene(space["build"](box, weight), change, lambda: (box, weight))
        if differentiated:
            scene.function = _on_a_computed_tensor(scene.function)
            scene.transform = lambda function: value_and_grad(function, (0, 1), [weight])
        return scene

    x = Tensor([1.0, -2.0, 3.0])
    first = Call(x, Tensor(2.0), Tensor(2), 1, [3, 1], {"a": 4})
    other = Call(x, Tensor(-1.0), Tensor(3), 1, [3, 1], {"a": 4})
    third = Call(x, Tensor(0.5), Tensor(0), 2, [1, 2, 3], {"b": 1, "a": 2})
    calls = [first, first, other, first.negated(), third]
    return Program("generated", build, calls, same_text=not differentiated)
