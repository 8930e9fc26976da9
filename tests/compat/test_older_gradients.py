"""Gradient operators of recurrent layers, parts of norms and rarer operators equal the gradients of the operators."""

import importlib

import numpy as np
import pytest

import dyad
from dyad import Tensor, dtype, jit, mint, ops
from dyad.ops import auto_generate
from dyad.ops.operations import _grad_ops, nn_ops
from dyad.ops.operations._sparse_grad_ops import SparseAddGrad

rng = np.random.default_rng(5)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def _some(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


def _rates(*shape):
    return Tensor(rng.uniform(0.1, 0.9, shape).astype(np.float32))


def _near(found, expected):
    for part, other in zip(found, expected, strict=True):
        assert part.shape == other.shape and part.dtype == other.dtype
        np.testing.assert_allclose(part, other, rtol=1e-4, atol=1e-4)


@FORMS
@pytest.mark.parametrize("bidirectional", [False, True])
def test_a_stack_of_lstm_layers(bidirectional, form):
    ways = 2 if bidirectional else 1
    settings = {"input_size": 3, "hidden_size": 4, "num_layers": 2, "has_bias": True}
    settings |= {"bidirectional": bidirectional, "dropout": 0.0}
    count = sum(ways * 16 * (inputs + 4 + 2) for inputs in (3, 4 * ways))
    x, h, c, w = _some(5, 2, 3), _some(2 * ways, 2, 4), _some(2 * ways, 2, 4), _some(count, 1, 1)
    lstm = ops.LSTM(**settings)
    (y, hy, cy), product = dyad.vjp(lambda *args: lstm(*args)[:3], x, h, c, w)
    given = _some(*y.shape), _some(*hy.shape), _some(*cy.shape)
    gradient = _grad_ops.LSTMGrad(**settings)
    found = form(lambda *args: gradient(x, h, c, w, y, hy, cy, *args, Tensor([0.0])))(*given)
    _near(found, product(given))


@FORMS
def test_lstm_that_gives_its_gates(form):
    x, w, b, h, c = _some(4, 2, 3), _some(3 + 5, 20), _some(20), _some(2, 5), _some(2, 5)
    layer = ops.DynamicRNN(forget_bias=0.5)

    def run(w, b, x, h, c):
        y, states, cells, *_ = layer(x, w, b, None, h.expand_dims(0), c.expand_dims(0))
        return y, states[-1], cells[-1]

    _, product = dyad.vjp(run, w, b, x, h, c)
    y, states, cells, i, j, f, o, bent = layer(x, w, b, None, h.expand_dims(0), c.expand_dims(0))
    given = _some(4, 2, 5), _some(2, 5), _some(2, 5)
    gradient = _grad_ops.DynamicRNNGrad(forget_bias=0.5)
    found = form(lambda *args: gradient(x, w, b, y, h, c, states, cells, *args, i, j, f, o, bent))(*given)
    _near(found, product(given))


@FORMS
@pytest.mark.parametrize("order", ["rzh", "zrh"])
@pytest.mark.parametrize("reset_after", [True, False])
def test_gru_that_gives_its_gates(reset_after, order, form):
    x, wi, wh, bi, bh, h0 = _some(4, 2, 3), _some(3, 15), _some(5, 15), _some(15), _some(15), _some(2, 5)
    settings = {"gate_order": order, "reset_after": reset_after, "cell_clip": 0.9}
    layer = ops.DynamicGRUV2(**settings)

    def run(wi, wh, bi, bh, x, h0):
        y, states, *_ = layer(x, wi, wh, bi, bh, None, h0)
        return y, states[-1]

    _, product = dyad.vjp(run, wi, wh, bi, bh, x, h0)
    y, states, *gates = layer(x, wi, wh, bi, bh, None, h0)
    dy, dh = _some(4, 2, 5), _some(2, 5)
    gradient = _grad_ops.DynamicGRUV2Grad(**settings)
    found = form(lambda dy, dh: gradient(x, wi, wh, y, h0, states, dy, dh, *gates, None, None))(dy, dh)
    _near(found, product((dy, dh)))
    with pytest.raises(ValueError, match="DynamicGRUV2Grad: seq_length or mask is given; need None"):
        gradient(x, wi, wh, y, h0, states, dy, dh, *gates, Tensor([4, 2]))


@FORMS
def test_a_step_of_an_lstm_in_three_parts(form):
    x, h, c, w, b = _some(2, 3), _some(2, 4), _some(2, 4), _some(7, 16), _some(16)

    def step(x, h, c, w, b):
        i, j, f, o = ops.split(ops.matmul(ops.cat((x, h), 1), w) + b, 4, 1)
        i, j, f, o = ops.sigmoid(i), ops.tanh(j), ops.sigmoid(f + 1.0), ops.sigmoid(o)
        new = f * c + i * j
        return new, o * ops.tanh(new), (i, j, f, o)

    (new, _), product = dyad.vjp(lambda *args: step(*args)[:2], x, h, c, w, b)
    i, j, f, o = step(x, h, c, w, b)[2]
    dc, dh = _some(2, 4), _some(2, 4)

    def back(dh, dc):
        gates, to_cell = _grad_ops.BasicLSTMCellCStateGrad(1.0, "tanh")(c, dh, dc, i, j, f, o, ops.tanh(new))
        to_input, to_state = _grad_ops.BasicLSTMCellInputGrad(1.0)(gates, w)
        return to_input, to_state, to_cell, *_grad_ops.BasicLSTMCellWeightGrad()(x, h, gates)

    _near(form(back)(dh, dc), product((dc, dh)))


@FORMS
def test_norms_of_planes(form):
    x, gamma, beta = _some(2, 3, 4, 5), _some(3), _some(3)
    instance = ops.InstanceNormV2(True, 0.1, 1e-5)
    shape = (2, 3, 1, 1)
    zero, one = ops.zeros(shape), ops.ones(shape)

    def norm(x, gamma, beta):
        spread = [ops.broadcast_to(part.reshape(1, 3, 1, 1), shape) for part in (gamma, beta)]
        return instance(x, *spread, zero, one)[0]

    y, product = dyad.vjp(norm, x, gamma, beta)
    dy = _some(*y.shape)
    gradient = _grad_ops.InstanceNormGrad(1e-5)
    _near(form(lambda dy, x: gradient(dy, x, gamma, _some(6), _some(6)))(dy, x), product(dy))


@FORMS
@pytest.mark.parametrize("layout", ["NCHW", "NHWC"])
def test_batch_norm_in_two_parts(layout, form):
    channel = layout.index("C")
    axes = tuple(axis for axis in range(4) if axis != channel)
    sizes = tuple(3 if axis == channel else 1 for axis in range(4))
    x, scale, offset = _some(2, 3, 4, 3), _some(3), _some(3)

    def norm(x, scale, offset):
        apart = x - x.mean(axes, keep_dims=True)
        normed = apart * ops.rsqrt(ops.square(apart).mean(axes, keep_dims=True) + 1e-3)
        return normed * scale.reshape(sizes) + offset.reshape(sizes)

    y, product = dyad.vjp(norm, x, scale, offset)
    dy = _some(*y.shape)
    mean, variance = x.mean(axes), ops.square(x - x.mean(axes, keep_dims=True)).mean(axes)

    def back(dy, x):
        sums = _grad_ops.BNTrainingUpdateGrad(1e-3, layout)(dy, x, mean, variance)
        return _grad_ops.BNTrainingReduceGrad(1e-3, layout)(dy, x, *sums, scale, mean, variance), *sums

    _near(form(back)(dy, x), product(dy))


@FORMS
def test_average_pool_gradients_equal_the_vjp_of_avg_pool(form):
    x = _some(2, 3, 7, 5)
    pool = ops.AvgPool(3, 2, "SAME")
    y, product = dyad.vjp(pool, x)
    dy = _some(*y.shape)
    older, further = _grad_ops.AvgPoolGradGe(3, 2, "SAME"), _grad_ops.AvgPoolGradVm(3, 2, "SAME")
    _near([form(lambda dy: older(x.shape, dy))(dy)], product(dy))
    _near([form(lambda dy: further(x.shape, dy, Tensor([1.0]), Tensor([1.0])))(dy)], product(dy))


@FORMS
def test_convolutions_by_channel(form):
    x, w = _some(2, 3, 6, 5), _some(2, 3, 3, 2)
    settings = {"pad_mode": "pad", "pad": 1, "stride": (2, 1)}
    convolve = ops.DepthwiseConv2dNative(2, (3, 2), **settings)
    y, product = dyad.vjp(convolve, x, w)
    dy = _some(*y.shape)
    of_input = _grad_ops.DepthwiseConv2dNativeBackpropInput(2, (3, 2), **settings)
    of_filter = _grad_ops.DepthwiseConv2dNativeBackpropFilter(2, (3, 2), **settings)
    found = form(lambda dy: (of_input(x.shape, w, dy), of_filter(x, w.shape, dy)))(dy)
    _near(found, product(dy))


RESIZED = {
    ("nearest", "half_pixel"): ((1, 1, 1, 9), 4, [[3, 2, 2, 2]]),
    ("linear", "align_corners"): ((1, 1, 1, 3), 2, [[1.5, 1.5]]),
    ("linear", "half_pixel"): ((1, 1, 1, 4), 2, [[2, 2]]),
}


@FORMS
@pytest.mark.parametrize("how", RESIZED)
def test_resized_lines(how, form):
    mode, coordinates = how
    shape, width, expected = RESIZED[how]
    gradient = _grad_ops.ResizeV2Grad(coordinates, mode)
    unused = Tensor([0.0])
    found = form(lambda dy: gradient(dy, unused, unused, (1, 1, 1, width)))(ops.ones(shape))
    np.testing.assert_allclose(found[0, 0], expected, rtol=1e-5)


@FORMS
@pytest.mark.parametrize("align", [True, False])
def test_images_resized_by_cubic_curves(align, form):
    x = _some(1, 2, 3, 4)
    resize = mint.nn.functional.interpolate
    y, product = dyad.vjp(lambda x: resize(x, (5, 7), mode="bicubic", align_corners=align), x)
    dy = _some(*y.shape)
    gradient = _grad_ops.ResizeV2Grad("align_corners" if align else "half_pixel", "cubic")
    unused = Tensor([0.0])
    _near([form(lambda dy: gradient(dy, unused, unused, Tensor([1, 2, 3, 4])))(dy)], product(dy))


def test_refused_ways_of_resizing():
    with pytest.raises(ValueError, match="ResizeV2Grad: mode is 'area'; need one of nearest, linear, cubic"):
        _grad_ops.ResizeV2Grad(mode="area")


@FORMS
def test_sequences_of_labels(form):
    scores = ops.log_softmax(_some(5, 2, 4), -1)
    targets, lengths = (
        Tensor([[1, 2], [3, 1]], dtype.int32),
        (Tensor([5, 4], dtype.int32), Tensor([2, 1], dtype.int32)),
    )
    loss = ops.CTCLossV2(0)
    (y, alpha), dy = loss(scores, targets, *lengths), _some(2)
    expected = dyad.vjp(lambda x: loss(x, targets, *lengths)[0], scores)[1](dy)
    gradient = nn_ops.CTCLossV2Grad(0)
    _near([form(lambda dy, x: gradient(dy, x, targets, *lengths, y, alpha))(dy, scores)], expected)


@FORMS
@pytest.mark.parametrize("reduction", ["none", "mean", "sum"])
def test_margins_of_several_labels(reduction, form):
    x, target = _some(2, 4), Tensor([[1, 0, -1, 2], [2, -1, 0, 0]], dtype.int32)
    loss = ops.MultilabelMarginLoss(reduction)
    y, product = dyad.vjp(lambda x: loss(x, target)[0], x)
    dy = _some(*y.shape)
    gradient = _grad_ops.MultilabelMarginLossGrad(reduction)
    _near([form(lambda dy, x: gradient(dy, x, target, loss(x, target)[1]))(dy, x)], product(dy))


@FORMS
def test_samples_of_a_gamma_distribution(form):
    alpha, sample = Tensor([1.0, 0.6, 3.0, 26.0]), Tensor([6.0, 7.0, 11.0, 0.5])
    found = form(lambda a, x: _grad_ops.RandomGammaGrad()(a, x))(alpha, sample)
    np.testing.assert_allclose(found, [2.5142431, 3.4334087, 1.8847835, 0.07780622], rtol=1e-4)


@FORMS
def test_values_that_were_gathered(form):
    values, places = Tensor([1.0, 2.0, 3.0]), Tensor([0, 2, 2, 1])
    found = form(lambda dy, y, i: _grad_ops.UniqueGrad()((dy, i), (y, i)))(values * 10, values, places)
    assert found.asnumpy().tolist() == [10, 30, 30, 20]


@FORMS
def test_a_sum_of_sparse_values(form):
    first, second = Tensor([[0, 1], [2, 0]]), Tensor([[2, 0], [2, 2]])
    total, dy = Tensor([[0, 1], [2, 0]]), Tensor([5.0, 7.0])
    found = form(lambda dy: SparseAddGrad()(dy, first, second, total))(dy)
    assert [part.asnumpy().tolist() for part in found] == [[5, 7], [7, 0]]


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [((4, 2, 1), (2, 7), ([2], [0])), ((1, 2), (1, 2), ([], [])), ((2, 1, 3), (1, 1, 1), ([1], [0, 1, 2]))],
)
def test_dimensions_that_were_broadcast(first, second, axes):
    found = auto_generate.DynamicBroadcastGradientArgs()(Tensor(first), Tensor(second))
    assert tuple(part.asnumpy().tolist() for part in found) == axes
    with pytest.raises(ValueError, match=r"the shapes are \(2, 3\) and \(4,\); they do not fit"):
        auto_generate.DynamicBroadcastGradientArgs()((2, 3), (4,))


@FORMS
def test_the_norm_of_a_sum(form):
    first, second, gamma, beta = _some(4, 6), _some(4, 6), _some(6), _some(6)
    norm = ops.LayerNorm(1, 1, 1e-5)
    y, product = dyad.vjp(lambda x, g, b: norm(x, g, b)[0], first + second, gamma, beta)
    dy, further = _some(*y.shape), _some(4, 6)
    x = first + second
    mean = x.mean(1, keep_dims=True)
    deviation = ops.rsqrt(ops.square(x - mean).mean(1, keep_dims=True) + 1e-5)
    gradient = auto_generate.AddLayerNormGrad()
    dx, *others = product(dy)
    found = form(lambda dy: gradient(dy, first, second, deviation, mean, gamma, further))(dy)
    _near(found, (dx + further, *others))
    _near(gradient(dy, first, second, deviation, mean, gamma, None), (dx, *others))


def test_what_another_device_computes_names_what_does_it_here():
    gradient = _grad_ops.LSTMGradData(3, 4, 1, True, False, 0.0)
    with pytest.raises(
        RuntimeError, match="LSTMGradData: only an accelerator of another kind has it; use grad of ops"
    ):
        gradient(_some(2))


@pytest.mark.parametrize(
    ("path", "name", "settings"),
    [
        ("_quant_ops", "FakeQuantPerLayer", {"num_bits": 4, "symmetric": True}),
        ("_quant_ops", "CorrectionMulGrad", {"channel_axis": 1}),
        ("_thor_ops", "CusMatMulCube", {"transpose_a": True}),
    ],
)
def test_operators_of_rounded_numbers_and_matrices_are_constructed(path, name, settings):
    primitive = getattr(importlib.import_module(f"dyad.ops.operations.{path}"), name)(**settings)
    assert primitive.name == name and primitive.attrs == settings
    with pytest.raises(RuntimeError, match=f"{name}: only an accelerator of another kind has it; use "):
        primitive(_some(2))
