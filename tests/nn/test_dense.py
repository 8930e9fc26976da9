import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def test_dense_is_a_matrix_product_and_a_bias():
    layer, x = nn.Dense(3, 4), random(5, 3)
    expected = x @ layer.weight.asnumpy().T + layer.bias.asnumpy()
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    assert layer.weight.shape == (4, 3) and layer.bias.shape == (4,)


@pytest.mark.parametrize("shape", [(3,), (2, 5, 3), (2, 0, 3)])
def test_dense_works_on_the_last_dimension(shape):
    layer, x = nn.Dense(3, 4), random(*shape)
    expected = x @ layer.weight.asnumpy().T + layer.bias.asnumpy()
    result = layer(Tensor(x)).asnumpy()
    assert result.shape == (*shape[:-1], 4)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1e-6)


def test_default_weights_are_uniform_within_the_inverse_root_of_the_inputs():
    layer = nn.Dense(100, 500)
    for parameter in layer.get_parameters():
        array = np.abs(parameter.asnumpy())
        assert array.max() <= 0.1 and array.max() > 0.095
        assert abs(array.mean() - 0.05) < 0.005


@pytest.mark.parametrize(
    "init", ["ones", 1, 1.0, Tensor(np.ones((2, 3), np.float32)), dyad.common.initializer.One()]
)
def test_weight_init_forms(init):
    layer = nn.Dense(3, 2, weight_init=init, bias_init="zeros")
    assert (layer.weight.asnumpy() == 1).all() and (layer.bias.asnumpy() == 0).all()


@pytest.mark.parametrize("activation", ["relu", nn.ReLU(), ops.ReLU()])
def test_activation_by_name_cell_or_primitive(activation):
    layer = nn.Dense(2, 2, weight_init=-1, bias_init=0, activation=activation)
    assert (layer(Tensor(np.ones((1, 2), np.float32))).asnumpy() == 0).all()


def test_without_bias():
    layer = nn.Dense(3, 4, has_bias=False)
    assert layer.bias is None
    assert [p.name for p in layer.get_parameters()] == ["weight"]


def test_dtype_of_the_weights():
    assert nn.Dense(3, 4, dtype=dyad.float16).weight.dtype == dyad.float16


def test_bidense_agrees_with_numpy_and_needs_equal_batches():
    layer = nn.BiDense(2, 3, 4)
    x1, x2 = random(5, 2), random(5, 3)
    expected = np.einsum("bi,oij,bj->bo", x1, layer.weight.asnumpy(), x2) + layer.bias.asnumpy()
    np.testing.assert_allclose(layer(Tensor(x1), Tensor(x2)).asnumpy(), expected, rtol=1e-4, atol=1e-5)
    with pytest.raises(ValueError, match="BiDense: the inputs have shapes"):
        layer(Tensor(x1[:2]), Tensor(x2))


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.Dense(0, 1), ValueError, "Dense: in_channels is 0; need an int of at least 1"),
        (lambda: nn.Dense("a", 1), TypeError, "Dense: in_channels is 'a' of type str; need an int"),
        (lambda: nn.Dense(2, True), TypeError, "Dense: out_channels is True of type bool; need an int"),
        (lambda: nn.Dense(2, 2, has_bias=1), TypeError, "Dense: has_bias is 1 of type int; need a bool"),
        (
            lambda: nn.Dense(2, 2, activation="rely"),
            KeyError,
            "no activation called 'rely'; nearest is 'relu'",
        ),
        (lambda: nn.Dense(2, 2, activation=5), TypeError, "Dense: activation is of type int"),
        (
            lambda: nn.Dense(2, 2, weight_init=Tensor(np.ones((3, 3), np.float32))),
            ValueError,
            "Dense: weight_init has shape (3, 3); need (2, 2)",
        ),
        (lambda: nn.Dense(2, 2)(Tensor(np.ones((1, 3), np.float32))), ValueError, "Dense:"),
        (lambda: nn.Dense(2, 2)(Tensor(1.0)), ValueError, "Dense:"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


def test_the_text_of_a_linear_layer():
    assert str(nn.Linear(3, 4)) == "Linear(input_features=3, output_features=4, has_bias=True)"
    assert str(nn.Linear(3, 4, bias=False)) == "Linear(input_features=3, output_features=4)"
