"""Summary operators: the same values, in the order of the program, in every form."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops
from dyad._src.tensor import summary_values


@pytest.fixture(autouse=True)
def taking():
    summary_values.start("test")
    yield
    summary_values.stop()


class Net(nn.Cell):
    """Records in loops, in a branch, in a callee and around a write."""

    def __init__(self):
        super().__init__()
        self.scalar, self.tensor = ops.ScalarSummary(), ops.TensorSummary()
        self.image, self.histogram = ops.ImageSummary(), ops.HistogramSummary()
        self.weight = Parameter(Tensor([1.0, 2.0]), "weight")
        self.count = Parameter(Tensor([5.0]), "count", requires_grad=False)

    def named(self, name, value):
        self.scalar("named/" + name, value)

    def construct(self, x):
        self.tensor("input", x)
        for i in range(2):
            self.scalar(f"scaled{i}", x.sum() * i)
        y = x * self.weight
        self.tensor("count/before", self.count)
        self.count.add_(1.0)
        self.tensor("count/after", self.count)
        if y.sum() > 0:
            self.named("positive", y.mean())
        else:
            self.named("negative", y.mean())
        turns = 0
        while turns < y.sum():
            turns = turns + 1
            self.scalar("turns", turns * ops.ones(()))
        self.histogram("spread", y)
        self.image("picture", ops.zeros((2, 1, 3, 3)) + y.sum())
        return y.sum()


def taken():
    return [(kind, name, array.tolist()) for kind, name, array in summary_values.take()]


EXPECTED = [
    ("tensor", "input", [1.0, 3.0]),
    ("scalar", "scaled0", 0.0),
    ("scalar", "scaled1", 4.0),
    ("tensor", "count/before", [5.0]),
    ("tensor", "count/after", [6.0]),
    ("scalar", "named/positive", 3.5),
    ("scalar", "turns", 7.0),
    ("histogram", "spread", [1.0, 6.0]),
    ("image", "picture", np.full((2, 1, 3, 3), 7.0).tolist()),
]
FORMS = {
    "dynamic": lambda net: net,
    "ast": lambda net: jit(net.construct, fullgraph=True),
    "bytecode": lambda net: jit(net.construct, capture_mode="bytecode", fullgraph=True),
    "trace": lambda net: jit(net.construct, capture_mode="trace"),
    "differentiated": lambda net: dyad.value_and_grad(net, 0),
    "differentiated in a graph": lambda net: jit(dyad.value_and_grad(net, 0)),
}


@pytest.mark.parametrize("form", FORMS)
def test_every_form_records_the_same(form):
    call = FORMS[form](Net())
    x = Tensor([1.0, 3.0])
    call(x)
    assert taken() == EXPECTED
    call(x)  # of the graph that was compiled
    again = dict((name, value) for _, name, value in taken())
    assert again["count/before"] == [6.0] and again["count/after"] == [7.0] and again["turns"] == 7.0
    assert list(again) == [name for _, name, _ in EXPECTED]


def test_graph_mode_records_the_same():
    before = dyad.get_context("mode")
    dyad.set_context(mode=dyad.GRAPH_MODE)
    try:
        Net()(Tensor([1.0, 3.0]))
    finally:
        dyad.set_context(mode=before)
    assert taken() == EXPECTED


def test_the_operators_return_nothing_and_change_nothing():
    x = Tensor([2.0])
    assert ops.TensorSummary()("x", x) is None and x.asnumpy().tolist() == [2.0]
    assert repr(ops.ScalarSummary()) == "Prim[ScalarSummary]"


def test_values_are_those_of_the_moment():
    @jit
    def grow(x):
        ops.TensorSummary()("before", x)
        x.mul_(2.0)
        ops.TensorSummary()("after", x)
        return x

    grow(Tensor([1.0]))
    assert taken() == [("tensor", "before", [1.0]), ("tensor", "after", [2.0])]


def test_the_newest_value_of_a_name_counts():
    for number in (1.0, 2.0, 3.0):
        ops.ScalarSummary()("x", Tensor(number))
    assert taken() == [("scalar", "x", 3.0)]


def test_nothing_is_kept_while_no_record_is_open():
    summary_values.stop()
    ops.ScalarSummary()("x", Tensor(1.0))
    summary_values.start("test")
    assert taken() == []


@pytest.mark.parametrize(
    ("operator", "name", "value", "kind", "text"),
    [
        ("ScalarSummary", None, Tensor(0.0), TypeError, "name"),
        ("ImageSummary", 123, Tensor(0.0), TypeError, "name"),
        ("TensorSummary", "", Tensor([0.0]), ValueError, "name"),
        ("HistogramSummary", "x", 3.0, TypeError, "value"),
        ("ScalarSummary", "x", Tensor([1.0, 2.0]), ValueError, r"\(2,\)"),
        ("ScalarSummary", "x", Tensor([[1.0]]), ValueError, r"\(1, 1\)"),
        ("ImageSummary", "x", Tensor([1.0]), ValueError, r"\(1,\)"),
        ("ImageSummary", "x", Tensor(np.zeros((1, 4, 2, 2))), ValueError, "channels"),
        ("TensorSummary", "x", Tensor(1.0), ValueError, r"\(\)"),
        ("HistogramSummary", "x", Tensor(1.0), ValueError, r"\(\)"),
    ],
)
@pytest.mark.parametrize("compiled", [False, True])
def test_bad_values(operator, name, value, kind, text, compiled):
    summary = getattr(ops, operator)()

    def call():
        summary(name, value)
        return Tensor(1.0)

    with pytest.raises(kind, match=f"{operator}.*{text}"):
        (jit(call) if compiled else call)()


def test_slices_of_vmap_record_nothing():
    def function(x):
        ops.ScalarSummary()("x", x.sum())
        return x

    with pytest.raises(RuntimeError, match="vmap: summary acts on the outside"):
        dyad.vmap(function)(Tensor([[1.0], [2.0]]))
