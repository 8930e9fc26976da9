"""Gradients of operators on pictures and of losses, under the names that programs import from `_grad_ops`."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import auto_generate, gradient_operators

rng = np.random.default_rng(3)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def floats(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


PICTURES = floats(2, 8, 5, 4)
ROIS = Tensor([[[0.0, 1.0], [0.3, 1.0], [0.4, -2.0], [3.0, 4.6], [3.2, 9.0]]])
BOXES = Tensor([[0.0, 1.0, 1.0, 4.0, 3.5], [1.0, -3.0, -3.0, 2.0, 9.0]])
MATRIX = floats(3, 4)
LABELS = Tensor([1, 0, 3])
WEIGHT = Tensor([0.5, 1.0, 2.0, 1.5])
MASK = Tensor([[True, False, True, True], [False, False, True, False], [True, True, False, False]])
SAMPLES = Tensor([[[0.3, 0.8]] * 8] * 2)
fractional = ops.FractionalMaxPoolWithFixedKsize((2, 2), (2, 3))

# Name -> settings, what is differentiated, its input, and the arguments from input and gradient.
CASES = {
    "PSROIPoolingGrad": (
        {"input_size": (5, 4), "spatial_scale": 1.0, "group_size": 2, "output_dim": 2},
        lambda x: ops.PSROIPooling(1.0, 2, 2)(x, Tensor(ROIS.asnumpy().repeat(2, 0))),
        PICTURES,
        lambda x, dy: (dy, Tensor(ROIS.asnumpy().repeat(2, 0))),
    ),
    "ROIAlignGrad": (
        {"pooled_height": 2, "pooled_width": 3, "spatial_scale": 0.5},
        lambda x: ops.ROIAlign(2, 3, 0.5)(x, BOXES),
        PICTURES,
        lambda x, dy: (dy, BOXES, x.shape),
    ),
    "UpsampleNearest3DGrad": (
        {},
        lambda x: ops.UpsampleNearest3D()(x, (3, 4, 5)),
        floats(1, 2, 2, 2, 3),
        lambda x, dy: (dy, x.shape, (3, 4, 5), None),
    ),
    "UpsampleTrilinear3DGrad": (
        {"align_corners": True},
        lambda x: ops.UpsampleTrilinear3D(True)(x, (3, 4, 5)),
        floats(1, 2, 2, 2, 3),
        lambda x, dy: (dy, x.shape, (3, 4, 5), None),
    ),
    "FractionalMaxPoolGradWithFixedKsize": (
        {},
        lambda x: fractional(x, SAMPLES)[0],
        PICTURES,
        lambda x, dy: (x, dy, fractional(x, SAMPLES)[1]),
    ),
    "AdaptiveAvgPool2DGrad": (
        {},
        lambda x: ops.adaptive_avg_pool2d(x, (2, 3)),
        PICTURES,
        lambda x, dy: (dy, x.shape),
    ),
    "SwigluGrad": ({}, ops.swiglu, MATRIX, lambda x, dy: (dy, x)),
    "GluGrad": ({"axis": 1}, lambda x: ops.glu(x, 1), MATRIX, lambda x, dy: (dy, x)),
    "MaskedSelectGrad": ({}, lambda x: ops.masked_select(x, MASK), MATRIX, lambda x, dy: (x, MASK, dy)),
    "NLLLossGrad": (
        {"reduction": "sum"},
        lambda x: ops.nll_loss(x, LABELS, WEIGHT, reduction="sum"),
        MATRIX,
        lambda x, dy: (x, dy, LABELS, WEIGHT, Tensor(4.0)),
    ),
}


@FORMS
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_gradient_of_the_operator(name, form):
    settings, operator, x, arrange = CASES[name]
    y, product = dyad.vjp(operator, x)
    dy = floats(*y.shape)
    gradient = getattr(auto_generate, name)(**settings)
    found = form(lambda x, dy: gradient(*arrange(x, dy)))(x, dy)
    np.testing.assert_allclose(found, product(dy)[0], rtol=1e-4, atol=1e-5)


def test_gradients_of_deformed_windows():
    settings = {"strides": (1, 1, 1, 1), "pads": (0, 0, 0, 0), "ksize": (2, 2)}
    x, offsets = floats(1, 2, 4, 4), floats(1, 12, 3, 3)
    y, product = dyad.vjp(ops.DeformableOffsets(**settings), x, offsets)
    dy = floats(*y.shape)
    found = gradient_operators.DeformableOffsetsGrad(**settings)(dy, x, offsets)
    for one, wanted in zip(found, product(dy), strict=True):
        np.testing.assert_allclose(one, wanted, rtol=1e-4, atol=1e-5)


def test_a_gradient_of_another_size_is_refused():
    gradient = gradient_operators.PSROIPoolingGrad((5, 4), 1.0, 2, 2)
    with pytest.raises(RuntimeError, match=r"the gradient has shape \(3, 2, 2, 2\)"):
        gradient(floats(3, 2, 2, 2), ROIS[:, :, :1])


def test_an_index_out_of_range_is_caught_by_either_name():
    for kind in (IndexError, RuntimeError):
        with pytest.raises(kind, match="index 7 is out of range"):
            ops.gather(Tensor([1.0, 2.0]), Tensor([7]), 0)


@FORMS
def test_tensors_are_joined_by_dtype(form):
    joined = form(lambda *tensors: ops.FlattenConcat()(list(tensors)))(
        Tensor([[1.0, 2.0]]), Tensor([3]), Tensor([4.0])
    )
    assert [part.tolist() for part in joined] == [[1.0, 2.0, 4.0], [3]]


def test_joined_tensors_have_a_limited_number_of_bytes():
    parts = ops.FlattenConcat(8)([Tensor([1.0]), Tensor([2.0]), Tensor([3.0])])
    assert [part.tolist() for part in parts] == [[1.0, 2.0], [3.0]]


def test_same_type_and_shape():
    x = floats(2, 3)
    assert ops.SameTypeShape()(x, floats(2, 3)) is x
    with pytest.raises(TypeError, match="SameTypeShape: x has dtype Float32"):
        ops.SameTypeShape()(x, Tensor([1]))
    with pytest.raises(ValueError, match="SameTypeShape: x has shape"):
        ops.SameTypeShape()(x, floats(3, 2))
