"""Kinds of graph breaks and decisions of the compiler are data: they stay when all messages read otherwise."""

import math
import threading
import time

import pytest

from dyad import Parameter, Tensor, _core, explain, jit, nn, ops
from dyad._src.base import break_reasons
from dyad._src.capture import errors
from dyad._src.capture.policy import FEWER_DYNAMIC_INPUTS
from dyad.common._pijit_context import Unsupported

X = Tensor([1.0, 2.0])
LOCK = threading.Lock()


@pytest.fixture(params=[False, True], ids=["messages", "reversed messages"])
def messages(request, monkeypatch):
    """Runs a test twice; the second time every message is reversed where it is made."""
    if request.param:
        made = errors._message
        monkeypatch.setattr(errors, "_message", lambda *parts: made(*parts)[::-1])
        _core.reverse_messages(True)
    yield
    _core.reverse_messages(False)


def branches(x):
    return x if x.sum() > 1.0 else None


def calls_itself(x, n):
    return calls_itself(x, n + 1) + x


def loops_over_data(x):
    seen = set()
    while x.sum() < 10.0:
        x = x + 1.0
        seen.add(len(seen))
    return x


def reads_a_traceback(x):
    try:
        raise (ValueError if x.sum() > 1.0 else TypeError)("message")
    except (ValueError, TypeError) as error:
        return x, error.__traceback__.tb_lineno


def takes_a_lock(x):
    with LOCK:
        return x


def yields(x):
    yield x


PROGRAMS = [
    (lambda x: x.asnumpy(), break_reasons.FUNCTION),
    (lambda x: x * time.time(), break_reasons.FUNCTION),
    (lambda x: x + eval("1.0"), break_reasons.FUNCTION),
    (lambda x: math.exp(x.sum().item()), break_reasons.ARGUMENT),
    (lambda x: ops.arange(x.sum()), break_reasons.CONDITION),
    (lambda x: x[:: -int(x.sum())], break_reasons.CONDITION),
    (lambda x: {int(x.sum()): x}, break_reasons.CONDITION),
    (lambda x: iter(x[: int(x.sum())]), break_reasons.ITERABLE),
    (loops_over_data, break_reasons.LOOP_TRACE),
    (takes_a_lock, break_reasons.EXCEPTION),
    (reads_a_traceback, break_reasons.EXCEPTION),
    (lambda x: Parameter(x) + 1.0, break_reasons.CELL),
    (lambda x: nn.ReLU(), break_reasons.CELL),
    (lambda x: {x, 1}, break_reasons.OUTPUT),
    (lambda x: calls_itself(x, 0), break_reasons.CALLEE),
]


@pytest.mark.parametrize(("program", "kind"), PROGRAMS)
@pytest.mark.usefixtures("messages")
def test_the_kind_of_a_break_does_not_depend_on_its_message(program, kind):
    with pytest.raises(Unsupported) as raised:
        jit(program, capture_mode="bytecode", fullgraph=True)(X)
    assert raised.value.reason == kind


@pytest.mark.usefixtures("messages")
def test_errors_of_the_core_carry_kind_and_owner():
    with pytest.raises(ValueError) as raised:
        jit(lambda x: ops.arange(x.sum()), fullgraph=True)(X)
    assert errors.refusal_of(raised.value).kind == break_reasons.CONDITION
    with pytest.raises(ValueError) as raised:
        ops.reshape(X, (3,))
    assert vars(raised.value)["_dyad_parts"][0] == "reshape"


def splits(x):
    y = x * 2.0
    open(__file__).close()
    return y + 1.0


@pytest.mark.parametrize("mode", ["bytecode", "ast"])
@pytest.mark.usefixtures("messages")
def test_a_function_is_split_at_the_same_statement(mode):
    compiled = jit(splits, capture_mode=mode)
    assert compiled(X).tolist() == [3.0, 5.0]
    pieces = explain(compiled)(X).pieces
    assert [piece.is_graph for piece in pieces] == [True, False, True]


@pytest.mark.usefixtures("messages")
def test_an_effect_before_a_check_ends_the_graph():
    seen = []

    @jit(capture_mode="bytecode")
    def program(x, index):
        seen.append(1)
        return ops.gather(x, index, 0)

    assert program(X, Tensor([1, 0])).tolist() == [2.0, 1.0] and seen == [1]
    with pytest.raises(IndexError):
        program(X, Tensor([5, 0]))
    assert seen == [1, 1]


@pytest.mark.usefixtures("messages")
def test_causes_and_advice_stay():
    @jit
    def program(x, n):
        return x * n

    program(X, 2)
    program(X, 3)
    program(Tensor([1.0]), 3)
    causes = [each.cause for each in explain(program)(X, 3).compilations]
    assert [(cause.kind, cause.difference) for cause in causes] == [
        ("", ""),
        ("value", "number"),
        ("tensor", "shape"),
    ]
    assert "mutable(number)" in causes[1].advice and "dynamic=1" in causes[2].advice


@pytest.mark.usefixtures("messages")
def test_redundant_entries_are_dropped():
    program = jit(lambda x, y: x, dynamic=1)
    for rows, others in ((2, 2), (3, 3), (4, 4), (5, 5), (7, 8)):
        program(Tensor([1.0] * rows), Tensor([1.0] * others))
    # The graph for two sizes that differ serves the calls of the graph for one size too.
    assert len(explain(program)(X, X).compilations) == 4 and len(program.entries) == 3


@pytest.mark.usefixtures("messages")
def test_an_optimizer_names_itself_in_the_error_of_its_operator():
    weight = Parameter(Tensor([1.0, 2.0]), name="weight")
    with pytest.raises(ValueError) as raised:
        nn.Adam([weight])((Tensor([1.0, 2.0, 3.0]),))
    assert str(raised.value).startswith("Adam: ")


@pytest.mark.usefixtures("messages")
def test_a_size_that_must_be_known_makes_the_graph_static():
    @jit(dynamic=1)
    def program(x):
        return x + len(range(x.shape[0]))

    for size in (2, 3, 4, 5):
        assert program(Tensor([1.0] * size)).shape == (size,)
    retries = [each.retries for each in explain(program)(X).compilations]
    assert retries == [{}, {}, {FEWER_DYNAMIC_INPUTS: 1}, {}]
