"""An error names the function that the program called, not an operator inside of it."""

import subprocess
import sys

import numpy as np
import pytest

import dyad
import dyad.numpy as mnp
from dyad import Tensor, jit, mint, nn, ops

X = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))
WRONG = [
    ("Embedding", nn.Embedding(4, 3), (Tensor([[0, 9]]),), IndexError),
    ("Dense", nn.Dense(2, 2), (X,), ValueError),
    ("Conv2d", nn.Conv2d(2, 2, 3), (X,), ValueError),
    ("MSELoss", nn.MSELoss(), (X, Tensor([1.0, 2.0])), ValueError),
    ("LayerNorm", nn.LayerNorm((4,)), (X,), ValueError),
    ("Dense", nn.SequentialCell(nn.ReLU(), nn.Dense(2, 2)), (X,), ValueError),
    ("cov", lambda x: mnp.cov(x, y=Tensor([[1.0, 2.0]])), (X,), ValueError),
    ("linear", lambda x: mint.nn.functional.linear(x, Tensor([[1.0, 2.0]])), (X,), ValueError),
    ("matmul", lambda x: ops.matmul(x, x), (X,), ValueError),
    ("fill_diagonal_", lambda x: (x[0] * 1).fill_diagonal_(1.0), (X,), ValueError),
]


@pytest.mark.parametrize(
    ("name", "function", "arguments", "kind"), WRONG, ids=[f"{n}-{i}" for i, (n, *_) in enumerate(WRONG)]
)
@pytest.mark.parametrize("form", ["dynamic", "static"])
def test_the_called_name(name, function, arguments, kind, form):
    called = function if form == "dynamic" else jit(function)
    with pytest.raises(kind) as raised:
        called(*arguments)
    assert str(raised.value).startswith(f"{name}: "), str(raised.value)


def test_a_layer_of_the_user_does_not_hide_the_operator():
    class Net(nn.Cell):
        def construct(self, x):
            return ops.matmul(x, x)

    for called in (Net(), jit(Net())):
        with pytest.raises(ValueError, match=r"^matmul: "):
            called(X)


def test_an_error_of_the_running_graph_names_the_layer():
    table = nn.Embedding(4, 3)
    for called in (table, jit(table)):
        with pytest.raises(IndexError, match=r"^Embedding: index 9 is out of range"):
            called(Tensor([9]))
    looked_up = jit(lambda ids: ops.gather(table.embedding_table, ids, 0))
    with pytest.raises(IndexError, match=r"^gather: index 9 is out of range"):
        looked_up(Tensor([9]))


def test_a_function_made_of_others():
    with pytest.raises(ValueError, match=r"^histogram: weights have shape \(1,\); need one for each of 6"):
        mnp.histogram(X, bins=2, weights=Tensor([1.0]))
    with pytest.raises(ValueError, match=r"^histogram: the value of a Tensor is known only when"):
        jit(lambda x: mnp.histogram(x, bins=2), fullgraph=True)(X)
    counts, edges = jit(lambda x: mnp.histogram(x, bins=2))(X)
    expected = mnp.histogram(X, bins=2)
    assert counts.asnumpy().tolist() == expected[0].asnumpy().tolist()
    assert edges.asnumpy().tolist() == expected[1].asnumpy().tolist()


@pytest.mark.parametrize("convert", [float, int, complex])
def test_conversions_to_numbers(convert):
    with pytest.raises(
        ValueError,
        match=rf"^{convert.__name__}: Only one element tensors can .* shape \(2, 3\) and 6 elements",
    ):
        convert(X)
    with pytest.raises(ValueError, match=r"^item: "):
        X.item()


def test_a_message_has_the_article_that_fits_the_type():
    with pytest.raises(TypeError, match="sum: axis is an Int64 Tensor of shape"):
        ops.sum(X, Tensor([[1]]))
    with pytest.raises(TypeError, match="'weight' is a Parameter and cannot take an int"):
        nn.Dense(2, 2).weight = 3


@pytest.mark.parametrize(
    ("wrong", "text"),
    [
        (lambda: nn.Sequential, "dyad.nn has no 'Sequential'; nearest is dyad.nn.SequentialCell"),
        (lambda: nn.Module, "dyad.nn has no 'Module'; nearest is dyad.nn.Cell"),
        (lambda: nn.relu, "dyad.nn has no 'relu'; nearest is dyad.nn.ReLU"),
        (lambda: nn.stack, "dyad.nn has no 'stack'; nearest is dyad.ops.stack"),
        (
            lambda: nn.Dense(2, 2).forward,
            "'Dense' object has no attribute 'forward'; nearest is Dense.construct",
        ),
        (lambda: nn.Dense(2, 2).weigth, "'Dense' object has no attribute 'weigth'; nearest is Dense.weight"),
        (lambda: nn.Dense(2, 2).parameters, "nearest is Dense.get_parameters"),
        (lambda: dyad.train.Modle, "dyad.train has no 'Modle'; nearest is dyad.train.Model"),
        (
            lambda: dyad.runtime.syncronize,
            "dyad.runtime has no 'syncronize'; nearest is dyad.runtime.synchronize",
        ),
        (lambda: dyad.hal.zzz, "dyad.hal has no 'zzz'"),
    ],
)
def test_names_that_are_missing(wrong, text):
    with pytest.raises(AttributeError) as raised:
        wrong()
    assert text in str(raised.value)


def test_a_misspelt_attribute_of_a_tensor_is_hinted_at_by_python():
    program = "import dyad; dyad.Tensor([1.0]).nump"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "AttributeError: 'Tensor' object has no attribute 'nump'. Did you mean: 'numpy'?" in ran.stderr
