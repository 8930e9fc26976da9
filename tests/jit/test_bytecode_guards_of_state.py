"""Bytecode capture: Cells, globals, the state of the process and precision are looked at again."""

import contextlib
import functools
import math
import string

import numpy as np
import pytest
from guard_rows import (
    NEW,
    SAME,
    Box,
    X,
    bytecode,
    called,
    graphs,
    one_more,
    require_graphs,
    tensor,
)

import dyad
from dyad import Parameter, nn, ops


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.layers = nn.CellList([nn.Dense(3, 3), nn.Dense(3, 3)])
        self.norm = nn.BatchNorm1d(3)
        self.factor = 2

    def construct(self, x):
        for layer in self.layers:
            x = layer(x)
        if self.training:
            x = x + 1
        return x * self.factor


def doubled_output(cell, inputs, output):
    return output * 2


def doubled_input(cell, given):
    return (given[0] * 2,)


def replace_first(net):
    net.layers[0] = nn.Dense(3, 3)


def replace_weight(net):
    net.layers[0].weight = Parameter(net.layers[0].weight + 1)


def write_weight(net):
    net.layers[0].weight.set_data(net.layers[0].weight + 1)


CELL_CHANGES = {
    "nothing": (lambda net: None, SAME),
    "training": (lambda net: net.set_train(True), NEW),
    "requires_grad of a Parameter": (lambda net: setattr(net.layers[0].weight, "requires_grad", False), NEW),
    "a hook": (lambda net: net.layers[0].register_forward_hook(doubled_output), NEW),
    "a pre-hook": (lambda net: net.layers[0].register_forward_pre_hook(doubled_input), NEW),
    "a sub-cell more": (lambda net: net.layers.append(nn.Dense(3, 3)), NEW),
    "a sub-cell less": (lambda net: net.layers.__delitem__(1), NEW),
    "another sub-cell": (replace_first, NEW),
    "sub-cells in another order": (lambda net: net.layers.insert(0, net.layers[1]), NEW),
    "another Parameter of the same form": (replace_weight, SAME),  # it is an input, found by its path
    "contents of a Parameter": (write_weight, SAME),
    "an attribute": (lambda net: setattr(net, "factor", 3), NEW),
    "an attribute that is not read": (lambda net: setattr(net, "other", 3), SAME),
    "its class": (lambda net: setattr(net, "__class__", type("Derived", (Net,), {})), NEW),
    "precision": (lambda net: net.layers[0].to_float(dyad.float16), NEW),
}


@pytest.mark.parametrize("change", CELL_CHANGES)
def test_a_change_of_a_cell(change):
    net = Net()
    change, expected = CELL_CHANGES[change]
    compiled = bytecode(called)
    require_close(compiled, 1, net)
    require_close(compiled, 0, net)
    change(net)
    require_close(compiled, expected, net)
    require_close(compiled, 0, net)


def require_close(compiled, expected, net):
    before = graphs(compiled)
    np.testing.assert_allclose(compiled(X, net).asnumpy(), net(X).asnumpy(), rtol=1e-3, atol=1e-3)
    assert compiled.python_form is None
    assert graphs(compiled) - before == expected


def test_another_cell_of_the_class():
    compiled = bytecode(called)
    require_close(compiled, 1, Net())
    require_close(compiled, 1, Net())


NUMBER, ITEMS, TABLE, BOX, FUNCTION, CONSTANT = 2, [1, 2], {"a": 2}, Box(2), one_more, tensor(3)


def with_number(x):
    return x * NUMBER


def with_items(x):
    return x * ITEMS[1]


def with_table(x):
    return x * TABLE["a"]


def with_box(x):
    return x * BOX.scale


def with_function(x):
    return FUNCTION(x)


def with_constant(x):
    return x + CONSTANT


GLOBAL_CHANGES = {
    "number": (with_number, "NUMBER", 3, NEW),
    "list": (with_items, "ITEMS", [1, 5], NEW),
    "equal list": (with_items, "ITEMS", [1, 2], SAME),
    "dict": (with_table, "TABLE", {"a": 3}, NEW),
    "object": (with_box, "BOX", Box(3), NEW),
    "function": (with_function, "FUNCTION", lambda x: x + 2, NEW),
    "Tensor, data": (with_constant, "CONSTANT", tensor(3) + 1, SAME),
    "Tensor, shape": (with_constant, "CONSTANT", tensor(2, 3), NEW),
}


@pytest.mark.parametrize("row", GLOBAL_CHANGES)
def test_a_change_of_a_global(row, monkeypatch):
    function, name, value, expected = GLOBAL_CHANGES[row]
    compiled = bytecode(function)
    require_graphs(compiled, function, 1, X)
    require_graphs(compiled, function, 0, X)
    monkeypatch.setitem(globals(), name, value)
    require_graphs(compiled, function, expected, X)


def test_changes_inside_of_globals(monkeypatch):
    monkeypatch.setitem(globals(), "ITEMS", [1, 2])
    monkeypatch.setitem(globals(), "BOX", Box(2))
    of_items, of_box = bytecode(with_items), bytecode(with_box)
    require_graphs(of_items, with_items, 1, X)
    require_graphs(of_box, with_box, 1, X)
    ITEMS[1], BOX.scale = 7, 7
    require_graphs(of_items, with_items, 1, X)
    require_graphs(of_box, with_box, 1, X)


def largest(x, items):
    return x * max(items)


def test_a_builtin_that_is_hidden(monkeypatch):
    compiled = bytecode(largest)
    require_graphs(compiled, largest, 1, X, [1, 2])
    monkeypatch.setitem(globals(), "max", lambda items: 7)
    require_graphs(compiled, largest, 1, X, [1, 2])


@contextlib.contextmanager
def mode(value):
    before = dyad.get_context("mode")
    dyad.set_context(mode=value)
    try:
        yield
    finally:
        dyad.set_context(mode=before)


@contextlib.contextmanager
def deterministic():
    before = dyad.get_context("deterministic")
    dyad.set_context(deterministic="ON")
    try:
        yield
    finally:
        dyad.set_context(deterministic=before)


@pytest.mark.parametrize("state", [dyad.no_grad, functools.partial(mode, dyad.GRAPH_MODE), deterministic])
def test_a_change_of_the_process(state):
    compiled = bytecode(one_more)
    require_graphs(compiled, one_more, 1, X)
    with state():
        require_graphs(compiled, one_more, 1, X)
        require_graphs(compiled, one_more, 0, X)
    require_graphs(compiled, one_more, 0, X)


def test_recording_gradients_compiles_a_separate_graph():
    compiled = bytecode(lambda x: (x * x).sum())
    compiled(X)
    gradient = dyad.grad(compiled)
    for _ in range(3):
        np.testing.assert_array_equal(gradient(X).asnumpy(), 2 * X.asnumpy())
    assert graphs(compiled) == 2
    compiled(X)
    assert graphs(compiled) == 2


class Cast(nn.Cell):
    def __init__(self):
        super().__init__()
        self.dense = nn.Dense(3, 3)
        self.norm = nn.LayerNorm((3,))

    def construct(self, x):
        return self.norm(self.dense(x))


class TestMixedPrecision:
    @pytest.mark.parametrize("as_argument", [True, False])
    @pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16])
    def test_to_float_changes_the_result_dtype_of_a_compiled_cell(self, dtype, as_argument):
        net = Cast()
        net.dense.to_float(dtype)
        called_with = (bytecode(called), X, net) if as_argument else (bytecode(net), X)
        compiled = functools.partial(*called_with)
        for _ in range(2):
            found = compiled()
            assert found.dtype == net(X).dtype
            np.testing.assert_allclose(found.asnumpy(), net(X).asnumpy(), atol=2e-2)
        net.dense.to_float(dyad.float32)
        assert compiled().dtype == net(X).dtype

    def test_the_cell_itself_keeps_its_precision(self):
        net = nn.Dense(3, 3).to_float(dyad.float16)
        assert bytecode(net)(X).dtype == net(X).dtype == dyad.float16

    def test_the_precision_around_the_function(self):
        product = bytecode(lambda x, w: ops.matmul(x, w))

        class Around(nn.Cell):
            def construct(self, x, w):
                return product(x, w)

        net, w = Around(), tensor(3, 2)
        assert net(X, w).dtype == dyad.float32
        net.to_float(dyad.float16)
        for _ in range(2):
            assert net(X, w).dtype == dyad.float16
        assert graphs(product) == 2
        assert product(X, w).dtype == dyad.float32
        assert graphs(product) == 2


def of_a_library(x):
    return x * math.pi + math.floor(2.5)


def by_a_longer_path(x):
    return x * len(string.digits)


LIBRARY_CHANGES = {
    "nothing": (of_a_library, math, "e", 3.0, SAME),
    "an equal number": (of_a_library, math, "pi", float(str(math.pi)), NEW),
    "a number": (of_a_library, math, "pi", 3.0, NEW),
    "a function": (of_a_library, math, "floor", round, NEW),
    "a text": (by_a_longer_path, string, "digits", "123", NEW),
}


@pytest.mark.parametrize("change", LIBRARY_CHANGES)
def test_a_change_of_a_module_of_a_library(change, monkeypatch):
    function, module, name, value, expected = LIBRARY_CHANGES[change]
    compiled = bytecode(function)
    require_graphs(compiled, function, 1, X)
    monkeypatch.setattr(module, name, value)
    require_graphs(compiled, function, expected, X)
    monkeypatch.undo()
    require_graphs(compiled, function, 0, X)
