"""Gradient operators of `dyad.mint` equal the gradients of the functions, in both forms."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, dtype, jit, mint, ops
from dyad.ops import auto_generate

F = mint.nn.functional
rng = np.random.default_rng(3)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def _some(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


def _rates(*shape):
    return Tensor(rng.uniform(0.1, 0.9, shape).astype(np.float32))


# Name -> the function of one Tensor, settings behind (gradient, input) in its call.
OF_ELEMENTS = {
    "EluGradExt": (lambda x: F.elu(x, 1.5), (1.5,)),
    "GeluGradExt": (F.gelu, ()),
    "HardtanhGrad": (lambda x: F.hardtanh(x, -0.5, 1.0), (-0.5, 1.0)),
    "LeakyReLUGradExt": (lambda x: F.leaky_relu(x, 0.2), (0.2,)),
    "LogSigmoidGrad": (F.logsigmoid, (Tensor([0.0]),)),
    "MishGradExt": (F.mish, ()),
    "SoftplusGradExt": (lambda x: F.softplus(x, 2, 3), (2, 3)),
    "ThresholdGrad": (lambda x: F.threshold(x, 0.25, 7.0), (0.25,)),
}
DTYPES = (dtype.float16, dtype.bfloat16, dtype.float32, dtype.float64)


def _same(found, expected):
    assert found.dtype == expected.dtype and found.shape == expected.shape
    near = 1e-2 if found.dtype.itemsize == 2 else 1e-5
    wide = [each.astype(dtype.float32).asnumpy() for each in (found, expected)]
    np.testing.assert_allclose(*wide, rtol=near, atol=near)


@FORMS
@pytest.mark.parametrize("kind", DTYPES, ids=str)
@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_functions_of_elements(name, kind, form):
    function, settings = OF_ELEMENTS[name]
    x, dy = _some(3, 1, 5).astype(kind), _some(3, 1, 5).astype(kind)
    expected = dyad.vjp(function, x)[1](dy)[0]
    _same(form(lambda dy, x: getattr(auto_generate, name)()(dy, x, *settings))(dy, x), expected)


@pytest.mark.parametrize("name", OF_ELEMENTS)
def test_functions_of_elements_over_a_batch(name):
    settings = OF_ELEMENTS[name][1]
    x, dy = _some(4, 3), _some(4, 3)
    primitive = getattr(auto_generate, name)()
    found = dyad.vmap(lambda dy, x: primitive(dy, x, *settings))(dy, x)
    _same(found, primitive(dy, x, *settings))


def test_from_the_result():
    x, dy = _some(4, 3), _some(4, 3)
    elu, leaky = auto_generate.EluGradExt(), auto_generate.LeakyReLUGradExt()
    _same(elu(dy, F.elu(x, 0.5), 0.5, True), elu(dy, x, 0.5))
    _same(elu(dy, F.elu(x, 0.5), alpha=0.5, is_result=True), elu(dy, x, alpha=0.5))
    _same(leaky(dy, F.leaky_relu(x, 0.5), 0.5, True), leaky(dy, x, 0.5))
    with pytest.raises(ValueError, match=r"LeakyReLUGradExt: is_result is True and negative_slope -0\.5"):
        leaky(dy, x, -0.5, True)
    _same(
        auto_generate.GeluGradExt()(dy, x, "tanh"), auto_generate.gelu_grad_ext_op(dy, x, approximate="tanh")
    )


def test_arguments_by_name():
    x, dy = _some(2), _some(2)
    with pytest.raises(
        TypeError, match="MishGradExt: 'y' is not an argument that is left to give; it takes dout, x"
    ):
        auto_generate.MishGradExt()(dy, y=x)
    with pytest.raises(TypeError, match="SoftplusGradExt: 'x' is missing; it takes dout, x, beta, threshold"):
        auto_generate.SoftplusGradExt()(dy, beta=2)
    _same(auto_generate.SoftplusGradExt()(dy, x=x, threshold=1), auto_generate.SoftplusGradExt()(dy, x, 1, 1))


TARGET, CLASSES = _rates(4, 3), Tensor(np.array([0, 2, 1, 2]))
PLANES = Tensor(rng.integers(0, 3, (2, 2, 5)))
WEIGHT = Tensor([1.0, 0.5, 2.0])
# Name -> the loss, the shape of the input, what stands between it and the settings, settings but the reduction.
LOSSES = {
    "KLDivGrad": (lambda x, how: F.kl_div(x, TARGET, how), (4, 3), (TARGET,), {}),
    "L1LossBackwardExt": (lambda x, how: F.l1_loss(x, TARGET, how), (4, 3), (TARGET,), {}),
    "MSELossGradExt": (lambda x, how: F.mse_loss(x, TARGET, how), (4, 3), (TARGET,), {}),
    "BinaryCrossEntropyWithLogitsBackward": (
        lambda x, how: F.binary_cross_entropy_with_logits(x, TARGET, WEIGHT, how, WEIGHT * 2),
        (4, 3),
        (TARGET, WEIGHT, WEIGHT * 2),
        {},
    ),
    "CrossEntropyLossGrad": (
        lambda x, how: F.cross_entropy(x, CLASSES, WEIGHT, 1, how, 0.1),
        (4, 3),
        (CLASSES, WEIGHT),
        {"ignore_index": 1, "label_smoothing": 0.1},
    ),
}


@FORMS
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
@pytest.mark.parametrize("name", LOSSES)
def test_a_loss_gradient_primitive_equals_the_vjp_of_the_loss(name, reduction, form):
    loss, shape, behind, settings = LOSSES[name]
    x = _some(*shape)
    if name == "CrossEntropyLossGrad":
        x = ops.log_softmax(x, -1)
    y, product = dyad.vjp(lambda x: loss(x, reduction), x)
    dy = _some(*y.shape)
    primitive = getattr(auto_generate, name)()
    found = form(lambda dy, x: primitive(dy, x, *behind, reduction=reduction, **settings))(dy, x)
    _same(found, product(dy)[0])


@FORMS
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_the_loss_of_planes(reduction, form):
    x = _some(2, 3, 2, 5)
    y, product = dyad.vjp(lambda x: F.nll_loss(x, PLANES, WEIGHT, 1, reduction), x)
    dy, total = _some(*y.shape), Tensor(1.0)
    primitive = auto_generate.NLLLoss2dGrad()
    _same(form(lambda dy, x: primitive(dy, x, PLANES, WEIGHT, reduction, 1, total))(dy, x), product(dy)[0])


def test_a_further_term_of_the_cross_entropy_is_refused():
    with pytest.raises(ValueError, match=r"CrossEntropyLossGrad: lse_square_scale_for_zloss is 0\.5; need 0"):
        auto_generate.CrossEntropyLossGrad()(
            Tensor(1.0), _some(4, 3), CLASSES, lse_square_scale_for_zloss=0.5
        )


# Name -> the function, the shape of its input, the arguments from gradient and input.
LINEAR = {
    "AdaptiveAvgPool2DGradExt": (
        lambda x: F.adaptive_avg_pool2d(x, (2, 4)),
        (2, 3, 5, 7),
        lambda dy, x: (dy, x),
    ),
    "AdaptiveAvgPool3DGradExt": (
        lambda x: F.adaptive_avg_pool3d(x, (2, 1, 3)),
        (3, 5, 4, 7),
        lambda dy, x: (dy, x),
    ),
    "AvgPool2DGrad": (
        lambda x: F.avg_pool2d(x, (3, 2), 2, 1, True, False),
        (2, 3, 6, 7),
        lambda dy, x: (dy, x, (3, 2), 2, 1, True, False),
    ),
    "AvgPool3DGradExt": (
        lambda x: F.avg_pool3d(x, 2, None, 0, False, True, 3),
        (2, 3, 4, 5, 6),
        lambda dy, x: (dy, x, 2, None, 0, False, True, 3),
    ),
    "Col2ImGrad": (
        lambda x: F.fold(x, (5, 6), (2, 3), 1, 1, 2),
        (2, 12, 9),
        lambda dy, x: (dy, (2, 3), 1, 1, 2),
    ),
    "EmbeddingDenseBackward": (
        lambda x: F.embedding(Tensor([[0, 3], [3, 1]]), x, 1, scale_grad_by_freq=True),
        (5, 4),
        lambda dy, x: (dy, Tensor([[0, 3], [3, 1]]), 5, 1, True),
    ),
    "RepeatInterleaveGrad": (
        lambda x: mint.repeat_interleave(x, Tensor([2, 0, 3]), 1),
        (2, 3, 4),
        lambda dy, x: (dy, Tensor([2, 0, 3]), 1),
    ),
    "TraceV2Grad": (
        lambda x: ops.diagonal(x, 1, 0, 2).sum(-1),
        (3, 2, 5),
        lambda dy, x: (dy, x.shape, 1, 0, 2),
    ),
    "MoeTokenPermuteGrad": (
        lambda x: ops.moe_token_permute(x, Tensor([[1, 0], [0, 2], [2, 1]]), 5)[0],
        (3, 4),
        lambda dy, x: (dy, ops.moe_token_permute(x, Tensor([[1, 0], [0, 2], [2, 1]]))[1], 2),
    ),
}
for _kind, _mode in (("Reflection", "reflect"), ("Replication", "replicate")):
    for _dims, _sides, _shape in (
        (1, (2, 1), (2, 4)),
        (2, (1, 2, 0, 3), (3, 5, 4)),
        (3, (1, 0, 2, 1, 1, 1), (2, 3, 3, 4, 2)),
    ):
        LINEAR[f"{_kind}Pad{_dims}DGrad"] = (
            lambda x, sides=_sides, mode=_mode: F.pad(x, sides, mode),
            _shape,
            lambda dy, x, sides=_sides: (dy, x, sides),
        )


@FORMS
@pytest.mark.parametrize("name", LINEAR)
def test_elements_moved(name, form):
    function, shape, arrange = LINEAR[name]
    x = _some(*shape)
    y, product = dyad.vjp(function, x)
    dy = _some(*y.shape)
    _same(form(lambda dy, x: getattr(auto_generate, name)()(*arrange(dy, x)))(dy, x), product(dy)[0])


def test_repeats_in_other_forms():
    dy = _some(2, 6)
    gradient = auto_generate.RepeatInterleaveGrad()
    np.testing.assert_allclose(gradient(dy, 3, -1), dy.reshape(2, 2, 3).sum(-1), rtol=1e-5)
    np.testing.assert_allclose(gradient(dy, Tensor([2]), 1), dy.reshape(2, 3, 2).sum(-1), rtol=1e-5)


def test_margins_are_as_many_as_the_dimensions_need():
    with pytest.raises(
        ValueError, match=r"padding is \(1, 1\); need 4 numbers, two for each of 2 dimensions"
    ):
        auto_generate.ReflectionPad2DGrad()(_some(1, 3, 3), _some(1, 3, 3), (1, 1))


@FORMS
def test_the_largest_of_windows(form):
    x = _some(2, 3, 6, 7)
    y, places = F.max_pool2d(x, 3, 2, 1, 1, False, True)
    dy = _some(*y.shape)
    expected = dyad.vjp(lambda x: F.max_pool2d(x, 3, 2, 1), x)[1](dy)[0]
    at = auto_generate.MaxPoolGradWithIndices(3, 2, 1)
    _same(form(lambda x, dy, places: at(x, dy, places))(x, dy, places), expected)
    again = auto_generate.MaxPoolGradWithMask(3, 2, 1)
    _same(form(lambda x, dy: again(x, dy, Tensor([0], dtype.int8)))(x, dy), expected)
    settings = (3, 2, 1, (1, 1), False, dtype.int64)
    _same(auto_generate.max_pool_grad_with_indices_impl(x, dy, places, *settings), expected)


def _all_same(found, expected):
    for part, other in zip(found, expected, strict=True):
        _same(part, other)


@FORMS
@pytest.mark.parametrize(
    ("shape", "filters", "settings"),
    [
        ((2, 4, 9), (6, 2, 3), (2, 1, 1, False, 0, 2)),
        ((2, 3, 7, 6), (4, 3, 3, 2), ((2, 1), (1, 0), (1, 2), False, 0, 1)),
        ((1, 2, 4, 5, 3), (3, 2, 2, 2, 2), (1, 0, (1, 1, 1), False, (0, 0, 0), 1)),
    ],
)
def test_convolution_grad_equals_the_vjp_of_the_convolution(shape, filters, settings, form):
    stride, padding, dilation, _, _, groups = settings
    operator = {3: F.conv1d, 4: F.conv2d, 5: F.conv3d}[len(shape)]
    x, w, b = _some(*shape), _some(*filters), _some(filters[0])
    y, product = dyad.vjp(lambda x, w, b: operator(x, w, b, stride, padding, dilation, groups), x, w, b)
    dy = _some(*y.shape)
    gradient = auto_generate.ConvolutionGrad()
    found = form(lambda dy, x, w: gradient(dy, x, w, b, *settings))(dy, x, w)
    for part, other in zip(found, product(dy), strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-4)
    only = gradient(dy, x, w, b, *settings, (False, True, False))
    assert only[0] is None and only[2] is None
    np.testing.assert_allclose(only[1], found[1], rtol=1e-4, atol=1e-4)


@FORMS
def test_transposed_convolutions_and_named_borders(form):
    x, w = _some(2, 3, 4, 5), _some(3, 2, 3, 3)
    y, product = dyad.vjp(lambda x, w: F.conv_transpose2d(x, w, None, 2, 1, 1), x, w)
    dy = _some(*y.shape)
    gradient = auto_generate.ConvolutionGrad()
    found = form(lambda dy, x, w: gradient(dy, x, w, None, 2, 1, 1, True, 1, 1, (1, 1, 0)))(dy, x, w)
    for part, other in zip(found[:2], product(dy), strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-4)
    assert found[2] is None
    w = _some(4, 3, 3, 3)
    y, product = dyad.vjp(lambda x, w: F.conv2d(x, w, None, 1, "same"), x, w)
    dy = _some(*y.shape)
    found = auto_generate.ConvolutionStrGrad()(dy, x, w, padding="same")
    for part, other in zip(found[:2], product(dy), strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(found[2], dy.sum((0, 2, 3)), rtol=1e-4, atol=1e-4)


def _moments(x, axes, eps=1e-5):
    mean = x.mean(axes, keep_dims=True)
    return mean, ops.rsqrt(ops.square(x - mean).mean(axes, keep_dims=True) + eps)


@FORMS
def test_layer_norms(form):
    x, gamma, beta = _some(4, 3, 5) * 2 + 1, _some(3, 5), _some(3, 5)
    mean, deviation = _moments(x, (1, 2))
    y, product = dyad.vjp(lambda *args: F.layer_norm(args[0], (3, 5), *args[1:]), x, gamma, beta)
    dy = _some(*y.shape)
    gradient = auto_generate.LayerNormGradExt()
    found = form(lambda dy, x: gradient(dy, x, (3, 5), mean, deviation, gamma, beta))(dy, x)
    _all_same(found, product(dy))
    older = auto_generate.LayerNormGradV3(1, 1)
    _all_same(form(lambda dy, x: older(x, dy, deviation, mean, gamma))(dy, x), product(dy))
    assert gradient(dy, x, (3, 5), mean, deviation, gamma, beta, (1, 0, 1))[1] is None
    with pytest.raises(ValueError, match=r"output_mask is \(1, 0\); need 3 flags"):
        gradient(dy, x, (3, 5), mean, deviation, gamma, beta, (1, 0))


@FORMS
def test_group_norms(form):
    x, gamma, beta = _some(2, 6, 3, 2), _some(6), _some(6)
    mean, deviation = _moments(x.reshape(2, 3, -1), (2,))
    y, product = dyad.vjp(lambda x, g, b: F.group_norm(x, 3, g, b), x, gamma, beta)
    dy = _some(*y.shape)
    gradient = auto_generate.GroupNormGrad()
    given = mean.reshape(2, 3), deviation.reshape(2, 3)
    _all_same(form(lambda dy, x: gradient(dy, x, *given, gamma, 3))(dy, x), product(dy))
    plain = dyad.vjp(lambda x: F.group_norm(x, 3), x)[1](dy)[0]
    dx, dgamma, _ = gradient(dy, x, *given, None, 3, True, False)
    _same(dx, plain)
    assert dgamma is None


@FORMS
@pytest.mark.parametrize("kind", [dtype.float32, dtype.float16], ids=str)
def test_norms_by_the_square_root_of_the_mean_square(kind, form):
    x, gamma = _some(4, 6).astype(kind), _some(6).astype(kind)
    (_, deviation), product = dyad.vjp(lambda x, g: ops.rms_norm(x, g), x, gamma)
    dy = _some(4, 6).astype(kind)
    gradient = auto_generate.RmsNormGrad()
    _all_same(
        form(lambda dy, x: gradient(dy, x, deviation, gamma))(dy, x), product((dy, ops.zeros_like(deviation)))
    )


@FORMS
@pytest.mark.parametrize("training", [True, False])
def test_batch_norms(training, form):
    x, weight, bias = _some(5, 3, 4) * 2 + 1, _some(3), _some(3)
    running = _some(3), _rates(3)

    def norm(x, weight, bias):
        return F.batch_norm(x, running[0].copy(), running[1].copy(), weight, bias, training, 0.1, 1e-5)

    y, product = dyad.vjp(norm, x, weight, bias)
    dy = _some(*y.shape)
    saved = [part.reshape(3) for part in _moments(x, (0, 2))]
    gradient = auto_generate.BatchNormGradExt(training, 1e-5)
    _all_same(form(lambda dy, x: gradient(dy, x, weight, *running, *saved))(dy, x), product(dy))
    assert gradient(dy, x, weight, *running, *saved, output_mask=(1, 0, 0))[1:] == (None, None)


@FORMS
def test_batch_norms_of_several_processes(form):
    x, weight, bias = _some(5, 3, 4) * 2 + 1, _some(3), _some(3)
    mean, deviation = (part.reshape(3) for part in _moments(x, (0, 2)))
    zero, one = ops.zeros(3), ops.ones(3)
    y, product = dyad.vjp(lambda *args: F.batch_norm(args[0], zero, one, *args[1:], True), x, weight, bias)
    dy = _some(*y.shape)
    reduce, elements = auto_generate.BatchNormReduceGrad(), auto_generate.BatchNormElemtGrad()

    def both(dy, x):
        halves = [
            reduce(dy[part], x[part], mean, deviation, weight, True, True, True)
            for part in (slice(2), slice(2, 5))
        ]
        total, products, dweight, dbias = (a + b for a, b in zip(*halves, strict=True))
        count = Tensor([2 * 4, 3 * 4], dtype.int32)
        parts = [
            elements(dy[part], x[part], mean, deviation, weight, total, products, count)
            for part in (slice(2), slice(2, 5))
        ]
        return mint.cat(parts), dweight, dbias

    for part, other in zip(form(both)(dy, x), product(dy), strict=True):
        np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-4)
    assert reduce(dy, x, mean, deviation, weight, False, False, True)[:3] == (None, None, None)


@FORMS
@pytest.mark.parametrize("mode", [0, 1])
def test_turned_pairs(mode, form):
    x, cos, sin = _some(1, 2, 3, 4), _some(1, 1, 3, 4), _some(1, 1, 3, 4)
    y, product = dyad.vjp(lambda *args: ops.rotary_position_embedding(*args, mode), x, cos, sin)
    dy = _some(*y.shape)
    gradient = auto_generate.RotaryPositionEmbeddingGrad()
    found = form(lambda dy, cos, sin, x: gradient(dy, cos, sin, x, mode))(dy, cos, sin, x)
    _all_same(found, product(dy))
    dx, *others = gradient(dy, cos, sin, mode=mode)
    _same(dx, found[0])
    assert others == [None, None]


@FORMS
def test_tokens_back_from_experts(form):
    tokens, probs, places = _some(6, 4), _rates(3, 2), Tensor([0, 3, 5, 1, 2, 4], dtype.int32)
    y, product = dyad.vjp(lambda t, p: ops.moe_token_unpermute(t, places, p), tokens, probs)
    dy = _some(*y.shape)
    gradient = auto_generate.MoeTokenUnpermuteGrad()
    _all_same(form(lambda t, dy, p: gradient(t, dy, places, p))(tokens, dy, probs), product(dy))
    dy = _some(6, 4)
    dx, none = gradient(tokens, dy, places)
    _same(dx, dyad.vjp(lambda t: ops.moe_token_unpermute(t, places), tokens)[1](dy)[0])
    assert none is None


@FORMS
def test_least_squares(form):
    a, b = _some(5, 3), _some(5, 2)
    gradient = auto_generate.LstsqV2Grad()
    dy = _some(3, 2)
    found = form(lambda dy, a, b: gradient(dy, a, b))(dy, a, b)

    def solution(a, b):
        return np.linalg.lstsq(a, b, rcond=None)[0]

    wide = [each.asnumpy().astype(np.float64) for each in (a, b)]
    for place, part in enumerate(found):
        numeric = np.zeros(part.shape)
        for index in np.ndindex(*part.shape):
            moved = [[value.copy() for value in wide] for _ in range(2)]
            moved[0][place][index] += 1e-6
            moved[1][place][index] -= 1e-6
            numeric[index] = ((solution(*moved[0]) - solution(*moved[1])) / 2e-6 * dy.asnumpy()).sum()
        np.testing.assert_allclose(part.asnumpy(), numeric, rtol=1e-3, atol=1e-3)
    column = gradient(dy[:, 0], a, b[:, 0])
    assert column[0].shape == (5, 3) and column[1].shape == (5,)


@FORMS
def test_dropped_elements(form):
    dy = _some(3, 5)
    gradient = auto_generate.DropoutGradExt()
    mask = Tensor(rng.integers(0, 2, (3, 5)).astype(np.uint8))
    np.testing.assert_allclose(
        form(lambda dy, mask: gradient(dy, mask, 0.25))(dy, mask),
        dy.asnumpy() * mask.asnumpy() / 0.75,
        rtol=1e-5,
    )
    bits = ops.DropoutGenMask(3, 4)((3, 5), Tensor(0.75))
    _same(gradient(dy, bits, 0.25), ops.DropoutDoMask()(dy, bits, Tensor(0.75)))


@FORMS
def test_norms_give_what_their_gradients_need(form):
    x, gamma, beta = _some(4, 6, 5), _some(6), _some(6)
    dy = _some(4, 6, 5)

    def groups(x, dy):
        y, mean, deviation = auto_generate.group_norm_op(x, 3, gamma, beta)
        return y, auto_generate.GroupNormGrad()(dy, x, mean, deviation, gamma, 3)[0]

    y, product = dyad.vjp(lambda x: F.group_norm(x, 3, gamma, beta), x)
    _all_same(form(groups)(x, dy), (y, product(dy)[0]))

    def rows(x, dy):
        y, mean, deviation = auto_generate.LayerNormExt()(x, (5,), gamma[:5], beta[:5], 1e-3)
        return y, auto_generate.LayerNormGradExt()(dy, x, (5,), mean, deviation, gamma[:5], beta[:5])[0]

    y, product = dyad.vjp(lambda x: F.layer_norm(x, (5,), gamma[:5], beta[:5], 1e-3), x)
    _all_same(form(rows)(x, dy), (y, product(dy)[0]))

    y, buffer = auto_generate.logsigmoid_op(x)
    _same(y, F.logsigmoid(x))
    _same(auto_generate.LogSigmoidGrad()(dy, x, buffer), dyad.vjp(F.logsigmoid, x)[1](dy)[0])


@pytest.mark.parametrize("training", [True, False])
def test_a_batch_norm_gives_what_its_gradient_needs(training):
    x, weight, bias, dy = _some(4, 3, 5), _some(3), _some(3), _some(4, 3, 5)
    mean, variance = _some(3), _rates(3)
    plain = mean.copy(), variance.copy()
    y, *saved = auto_generate.BatchNormExt()(x, weight, bias, mean, variance, training, 0.2, 1e-4)
    expected = F.batch_norm(x, *plain, weight, bias, training, 0.2, 1e-4)
    _all_same((y, mean, variance), (expected, *plain))
    gradient = auto_generate.BatchNormGradExt(training, 1e-4)(dy, x, weight, mean, variance, *saved)
    fixed = mean.copy(), variance.copy()
    product = dyad.vjp(lambda x: F.batch_norm(x, *fixed, weight, bias, training, 0.2, 1e-4), x)[1]
    _same(gradient[0], product(dy)[0])


def test_the_functions_give_the_norm_alone():
    x = _some(4, 6)
    _same(auto_generate.layer_norm_ext(x, (6,)), F.layer_norm(x, (6,)))
    _same(auto_generate.group_norm(x, 3), F.group_norm(x, 3))


@FORMS
def test_sampled_grids(form):
    x, grid = _some(1, 2, 4, 5), _rates(1, 3, 3, 2)
    y, product = dyad.vjp(lambda x, grid: ops.grid_sample(x, grid, "bilinear", "border", True), x, grid)
    dy = _some(*y.shape)
    gradient = auto_generate.GridSampler2DGrad("bilinear", "border", True, (1, 1))
    _all_same(form(lambda *args: gradient(*args))(dy, x, grid), product(dy))
    only = auto_generate.GridSampler2DGrad("bilinear", "border", True, output_mask=(0, 1))(dy, x, grid)
    assert only[0] is None
    _same(only[1], product(dy)[1])
