"""Older Primitives of layers and losses, against NumPy or the functions they are faces of."""

import itertools

import numpy as np
import pytest
import reference_loss

import dyad
from dyad import Tensor, grad, jit, ops
from dyad.ops import gradient_operators as G

rng = np.random.default_rng(21)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def draw(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


@FORMS
@pytest.mark.parametrize("settings", [{}, {"pad_mode": "pad", "pad": 1}, {"stride": 2, "output_padding": 1}])
def test_transposed_convolution_of_volumes(form, settings):
    x, w = draw(1, 2, 3, 3, 3), draw(2, 3, 2, 2, 2)
    found = form(lambda x, w: ops.Conv3DTranspose(2, 3, 2, **settings)(x, w))(x, w)
    expected = ops.conv_transpose3d(
        x, w, None, settings.get("stride", 1), settings.get("pad", 0), settings.get("output_padding", 0)
    )
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-5)


def test_transposed_convolution_keeps_sizes_and_passes_gradients():
    x, w = draw(1, 2, 3, 3, 3), draw(2, 3, 3, 3, 3)
    layer = ops.Conv3DTranspose(2, 3, 3, pad_mode="same", stride=2)
    assert layer(x, w).shape == (1, 3, 6, 6, 6)
    by_x, by_w = grad(lambda x, w: (layer(x, w) ** 2).sum(), (0, 1))(x, w)
    step = 1e-2
    moved = Tensor(np.eye(54, dtype=np.float32)[7].reshape(x.shape)) * step
    slope = ((layer(x + moved, w) ** 2).sum() - (layer(x - moved, w) ** 2).sum()) / (2 * step)
    np.testing.assert_allclose(by_x.reshape(-1)[7], slope, rtol=1e-2)
    assert by_w.shape == w.shape


@FORMS
@pytest.mark.parametrize("padding", ["VALID", "SAME"])
def test_patches_of_volumes(form, padding):
    x = draw(1, 2, 4, 5, 4)
    found = form(lambda x: ops.ExtractVolumePatches([1, 1, 2, 2, 2], [1, 1, 2, 2, 2], padding)(x))(
        x
    ).asnumpy()
    wide = np.pad(x.asnumpy(), [(0, 0), (0, 0), (0, 0), (0, 1 if padding == "SAME" else 0), (0, 0)])
    for d, h, w in np.ndindex(*found.shape[2:]):
        window = wide[0, :, 2 * d : 2 * d + 2, 2 * h : 2 * h + 2, 2 * w : 2 * w + 2]
        np.testing.assert_array_equal(found[0, :, d, h, w], window.transpose(1, 2, 3, 0).reshape(-1))


@FORMS
def test_instances_are_normalized_by_themselves(form):
    x, gamma, beta = draw(2, 3, 4, 4), draw(2, 3, 1, 1), draw(2, 3, 1, 1)
    mean, variance = ops.zeros((2, 3, 1, 1)), ops.ones((2, 3, 1, 1))
    y, kept, _ = form(lambda *a: ops.InstanceNormV2()(*a))(x, gamma, beta, mean, variance)
    own = x.asnumpy().mean((2, 3), keepdims=True)
    spread = x.asnumpy().var((2, 3), keepdims=True)
    expected = (x.asnumpy() - own) / np.sqrt(spread + 1e-5) * gamma.asnumpy() + beta.asnumpy()
    np.testing.assert_allclose(y, expected, rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(kept, 0.1 * own, rtol=1e-4, atol=1e-6)
    dy = draw(2, 3, 4, 4)
    found = G.InstanceNormV2Grad()(dy, x, gamma, mean, variance, own, spread)
    back = dyad.vjp(lambda *a: ops.InstanceNormV2()(*a, mean, variance)[0], x, gamma, beta)[1](dy)
    for one, other in zip(found, back, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@FORMS
def test_pooled_elements_go_back_to_their_places(form):
    x = draw(1, 2, 4, 4)
    y, places = ops.max_pool2d(x, 2, 2, return_indices=True)
    found = form(lambda y, p: ops.MaxUnpool2D(2, 2)(y, p))(y, places)
    np.testing.assert_array_equal(found, ops.max_unpool2d(y, places, 2, 2))
    last = ops.MaxUnpool2D(2, 2, data_format="NHWC")(y.transpose(0, 2, 3, 1), places.transpose(0, 2, 3, 1))
    np.testing.assert_array_equal(last, found.transpose(0, 2, 3, 1))
    volume = draw(1, 2, 4, 4, 4)
    y, places = ops.MaxPool3DWithArgmax(2, 2, 0, argmax_type=dyad.int32)(volume)
    assert places.dtype == dyad.int32
    back = ops.MaxUnpool3D(2, 2)(y, places).asnumpy()
    np.testing.assert_array_equal(back, np.where(back != 0, volume.asnumpy(), 0))
    assert np.count_nonzero(back) == y.size


@pytest.mark.parametrize("overlapping", [False, True])
@pytest.mark.parametrize("pseudo_random", [False, True])
def test_windows_that_shrink_by_a_fraction(overlapping, pseudo_random):
    x = draw(2, 7, 9, 3)
    a = x.asnumpy()
    settings = {"overlapping": overlapping, "pseudo_random": pseudo_random}
    for operator, reduce in ((ops.FractionalMaxPool, np.max), (ops.FractionalAvgPool, np.mean)):
        y, rows, columns = operator([1.0, 1.5, 1.8, 1.0], **settings)(x)
        assert y.shape == (2, 4, 5, 3)
        for bounds, size in ((rows.tolist(), 7), (columns.tolist(), 9)):
            assert bounds[0] == 0 and bounds[-1] == size and min(np.diff(bounds)) >= 1
        for i, j in np.ndindex(4, 5):
            window = a[:, rows[i] : rows[i + 1] + overlapping, columns[j] : columns[j + 1] + overlapping]
            np.testing.assert_allclose(y[:, i, j], reduce(window, (1, 2)), rtol=1e-5, atol=1e-6)
        dy = draw(*y.shape)
        if operator is ops.FractionalMaxPool:
            back = G.FractionalMaxPoolGrad(overlapping)(x, y, dy, rows, columns)
        else:
            back = G.FractionalAvgPoolGrad(overlapping)(x.shape, dy, rows, columns)
        np.testing.assert_allclose(back.sum(), dy.sum(), rtol=1e-3, atol=1e-3)


def test_a_seed_repeats_the_windows():
    x = draw(1, 9, 9, 1)
    pool = ops.FractionalMaxPool([1.0, 1.4, 1.4, 1.0], deterministic=True, seed=3)
    assert pool(x)[1].tolist() == pool(x)[1].tolist()


ALIGNED = {
    "plain": [[1, 2], [3, 0, 1]],
    "padded with the blank": [[1, 2, 4, 4], [3, 0, 1, 4]],
    "nothing but blanks": [[4, 4], [4]],
    "no labels": [[1, 2], []],
    "repeated": [[1, 1, 2], [2, 2]],
    "longer than the steps": [[1, 2, 3, 1, 2, 3, 1], [1]],
    "no room for blanks": [[1, 1, 1, 1], [1]],
    "as many as steps": [[1, 2, 1, 2, 1, 2], [1]],
}
EVERY_FORM = {
    "dynamic": lambda function: function,
    "source": jit,
    "bytecode": lambda function: jit(function, capture_mode="bytecode"),
    "trace": lambda function: jit(function, capture_mode="trace"),
    "one graph": lambda function: jit(function, fullgraph=True),
}


def placed(labels):
    pairs = [(row, place) for row, found in enumerate(labels) for place in range(len(found))]
    values = [label for found in labels for label in found]
    return Tensor(np.array(pairs, np.int64)), Tensor(np.array(values, np.int32))


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("labels", ALIGNED)
def test_losses_of_alignments_with_their_gradients(labels, form):
    x = draw(6, 2, 5)
    for collapse, merge, steps in itertools.product((False, True), (True, False), ([6, 6], [3, 4], [1, 2])):
        check_losses(EVERY_FORM[form], ops.CTCLoss(collapse, merge, True), x, ALIGNED[labels], steps)


def check_losses(form, loss, x, labels, steps):
    given = *placed(labels), Tensor(np.array(steps, np.int32))
    arrays = [each.asnumpy() for each in (x, *given)]
    settings = loss.preprocess_collapse_repeated, loss.ctc_merge_repeated
    wanted_losses, wanted_gradients = reference_loss.aligned_ctc_loss(*arrays, *settings)
    losses, gradients = form(lambda x: loss(x, *given))(x)
    np.testing.assert_allclose(losses, wanted_losses, rtol=1e-4)
    np.testing.assert_allclose(gradients, wanted_gradients, atol=2e-3)
    weights, finite = Tensor([2.0, -1.0]), Tensor(np.isfinite(wanted_losses))
    slopes = form(grad(lambda x: (ops.where(finite, loss(x, *given)[0], 0.0) * weights).sum()))(x)
    np.testing.assert_allclose(slopes, wanted_gradients * weights.asnumpy()[:, None], atol=4e-3)


def test_labels_that_are_not_an_alignment_are_refused():
    x = draw(4, 2, 5)
    steps = Tensor([4, 3]).astype(dyad.int32)
    with pytest.raises(ValueError, match="has 2 labels and 1 steps"):
        ops.CTCLoss()(x, *placed([[1, 2], [3]]), Tensor([1, 3]).astype(dyad.int32))
    with pytest.raises(ValueError, match="class 2 after the blank 4 in sequence 0"):
        ops.CTCLoss()(x, *placed([[1, 4, 2], [3]]), steps)
    with pytest.raises(IndexError, match="class 5"):
        ops.CTCLoss()(x, *placed([[1, 5], [3]]), steps)
    with pytest.raises(IndexError, match="names sequence 2"):
        ops.CTCLoss()(x, *placed([[1], [3], [0]]), steps)
    with pytest.raises(TypeError, match="ctc_merge_repeated"):
        ops.CTCLoss(ctc_merge_repeated="yes")(x, *placed([[1], [3]]), steps)


def test_a_sequence_may_have_no_steps_or_no_labels():
    """MindSpore ends the process for a sequence without steps."""
    x = ops.log_softmax(draw(4, 3, 5), -1)
    labels = Tensor([[1, 2], [1, 1], [3, 0]])
    for blank in (0, 4):
        loss, alpha = ops.ctc_loss(x, labels, Tensor([0, 0, 4]), Tensor([1, 0, 0]), blank, "none")
        wanted = -x.asnumpy()[:, 2, blank].sum()
        np.testing.assert_allclose(loss, [np.inf, 0, wanted], rtol=1e-5)
        assert alpha.shape == (3, 4, 5)


def test_likeliest_labels():
    best = np.array([[0, 1], [0, 2], [2, 2], [0, 0]])
    x = Tensor(np.eye(3, dtype=np.float32)[best] * 0.5)
    places, values, shape, log = ops.CTCGreedyDecoder()(x, Tensor([4, 3]).astype(dyad.int32))
    assert places.tolist() == [[0, 0], [0, 1], [1, 0]]
    assert values.tolist() == [0, 0, 1]
    assert shape.tolist() == [2, 2]
    np.testing.assert_allclose(log, [[-2.0], [-1.5]])
    assert ops.ctc_greedy_decoder(x, Tensor([4, 3]).astype(dyad.int32), False)[1].tolist() == [0, 0, 0, 1]


def test_losses_of_classes_with_their_gradients():
    logits, labels = draw(3, 4), Tensor([1, 0, 3])
    loss, gradient = ops.SparseSoftmaxCrossEntropyWithLogitsV2()(logits, labels)
    np.testing.assert_allclose(loss, ops.cross_entropy(logits, labels, reduction="none"), rtol=1e-5)
    expected = grad(lambda x: ops.cross_entropy(x, labels, reduction="sum"))(logits)
    np.testing.assert_allclose(gradient, expected, rtol=1e-4, atol=1e-6)


def test_masks_of_bits():
    mask = ops.DropoutGenMask(3, 4)((40, 50), Tensor(0.7))
    assert mask.dtype == dyad.uint8 and mask.shape == (256,)
    x = ops.ones((40, 50))
    y = ops.DropoutDoMask()(x, mask, Tensor(0.7)).asnumpy()
    kept = np.unpackbits(mask.asnumpy(), bitorder="little")[:2000].reshape(40, 50)
    np.testing.assert_allclose(y, kept / np.float32(0.7), rtol=1e-6)
    assert abs(kept.mean() - 0.7) < 0.06
