import re

import numpy as np
import pytest
from scipy import special

import dyad
from dyad import Tensor, mint, nn, train


def random(*shape):
    return np.random.standard_normal(shape).astype(np.float32)


def test_flatten_keeps_the_batch():
    x = random(2, 3, 4, 5)
    assert nn.Flatten()(Tensor(x)).shape == (2, 60)
    assert nn.Flatten(0, -1)(Tensor(x)).shape == (120,)
    assert (nn.Flatten(1, 2)(Tensor(x)).asnumpy() == x.reshape(2, 12, 5)).all()


@pytest.mark.parametrize("value", [1.0, [1.0]])
def test_flatten_needs_two_dimensions(value):
    with pytest.raises(ValueError, match=r"Flatten: x has shape .*; need a dimension 1 to start from"):
        nn.Flatten()(Tensor(value))


def test_identity_returns_its_input_whatever_it_is_made_with():
    x = Tensor([1.0])
    assert nn.Identity(5, unused=True)(x) is x


def test_unflatten_roll_triangles_and_one_hot():
    x = random(2, 6)
    assert (nn.Unflatten(1, (2, 3))(Tensor(x)).asnumpy() == x.reshape(2, 2, 3)).all()
    assert nn.Unflatten(-1, [3, 2])(Tensor(x)).shape == (2, 3, 2)
    assert (nn.Roll(2, 1)(Tensor(x)).asnumpy() == np.roll(x, 2, 1)).all()
    assert (nn.Tril()(Tensor(x)).asnumpy() == np.tril(x)).all()
    assert (nn.Triu()(Tensor(x), 1).asnumpy() == np.triu(x, 1)).all()
    assert nn.OneHot(depth=3)(Tensor([0, 2])).asnumpy().tolist() == [[1, 0, 0], [0, 0, 1]]
    swapped = nn.OneHot(axis=0, depth=2, on_value=5.0, off_value=-1.0)(Tensor([1, 0, 1]))
    assert swapped.asnumpy().tolist() == [[-1, 5, -1], [5, -1, 5]]


def test_dropout_is_the_identity_unless_training():
    x = Tensor(np.ones((4, 4), np.float32))
    assert nn.Dropout(p=0.5)(x) is x
    assert nn.Dropout(p=0.0).set_train()(x) is x


def test_dropout_zeroes_and_scales():
    layer = nn.Dropout(p=0.25).set_train()
    result = layer(Tensor(np.ones((400, 500), np.float32))).asnumpy()
    assert set(np.unique(result)) == {np.float32(0), np.float32(4 / 3)}
    assert abs((result == 0).mean() - 0.25) < 0.01
    again = layer(Tensor(np.ones((400, 500), np.float32))).asnumpy()
    assert (result != again).any()


def test_dropout_repeats_with_the_seed():
    layer, x = nn.Dropout(p=0.5).set_train(), Tensor(np.ones(100, np.float32))
    dyad.set_seed(5)
    first = layer(x).asnumpy()
    dyad.set_seed(5)
    assert (layer(x).asnumpy() == first).all()


def test_keep_prob_is_the_older_spelling():
    assert nn.Dropout(0.9).p == pytest.approx(0.1)
    assert nn.Dropout().p == 0.5


@pytest.mark.parametrize(
    ("layer", "shape"),
    [
        (nn.Dropout1d(0.5), (64, 8, 5)),
        (nn.Dropout2d(0.5), (64, 8, 5, 3)),
        (nn.Dropout3d(0.5), (64, 8, 2, 3, 2)),
    ],
)
def test_channel_dropout_zeroes_whole_channels(layer, shape):
    x = Tensor(np.ones(shape, np.float32))
    assert layer(x) is x
    result = layer.set_train()(x).asnumpy().reshape(*shape[:2], -1)
    assert (result == result[..., :1]).all()
    assert set(np.unique(result)) == {0, 2}
    assert 0.3 < (result[..., 0] == 0).mean() < 0.7


def test_embedding_looks_rows_up():
    layer = nn.Embedding(10, 4)
    ids = np.array([[1, 9], [0, 1]])
    expected = layer.embedding_table.asnumpy()[ids]
    assert (layer(Tensor(ids)).asnumpy() == expected).all()
    assert (nn.Embedding(10, 4, True, Tensor(layer.embedding_table))(Tensor(ids)).asnumpy() == expected).all()
    assert [(p.name, p.shape) for p in layer.get_parameters()] == [("embedding_table", (10, 4))]
    assert abs(nn.Embedding(1000, 50).embedding_table.asnumpy().std() - 0.01) < 0.001


def test_embedding_padding_row_is_zero():
    table = nn.Embedding(4, 2, padding_idx=1).embedding_table.asnumpy()
    assert (table[1] == 0).all() and (table[0] != 0).any()


def test_embedding_lookup_bounds_norms():
    layer = nn.EmbeddingLookup(
        4, 2, param_init=Tensor([[3.0, 4.0], [0.3, 0.4], [0.0, 0.0], [1.0, 0.0]]), max_norm=1.0
    )
    result = layer(Tensor([0, 1, 2])).asnumpy()
    np.testing.assert_allclose(result, [[0.6, 0.8], [0.3, 0.4], [0, 0]], rtol=1e-6)


def test_norm_clip_and_regulariser():
    x = random(3, 4)
    np.testing.assert_allclose(nn.Norm()(Tensor(x)).asnumpy(), np.linalg.norm(x), rtol=1e-5)
    np.testing.assert_allclose(
        nn.Norm(axis=0, keep_dims=True)(Tensor(x)).asnumpy(),
        np.linalg.norm(x, axis=0, keepdims=True),
        rtol=1e-5,
    )
    clipped = nn.ClipByNorm()(Tensor([[3.0, 4.0]]), Tensor(1.0)).asnumpy()
    np.testing.assert_allclose(clipped, [[0.6, 0.8]], rtol=1e-6)
    np.testing.assert_allclose(
        nn.ClipByNorm()(Tensor([[0.3, 0.4]]), Tensor(1.0)).asnumpy(), [[0.3, 0.4]], rtol=1e-6
    )
    np.testing.assert_allclose(
        nn.ClipByNorm(axis=0)(Tensor([[1.0, 20.0]]), Tensor(2.0)).asnumpy(), [[1, 2]], rtol=1e-6
    )
    np.testing.assert_allclose(nn.L1Regularizer(0.1)(Tensor(x)).asnumpy(), 0.1 * np.abs(x).sum(), rtol=1e-5)


def test_moments_logsumexp_matmul_and_range():
    x, y = random(3, 4), random(3, 5)
    mean, variance = nn.Moments(axis=0)(Tensor(x))
    np.testing.assert_allclose(mean.asnumpy(), x.mean(0), rtol=1e-4, atol=1e-6)
    np.testing.assert_allclose(variance.asnumpy(), x.var(0), rtol=1e-4)
    assert [m.shape for m in nn.Moments(axis=0, keep_dims=True)(Tensor(x))] == [(1, 4), (1, 4)]
    np.testing.assert_allclose(
        nn.ReduceLogSumExp(1)(Tensor(x)).asnumpy(), np.log(np.exp(x).sum(1)), rtol=1e-4, atol=1e-6
    )
    np.testing.assert_allclose(
        nn.MatMul(transpose_x1=True)(Tensor(x), Tensor(y)).asnumpy(), x.T @ y, rtol=1e-4, atol=1e-6
    )
    assert nn.Range(1, 5)().asnumpy().tolist() == [1, 2, 3, 4] and nn.Range(1, 5)().dtype == dyad.int32
    assert nn.Range(3)().asnumpy().tolist() == [0, 1, 2]
    assert nn.Range(0.0, 1.0, 0.5)().dtype == dyad.float32


def test_gamma_functions():
    x, y = (np.random.uniform(0.5, 5, 20).astype(np.float32) for _ in range(2))
    for layer, function in ((nn.LGamma(), special.gammaln), (nn.DiGamma(), special.digamma)):
        np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), function(x), rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(
        nn.IGamma()(Tensor(x), Tensor(y)).asnumpy(), special.gammainc(x, y), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(
        nn.LBeta()(Tensor(x), Tensor(y)).asnumpy(), special.betaln(x, y), rtol=1e-4, atol=1e-4
    )


def test_determinant_and_inverse():
    a = random(2, 3, 3) + 3 * np.eye(3, dtype=np.float32)
    np.testing.assert_allclose(nn.MatDet()(Tensor(a)).asnumpy(), np.linalg.det(a), rtol=1e-4)
    np.testing.assert_allclose(nn.MatInverse()(Tensor(a)).asnumpy(), np.linalg.inv(a), rtol=1e-3, atol=1e-4)


def test_time_distributed_is_the_layer_at_every_step():
    layer, x = nn.Dense(2, 3), Tensor(random(2, 4, 2))
    expected = layer(x).asnumpy()
    np.testing.assert_allclose(nn.TimeDistributed(layer, 1)(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(nn.TimeDistributed(layer, 1, 0)(x).asnumpy(), expected, rtol=1e-5, atol=1e-6)


def test_shuffle_layers_agree_with_numpy():
    x = random(2, 8, 3, 4)
    grouped = x.reshape(2, 2, 4, 3, 4).swapaxes(1, 2).reshape(x.shape)
    assert (nn.ChannelShuffle(2)(Tensor(x)).asnumpy() == grouped).all()
    up = x.reshape(2, 2, 2, 2, 3, 4).transpose(0, 1, 4, 2, 5, 3).reshape(2, 2, 6, 8)
    assert (nn.PixelShuffle(2)(Tensor(x)).asnumpy() == up).all()
    assert (nn.PixelUnshuffle(2)(Tensor(up)).asnumpy() == x).all()


@pytest.mark.parametrize("padding", ["valid", "same"])
def test_unfold_lays_patches_along_the_channels(padding):
    x = random(2, 3, 6, 7)
    result = nn.Unfold([1, 2, 3, 1], [1, 2, 2, 1], [1, 1, 2, 1], padding)(Tensor(x)).asnumpy()
    padded = x if padding == "valid" else np.pad(x, [(0, 0), (0, 0), (0, 0), (2, 2)])
    rows, columns = (3, 2) if padding == "valid" else (3, 4)
    assert result.shape == (2, 18, rows, columns)
    for r, c in np.ndindex(rows, columns):
        patch = padded[:, :, 2 * r : 2 * r + 2, 2 * c : 2 * c + 5 : 2]
        assert (result[:, :, r, c] == patch.transpose(0, 2, 3, 1).reshape(2, -1)).all()


def test_upsample_repeats_or_interpolates():
    x = random(1, 2, 3, 4)
    nearest = nn.Upsample(scale_factor=2.0)(Tensor(x)).asnumpy()
    assert (nearest == x.repeat(2, axis=2).repeat(2, axis=3)).all()
    bilinear = nn.Upsample(size=(5, 7), mode="bilinear", align_corners=True)(Tensor(x)).asnumpy()
    np.testing.assert_allclose(bilinear[:, :, ::2, ::2], x, rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(
        bilinear[:, :, 1, 0], (x[:, :, 0, 0] + x[:, :, 1, 0]) / 2, rtol=1e-5, atol=1e-6
    )


def test_image_layers_agree_with_numpy():
    x = random(1, 1, 6, 6)
    assert (nn.CentralCrop(0.5)(Tensor(x)).asnumpy() == x[:, :, 1:-1, 1:-1]).all()
    down, right = nn.ImageGradients()(Tensor(x))
    assert (down.asnumpy()[:, :, :-1] == np.diff(x, axis=2)).all() and (down.asnumpy()[:, :, -1] == 0).all()
    assert (right.asnumpy()[..., :-1] == np.diff(x, axis=3)).all() and (right.asnumpy()[..., -1] == 0).all()


def test_image_measures():
    a, b = (np.random.random((2, 3, 24, 24)).astype(np.float32) for _ in range(2))
    error = ((a - b) ** 2).mean((1, 2, 3))
    np.testing.assert_allclose(nn.PSNR()(Tensor(a), Tensor(b)).asnumpy(), 10 * np.log10(1 / error), rtol=1e-4)
    ssim = nn.SSIM()
    np.testing.assert_allclose(ssim(Tensor(a), Tensor(a)).asnumpy(), [1, 1], rtol=1e-4)
    np.testing.assert_allclose(
        ssim(Tensor(a), Tensor(b)).asnumpy(), reference_ssim(a, b), rtol=1e-3, atol=1e-4
    )
    close = nn.MSSSIM(power_factors=(0.3, 0.7), filter_size=7)
    np.testing.assert_allclose(close(Tensor(a), Tensor(a)).asnumpy(), [1, 1], rtol=1e-4)


def reference_ssim(a, b, size=11, sigma=1.5):
    line = np.exp(-((np.arange(size) - size // 2) ** 2) / (2 * sigma**2))
    window = np.outer(line, line) / np.outer(line, line).sum()

    def blur(x):
        patches = np.lib.stride_tricks.sliding_window_view(x, (size, size), axis=(2, 3))
        return (patches * window).sum((-2, -1))

    a, b = a.astype(np.float64), b.astype(np.float64)
    mean_a, mean_b = blur(a), blur(b)
    c1, c2 = 0.01**2, 0.03**2
    covariance = blur(a * b) - mean_a * mean_b
    variances = blur(a * a) - mean_a**2 + blur(b * b) - mean_b**2
    return (
        (2 * mean_a * mean_b + c1) * (2 * covariance + c2) / ((mean_a**2 + mean_b**2 + c1) * (variances + c2))
    ).mean((1, 2, 3))


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.Dropout(p=1.0), ValueError, "Dropout: p is 1.0; need a number in [0, 1)"),
        (lambda: nn.Dropout(p=-0.1), ValueError, "Dropout: p is -0.1; need a number in [0, 1)"),
        (lambda: nn.Dropout(p="a"), TypeError, "Dropout: p is 'a' of type str; need a number"),
        (lambda: nn.Dropout(keep_prob=0.0), ValueError, "Dropout: keep_prob is 0.0; need a number in (0, 1]"),
        (lambda: nn.Dropout2d(1.5), ValueError, "Dropout2d: p is 1.5; need a number in [0, 1]"),
        (
            lambda: nn.Embedding(10, 4, padding_idx=20),
            ValueError,
            "Embedding: padding_idx is 20; need an int from 0 to 9",
        ),
        (lambda: nn.Embedding("a", 4), TypeError, "Embedding: vocab_size is 'a' of type str; need an int"),
        (lambda: nn.Embedding(10, 4)(Tensor([1.0])), (IndexError, TypeError), "Float32"),
        (lambda: nn.Embedding(10, 4)(Tensor([11])), (IndexError, ValueError), "Embedding"),
        (lambda: nn.EmbeddingLookup(4, 2, max_norm=-1.0), ValueError, "EmbeddingLookup: max_norm is -1.0"),
        (lambda: nn.Unflatten(1, 5), TypeError, "Unflatten: unflattened_size is 5"),
        (lambda: nn.L1Regularizer(-1), ValueError, "L1Regularizer: scale is -1; need a positive number"),
        (lambda: nn.Range(0, 5, 0), ValueError, "Range: delta is 0; need a number that is not 0"),
        (lambda: nn.TimeDistributed(5, 1), TypeError, "TimeDistributed: layer is of type int"),
        (
            lambda: nn.ChannelShuffle(3)(Tensor(random(1, 4, 2, 2))),
            ValueError,
            "ChannelShuffle: x has shape (1, 4, 2, 2)",
        ),
        (
            lambda: nn.Unfold([1, 2, 2], [1] * 4, [1] * 4),
            ValueError,
            "Unfold: ksizes is [1, 2, 2]; need (1, rows",
        ),
        (
            lambda: nn.CentralCrop(2.0),
            ValueError,
            "CentralCrop: central_fraction is 2.0; need a number in (0, 1]",
        ),
        (
            lambda: nn.PSNR()(Tensor(random(1, 1, 4, 4)), Tensor(random(1, 1, 4, 5))),
            ValueError,
            "PSNR: the images have shapes (1, 1, 4, 4) and (1, 1, 4, 5)",
        ),
        (
            lambda: nn.PSNR()(Tensor(random(1, 1, 4, 4)), Tensor(random(1, 1, 4, 4), dyad.float16)),
            TypeError,
            "PSNR: the images have dtypes Float32 and Float16; need one dtype for both",
        ),
        (
            lambda: nn.SSIM(filter_sigma=0.0),
            ValueError,
            "SSIM: filter_sigma is 0.0; need a number above 0",
        ),
        (
            lambda: nn.MSSSIM(power_factors={0.3, 0.7}),
            TypeError,
            "MSSSIM: power_factors is of type set; need a tuple or list of numbers",
        ),
        (
            lambda: nn.SSIM()(*[Tensor(random(1, 1, 16, 16), dyad.float64)] * 2),
            TypeError,
            "SSIM: an image has dtype Float64; need float16, float32 or an integer dtype",
        ),
        (
            lambda: nn.SSIM()(*[Tensor(random(1, 1, 4, 4))] * 2),
            ValueError,
            "need at least 11 rows and columns",
        ),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


def test_diagonals_of_matrices():
    lines, matrices = random(2, 3), random(2, 3, 4)
    made = nn.MatrixDiag()(Tensor(lines))
    np.testing.assert_array_equal(made.asnumpy(), lines[:, :, None] * np.eye(3, dtype=np.float32))
    np.testing.assert_array_equal(nn.MatrixDiagPart()(made).asnumpy(), lines)
    expected = matrices.copy()
    expected[:, range(3), range(3)] = lines
    np.testing.assert_array_equal(nn.MatrixSetDiag()(Tensor(matrices), Tensor(lines)).asnumpy(), expected)


@pytest.mark.parametrize("make", [nn.PSNR, nn.SSIM, lambda max_val: nn.MSSSIM(max_val, (0.5, 0.5), 5)])
def test_images_of_bytes_are_measured_as_floats(make):
    a, b = (np.random.randint(0, 256, (2, 1, 16, 16)).astype(np.uint8) for _ in range(2))
    given = make(max_val=255)(Tensor(a), Tensor(b))
    floats = make(max_val=255)(Tensor(a.astype(np.float32)), Tensor(b.astype(np.float32)))
    np.testing.assert_allclose(given.asnumpy(), floats.asnumpy(), rtol=1e-6)


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (lambda: nn.Softmax("a"), "Softmax: axis is 'a' of type str; need an int"),
        (lambda: nn.LogSoftmax(1.0), "LogSoftmax: axis is 1.0 of type float; need an int"),
        (lambda: nn.Embedding(3, 3)(Tensor(random(2))), "Embedding: ids have dtype Float32; need integers"),
        (lambda: nn.GRU(2, 3)(Tensor(random(4, 5, 2)), 3), "GRU: hx is of type int; need a Tensor"),
        (
            lambda: nn.LSTMCell(2, 3)(Tensor(random(4, 2)), Tensor(random(4, 3))),
            "LSTMCell: hx is of type Tensor; need a tuple (hidden, cell)",
        ),
        (lambda: nn.Conv2d(3, 4, (3,)), "Conv2d: kernel_size is (3,); need an int or 2 ints"),
        (lambda: nn.CellDict({}).update([1]), "CellDict.update: an entry is 1; need (key, Cell) pairs"),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits(True)(Tensor(random(2, 3)), Tensor(random(2, 3))),
            "with sparse, labels have dtype Float32; need class indices",
        ),
        (lambda: train.CheckpointConfig(async_save=3), "CheckpointConfig: async_save is 3; need a bool"),
    ],
)
def test_arguments_of_a_wrong_kind(action, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        action()


@pytest.mark.parametrize("operator", ["SUM", "MEAN", "MAX"])
def test_vectors_merged_by_field(operator):
    table, values = random(6, 3), random(2, 4)
    features = np.array([[0, 5, 2, 2], [1, 1, 3, 4]], np.int32)
    fields = np.array([[0, 0, 2, 0], [3, 2, 2, 2]], np.int32)
    layer = nn.MultiFieldEmbeddingLookup(6, 3, 4, Tensor(table), operator=operator)
    found = layer(Tensor(features), Tensor(values), Tensor(fields)).asnumpy()
    merge = {"SUM": np.sum, "MEAN": np.mean, "MAX": np.max}[operator]
    for row in range(2):
        for field in range(4):
            own = (table[features[row]] * values[row][:, None])[fields[row] == field]
            expected = merge(own, axis=0) if len(own) else np.zeros(3)
            np.testing.assert_allclose(found[row, field], expected, rtol=1e-5, atol=1e-6)
    with pytest.raises(ValueError, match="operator is 'MIN'; need one of SUM, MEAN, MAX"):
        nn.MultiFieldEmbeddingLookup(6, 3, 4, operator="MIN")


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_resize_bilinear_to_the_size_of_the_call(mode):
    x = np.arange(16, dtype=np.float32).reshape(1, 1, 4, 4)
    rows = np.linspace(0, 3, 7)
    aligned = rows[:, None] * 4 + rows
    dyad.set_context(mode=mode)
    try:
        resize = nn.ResizeBilinear()
        doubled = resize(Tensor(x), scale_factor=2).asnumpy()[0, 0]
        sized = resize(Tensor(x), (8, 8)).asnumpy()[0, 0]
        corners = resize(Tensor(x), size=(7, 7), align_corners=True).asnumpy()[0, 0]
        centred = nn.ResizeBilinear(half_pixel_centers=True)(Tensor(x), (8, 8)).asnumpy()[0, 0]
        with pytest.raises(
            ValueError, match=r"ResizeBilinear: size is .* and scale_factor is .*; need one of the two"
        ):
            resize(Tensor(x))
        with pytest.raises(ValueError, match="need one of the two"):
            resize(Tensor(x), (8, 8), 2)
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    places = np.minimum(np.arange(8) / 2, 3)
    assert (doubled == places[:, None] * 4 + places).all() and (sized == doubled).all()
    assert np.allclose(corners, aligned)
    places = np.clip((np.arange(8) + 0.5) / 2 - 0.5, 0, 3)
    assert np.allclose(centred, places[:, None] * 4 + places)


def test_mint_dropout_of_everything():
    layer, x = mint.nn.Dropout(1.0), Tensor([1.0, 2.0])
    assert layer.set_train()(x).tolist() == [0.0, 0.0]
    assert layer.set_train(False)(x).tolist() == [1.0, 2.0]
