"""Random programs about several names for one Tensor: which name has whose memory depends on the path.

Names, lists, dicts, attributes and views take turns in holding a few vectors, in branches and loops that data decides,
and all of them are written in place.
"""

import linecache
import random

from generator.comparing import Tally, compare, compare_gradients
from generator.programs import Box, _numbers
from generator.writing import Writer, indented
from program import Call, Program, Scene
from session import jit

from dyad import Parameter, Tensor, ops, value_and_grad

WHOLE = ("a", "b", "c", "x", "y")  # names of vectors of four
PARTS = ("p", "q")  # names of vectors of two
HELD = ("vs[0]", "vs[1]", "table['u']", "box.v")
DEEPEST = 3


def sources_of(chosen_seed, count, differentiated=False):
    """The texts of that many programs, the same ones on every machine."""
    numbers = random.Random(chosen_seed)
    for _ in range(count):
        yield written(numbers.randrange, differentiated)


def written(draw, differentiated=False):
    """The text of a function `build(box, weight)` that gives the program."""
    w = Writer(draw, 0, differentiated)
    w.budget = w.number(4, 14)
    _block(w, 0, most=8)
    head = [f"a, b, c = {_fresh(w)}, {_fresh(w)}, x", f"vs, table = [{_whole(w)}, b], {{'u': {_whole(w)}}}"]
    head += [f"p, q = {_part(w)}, {_part(w)}", "same = False", f"box.v = {w.choose(WHOLE)} * 1.0"]
    result = "return a, b, c, p, q, vs, table, box.v, same, x, y"
    lines = [*head, *_inner(w), *(line[4:] for line in w.lines), result]
    opening = ["def build(box, weight):", "    def program(x, y, s, k):"]
    return "\n".join([*opening, *indented(lines, 2), "    return program", ""])


def _inner(w):
    """Functions that give back what they were given, or write to it."""
    return [
        "def either(one, other):",
        f"    if {w.choose(['one.sum() > other.sum()', 's > 0', 'k > 1'])}:",
        f"        return {w.choose(['one', 'one[::-1]', 'one * 2'])}",
        f"    return {w.choose(['other', 'other', 'other[:]'])}",
        "def mark(one, number):",
        f"    if {w.choose(['one.sum() < 5', 's > 1', 'True'])}:",
        f"        one[{w.number(0, 1)}] = number",
        f"    return {w.choose(['one', 'a', 'one * 1'])}",
    ]


def _fresh(w):
    return f"{w.choose('xy')} * {w.number(1, 3)}.0"


def _whole(w):
    return w.choose([*WHOLE, *HELD[:1]]) if w.lines and w.chance(3) else w.choose(WHOLE)


def _name(w):
    return w.choose([*WHOLE, *WHOLE, *HELD])


def _part(w):
    name = w.choose(WHOLE)
    return w.choose([f"{name}[1:3]", f"{name}[:2]", f"{name}[::2]", f"{name}[:2] * 2.0"])


def _value(w):
    name, other = _name(w), _name(w)
    return w.choose(
        [
            name,
            name,
            f"{name}[::-1]",
            f"{name} * {w.number(1, 2)}.0",
            f"{name} + {other}",
            f"({name} if {_condition(w)} else {other})",
            f"{name}.reshape(2, 2).reshape(4)",
            f"either({name}, {other})",
            f"mark({name}, {w.number(3, 9)}.0)",
        ]
    )


def _condition(w):
    name = _name(w)
    return w.choose(
        [
            f"{name}.sum() > {w.number(-3, 9)}",
            f"s > {w.number(-1, 2)}",
            f"{name}[0] < {_name(w)}[1]",
            f"k > {w.number(0, 1)}",
            "same",
        ]
    )


def _block(w, depth, most=3):
    w.level += 1
    before = len(w.lines)
    for _ in range(w.number(1, most)):
        if w.budget > 0:
            _statement(w, depth)
    if len(w.lines) == before:
        w.line("pass")
    w.level -= 1


def _statement(w, depth):
    w.budget -= 1
    kinds = [_assign, _assign, _write, _write, _write, _swap, _hold, _take_part, _write_part, _compare]
    if depth < DEEPEST:
        kinds += [_branch, _branch, _branch, _loop, _loop, _known_loop]
    if w.loops:
        kinds.append(_leave_turn)
    w.choose(kinds)(w, depth)


def _assign(w, depth):
    w.line(f"{w.choose('abc')} = {_value(w)}")


def _write(w, depth):
    name, number = _name(w), w.number(-3, 9)
    w.line(
        w.pick(
            f"{name}[{w.number(-2, 2)}] = {number}.0",
            f"{name}[{w.number(0, 2)}:] = {number}.0",
            f"{name} += {number}.0",
            lambda: f"{name} -= {_name(w)} * 1.0",
            f"{name}.mul_(0.5)",
            lambda: f"{name}.copy_({_name(w)} * 1.0)",
            lambda: f"{name}[1:].add_({number}.0)",
            lambda: f"{name}[::-1][{w.number(0, 1)}] = {_name(w)}.sum() * 0.5",
            lambda: f"mark({name}, {number}.0)",
            lambda: f"{name}.copy_({_name(w)})",
        )
    )


def _swap(w, depth):
    one, other = w.choose(["a", "b", "c", *HELD]), w.choose(["a", "b", "c", *HELD])
    w.line(f"{one}, {other} = {other}, {one}")


def _hold(w, depth):
    w.line(f"{w.choose(HELD)} = {_value(w)}")


def _take_part(w, depth):
    w.line(f"{w.choose(PARTS)} = {w.pick(lambda: _part(w), lambda: _part(w), w.choose(PARTS))}")


def _write_part(w, depth):
    w.line(f"{w.choose(PARTS)}{w.choose(['[0] = ', ' += ', '[:] = '])}{w.number(-3, 9)}.0")


def _compare(w, depth):
    w.line(f"same = {_name(w)} is {_name(w)}")


def _branch(w, depth):
    w.line(f"if {_condition(w)}:")
    _block(w, depth + 1)
    if w.chance(4):
        w.line("else:")
        _block(w, depth + 1)


def _loop(w, depth):
    turns = f"w{depth}"
    w.line(f"{turns} = s * 0")
    w.line(f"while {turns} < {w.number(1, 3)}{w.choose(['', f' and {_condition(w)}'])}:")
    w.level += 1
    w.line(f"{turns} = {turns} + 1")
    w.level -= 1
    w.loops += 1
    _block(w, depth + 1)
    w.loops -= 1


def _known_loop(w, depth):
    w.line(f"for i{depth} in range({w.number(1, 2)}):")
    w.loops += 1
    _block(w, depth + 1)
    w.loops -= 1


def _leave_turn(w, depth):
    w.line(f"if {_condition(w)}:")
    w.line(f"    {w.choose(['break', 'continue'])}")


def as_program(source, differentiated=False):
    """The source as a program of the session; one of its calls passes one Tensor twice."""
    filename = f"<aliasing {next(_numbers)}>"
    linecache.cache[filename] = (len(source), None, source.splitlines(keepends=True), filename)
    space = {"Tensor": Tensor, "ops": ops, "__name__": "generated"}
    exec(compile(source, filename, "exec"), space)

    def build():
        box, weight = Box(), Parameter(Tensor([0.5, 1.0, -1.0, 2.0]), name="weight")
        box.v = Tensor([1.0, 0.0, -1.0, 2.0])
        scene = Scene(space["build"](box, weight), watch=lambda: (box, weight))
        if differentiated:
            scene.function = _on_computed_tensors(scene.function)
            scene.transform = lambda function: value_and_grad(function, (0, 1, 2))
        return scene

    x, y, other = Tensor([1.0, -2.0, 3.0, 0.5]), Tensor([2.0, 1.0, -1.0, 4.0]), Tensor([4.0, 5.0, 6.0, -1.0])
    calls = [Call(x, y, Tensor(2.0), 1), Call(y, other, Tensor(-1.0), 1), Call(other, x, Tensor(0.5), 2)]
    if not differentiated:
        calls.append(Call(x, x, Tensor(1.5), 1))
    return Program("aliasing", build, calls, same_text=not differentiated)


def _on_computed_tensors(program):
    """The program given Tensors that it may write in place: an input of a gradient it may not."""

    def called(x, y, s, k):
        results = program(x * 1.0, y * 1.0, s * 1.0, k)
        kept = [results[i] for i in (0, 1, 2, 3, 4, 7, 9, 10)]
        return sum(
            ((one * one).sum() for one in kept), (results[5][0] * results[5][1] + results[6]["u"]).sum()
        )

    return called


def compare_many(count, chosen_seed, differentiated=False, form=jit):
    """Compares that many programs, the same ones everywhere; the first that differs is raised."""
    tally = Tally()
    how = compare_gradients if differentiated else compare
    for source in sources_of(chosen_seed, count, differentiated):
        how(source, tally, as_program, form)
    return tally
