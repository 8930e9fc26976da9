"""Functions and methods of the framework that a program replaces are called by graphs that were compiled before."""

import pytest

import dyad
from dyad import Tensor, jit, nn, ops

X = Tensor([[1.0, -2.0, 3.0]])
FORMS = ["ast", "bytecode"]


def values(tensor):
    return tensor.asnumpy().ravel().tolist()


def _ten_times(x, *args, **kwargs):
    return x * 10.0


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("owner", "name", "function"),
    [
        (ops, "relu", lambda x: ops.relu(x)),
        (dyad.mint, "tanh", lambda x: dyad.mint.tanh(x)),
        (Tensor, "sum", lambda x: x.sum()),
        (Tensor, "reshape", lambda x: (x + 1.0).reshape(3)),
        (nn.Dense, "construct", nn.Dense(3, 1)),
        (nn.ReLU, "construct", lambda x: nn.ReLU()(x)),
    ],
)
def test_a_replaced_function_is_called(monkeypatch, form, owner, name, function):
    compiled = jit(lambda x: function(x), capture_mode=form)
    before = values(function(X))
    assert values(compiled(X)) == pytest.approx(before)
    with monkeypatch.context() as patch:
        patch.setattr(owner, name, _ten_times if owner in (ops, dyad.mint, Tensor) else _construct)
        assert values(compiled(X)) == values(function(X)) != before
    assert values(compiled(X)) == pytest.approx(before)


def _construct(self, x):
    return x * 10.0


@pytest.mark.parametrize("form", FORMS)
def test_a_replaced_class_or_constructor_makes_the_layer(monkeypatch, form):
    compiled = jit(lambda x: nn.Dense(3, 1, weight_init="ones", bias_init="zeros")(x), capture_mode=form)
    assert values(compiled(X)) == [2.0]
    original = nn.Dense.__init__

    def other(self, *args, **kwargs):
        original(self, *args, **kwargs)
        self.weight.set_data(self.weight * 5.0)

    monkeypatch.setattr(nn.Dense, "__init__", other)
    assert values(compiled(X)) == [10.0]
    monkeypatch.setattr(nn, "Dense", lambda *args, **kwargs: nn.ReLU())
    assert values(compiled(X)) == [1.0, 0.0, 3.0]


@pytest.mark.parametrize("form", FORMS)
def test_a_replaced_property_is_read(monkeypatch, form):
    compiled = jit(lambda x: (x + 1.0).T, capture_mode=form)
    assert compiled(X).shape == (3, 1)
    monkeypatch.setattr(Tensor, "T", property(lambda x: x * 10.0))
    assert values(compiled(X)) == [20.0, -10.0, 40.0]
