"""jit_class, constexpr, jit_ignore and the writing of attributes, used where a graph cannot follow."""

import functools

import pytest
from wrong_graph import (
    Refused,
    graph_mode,
    graph_mode_strict,
    jit,
    message_of,
    strict,
    the_next_graph_works,
)

import dyad
from dyad import Tensor, nn, ops

X = Tensor([1.0, 2.0])
refused = Refused()


@dyad.jit_class
class Pair:
    def __init__(self, value):
        self.value = value

    def get(self):
        return self.value


@ops.constexpr
def doubled(n):
    return n * 2


@dyad.jit_ignore
def ignored(v):
    return v + 1


HOLDER = Pair(3)
LIST = [1, 2]
TABLE = {"a": 1}
COUNT = 0


def begin_again():
    global HOLDER, LIST, TABLE, COUNT
    HOLDER, LIST, TABLE, COUNT = Pair(3), [1, 2], {"a": 1}, 0


def state():
    return HOLDER, LIST, TABLE, COUNT


programs = Refused()
written_at_lax = functools.partial(programs, before=begin_again, watch=state)


@refused(
    X,
    says="ignored: it is called with a value that is known only when the graph runs, and it is marked jit_ignore",
    strict=ValueError,
)
def ignored_function_of_a_tensor(x):
    return ignored(x)  # here


@written_at_lax(X, says="attribute 'value' of a Pair is written", error=TypeError, marked="HOLDER.value")
def attribute_of_a_global_written(x):
    HOLDER.value = 4  # here
    return x


@written_at_lax(X, says="attribute 'value' of a Pair is written", error=TypeError, marked="HOLDER.value += 1")
def attribute_of_a_global_counted(x):
    HOLDER.value += 1  # here
    return x


@written_at_lax(
    X, says="name 'COUNT' of the program around the graph is assigned", error=TypeError, marked="COUNT"
)
def global_name_written(x):
    global COUNT
    COUNT = COUNT + 1  # here
    return x


@written_at_lax(
    X, says="list: one from outside of the graph is changed", error=TypeError, marked="LIST.append(3)"
)
def global_list_written(x):
    LIST.append(3)  # here
    return x


@written_at_lax(
    X, says="dict: one from outside of the graph is changed", error=TypeError, marked='TABLE["b"]'
)
def global_dict_written(x):
    TABLE["b"] = 2  # here
    return x


@refused.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@refused.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)


@programs.at_strict
def test_writes_refused_by_strict(program, form):
    program.check(form)


@programs.at_lax
def test_writes_at_lax(program, form):
    program.check_runs(form)


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.total = dyad.Parameter(Tensor([0.0, 0.0]), name="total")

    def construct(self, x):
        self.calls += 1
        return x


class WrongTotal(Counter):
    def construct(self, x):
        self.total = x.sum()
        return x


class TextForTotal(Counter):
    def construct(self, x):
        self.total = "text"
        return x


def test_an_attribute_of_the_cell_at_strict():
    cell = Counter()
    with pytest.raises(TypeError) as caught:
        dyad.jit(cell, fullgraph=True)(X)
    text = message_of(caught.value)
    assert text.startswith("attribute 'calls' of a Counter is written"), text
    assert "    self.calls += 1\n    ^^^^^^^^^^^^^^^" in text
    assert cell.calls == 0


@pytest.mark.parametrize("form", [jit, strict, graph_mode])
def test_a_parameter_given_another_shape(form):
    cell = WrongTotal()
    with pytest.raises(ValueError, match="'total' is a Parameter of shape"):
        form(cell)(X)
    assert cell.total.asnumpy().tolist() == [0.0, 0.0]
    assert the_next_graph_works()


@pytest.mark.parametrize("form", [jit, strict, graph_mode])
def test_a_parameter_given_a_text(form):
    cell = TextForTotal()
    with pytest.raises(TypeError, match="'total' is a Parameter and cannot take a str"):
        form(cell)(X)
    assert cell.total.asnumpy().tolist() == [0.0, 0.0]


def constant_function_of_a_tensor(x):
    return doubled(x)


def constant_function_of_a_number(x):
    return doubled(x.sum().item())


@pytest.mark.parametrize("form", [strict, graph_mode_strict])
@pytest.mark.parametrize("function", [constant_function_of_a_tensor, constant_function_of_a_number])
def test_constant_functions_take_constants(function, form):
    with pytest.raises(TypeError) as caught:
        form(function)(X)
    text = message_of(caught.value)
    assert text.startswith(
        "doubled: argument 0 is known only when the graph runs; a constexpr function takes"
    ), text
    assert f'File "{__file__}", line {function.__code__.co_firstlineno + 1}' in text
