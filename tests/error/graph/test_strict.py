"""Constructs that STRICT rejects anywhere in a program, objects it does not follow, and settings of the level.

The other tables of STRICT are in `test_run_time_values.py`, `test_python_constructs.py`, `test_host_functions.py`,
`test_joins.py`, `test_calls.py`, `test_markers_refused.py` and `tests/forms/rejected`.
"""

import collections
import contextlib
import decimal
import functools
import io
import itertools
import re
import threading

import numpy as np
import pytest
from session import in_graph_mode
from wrong_graph import Refused, graph_mode, jit, message_of, the_next_graph_works

import dyad
from dyad import JitConfig, Tensor, nn, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
ASNUMPY = "asnumpy: the data of a Tensor is needed in Python, but is known only when the graph runs"
TOLIST = "tolist: the data of a Tensor is needed in Python, but is known only when the graph runs"
QUEUE = collections.deque([1.0, 2.0])
TABLE = collections.defaultdict(list, a=[])
COUNTS = collections.Counter()
ARRAY = np.zeros(2)
DONE = []


class Slotted:
    __slots__ = ("a",)


class Sized:
    size = 1


class OwnDict(dict):
    pass


HELD = Slotted()
OWN = OwnDict(a=1)
MADE = "by this file"


def begin_again():
    global MADE
    MADE = "by this file"
    QUEUE.clear()
    for held in (TABLE, COUNTS, OWN):
        held.clear()
    TABLE["a"] = [0]
    HELD.a = Sized.size = 1
    ARRAY[:] = 0
    DONE.clear()


def state():
    return list(QUEUE), dict(TABLE), dict(COUNTS), dict(OWN), HELD.a, Sized.size, ARRAY, MADE, list(DONE)


programs = Refused()
refused = functools.partial(programs, before=begin_again, watch=state)


# ------------------------------------------------------------------------------------------ wherever it stands


@refused(X, says=ASNUMPY, marked="y.asnumpy", error=AttributeError)
def in_a_loop(x):
    y = x
    for _ in range(3):
        y = y * float(y.asnumpy().sum())  # here
    return y


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def as_the_condition_of_a_loop(x):
    while x.asnumpy()[0] < 10:  # here
        x = x * 2
    return x


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def as_a_condition(x):
    if x.asnumpy().any():  # here
        return x
    return -x


@refused(
    X, says="numpy.all: it is called with a value that is known only when the graph runs", error=ValueError
)
def condition_of_numpy(x):
    return x if np.all(x > 0) else -x  # here


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def in_an_arm(x):
    y = x
    if x.sum() > 0:
        y = Tensor(x.asnumpy() + 1)  # here
    return y * 2


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def in_try(x):
    try:
        return x * int(x.asnumpy()[0])  # here
    except ValueError:
        return x


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def in_a_handler(x):
    try:
        raise ValueError("first")
    except ValueError:
        return x * int(x.asnumpy()[0])  # here


@refused(X, says=TOLIST, marked="x.tolist", error=AttributeError)
def in_finally(x):
    try:
        y = x * 2
    finally:
        z = x.tolist()  # here
    return y, z


@refused(X, says=TOLIST, marked="x.tolist", error=AttributeError)
def in_with(x):
    with contextlib.nullcontext():
        y = x.tolist()  # here
    return y


@refused(X, says=TOLIST, marked="x.tolist", error=AttributeError)
def in_a_comprehension(x):
    return [x * k for k in x.tolist()]  # here


@refused(X, says=TOLIST, marked="x.tolist", error=AttributeError)
def in_a_generator_expression(x):
    return sum(v * k for k, v in zip(itertools.count(), x.tolist(), strict=False))  # here


@refused(X, says=TOLIST, marked="x.tolist", error=AttributeError)
def as_the_subject_of_match(x):
    match x.tolist():  # here
        case [a, _]:
            return x * a
    return x


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def as_a_named_expression(x):
    if (k := x.asnumpy()).size:  # here
        return x * k.size
    return x


@refused(X, says=ASNUMPY, marked="v.asnumpy", error=AttributeError)
def in_a_lambda(x):
    largest = lambda v: float(v.asnumpy().max())  # here  # noqa: E731
    return x * largest(x)


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def as_a_default(x):
    def inner(v, k=x.asnumpy()):  # here  # noqa: B008
        return v * k.size

    return inner(x)


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def spread_over_arguments(x):
    return ops.stack([Tensor(each) for each in [*x.asnumpy()]])  # here


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def in_an_augmented_assignment(x):
    y = x * 1
    y += Tensor(np.sin(x.asnumpy()))  # here
    return y


@refused(X, says=ASNUMPY, marked="v.asnumpy", error=AttributeError)
def inside_of_grad(x):
    def loss(v):
        return v * float(v.asnumpy()[0])  # here

    return dyad.grad(loss)(x)


@refused(X, says=ASNUMPY, marked="v.asnumpy", error=AttributeError)
def inside_of_value_and_grad(x):
    def loss(v):
        return (v * v).sum() * float(v.asnumpy()[0])  # here

    return dyad.value_and_grad(loss)(x)


@refused(X, says=ASNUMPY, marked="v.asnumpy", error=AttributeError)
def inside_of_a_jitted_callee(x):
    @dyad.jit
    def inner(v):
        return v * float(v.asnumpy()[0])  # here

    return inner(x) + 1


@refused(X, says=ASNUMPY, marked="x.asnumpy", error=AttributeError)
def behind_what_is_already_done(x):
    y = x * 2
    print("never seen")
    return y + Tensor(x.asnumpy())  # here


# ------------------------------------------------------------------------------------------------------- objects


@refused(
    X, says="deque: one from outside of the graph is changed", error=TypeError, marked="QUEUE.append(3.0)"
)
def deque_from_outside(x):
    QUEUE.append(3.0)  # here
    return x


@refused(
    X,
    says="collections.deque: it is called with a value that is known only when the graph runs",
    error=ValueError,
    marked="collections.deque([x])",
)
def deque_made(x):
    waiting = collections.deque([x])  # here
    return waiting.popleft()


@refused(X, says="defaultdict: one from outside of the graph is changed", error=TypeError)
def default_dict_from_outside(x):
    TABLE["b"].append(1)  # here
    return x


@refused(X, says="defaultdict: one from outside of the graph is changed", error=TypeError)
def key_deleted_outside(x):
    del TABLE["a"]  # here
    return x


@refused(X, says="Counter: one from outside of the graph is changed", error=TypeError)
def counter_from_outside(x):
    COUNTS["a"] += 1  # here
    return x


@refused(X, says="OwnDict: one from outside of the graph is changed", error=TypeError)
def own_dict_from_outside(x):
    OWN["b"] = 1  # here
    return x


@refused(X, says="attribute 'a' of a Slotted is written", error=TypeError, marked="HELD.a")
def slot_written(x):
    HELD.a = 2  # here
    return x


@refused(X, says="attribute 'a' of a Slotted is written", error=TypeError)
def slot_written_by_name(x):
    setattr(HELD, "a", 3)  # here  # noqa: B010
    return x


@refused(X, says="attribute 'size' of a type is written", error=TypeError, marked="Sized.size")
def attribute_of_a_class_written(x):
    Sized.size = 3  # here
    return x


@refused(X, says="an element of a ndarray is written", marked="ARRAY[0]")
def array_from_outside_written(x):
    ARRAY[0] = x.sum().item()  # here
    return x


@refused(X, says="an element of a ndarray is written", marked="a[0]")
def array_made_inside_written(x):
    a = np.zeros(2)
    a[0] = float(x[0])  # here
    return a


@refused(
    S, says="re.match: it is called with a value that is known only when the graph runs", error=ValueError
)
def text_matched(x):
    return re.match("5", f"{x.item()}").end()  # here


@refused(
    S,
    says="decimal.Decimal: it is called with a value that is known only when the graph runs",
    error=ValueError,
    marked="decimal.Decimal(x.item())",
)
def decimal_made(x):
    return decimal.Decimal(x.item())  # here


@refused(X, says="globals: the names of a module are not a value of a static graph", marked="globals()")
def names_of_the_module(x):
    globals()["MADE"] = "by a program"  # here
    return x


@refused(X, says="threading.Thread: each call may give another value")
def thread_started(x):
    thread = threading.Thread(target=DONE.append, args=(1,))  # here
    thread.start()
    thread.join()
    return x


@refused(X, says="_io.StringIO: each call may give another value", marked="io.StringIO()")
def text_buffer_made(x):
    text = io.StringIO()  # here
    text.write("abc")
    return x * len(text.getvalue())


@programs.at_strict
def test_refused_by_strict(program, form):
    program.check(form)
    left = repr(state())
    begin_again()
    assert left == repr(state())  # nothing of a refused call is done


@programs.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)


# -------------------------------------------------------------------------------------- where the level is set


class Reads(nn.Cell):
    def construct(self, x):
        return x * float(x.asnumpy()[1])


def reads(x):
    return x * float(x.asnumpy()[1])


STRICT_CONFIG = JitConfig(jit_syntax_level="STRICT")
LAX_CONFIG = JitConfig(jit_syntax_level="LAX")


def configured(config):
    cell = Reads()
    cell.set_jit_config(config)
    return graph_mode(cell)


def is_refused(call):
    with pytest.raises(AttributeError, match="asnumpy: ") as caught:
        call(X)
    assert f'File "{__file__}", line ' in message_of(caught.value)
    assert the_next_graph_works()


def runs(call):
    for _ in range(2):
        assert call(X).asnumpy().tolist() == [2.0, 4.0]


def test_fullgraph_implies_strict():
    is_refused(dyad.jit(reads, fullgraph=True))
    runs(dyad.jit(reads, fullgraph=False))


def test_the_config_of_jit():
    is_refused(dyad.jit(reads, jit_config=STRICT_CONFIG))
    runs(dyad.jit(reads, jit_config=LAX_CONFIG))


def test_the_context_is_for_cells_in_graph_mode():
    dyad.set_context(jit_syntax_level=dyad.STRICT)
    is_refused(graph_mode(Reads()))
    is_refused(in_graph_mode(dyad.grad(reads)))
    runs(jit(reads))
    dyad.set_context(jit_syntax_level=dyad.LAX)
    runs(graph_mode(Reads()))


def test_the_config_of_a_cell_wins_over_the_context():
    is_refused(configured(STRICT_CONFIG))
    dyad.set_context(jit_syntax_level=dyad.STRICT)
    runs(configured(LAX_CONFIG))
    is_refused(configured(JitConfig()))


def test_the_environment_wins(monkeypatch):
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    is_refused(dyad.jit(reads))
    is_refused(configured(LAX_CONFIG))
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "2")
    runs(dyad.jit(reads, fullgraph=True))
    runs(configured(STRICT_CONFIG))
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "3")
    with pytest.raises(RuntimeError, match="MS_DEV_JIT_SYNTAX_LEVEL"):
        dyad.jit(reads)(X)


def test_a_cell_of_which_one_part_is_strict():
    """The level of what is called first is that of all it calls."""

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Reads()
            self.inner.set_jit_config(LAX_CONFIG)

        def construct(self, x):
            return self.inner(x) + 0

    is_refused(dyad.jit(Outer(), fullgraph=True))
    runs(dyad.jit(Outer()))


def test_strict_and_lax_of_one_function_side_by_side():
    loose, tight = dyad.jit(reads), dyad.jit(reads, fullgraph=True)
    for _ in range(2):
        runs(loose)
        is_refused(tight)


def test_what_to_write_instead_is_said():
    with pytest.raises(AttributeError) as caught:
        dyad.jit(reads, fullgraph=True)(X)
    lines = str(caught.value).split("\n")
    assert len(lines) > 3 and not lines[-1].strip().startswith(("File", "^")), lines
