"""Layers of `mint.nn`: constructors, Parameters and results of PyTorch, in both forms."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, jit, mint, nn, ops
from dyad.mint.nn import functional as F

FORMS = [lambda cell: cell, jit]


@pytest.fixture(autouse=True)
def seeded():
    dyad.set_seed(7)


def noise(*shape):
    return Tensor(np.random.default_rng(sum(shape)).standard_normal(shape).astype(np.float32))


def close(found, expected, tolerance=1e-4):
    expected = expected.asnumpy() if isinstance(expected, Tensor) else expected
    np.testing.assert_allclose(found.asnumpy(), expected, rtol=tolerance, atol=tolerance)


CONVOLUTIONS = [
    (mint.nn.Conv1d, (2, 4, 9), F.conv1d),
    (mint.nn.Conv2d, (2, 4, 9, 8), F.conv2d),
    (mint.nn.Conv3d, (2, 4, 5, 6, 7), F.conv3d),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "settings", [{}, {"stride": 2, "padding": 1, "groups": 2}, {"padding": "same", "bias": False}]
)
@pytest.mark.parametrize("kind, shape, function", CONVOLUTIONS)
def test_convolution_layers_agree_with_their_functions(kind, shape, function, settings, form):
    layer, x = kind(4, 6, 3, **settings), noise(*shape)
    groups = settings.get("groups", 1)
    assert layer.weight.shape == (6, 4 // groups, *(3,) * (len(shape) - 2))
    assert (layer.bias is None) == (settings.get("bias") is False)
    given = {name: value for name, value in settings.items() if name != "bias"}
    close(form(layer)(x), function(x, layer.weight, layer.bias, **given))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("mode", ["reflect", "replicate", "circular"])
@pytest.mark.parametrize("padding", [(1, 2), "same"])
def test_margins_of_a_convolution(mode, padding, form):
    layer, x = mint.nn.Conv2d(3, 4, 3, padding=padding, padding_mode=mode), noise(2, 3, 6, 7)
    rows, columns = (1, 1) if padding == "same" else padding
    names = {"reflect": "reflect", "replicate": "edge", "circular": "wrap"}
    wide = np.pad(x.asnumpy(), ((0, 0), (0, 0), (rows, rows), (columns, columns)), names[mode])
    close(form(layer)(x), F.conv2d(Tensor(wide), layer.weight, layer.bias))


def test_a_sample_without_a_batch():
    layer, x = mint.nn.Conv2d(3, 4, 3), noise(3, 6, 7)
    close(layer(x), layer(x.expand_dims(0)).squeeze(0))


def test_wrong_convolutions():
    with pytest.raises(ValueError, match="Conv2d: groups is 3, in_channels 4 and out_channels 6"):
        mint.nn.Conv2d(4, 6, 3, groups=3)
    with pytest.raises(ValueError, match="padding_mode is 'ones'; need one of zeros"):
        mint.nn.Conv2d(4, 6, 3, padding_mode="ones")
    with pytest.raises(ValueError, match=r"Conv1d: input has shape \(2, 4, 9, 8\); need 2 or 3"):
        mint.nn.Conv1d(4, 6, 3)(noise(2, 4, 9, 8))
    with pytest.raises(ValueError, match="ConvTranspose2d: padding_mode is 'reflect'"):
        mint.nn.ConvTranspose2d(4, 6, 3, padding_mode="reflect")


@pytest.mark.parametrize("form", FORMS)
def test_transposed_convolution(form):
    layer, x = mint.nn.ConvTranspose2d(4, 6, 3, stride=2, padding=1, groups=2), noise(2, 4, 5, 6)
    assert layer.weight.shape == (4, 3, 3, 3)
    close(form(layer)(x), ops.conv_transpose2d(x, layer.weight, layer.bias, 2, 1, 0, 2))
    assert layer(x).shape == (2, 6, 9, 11)
    assert layer(x, (10, 12)).shape == layer(x, output_size=(2, 6, 10, 12)).shape == (2, 6, 10, 12)
    with pytest.raises(ValueError, match=r"output_size is \(8, 11\); need a size from 9 to 10"):
        layer(x, (8, 11))


BATCH_NORMS = [
    (mint.nn.BatchNorm1d, (6, 3)),
    (mint.nn.BatchNorm1d, (4, 3, 5)),
    (mint.nn.BatchNorm2d, (4, 3, 5, 2)),
    (mint.nn.BatchNorm3d, (4, 3, 2, 3, 2)),
    (mint.nn.SyncBatchNorm, (4, 3, 5, 2)),
]


def normalized(x, mean, variance, eps=1e-5):
    shape = (1, -1) + (1,) * (x.ndim - 2)
    return (x - mean.reshape(shape)) / np.sqrt(variance.reshape(shape) + eps)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("momentum", [0.1, None])
@pytest.mark.parametrize("kind, shape", BATCH_NORMS)
def test_batch_normalization(kind, shape, momentum, form):
    layer = kind(3, momentum=momentum)
    run = form(layer)
    batches = [noise(*shape).asnumpy() * 2 + 1, noise(*shape).asnumpy()[::-1].copy() - 3]
    axes = (0, *range(2, len(shape)))
    layer.set_train()
    mean, variance = np.zeros(3), np.ones(3)
    for count, x in enumerate(batches, 1):
        close(run(Tensor(x)), normalized(x, x.mean(axes), x.var(axes)), 1e-3)
        part = momentum or 1 / count
        mean = mean + part * (x.mean(axes) - mean)
        variance = variance + part * (x.var(axes, ddof=1) - variance)
    close(layer.running_mean, mean, 1e-3)
    close(layer.running_var, variance, 1e-3)
    assert layer.num_batches_tracked.item() == 2
    layer.set_train(False)
    close(run(Tensor(batches[0])), normalized(batches[0], mean, variance), 1e-3)
    names = [parameter.name for parameter in layer.get_parameters()]
    assert sorted(names) == ["bias", "num_batches_tracked", "running_mean", "running_var", "weight"]
    layer.reset_parameters()
    assert layer.running_mean.asnumpy().tolist() == [0, 0, 0] and layer.num_batches_tracked.item() == 0


@pytest.mark.parametrize("form", FORMS)
def test_batch_normalization_without_statistics(form):
    layer = mint.nn.BatchNorm2d(3, affine=False, track_running_stats=False)
    x = noise(4, 3, 5, 2).asnumpy()
    assert list(layer.get_parameters()) == []
    for training in (True, False):
        layer.set_train(training)
        close(form(layer)(Tensor(x)), normalized(x, x.mean((0, 2, 3)), x.var((0, 2, 3))), 1e-3)
    with pytest.raises(ValueError, match=r"BatchNorm2d: input has shape \(2, 3\); need 4 dimensions"):
        layer(noise(2, 3))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("shape", [5, (3, 5)])
def test_layer_normalization(shape, form):
    x = noise(2, 3, 5)
    layer = mint.nn.LayerNorm(shape)
    axes = (-1,) if shape == 5 else (-2, -1)
    data = x.asnumpy()
    expected = (data - data.mean(axes, keepdims=True)) / np.sqrt(data.var(axes, keepdims=True) + 1e-5)
    close(form(layer)(x), expected)
    assert layer.weight.shape == layer.bias.shape == ((5,) if shape == 5 else (3, 5))
    assert mint.nn.LayerNorm(shape, bias=False).bias is None
    plain = mint.nn.LayerNorm(shape, elementwise_affine=False)
    assert plain.weight is plain.bias is None
    close(form(plain)(x), expected)


@pytest.mark.parametrize("form", FORMS)
def test_group_normalization_keeps_its_names(form):
    layer, x = mint.nn.GroupNorm(2, 4), noise(2, 4, 3)
    close(form(layer)(x), nn.GroupNorm(2, 4)(x))
    assert [parameter.name for parameter in layer.get_parameters()] == ["weight", "bias"]


@pytest.mark.parametrize("form", FORMS)
def test_embedding_returns_rows_and_its_padding_row_has_no_gradient(form):
    layer = mint.nn.Embedding(7, 3, padding_idx=-1)
    ids = Tensor(np.array([[0, 6, 2], [2, 2, 5]]))
    assert layer.padding_idx == 6 and (layer.weight.asnumpy()[6] == 0).all()
    assert 0.5 < layer.weight.asnumpy()[:6].std() < 1.6
    close(form(layer)(ids), layer.weight.asnumpy()[ids.asnumpy()])
    gradient = form(grad(lambda ids: layer(ids).sum(), None, layer.trainable_params()))(ids)[0]
    assert gradient.asnumpy()[:, 0].tolist() == [1, 0, 3, 0, 0, 1, 0]


@pytest.mark.parametrize("form", FORMS)
def test_embedding_shares_gradients_by_frequency(form):
    layer = mint.nn.Embedding(4, 3, scale_grad_by_freq=True)
    ids = Tensor(np.array([0, 2, 2, 2]))
    close(form(layer)(ids), layer.weight.asnumpy()[ids.asnumpy()])
    gradient = form(grad(lambda ids: layer(ids).sum(), None, layer.trainable_params()))(ids)[0]
    close(gradient[:, 0], [1, 0, 1, 0])


@pytest.mark.parametrize("form", FORMS)
def test_embedding_shortens_the_rows_it_gives(form):
    table = Tensor(np.float32([[3, 4], [0.3, 0.4], [6, 8]]))
    layer = mint.nn.Embedding(3, 2, max_norm=1.0, _weight=table, _freeze=True)
    close(form(layer)(Tensor(np.array([0, 1]))), [[0.6, 0.8], [0.3, 0.4]])
    close(layer.weight, [[0.6, 0.8], [0.3, 0.4], [6, 8]])
    assert not layer.weight.requires_grad


def test_wrong_embeddings():
    with pytest.raises(ValueError, match="padding_idx is 7; need a row, from -7 to 6"):
        mint.nn.Embedding(7, 3, padding_idx=7)
    with pytest.raises(ValueError, match=r"_weight has shape \(2, 3\); need \(7, 3\)"):
        mint.nn.Embedding(7, 3, _weight=noise(2, 3))
    with pytest.raises(ValueError, match="sparse is True; need False"):
        mint.nn.Embedding(7, 3, sparse=True)


IMAGE = (2, 3, 6, 8)
APPLIED = [
    (mint.nn.AvgPool1d(2), (2, 3, 8), lambda x: F.avg_pool1d(x, 2)),
    (mint.nn.AvgPool2d((2, 4)), IMAGE, lambda x: ops.avg_pool2d(x, (2, 4), (2, 4))),
    (mint.nn.AvgPool3d(2), (2, 3, 4, 6, 8), lambda x: ops.avg_pool3d(x, 2, 2)),
    (mint.nn.MaxPool2d(2, 1), IMAGE, lambda x: ops.max_pool2d(x, 2, 1)),
    (mint.nn.AdaptiveMaxPool1d(2), (2, 3, 8), lambda x: ops.adaptive_max_pool1d(x, 2)),
    (mint.nn.AdaptiveMaxPool2d((2, 4)), IMAGE, lambda x: ops.adaptive_max_pool2d(x, (2, 4))),
    (mint.nn.Unfold(2, stride=2), IMAGE, lambda x: ops.unfold(x, 2, stride=2)),
    (mint.nn.Fold((4, 4), 2, stride=2), (2, 12, 4), lambda x: ops.fold(x, (4, 4), 2, stride=2)),
    (mint.nn.ZeroPad1d((1, 2)), (2, 3, 8), lambda x: ops.pad(x, (1, 2))),
    (mint.nn.ZeroPad2d(1), IMAGE, lambda x: ops.pad(x, (1, 1, 1, 1))),
    (mint.nn.ZeroPad3d(1), (2, 3, 4, 6, 8), lambda x: ops.pad(x, (1,) * 6)),
    (
        mint.nn.UpsamplingNearest2d(scale_factor=2),
        IMAGE,
        lambda x: x.repeat_interleave(2, 2).repeat_interleave(2, 3),
    ),
    (
        mint.nn.UpsamplingBilinear2d((11, 15)),
        IMAGE,
        lambda x: ops.interpolate(x, (11, 15), mode="bilinear", align_corners=True),
    ),
    (mint.nn.PReLU(), IMAGE, lambda x: ops.where(x > 0, x, 0.25 * x)),
    (mint.nn.PReLU(3, 0.5), IMAGE, lambda x: ops.where(x > 0, x, 0.5 * x)),
    (mint.nn.LeakyReLU(0.2), IMAGE, lambda x: ops.where(x > 0, x, 0.2 * x)),
    (mint.nn.Hardtanh(-0.5, 0.2), IMAGE, lambda x: ops.clamp(x, -0.5, 0.2)),
    (mint.nn.Threshold(0.1, 7.0), IMAGE, lambda x: ops.where(x > 0.1, x, 7.0)),
    (mint.nn.Softplus(), IMAGE, lambda x: ops.log(1 + ops.exp(x))),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("layer, shape, function", APPLIED, ids=lambda given: type(given).__name__)
def test_layers_that_are_functions(layer, shape, function, form):
    x = noise(*shape)
    close(form(layer)(x), function(x))


def test_positions_of_the_largest_lead_back():
    x = noise(*IMAGE)
    values, places = mint.nn.MaxPool2d(2, return_indices=True)(x)
    back = mint.nn.MaxUnpool2d(2)(values, places).asnumpy()
    data = x.asnumpy()
    assert back.shape == data.shape and (back != 0).sum() == values.size
    assert (back[back != 0] == data[back != 0]).all()


@pytest.mark.parametrize("name, given", [
    ("relu_", ()), ("sigmoid_", ()), ("elu_", (0.5,)), ("hardtanh_", (-0.2, 0.3)), ("threshold_", (0.1, 2.0)),
])  # fmt: skip
def test_results_written_into_the_argument(name, given):
    x = noise(3, 4)
    expected = getattr(F, name.rstrip("_"))(x, *given).asnumpy()
    assert getattr(F, name)(x, *given) is x
    close(x, expected)


def test_channels_are_dropped_as_a_whole():
    layer = mint.nn.Dropout2d(0.5).set_train()
    kept = (layer(mint.ones((4, 16, 3, 3))).asnumpy() != 0).reshape(64, 9)
    assert (kept.all(1) | ~kept.any(1)).all() and 0.2 < kept.mean() < 0.8
    assert (layer.set_train(False)(mint.ones((1, 2, 3, 3))).asnumpy() == 1).all()


def test_a_network_trains_in_both_forms():
    def losses(static):
        dyad.set_seed(3)
        net = nn.SequentialCell(
            mint.nn.Conv2d(3, 4, 3, padding=1), mint.nn.BatchNorm2d(4), mint.nn.ReLU(), mint.nn.Flatten(),
            mint.nn.LayerNorm(4 * 6 * 8), mint.nn.Linear(4 * 6 * 8, 5),
        ).set_train()  # fmt: skip
        step = nn.TrainOneStepCell(
            nn.WithLossCell(net, mint.nn.CrossEntropyLoss()), nn.SGD(net.trainable_params(), 0.1)
        )
        step.set_train()
        run = jit(step) if static else step
        x, y = noise(*IMAGE), Tensor(np.array([1, 4]))
        return [run(x, y).item() for _ in range(4)]

    dynamic = losses(False)
    assert dynamic[-1] < dynamic[0]
    np.testing.assert_allclose(losses(True), dynamic, rtol=1e-3)


def test_bicubic_is_torch_s_in_mint_and_tensorflow_s_in_ops():
    row = Tensor([[[[0.0, 0.0, 1.0, 0.0, 0.0]]]])

    def resized(interpolate):
        return interpolate(row, (1, 10), mode="bicubic").reshape(-1).tolist()

    # Weights at a quarter of a pixel: Keys' kernel with -0.75, and Catmull-Rom's, renormalized at the rim.
    torch = [0.0, -0.03515625, -0.10546875, 0.26171875, 0.87890625]
    catmull_rom = [0.0, -0.0234375 / 1.0703125, -0.0703125 / 1.0234375, 0.2265625, 0.8671875]
    np.testing.assert_allclose(resized(mint.nn.functional.interpolate), torch + torch[::-1], atol=1e-6)
    np.testing.assert_allclose(resized(ops.interpolate), catmull_rom + catmull_rom[::-1], atol=1e-6)
    whole = Tensor(np.ones((1, 1, 3, 4), np.float32))
    np.testing.assert_allclose(ops.interpolate(whole, (7, 9), mode="bicubic"), 1, atol=1e-6)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    "shape, dim", [((), 0), ((5,), 0), ((2, 3), 1), ((2, 3, 4), 0), ((2, 3, 4, 5), 1), ((2, 3, 2, 2, 2), 1)]
)
def test_the_dimension_of_softmax_unless_one_is_given(shape, dim, form):
    x = Tensor(np.asarray(np.random.default_rng(1).standard_normal(shape), np.float32))
    exponential = np.exp(x.asnumpy())
    expected = exponential / exponential.sum(dim, keepdims=True) if shape else np.float32(1)
    close(form(lambda x: F.softmax(x))(x), expected)
    close(form(mint.nn.Softmax())(x), expected)
    close(form(lambda x: F.log_softmax(x))(x), np.log(expected))
    close(form(mint.nn.LogSoftmax())(x), np.log(expected))


class Doubled(mint.nn.Conv2d):
    """A layer of a program that calls the operator of its base class."""

    def construct(self, input):
        if self.padding_mode != "zeros":
            input, padding = F.pad(input, self._reversed_padding, mode=self.padding_mode), (0, 0)
        else:
            padding = self.padding
        return 2 * self.conv2d(
            input, self.weight, self.bias, self.stride, padding, self.dilation, self.groups
        )


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("settings", "margins"),
    [
        ({}, (0, 0, 0, 0)),
        ({"padding": (1, 2), "padding_mode": "reflect"}, (2, 2, 1, 1)),
        ({"padding": "same", "padding_mode": "circular"}, [1, 1, 1, 1]),
        ({"padding": "same", "dilation": (1, 3)}, [3, 3, 1, 1]),
    ],
)
def test_a_subclass_of_conv2d_finds_operator_and_margins(settings, margins, form):
    layer, plain = Doubled(2, 3, 3, **settings), mint.nn.Conv2d(2, 3, 3, **settings)
    assert layer._reversed_padding == margins
    for own, other in zip(layer.get_parameters(), plain.get_parameters(), strict=True):
        own.set_data(other)
    x = noise(1, 2, 7, 8)
    close(form(layer)(x), 2 * plain(x))


@pytest.mark.parametrize(
    ("layer", "settings"),
    [
        (
            mint.nn.MaxPool2d((3, 2), padding=1),
            {"kernel_size": (3, 2), "stride": (3, 2), "padding": 1, "dilation": 1},
        ),
        (
            mint.nn.AvgPool2d(2),
            {"kernel_size": 2, "stride": None, "ceil_mode": False, "divisor_override": None},
        ),
        (mint.nn.Softmax(1), {"dim": 1}),
        (mint.nn.Flatten(), {"start_dim": 1, "end_dim": -1}),
        (mint.nn.GELU("tanh"), {"approximate": "tanh"}),
        (mint.nn.Hardtanh(-2.0), {"min_val": -2.0, "max_val": 1.0, "inplace": False}),
        (mint.nn.Unfold(2), {"kernel_size": 2, "dilation": 1, "padding": 0, "stride": 1}),
        (mint.nn.ZeroPad2d(1), {"padding": (1, 1, 1, 1), "value": 0}),
        (mint.nn.UpsamplingNearest2d((4, 4)), {"size": (4, 4), "scale_factor": None}),
        (mint.nn.Linear(2, 3), {"in_features": 2, "out_features": 3}),
        (mint.nn.Conv1d(2, 4, 3), {"transposed": False, "output_padding": (0,)}),
        (mint.nn.ConvTranspose2d(2, 4, 3), {"transposed": True, "output_padding": (0, 0)}),
    ],
    ids=lambda value: type(value).__name__,
)
def test_settings_are_attributes(layer, settings):
    found = {name: getattr(layer, name) for name in settings}
    found = {name: tuple(value) if isinstance(value, list) else value for name, value in found.items()}
    assert found == settings


@pytest.mark.parametrize("form", [*FORMS, lambda cell: jit(cell, capture_mode="bytecode")])
def test_a_setting_that_is_changed_counts_from_the_next_call_on(form):
    layer, x = mint.nn.MaxPool2d(2), noise(1, 1, 8, 8)
    called = form(layer)
    close(called(x), F.max_pool2d(x, 2, 2))
    layer.stride = 1
    close(called(x), F.max_pool2d(x, 2, 1))
    flatten = mint.nn.Flatten()
    called = form(flatten)
    assert called(x).shape == (1, 64)
    flatten.start_dim = 0
    assert called(x).shape == (64,)
