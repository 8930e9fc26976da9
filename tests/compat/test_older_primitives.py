"""Primitives that MindSpore 1 programs import from modules below `ops.operations`: images, sequences, scalars."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, ops
from dyad.ops import auto_generate as made

FORMS = pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])


def floats(*shape):
    return Tensor(np.random.default_rng(3).normal(size=shape).astype(np.float32))


def dilation(x, kernel, step, gap):
    """Dilation of one channel without padding, by the definition."""
    height, width = ((n - (k - 1) * gap - 1) // step + 1 for n, k in zip(x.shape, kernel.shape, strict=True))
    result = np.empty((height, width), x.dtype)
    for i, j in np.ndindex(height, width):
        rows = slice(i * step, i * step + (kernel.shape[0] - 1) * gap + 1, gap)
        columns = slice(j * step, j * step + (kernel.shape[1] - 1) * gap + 1, gap)
        result[i, j] = (x[rows, columns] + kernel).max()
    return result


@FORMS
@pytest.mark.parametrize("step,gap", [(1, 1), (2, 1), (1, 2)])
def test_dilation2d_and_its_gradients_match_numpy(form, step, gap):
    x, kernel = floats(1, 1, 6, 5), floats(1, 2, 2)
    dilate = ops.Dilation2D(step, gap, "VALID")
    result = form(lambda a, b: dilate(a, b))(x, kernel)
    np.testing.assert_allclose(
        result.asnumpy()[0, 0], dilation(x.asnumpy()[0, 0], kernel.asnumpy()[0], step, gap), 1e-6
    )
    by_x = made.Dilation2DBackpropInput(step, gap, "VALID")(x, kernel, ops.ones_like(result))
    by_kernel = made.Dilation2DBackpropFilter(step, gap, "VALID")(x, kernel, ops.ones_like(result))
    assert by_x.sum() == by_kernel.sum() == result.size
    assert ops.Dilation2D(step, gap)(x, kernel).shape == (1, 1, -(-6 // step), -(-5 // step))
    with pytest.raises(TypeError, match="Dilation2D: stride"):
        ops.Dilation2D(1.5, 1)


@FORMS
def test_images_are_scaled_and_moved(form):
    images = floats(2, 4, 5, 3)
    scale, shift = Tensor([1.0, 1.0]), Tensor([0.0, 1.0])
    place = ops.ScaleAndTranslate("triangle", True)
    moved = form(lambda x: place(x, (4, 5), scale, shift))(images).asnumpy()
    np.testing.assert_allclose(moved[:, :, 1:], images.asnumpy()[:, :, :-1], 1e-5, 1e-6)
    assert not moved[:, :, 0].any()
    back = made.ScaleAndTranslateGrad("triangle", True)(ops.ones((2, 4, 5, 3)), images, scale, shift)
    assert back.asnumpy()[0, 0, :, 0].tolist() == [1, 1, 1, 1, 0]
    for kind in ("lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "keyscubic", "mitchellcubic"):
        flat = ops.ScaleAndTranslate(kind)(
            ops.ones((1, 4, 4, 1)), (8, 8), Tensor([2.0, 2.0]), Tensor([0.0, 0.0])
        )
        np.testing.assert_allclose(flat.asnumpy(), 1, 1e-5)
    with pytest.raises(ValueError, match="ScaleAndTranslate: kernel_type is 'cone'"):
        ops.ScaleAndTranslate("cone")


@FORMS
def test_tokens_that_repeat_an_n_gram_are_barred(form):
    sequence = Tensor(np.array([[[1, 2, 1, 3, 1]]], np.int32))
    barred = form(lambda s, p: ops.NoRepeatNGram(2)(s, p))(sequence, ops.zeros((1, 1, 5))).asnumpy()[0, 0]
    assert (barred < -1e38).tolist() == [False, False, True, True, False]
    with pytest.raises(ValueError, match="ngram_size is 6"):
        ops.NoRepeatNGram(6)(sequence, ops.zeros((1, 1, 5)))


def test_rows_by_place():
    stitched = made.DynamicStitch()(
        (Tensor([2]), Tensor([[0, 1]])), (Tensor([[5.0]]), Tensor([[[6.0], [7.0]]]))
    )
    assert stitched.asnumpy().tolist() == [[6], [7], [5]]
    assert ops.ConfusionMatrix(3)(Tensor([0, 1]), Tensor([2, 1])).asnumpy().tolist() == [
        [0, 0, 1],
        [0, 1, 0],
        [0, 0, 0],
    ]
    kept, places = ops.SubAndFilter()(Tensor([1, 3, 5, 8, 16]), 10, 5)
    assert (kept.tolist(), places.tolist()) == ([0, 3], [2, 3])
    table = Parameter(ops.zeros((3, 2)))
    made.UpdateCache()(table, Tensor([2, -1]), Tensor([[1.0, 2.0], [8.0, 9.0]]), 3)
    assert table.asnumpy().tolist() == [[0, 0], [0, 0], [1, 2]]
    old = made.CacheSwapTable()(table, Tensor([2, -1]), Tensor([[3.0, 4.0], [8.0, 9.0]]))
    assert old.asnumpy().tolist() == [[1, 2], [0, 0]]
    assert table.asnumpy()[2].tolist() == [3, 4]


@FORMS
def test_a_function_of_arrays_is_an_operator(form):
    add = ops.PyFunc(np.add, [dyad.float32] * 2, [(2,)] * 2, [dyad.float32], [(2,)])
    (result,) = form(lambda x, y: add((x, y)))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert result.tolist() == [4, 6]
    with pytest.raises(TypeError, match="PyFunc: a result has shape"):
        ops.PyFunc(np.add, [dyad.float32] * 2, [(2,)] * 2, [dyad.float32], [(3,)])((result, result))


@FORMS
def test_list_and_tuple_primitives_agree_with_python(form):
    def program(x):
        appended = made.ListAppend()([1, 2], 3)
        inserted = made.ListInsert()(appended, 1, x)
        zeros = made.SequenceZerosLike()((1, 2.5, x))
        changed = made.SequenceSliceSetItem()((1, 2, 3, 4), (7, 8), 1, 3, 1)
        back = made.SequenceSliceGrad()((7, 8), (1, 2, 3, 4), 1, 3, 1)
        return inserted, zeros, changed, back, made.InSequence()(2, (1, 2)), made.shape_mul()((2, 3, 4))

    inserted, zeros, changed, back, holds, product = form(program)(Tensor([5.0]))
    assert [inserted[0], inserted[1].tolist(), *inserted[2:]] == [1, [5], 2, 3]
    assert [*zeros[:2], zeros[2].tolist()] == [0, 0, [0]]
    assert (changed, back, holds, product) == ((1, 7, 8, 4), (0, 7, 8, 0), True, 24)
    assert made.ListAppendAndInsertGrad()([1, 2, 3], 1) == [1, 3]
    assert made.ShapeMulGrad()((2, 3, 4), 1) == (12, 8, 6)
    assert made.list_le()([1, 2], [1, 3])


@FORMS
def test_scalar_primitives_agree_with_python(form):
    def program(a, b):
        return (
            made.ScalarAdd()(a, b), made.ScalarFloorDiv()(a, b), made.ScalarMod()(a, b), made.ScalarPow()(a, b),
            made.ScalarGt()(a, b), made.ScalarMax()(a, b), made.ScalarUsub()(a), made.ScalarBool()(a),
        )  # fmt: skip

    assert form(program)(7, 2) == (9, 3, 1, 49, True, 7, -7, True)
    assert made.ScalarLog()(1.0) == 0


def test_gradients_of_pools_and_segments():
    dy = floats(1, 1, 2, 2, 2)
    back = made.AvgPool3DGrad(2, 2)((1, 1, 4, 4, 4), dy).asnumpy()
    np.testing.assert_allclose(back[0, 0, ::2, ::2, ::2], dy.asnumpy()[0, 0] / 8, 1e-6)
    x = Tensor(np.arange(64, dtype=np.float32).reshape(1, 1, 4, 4, 4))
    _, places = ops.MaxPool3DWithArgmax(2, 2, 0)(x)
    largest = made.MaxPool3DGradWithArgmax(2, 2, 0)(x, dy, places).asnumpy()
    np.testing.assert_allclose(largest[0, 0, 1::2, 1::2, 1::2], dy.asnumpy()[0, 0], 1e-6)
    spread = Tensor(np.array([[[[5.0, 6.0], [7.0, 8.0]]]], np.float32))
    taken = made.MaxUnpool2DGrad(1, 1, 0)(ops.ones((1, 1, 1, 2)), spread, Tensor(np.array([[[[3, 0]]]])))
    assert taken.asnumpy().tolist() == [[[[8, 5]]]]
    summed = made.SparseSegmentSumGrad()(Tensor([[1.0], [2.0]]), Tensor([0, 2]), Tensor([0, 1]), Tensor(3))
    assert summed.asnumpy().tolist() == [[1], [0], [2]]
    values, rest = made.SparseFillEmptyRowsGrad()(Tensor([0, 2]), Tensor([5.0, 6.0, 7.0]))
    assert (values.tolist(), rest.item()) == ([5, 7], 6)
    lower, upper = made.LuUnpackGrad(True, True)(ops.ones((3, 2)), ops.ones((2, 2)), ops.ones((3, 2)))
    assert lower.asnumpy().tolist() == [[0, 0], [1, 0], [1, 1]]
    assert upper.asnumpy().tolist() == [[1, 1], [0, 1], [0, 0]]
    resized = made.ResizeLinear1DGrad()(ops.ones((1, 1, 4)), ops.ones((1, 1, 2)))
    np.testing.assert_allclose(resized.asnumpy(), [[[2, 2]]], 1e-6)
    picked = made.GatherDGradV2()(ops.ones((1, 3)), 1, Tensor([[0, 2, 2]]), Tensor([[1.0, 2.0, 3.0]]))
    assert picked.asnumpy().tolist() == [[1, 0, 5]]
