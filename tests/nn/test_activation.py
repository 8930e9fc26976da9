import math
import re

import numpy as np
import pytest
from scipy import special

import dyad
from dyad import Tensor, nn, ops

X = np.concatenate([np.linspace(-6, 6, 25), [0.5, -0.5, 1.0, -1.0]]).astype(np.float32)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


def softmax(x, axis=-1):
    exp = np.exp(x - x.max(axis, keepdims=True))
    return exp / exp.sum(axis, keepdims=True)


SELU_SCALE, SELU_ALPHA = 1.0507009873554805, 1.6732632423543772

CASES = [
    (nn.ReLU(), lambda x: np.maximum(x, 0)),
    (nn.ReLU6(), lambda x: np.clip(x, 0, 6)),
    (nn.LeakyReLU(), lambda x: np.where(x > 0, x, 0.2 * x)),
    (nn.LeakyReLU(0.05), lambda x: np.where(x > 0, x, 0.05 * x)),
    (nn.ELU(), lambda x: np.where(x > 0, x, np.expm1(x))),
    (nn.CELU(2.0), lambda x: np.maximum(x, 0) + np.minimum(2 * np.expm1(x / 2), 0)),
    (nn.SeLU(), lambda x: SELU_SCALE * np.where(x > 0, x, SELU_ALPHA * np.expm1(x))),
    (nn.GELU(), lambda x: 0.5 * x * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))),
    (nn.GELU(approximate=False), lambda x: 0.5 * x * (1 + special.erf(x / math.sqrt(2)))),
    (nn.FastGelu(), lambda x: x / (1 + np.exp(-1.702 * np.abs(x))) * np.exp(0.851 * (x - np.abs(x)))),
    (nn.SiLU(), lambda x: x * sigmoid(x)),
    (nn.Mish(), lambda x: x * np.tanh(np.log1p(np.exp(x)))),
    (nn.Sigmoid(), sigmoid),
    (nn.LogSigmoid(), lambda x: -np.log1p(np.exp(-x))),
    (nn.HSigmoid(), lambda x: np.clip((x + 3) / 6, 0, 1)),
    (nn.HSwish(), lambda x: x * np.clip((x + 3) / 6, 0, 1)),
    (nn.Tanh(), np.tanh),
    (nn.Tanhshrink(), lambda x: x - np.tanh(x)),
    (nn.Hardtanh(), lambda x: np.clip(x, -1, 1)),
    (nn.Hardtanh(-2.0, 0.5), lambda x: np.clip(x, -2, 0.5)),
    (nn.HShrink(), lambda x: np.where(np.abs(x) > 0.5, x, 0)),
    (nn.SoftShrink(), lambda x: np.sign(x) * np.maximum(np.abs(x) - 0.5, 0)),
    (nn.Softsign(), lambda x: x / (1 + np.abs(x))),
    (nn.Threshold(1.0, 20.0), lambda x: np.where(x > 1, x, 20)),
    (nn.Softmax(), softmax),
    (nn.Softmin(), lambda x: softmax(-x)),
    (nn.LogSoftmax(), lambda x: np.log(softmax(x))),
    (nn.PReLU(), lambda x: np.where(x > 0, x, 0.25 * x)),
]


@pytest.mark.parametrize(("layer", "formula"), CASES, ids=lambda case: getattr(case, "cls_name", ""))
def test_activations_agree_with_their_formulas(layer, formula):
    result = layer(Tensor(X)).asnumpy()
    np.testing.assert_allclose(result, formula(X.astype(np.float64)), rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("axis", [0, 1, -1])
def test_softmax_axis(axis):
    x = np.random.standard_normal((3, 4)).astype(np.float32)
    np.testing.assert_allclose(nn.Softmax(axis)(Tensor(x)).asnumpy(), softmax(x, axis), rtol=1e-5)
    np.testing.assert_allclose(
        nn.LogSoftmax(axis)(Tensor(x)).asnumpy(), np.log(softmax(x, axis)), rtol=1e-4, atol=1e-6
    )


def test_softmax2d_is_over_channels():
    x = np.random.standard_normal((2, 3, 4, 5)).astype(np.float32)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x)).asnumpy(), softmax(x, 1), rtol=1e-5)
    np.testing.assert_allclose(nn.Softmax2d()(Tensor(x[0])).asnumpy(), softmax(x[0], 0), rtol=1e-5)


def test_glu_gates_one_half_with_the_other():
    x = np.random.standard_normal((3, 6)).astype(np.float32)
    np.testing.assert_allclose(nn.GLU()(Tensor(x)).asnumpy(), x[:, :3] * sigmoid(x[:, 3:]), rtol=1e-5)


def test_prelu_has_a_slope_per_channel():
    layer = nn.PReLU(3, w=[0.1, 0.2, 0.3])
    x = -np.ones((2, 3, 4), np.float32)
    expected = np.broadcast_to(np.array([-0.1, -0.2, -0.3], np.float32)[None, :, None], x.shape)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-6)
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("a", (3,))]


def test_rrelu_draws_a_slope_for_each_negative_element():
    x = np.concatenate([-np.ones(1000), np.ones(10)]).astype(np.float32)
    result = nn.RReLU()(Tensor(x)).asnumpy()
    assert (result[1000:] == 1).all()
    assert result[:1000].min() >= -1 / 3 - 1e-6 and result[:1000].max() <= -1 / 8 + 1e-6
    assert result[:1000].std() > 0.03


@pytest.mark.parametrize(
    "name",
    [
        "relu",
        "relu6",
        "gelu",
        "tanh",
        "sigmoid",
        "softmax",
        "logsoftmax",
        "leakyrelu",
        "elu",
        "hswish",
        "hsigmoid",
        "silu",
    ],
)
def test_get_activation(name):
    assert nn.get_activation(name).cls_name.lower() == name


def test_get_activation_of_nothing():
    assert nn.get_activation(None) is None


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.get_activation("q"), KeyError, "get_activation: there is no activation called 'q'"),
        (lambda: nn.LeakyReLU("a"), TypeError, "LeakyReLU: alpha is 'a' of type str; need a number"),
        (lambda: nn.GELU(1), TypeError, "GELU: approximate is 1 of type int; need a bool"),
        (lambda: nn.Hardtanh(1.0, -1.0), ValueError, "Hardtanh: min_val is 1.0 and max_val is -1.0"),
        (lambda: nn.RReLU(0.5, 0.1), ValueError, "RReLU: lower is 0.5 and upper is 0.1; need lower <= upper"),
        (lambda: nn.PReLU(0), ValueError, "PReLU: channel is 0; need an int of at least 1"),
        (lambda: nn.PReLU(3, w=[0.1, 0.2]), ValueError, "PReLU: w has shape (2,); need (3,)"),
        (
            lambda: nn.Softmax2d()(Tensor([1.0])),
            ValueError,
            "Softmax2d: x has shape (1,); need 3 or 4 dimensions",
        ),
        (lambda: nn.ReLU()("a"), TypeError, "ReLU: input is 'a'"),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


def test_softmax_takes_its_axis_as_a_tuple_too():
    x = np.random.default_rng(2).standard_normal((2, 3, 4)).astype(np.float32)
    assert ops.Softmax(1).axis == nn.Softmax((1,)).softmax.axis == (1,)
    for form in (lambda f: f, dyad.jit):
        for call in (lambda x: ops.Softmax((1,))(x), lambda x: nn.Softmax((1,))(x)):
            np.testing.assert_allclose(form(call)(Tensor(x)).asnumpy(), softmax(x, 1), rtol=1e-5)
    assert ops.Squeeze(1).axis == (1,) and ops.Squeeze().axis == ()
    with pytest.raises(ValueError, match=r"Softmax: axis is \(0, 1\); need one axis"):
        ops.Softmax((0, 1))
    with pytest.raises(TypeError, match="Softmax: axis is 'a' of type str; need an int or a tuple of ints"):
        ops.Softmax("a")
