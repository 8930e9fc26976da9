"""Gradients of layers, and of their gradients, under the names of operators: against differentiated layers."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import gradient_operators as G

rng = np.random.default_rng(12)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def draw(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


def close(found, expected):
    np.testing.assert_allclose(found.asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)


@FORMS
def test_filters_and_volumes_of_convolutions(form):
    x, w = draw(2, 2, 5, 5), draw(3, 2, 3, 3)
    convolve = ops.Conv2D(3, 3, pad_mode="pad", pad=1, stride=2)
    y, product = dyad.vjp(lambda w: convolve(x, w), w)
    dy = draw(*y.shape)
    back = G.Conv2DBackpropFilter(3, 3, pad_mode="pad", pad=1, stride=2)
    close(form(lambda dy, x: back(dy, x, (3, 2, 3, 3)))(dy, x), product(dy)[0])
    x, w = draw(1, 2, 4, 4, 4), draw(3, 2, 2, 2, 2)
    y, product = dyad.vjp(ops.Conv3D(3, 2), x, w)
    dy = draw(*y.shape)
    close(form(lambda x, dy: G.Conv3DBackpropFilter(3, 2)(x, dy, w.shape))(x, dy), product(dy)[1])
    close(form(lambda w, dy: G.Conv3DBackpropInput(3, 2)(w, dy, x.shape))(w, dy), product(dy)[0])


@FORMS
@pytest.mark.parametrize("is_training", [True, False])
def test_batch_norm_and_its_second_gradient(form, is_training):
    x, scale, mean, variance = draw(4, 3, 2, 2), draw(3), draw(3), ops.abs(draw(3)) + 1
    dy, d_dx, d_ds, d_db = draw(4, 3, 2, 2), draw(4, 3, 2, 2), draw(3), draw(3)

    def layer(x, scale, bias):
        return ops.batch_norm(x, mean + 0, variance + 0, scale, bias, is_training, 0.1, 1e-5)

    expected = dyad.vjp(layer, x, scale, ops.zeros_like(scale))[1](dy)
    back = G.BatchNormGrad(is_training, 1e-5)
    for found, wanted in zip(
        form(lambda *a: back(*a))(dy, x, scale, mean, variance, mean), expected, strict=True
    ):
        close(found, wanted)

    def first(x, dy, scale):
        return dyad.vjp(layer, x, scale, ops.zeros_like(scale))[1](dy)

    wanted = dyad.vjp(first, x, dy, scale)[1]((d_dx, d_ds, d_db))
    found = G.BatchNormGradGrad(is_training, 1e-5)(x, dy, scale, mean, variance, d_dx, d_ds, d_db)
    for one, other in zip(found, wanted, strict=True):
        close(one, other)


def test_layer_norm_second_gradient():
    x, dy, gamma = draw(3, 4), draw(3, 4), draw(4)
    given = draw(3, 4), draw(4), draw(4)

    def first(x, dy, gamma):
        norm = ops.LayerNorm(1, 1)
        return dyad.vjp(lambda *a: norm(*a)[0], x, gamma, ops.zeros_like(gamma))[1](dy)

    wanted = dyad.vjp(first, x, dy, gamma)[1](given)
    _, mean, variance = ops.LayerNorm(1, 1)(x, gamma, ops.zeros_like(gamma))
    found = G.LayerNormGradGrad(1, 1)(x, dy, variance, mean, gamma, *given)
    for one, other in zip(found, wanted, strict=True):
        close(one, other)


@FORMS
def test_tangents_of_pools(form):
    x, tangent = draw(2, 3, 6, 6), draw(2, 3, 6, 6)
    settings = {"kernel_size": 2, "strides": 2, "pad_mode": "VALID"}
    y, places = ops.MaxPoolWithArgmax(**settings)(x)
    wanted = dyad.jvp(ops.MaxPool(**settings), x, tangent)[1]
    close(form(lambda *a: G.MaxPoolGradGrad(**settings)(*a))(x, y, tangent), wanted)
    close(form(lambda *a: G.MaxPoolGradGradWithArgmax(**settings)(*a))(x, tangent, places), wanted)
    dy = draw(*y.shape)
    close(G.MaxPoolGradV1(**settings)(x, y, dy), dyad.vjp(ops.MaxPool(**settings), x)[1](dy)[0])
    close(G.AvgPoolGradV1(**settings)(x.shape, dy), dyad.vjp(ops.AvgPool(**settings), x)[1](dy)[0])
    volume, moved = draw(1, 2, 4, 4, 4), draw(1, 2, 4, 4, 4)
    pool = ops.MaxPool3D(2, 2)
    found = G.MaxPool3DGradGrad(kernel_size=2, strides=2)(volume, pool(volume), moved)
    close(found, dyad.jvp(pool, volume, moved)[1])


def test_gradients_of_crops():
    image, boxes, dy = draw(1, 5, 5, 2), Tensor([[0.1, 0.2, 0.8, 0.9]]), draw(1, 3, 3, 2)
    index = Tensor([0], dyad.int32)
    _, product = dyad.vjp(lambda i, b: ops.crop_and_resize(i, b, index, (3, 3)), image, boxes)
    of_image, of_boxes = product(dy)
    close(G.CropAndResizeGradImage(dyad.float32)(dy, boxes, index, Tensor([1, 5, 5, 2])), of_image)
    close(G.CropAndResizeGradBoxes()(dy, image, boxes, index), of_boxes)


def test_gradients_of_elements_and_segments():
    a, x = Tensor([1.5, 2.0]), Tensor([1.0, 3.0])
    step = 1e-3
    slope = (ops.igamma(a + step, x) - ops.igamma(a - step, x)) / (2 * step)
    np.testing.assert_allclose(G.IgammaGradA()(a, x), slope, rtol=1e-2)
    y, dy = ops.softmax(draw(2, 3)), draw(2, 3)
    close(G.SoftmaxBackward()(dy, y, -1), G.SoftmaxGrad()(y, dy))
    rows, indices, ids = draw(4, 2), Tensor([0, 2, 2]), Tensor([0, 0, 1])
    _, product = dyad.vjp(lambda r: ops.SparseSegmentMean()(r, indices, ids), rows)
    dy = draw(2, 2)
    close(G.SparseSegmentMeanGrad()(dy, indices, ids, Tensor(4)), product(dy)[0])
    places, values, shape = Tensor([[0, 1], [1, 2], [2, 0]]), draw(3), Tensor([3, 3])
    start, size = Tensor([1, 0]), Tensor([2, 3])
    moved, kept, _ = ops.SparseSlice()(places, values, shape, start, size)
    _, product = dyad.vjp(lambda v: ops.SparseSlice()(places, v, shape, start, size)[1], values)
    dy = draw(*kept.shape)
    close(G.SparseSliceGrad()(dy, places, start, moved), product(dy)[0])


def test_gradient_of_the_middle():
    x, dy = draw(3, 5), draw(3)
    y, places = ops.Median(False, 1, False)(x)
    found = G.MedianGrad(False, 1, False)(dy, x, y, places).asnumpy()
    expected = np.zeros((3, 5), np.float32)
    np.put_along_axis(
        expected, np.argmax(x.asnumpy() == y.asnumpy()[:, None], 1)[:, None], dy.asnumpy()[:, None], 1
    )
    np.testing.assert_allclose(found, expected)
