"""Gradients under the names of operators: from results, of windows, of slices and of losses."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import auto_generate, gradient_operators

rng = np.random.default_rng(8)
X = Tensor(rng.uniform(1.1, 3.0, (2, 3)).astype(np.float32) * np.array([1, -1, 1], np.float32))
ABOVE_ONE = Tensor(rng.uniform(1.1, 3.0, (2, 3)).astype(np.float32))
TARGET = Tensor(rng.uniform(0.1, 0.9, (2, 3)).astype(np.float32))
DY = Tensor(rng.standard_normal((2, 3)).astype(np.float32))
IMAGES = Tensor(rng.standard_normal((1, 2, 4, 4)).astype(np.float32))
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])

# Name -> what is differentiated, its input, and the arguments from input, result and gradient.
CASES = {
    "AcoshGrad": (ops.acosh, ABOVE_ONE, lambda x, y, dy: (y, dy)),
    "AsinhGrad": (ops.asinh, X, lambda x, y, dy: (y, dy)),
    "EluGrad": (ops.elu, X, lambda x, y, dy: (dy, y)),
    "FastGeLUGrad": (ops.fast_gelu, X, lambda x, y, dy: (dy, x)),
    "InvGrad": (ops.reciprocal, X, lambda x, y, dy: (y, dy)),
    "KLDivLossGrad": (
        lambda x: ops.kl_div(x, TARGET, "mean"),
        X,
        lambda x, y, dy: (dy.reshape(1), x, TARGET),
    ),
    "L2NormalizeGrad": (ops.L2Normalize(0), X, lambda x, y, dy: (x, y, dy)),
    "LogSoftmaxGrad": (ops.log_softmax, X, lambda x, y, dy: (y, dy)),
    "SeLUGrad": (ops.selu, X, lambda x, y, dy: (dy, y)),
    "SigmoidGrad": (ops.sigmoid, X, lambda x, y, dy: (y, dy)),
    "SmoothL1LossGrad": (lambda x: ops.smooth_l1_loss(x, TARGET), X, lambda x, y, dy: (x, TARGET, dy)),
    "SoftmaxGrad": (ops.softmax, X, lambda x, y, dy: (y, dy)),
    "SoftplusGrad": (ops.softplus, X, lambda x, y, dy: (dy, x)),
    "TanhGrad": (ops.tanh, X, lambda x, y, dy: (y, dy)),
    "SliceGrad": (lambda x: ops.slice(x, (0, 1), (2, 2)), X, lambda x, y, dy: (dy, x, (0, 1), (2, 2))),
    "LRNGrad": (ops.LRN(), IMAGES, lambda x, y, dy: (dy, x, y)),
    "FlattenGrad": (ops.Flatten(), IMAGES, lambda x, y, dy: (dy, x.shape)),
}


@FORMS
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_gradient_of_the_operator(name, form):
    operator, x, arrange = CASES[name]
    y, product = dyad.vjp(operator, x)
    dy = Tensor(rng.standard_normal(y.shape).astype(np.float32))
    found = form(lambda x, y, dy: getattr(auto_generate, name)()(*arrange(x, y, dy)))(x, y, dy)
    np.testing.assert_allclose(found, product(dy)[0], rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("name", ["GeLUGrad", "HSwishGrad", "MaximumGrad", "MaximumGradGrad", "RsqrtGrad"])
def test_sizes_may_be_open(name):
    primitive = getattr(auto_generate, name)()
    count = {"MaximumGradGrad": 4, "RsqrtGrad": 2, "HSwishGrad": 2}.get(name, 3)
    given = [Tensor(rng.standard_normal((2, 3)).astype(np.float32)) for _ in range(count)]

    class Net(dyad.nn.Cell):
        def construct(self, *args):
            return primitive(*args)

    net = Net()
    net.set_inputs(*[Tensor(shape=[None, None], dtype=dyad.float32)] * count)
    expected = primitive(*given)
    found = net.compile_and_run(*given)
    wide = net.compile_and_run(*[ops.cat((x, x)) for x in given])
    if isinstance(expected, Tensor):
        expected, found, wide = (expected,), (found,), (wide,)
    for one, other, double in zip(expected, found, wide, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-6)
        np.testing.assert_allclose(ops.cat((one, one)), double, rtol=1e-5, atol=1e-6)
    assert len(net.compile_cache) == 1


@FORMS
def test_second_gradient_of_a_layer_norm(form):
    x, dy, d_dx = (Tensor(rng.standard_normal((2, 3))) for _ in range(3))
    gamma, d_dg, d_db = (Tensor(rng.standard_normal(3)) for _ in range(3))
    _, mean, variance = ops.LayerNorm(1, 1)(x, gamma, gamma)

    def first(x, dy, gamma):
        return auto_generate.LayerNormGrad(1, 1)(x, dy, variance, mean, gamma)

    def weighted(x, dy, gamma):
        return sum(
            (out * given).sum() for out, given in zip(first(x, dy, gamma), (d_dx, d_dg, d_db), strict=True)
        )

    second = auto_generate.LayerNormGradGrad(1, 1)
    found = form(lambda *args: second(*args))(x, dy, variance, mean, gamma, d_dx, d_dg, d_db)
    step = 1e-5
    for place, gradient in zip(range(3), found, strict=True):
        inputs = [x, dy, gamma]
        direction = Tensor(rng.standard_normal(inputs[place].shape))
        ahead, behind = list(inputs), list(inputs)
        ahead[place], behind[place] = inputs[place] + direction * step, inputs[place] - direction * step
        slope = (weighted(*ahead) - weighted(*behind)) / (2 * step)
        np.testing.assert_allclose((gradient * direction).sum(), slope, rtol=1e-4, atol=1e-6)


def test_gradients_of_roots_are_odd_in_the_result():
    y, dy = Tensor([-2.0, 2.0]), Tensor([3.0, 3.0])
    np.testing.assert_allclose(auto_generate.RsqrtGrad()(y, dy), [12.0, -12.0])
    np.testing.assert_allclose(auto_generate.SqrtGrad()(y, dy), [-0.75, 0.75])


@FORMS
@pytest.mark.parametrize("pad_mode", ["VALID", "SAME"])
def test_gradients_of_pools(form, pad_mode):
    settings = {"kernel_size": 3, "strides": 1, "pad_mode": pad_mode}
    y, product = dyad.vjp(ops.MaxPool(**settings), IMAGES)
    places = ops.MaxPoolWithArgmax(**settings)(IMAGES)[1]
    of_pool = form(lambda x, y, dy: gradient_operators.MaxPoolGrad(**settings)(x, y, dy))
    with_places = form(lambda x, dy, at: auto_generate.MaxPoolGradWithArgmax(**settings)(x, dy, at))
    for found in (of_pool(IMAGES, y, y), with_places(IMAGES, y, places)):
        np.testing.assert_allclose(found, product(y)[0], rtol=1e-5)


@FORMS
def test_gradients_that_the_input_does_not_enter(form):
    dy = IMAGES
    by_channel = form(lambda dy: auto_generate.BiasAddGrad()(dy))(dy)
    np.testing.assert_allclose(by_channel, dy.asnumpy().sum((0, 2, 3)), rtol=1e-5, atol=1e-6)
    last = form(lambda dy: auto_generate.BiasAddGrad("NHWC")(dy))(dy)
    np.testing.assert_allclose(last, dy.asnumpy().sum((0, 1, 2)), rtol=1e-5, atol=1e-6)
    kept = form(lambda dy, mask: auto_generate.DropoutGrad(0.5)(dy, mask))(DY, TARGET > 0.5)
    np.testing.assert_allclose(kept, DY.asnumpy() * (TARGET.asnumpy() > 0.5) * 2)
    spread = form(lambda dy: auto_generate.StridedSliceGrad()(dy, (4, 3), (0, 0), (4, 3), (2, 1)))(DY)
    expected = np.zeros((4, 3), np.float32)
    expected[::2] = DY.asnumpy()
    np.testing.assert_array_equal(spread, expected)
    moved = form(lambda dy: auto_generate.StridedSliceGrad()(dy, (4, 3), (0, 0), (4, 3), (2, 1)))(DY > 0)
    np.testing.assert_array_equal(moved, expected > 0)


@FORMS
def test_gradient_of_resizing(form):
    dy = Tensor(rng.standard_normal((1, 2, 6, 7)).astype(np.float32))
    _, product = dyad.vjp(ops.ResizeBilinear((6, 7), True), IMAGES)
    found = form(lambda dy, x: auto_generate.ResizeBilinearGrad(True)(dy, x))(dy, IMAGES)
    np.testing.assert_allclose(found, product(dy)[0], rtol=1e-4, atol=1e-5)


def test_a_wrong_number_of_arguments_is_told():
    with pytest.raises(TypeError, match=r"KLDivLossGrad: 1 arguments were given; need 3 \(dy, x, target\)"):
        auto_generate.KLDivLossGrad()(DY)


SLOPES = {
    "AcoshGrad": lambda y: 1 / np.sinh(y),
    "AsinhGrad": lambda y: 1 / np.cosh(y),
    "InvGrad": lambda y: -y * y,
    "ReciprocalGrad": lambda y: -y * y,
    "RsqrtGrad": lambda y: -0.5 * y**3,
    "SigmoidGrad": lambda y: y * (1 - y),
    "SqrtGrad": lambda y: 0.5 / y,
    "TanhGrad": lambda y: 1 - y * y,
}


@FORMS
@pytest.mark.parametrize("name", SLOPES)
def test_numbers_that_are_not_results_have_a_slope_too(name, form):
    y, dy = np.array([-3.0, -0.5, 0.25, 1.0, 2.5], np.float32), np.array([1, 2, -1, 0.5, 3], np.float32)
    found = form(lambda y, dy: getattr(auto_generate, name)()(y, dy))(Tensor(y), Tensor(dy))
    np.testing.assert_allclose(found, dy * SLOPES[name](y), rtol=1e-5)


@FORMS
@pytest.mark.parametrize(
    "name", ["InvGrad", "ReciprocalGrad", "RsqrtGrad", "SigmoidGrad", "SqrtGrad", "TanhGrad"]
)
def test_complex_results(name, form):
    operator = {
        "InvGrad": ops.reciprocal,
        "ReciprocalGrad": ops.reciprocal,
        "RsqrtGrad": ops.rsqrt,
        "SigmoidGrad": ops.sigmoid,
        "SqrtGrad": ops.sqrt,
        "TanhGrad": ops.tanh,
    }[name]
    z, dz = (
        Tensor((rng.standard_normal(4) + 1j * rng.standard_normal(4)).astype(np.complex64)) for _ in range(2)
    )
    y, product = dyad.vjp(operator, z)
    found = form(lambda y, dz: getattr(auto_generate, name)()(y, dz))(y, dz)
    np.testing.assert_allclose(found.asnumpy(), product(dz)[0].asnumpy(), rtol=1e-4)


@FORMS
def test_softmax_gradients_accept_rows_that_are_not_probabilities(form):
    y, dy = X.asnumpy(), DY.asnumpy()
    found = form(lambda y, dy: auto_generate.LogSoftmaxGrad()(y, dy))(X, DY)
    np.testing.assert_allclose(found, dy - np.exp(y) * dy.sum(-1, keepdims=True), rtol=1e-5)
    found = form(lambda y, dy: auto_generate.SoftmaxGrad()(y, dy))(X, DY)
    np.testing.assert_allclose(found, y * (dy - (y * dy).sum(-1, keepdims=True)), rtol=1e-4)
    found = form(lambda y, dy: auto_generate.EluGrad()(dy, y))(X, DY)
    np.testing.assert_allclose(found, np.where(y > 0, dy, dy * (y + 1)), rtol=1e-5)


def test_a_loss_without_weights_and_sums_of_ints():
    gradient = auto_generate.BinaryCrossEntropyGrad("sum")
    ones = ops.ones_like(TARGET)
    dy = Tensor(np.float32(2.0))
    np.testing.assert_allclose(gradient(TARGET, TARGET * 0.5, dy), gradient(TARGET, TARGET * 0.5, dy, ones))
    sums = auto_generate.BiasAddGrad()(Tensor(np.ones((2, 3), np.int32)))
    assert sums.dtype == dyad.int32 and sums.asnumpy().tolist() == [2, 2, 2]


@FORMS
@pytest.mark.parametrize("p", [0.0, 0.5, 1.0, 2.0, 3.0, float("inf")])
def test_distances_between_rows(p, form):
    x, other = (Tensor(rng.standard_normal((2, 3, 4)).astype(np.float32)) for _ in range(2))
    y, product = dyad.vjp(lambda x: ops.cdist(x, other, p), x)
    dy = Tensor(rng.standard_normal(y.shape).astype(np.float32))
    primitive = auto_generate.CdistGrad(p)
    found = form(lambda *args: primitive(*args))(dy, x, other, y)
    np.testing.assert_allclose(found, product(dy)[0], rtol=1e-3, atol=1e-4)
    doubled = form(lambda *args: primitive(*args))(dy, x, other, y * 2)
    if p not in (0.0, float("inf")):  # the distances are those that are given
        np.testing.assert_allclose(doubled, found / 2 ** (p - 1), rtol=1e-4, atol=1e-5)
    batched = dyad.vmap(lambda *args: primitive(*args))(dy, x, other, y)
    np.testing.assert_allclose(batched, found, rtol=1e-5, atol=1e-6)


def test_rows_that_are_the_same_have_no_gradient():
    x = Tensor([[1.0, 2.0], [1.0, 3.0]])
    for p in (0.5, 1.0, 2.0, 3.0):
        found = auto_generate.CdistGrad(p)(ops.ones((2, 1)), x, x[:1], ops.cdist(x, x[:1], p))
        assert found.asnumpy().tolist() == [[0, 0], [0, 1]]
