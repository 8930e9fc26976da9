"""A function of which Python runs any of the instructions, and parts the others, behaves as it was written."""

import gc
import itertools
import random
import sys
import traceback
import weakref

import pytest

sys.path.insert(0, __file__.rpartition("/")[0])
from split_corpus import CALLS, NUMBERS, generator

from dyad._src.bytecode.instructions import instructions_of
from dyad._src.jit.graph_break.bytecode.split_code import SplitCode


class Compiled:
    python_form = None


class CallAll:
    """Stands for what host code calls: everything, as it is."""

    def __call__(self, callee):
        return callee

    def leaves(self, found, attribute):
        return False


def plain_part(function, shape, owner):
    return function


def split(function, cuts):
    made = SplitCode(Compiled(), function, plain_part, CallAll())
    for number in cuts:
        made.cut(instructions_of(function.__code__)[number], "a test")
    return made


def told(function, arguments):
    """Result of a call, or its exception and lines."""
    try:
        return repr(function(*arguments))
    except Exception as error:
        return type(error), str(error), lines_of(error), type(error.__context__), type(error.__cause__)


def lines_of(error):
    """The lines that a traceback shows in the corpus; of a function and its part, that of the part."""
    frames = [
        (frame.name, frame.lineno)
        for frame in traceback.extract_tb(error.__traceback__)
        if frame.filename.endswith("split_corpus.py")
    ]
    return [last for _, (*_, last) in itertools.groupby(frames, key=lambda frame: frame[0])]


def check(function, cuts):
    run = split(function, cuts).runnable()
    for arguments in CALLS[function]:
        assert told(run, arguments) == told(function, arguments), (
            function.__qualname__,
            sorted(cuts),
            arguments,
        )


def name_of(function):
    return function.__qualname__


@pytest.mark.parametrize("function", CALLS, ids=name_of)
def test_every_instruction_cut_alone(function):
    check(function, ())
    for number in range(len(instructions_of(function.__code__))):
        check(function, (number,))


@pytest.mark.parametrize("function", CALLS, ids=name_of)
def test_random_cuts(function):
    chosen = random.Random(function.__qualname__)
    count = len(instructions_of(function.__code__))
    for _ in range(30):
        check(function, frozenset(chosen.sample(range(count), chosen.randint(1, max(1, count // 3)))))


def test_generators_are_left_and_entered():
    for cuts in ((), (5,), (9, 12), range(20)):
        run = split(generator, cuts).runnable()
        for a, b in NUMBERS[:5]:
            one, other = run(a, b), generator(a, b)
            for given in (None, 3, None):
                assert next(one, "end") == next(other, "end")
                assert told(one.send, (given,)) == told(other.send, (given,))


def place_of(function, name, which=0):
    return [each.number for each in instructions_of(function.__code__).all if each.name == name][which]


def computes(a, b):
    c = a * 2 + b
    d = twice(c)
    return d - c * b


def twice(x):
    return x * 2


def test_parts_are_what_lies_between_the_cuts():
    made = split(computes, [place_of(computes, "CALL")])
    assert made.runnable()(3, 4) == computes(3, 4)
    first, second = made.parts
    assert first.takes == ("a", "b") and not first.ends
    assert second.ends and set(second.takes) >= {"b", "c"}
    lines = [(piece.first_line, piece.last_line, piece.is_graph) for piece in made_pieces(made)]
    start = computes.__code__.co_firstlineno
    assert (start + 1, start + 1, True) in lines and (start + 2, start + 2, False) in lines


def made_pieces(made):
    for shape, (name, part) in list(made.parts.items()):
        made.parts[shape] = name, Counted(part)
    return made.pieces()


class Counted:
    hits = misses = 0
    entries = ()

    def __init__(self, part):
        self.part = part


def test_a_part_that_is_split_tells_the_root():
    """The call under way goes on in a split of the part; the next one runs a function that is made anew."""
    root = split(computes, [])
    children = []

    def refused(function, shape, owner):
        def part(*args):
            child = SplitCode(Compiled(), function, plain_part, CallAll(), owner(), shape)
            refused_at = next(each for each in instructions_of(function.__code__).all if each.name == "CALL")
            child.cut(shape.held(refused_at), "a test")
            children.append(child)
            return child(*args)

        return part

    root._make_part = refused
    assert root(3, 4) == computes(3, 4)
    assert [cut.statement.number for cut in root.cuts.values()] == [place_of(computes, "CALL")]
    assert len(children) == 1 and len(children[0].parts) == 2
    root._make_part = plain_part
    assert root(3, 4) == computes(3, 4)
    assert len(root.parts) == 2


def test_a_split_function_is_freed():
    made = split(computes, [3])
    run = weakref.ref(made.runnable())
    made = None
    gc.collect()
    assert run() is None


def test_functions_that_ask_for_their_names_stay():
    def asks(a):
        b = a * 2
        return locals(), b

    assert split(asks, [4]).runnable() is asks
