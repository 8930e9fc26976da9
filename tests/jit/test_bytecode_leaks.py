"""Bytecode capture with breaks keeps nothing: neither arguments, nor graphs and code of functions that are gone."""

import gc
import itertools
import sys
import weakref

import pytest
from test_leaks import require_flat

from dyad import Tensor, jit, nn

CYCLES = 150


def argument():
    return Tensor([1.0, 2.0])


def host():
    with open("/dev/null") as opened:
        return opened.name


class Box:
    def __init__(self):
        self.value = 2


def whole(x, items, table, box):
    return x * items[0] + table["a"] * box.value


def split(x, items, table, box):
    y = x * items[0]
    host()
    items.append(table["a"])
    items.pop()
    return y * box.value


def split_in_a_loop(x, items, table, box):
    for _ in range(2):
        x = x * items[0]
        host()
        box.value = table["a"]
    return x


def split_in_blocks(x, items, table, box):
    y = x * 2
    try:
        with open("/dev/null"):
            y = y * items[0]
            int(host())
    except ValueError:
        y = y + table["a"]
    return y * box.value


def callee(x, items):
    y = x * items[0]
    host()
    return y + 1


def split_in_a_callee(x, items, table, box):
    y = x * table["a"]
    z = callee(y, items)
    return z * box.value


def raising(x, items, table, box):
    y = x * items[0]
    host()
    raise ValueError(f"a word about {y.shape}")


PROGRAMS = [whole, split, split_in_a_loop, split_in_blocks, split_in_a_callee, raising]
by_name = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)


def call(compiled, *given):
    try:
        return compiled(*given)
    except ValueError as error:
        assert str(error).startswith("a word")
        return None


@by_name
def test_arguments_keep_their_reference_counts(program):
    compiled = jit(program, capture_mode="bytecode")
    given = [argument(), [2, 3], {"a": 2.0}, Box()]
    for _ in range(6):
        call(compiled, *given)
    gc.collect()
    before = [sys.getrefcount(each) for each in given]
    for _ in range(20):
        call(compiled, *given)
    gc.collect()
    assert [sys.getrefcount(each) for each in given] == before


@by_name
def test_no_argument_is_kept(program):
    compiled = jit(program, capture_mode="bytecode")
    for _ in range(6):
        x, box = argument(), Box()
        gone = weakref.ref(x), weakref.ref(box)
        call(compiled, x, [2, 3], {"a": 2.0}, box)
        del x, box
    gc.collect()
    assert [reference() for reference in gone] == [None, None]


@by_name
def test_compiled_and_dropped(program):
    x = argument()

    def cycle():
        made = type(program)(program.__code__.replace(co_name="made"), program.__globals__)
        compiled = jit(made, capture_mode="bytecode")
        for _ in range(2):
            call(compiled, x, [2, 3], {"a": 2.0}, Box())
        if next(counted) % 25 == 0:
            gc.collect()  # in a large process Python waits long with it, and the memory is taken meanwhile

    counted = itertools.count()
    require_flat(cycle, CYCLES)


@by_name
def test_calls_keep_nothing(program):
    compiled = jit(program, capture_mode="bytecode")
    x = argument()
    require_flat(lambda: call(compiled, x, [2, 3], {"a": 2.0}, Box()), 2000)


@by_name
def test_the_code_goes_with_the_function(program):
    made = type(program)(program.__code__.replace(co_name="made"), program.__globals__)
    compiled = jit(made, capture_mode="bytecode")
    for _ in range(6):
        call(compiled, argument(), [2, 3], {"a": 2.0}, Box())
    gone = weakref.ref(made), weakref.ref(made.__code__), weakref.ref(compiled)
    del made, compiled
    gc.collect()
    assert [reference() for reference in gone] == [None] * 3


def new_classes(breaks, mode):
    """A new class of Cells whose `construct` is jitted, and those that it uses."""

    class OwnFault(Exception):
        pass

    class Value:
        scale = 2.0

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.dense, self.value = nn.Dense(2, 2), Value()

        @jit(capture_mode=mode)
        def construct(self, x):
            y = self.dense(x) * self.value.scale
            if breaks:
                host()
            try:
                raise OwnFault(3)
            except OwnFault as fault:
                return y + fault.args[0]

    return Net, Value, OwnFault


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.parametrize("breaks", [False, True])
def test_classes_go_with_their_objects(mode, breaks):
    classes = new_classes(breaks, mode)
    net, x = classes[0](), Tensor([[1.0, 2.0]])
    for _ in range(6):
        net(x)
    gone = [weakref.ref(each) for each in (net, *classes, classes[0].construct)]
    del classes, net
    gc.collect()
    assert [reference() for reference in gone] == [None] * len(gone)
