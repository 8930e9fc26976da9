"""Containers that a call hands in are changed in place, at every syntax level: nobody else could miss the change."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, nn
from dyad._src.context.keys import STRICT

X = Tensor([1.0, 2.0])
LIST = [1]


def added(held, x):
    held.append(x + 1)
    return x


def taken(held, x):
    held.insert(-5, 7)
    last = held.pop()
    return held, last


def nested(held, x):
    held[1][0:2] = [x * 2, 5]
    return tuple(held)


def entry_written(held, x):
    held["b"] = x
    return held


def inside_of_a_tuple(held, x):
    held[0].append(3)
    return len(held[0])


def on_a_condition(held, x):
    if x.sum() > 0:
        held.append(1)
    else:
        held.append(2)
    return held


PROGRAMS = [
    (added, lambda: [1]),
    (taken, lambda: [1, 2, 3]),
    (nested, lambda: [0, [1, 2, 3]]),
    (entry_written, lambda: {"a": 1}),
    (inside_of_a_tuple, lambda: ([1, 2], 0)),
    (on_a_condition, lambda: [5]),
]


def told(value):
    if isinstance(value, Tensor):
        return value.asnumpy().tolist()
    if isinstance(value, dict):
        return {key: told(item) for key, item in value.items()}
    return type(value)(map(told, value)) if isinstance(value, (list, tuple)) else value


@pytest.mark.parametrize(("program", "make"), PROGRAMS, ids=lambda value: getattr(value, "__name__", ""))
@pytest.mark.parametrize("fullgraph", [False, True])
def test_arguments_are_changed_in_place(program, make, fullgraph):
    expected_argument = make()
    expected = program(expected_argument, X)
    compiled = jit(program, fullgraph=fullgraph)
    for _ in range(2):
        given = make()
        result = compiled(given, X)
        assert told(result) == told(expected)
        assert told(given) == told(expected_argument)
        assert (result is given) == (expected is expected_argument)


def test_a_cell_at_strict_changes_its_argument():
    class Net(nn.Cell):
        def construct(self, held, x):
            held[0] = x * 3
            return held[0]

    mode, level = dyad.get_context("mode"), dyad.get_context("jit_syntax_level")
    dyad.set_context(mode=dyad.GRAPH_MODE, jit_syntax_level=STRICT)
    try:
        given = [1]
        np.testing.assert_allclose(Net()(given, X).asnumpy(), [3, 6])
        np.testing.assert_allclose(given[0].asnumpy(), [3, 6])
    finally:
        dyad.set_context(mode=mode, jit_syntax_level=level)


def test_what_is_not_an_argument_is_not_changed_at_strict():
    @jit(fullgraph=True)
    def writes(x):
        LIST.append(2)
        return x

    with pytest.raises(TypeError, match="list: one from outside of the graph is changed"):
        writes(X)
    assert LIST == [1]


def test_an_exported_graph_changes_no_argument(tmp_path):
    class Net(nn.Cell):
        def construct(self, held, x):
            held.append(2)
            return x * 2

    with pytest.raises(TypeError, match="list: one from outside of the graph is changed"):
        dyad.export(Net(), [1], X, file_name=str(tmp_path / "net"), file_format="MINDIR")
