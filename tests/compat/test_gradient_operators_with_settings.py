"""Gradients under the names of operators that take settings, several inputs or places: against the operator's own."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops.operations import _grad_ops

rng = np.random.default_rng(9)


def noise(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


INSIDE = Tensor(rng.uniform(0.2, 0.8, (2, 3)).astype(np.float32))
LABELS = Tensor(rng.uniform(0.2, 0.8, (2, 3)).astype(np.float32))
A, B, ROWS, OTHERS = noise(2, 3), noise(2, 3), noise(4, 3), noise(5, 3)
SPD = Tensor((lambda m: m @ m.T + 3 * np.eye(3))(rng.standard_normal((3, 3))).astype(np.float32))
IMAGES, VOLUMES = noise(1, 2, 4, 4), noise(1, 2, 4, 4, 4)
GRID, GRID_3D = (
    Tensor(rng.uniform(-0.9, 0.9, (1, *sizes, len(sizes))).astype(np.float32))
    for sizes in ((3, 3), (2, 2, 2))
)
POOL = {"kernel_size": 2, "strides": 2}
SAMPLING = {"interpolation_mode": "bilinear", "padding_mode": "border", "align_corners": True}
POINTS = Tensor(np.array([[0.1, 0.6, 0.4], [0.3, 0.2, 0.9]], np.float32).reshape(1, 2, 3))


# Name -> settings, what is differentiated, its inputs, and the arguments from inputs, result and its gradient.
CASES = {
    "ACosGrad": ({}, ops.acos, (INSIDE,), lambda x, y, dy: (x, dy)),
    "AsinGrad": ({}, ops.asin, (INSIDE,), lambda x, y, dy: (x, dy)),
    "BinaryCrossEntropyGrad": (
        {"reduction": "sum"},
        lambda x: ops.binary_cross_entropy(x, LABELS, reduction="sum"),
        (INSIDE,),
        lambda x, y, dy: (x, LABELS, dy, ops.ones_like(x)),
    ),
    "CdistGrad": (
        {"p": 3.0},
        lambda x: ops.cdist(x, OTHERS, 3.0),
        (ROWS,),
        lambda x, y, dy: (dy, x, OTHERS, y),
    ),
    "CholeskyGrad": ({}, ops.cholesky, (SPD,), lambda x, y, dy: (y, dy)),
    "FractionalMaxPool3DGradWithFixedKsize": (
        {},
        lambda x: ops.fractional_max_pool3d(x, 2, output_size=2, _random_samples=POINTS),
        (VOLUMES,),
        lambda x, y, dy: (x, dy, fractional_places(x)),
    ),
    "GridSampler2DGrad": (
        SAMPLING,
        lambda x, grid: ops.grid_sample(x, grid, *SAMPLING.values()),
        (IMAGES, GRID),
        lambda x, grid, y, dy: (dy, x, grid),
    ),
    "GridSampler3DGrad": (
        SAMPLING,
        lambda x, grid: ops.grid_sample(x, grid, *SAMPLING.values()),
        (VOLUMES, GRID_3D),
        lambda x, grid, y, dy: (dy, x, grid),
    ),
    "LogitGrad": ({"eps": 0.3}, lambda x: ops.logit(x, 0.3), (INSIDE,), lambda x, y, dy: (dy, x)),
    "MaxPool3DGrad": (POOL, ops.MaxPool3D(**POOL), (VOLUMES,), lambda x, y, dy: (x, y, dy)),
    "MaxPoolGradWithArgmaxV2": (
        POOL,
        lambda x: ops.MaxPoolWithArgmaxV2(**POOL)(x)[0],
        (IMAGES,),
        lambda x, y, dy: (x, dy, ops.MaxPoolWithArgmaxV2(**POOL)(x)[1]),
    ),
    "MinimumGrad": ({}, ops.minimum, (A, B), lambda a, b, y, dy: (a, b, dy)),
    "PadV3Grad": (
        {"mode": "reflect"},
        lambda x: ops.PadV3("reflect")(x, (1, 2)),
        (A,),
        lambda x, y, dy: (dy, (1, 2)),
    ),
    "PdistGrad": ({"p": 3.0}, lambda x: ops.pdist(x, 3.0), (ROWS,), lambda x, y, dy: (dy, x, y)),
    "PReLUGrad": (
        {},
        ops.prelu,
        (A, Tensor(np.array([0.1, 0.2, 0.3], np.float32))),
        lambda x, w, y, dy: (dy, x, w),
    ),
    "ResizeBicubicGrad": (
        {"half_pixel_centers": True},
        lambda x: ops.ResizeBicubic(half_pixel_centers=True)(x, (7, 5)),
        (IMAGES,),
        lambda x, y, dy: (dy, x),
    ),
    "ResizeNearestNeighborGrad": (
        {"align_corners": True},
        ops.ResizeNearestNeighbor((7, 5), align_corners=True),
        (IMAGES,),
        lambda x, y, dy: (dy, x.shape[2:]),
    ),
    "ResizeNearestNeighborV2Grad": (
        {"align_corners": True},
        lambda x: ops.ResizeNearestNeighborV2(align_corners=True)(x, (7, 5)),
        (IMAGES,),
        lambda x, y, dy: (dy, x.shape[2:]),
    ),
    "SigmoidCrossEntropyWithLogitsGrad": (
        {},
        lambda x: ops.SigmoidCrossEntropyWithLogits()(x, LABELS),
        (A,),
        lambda x, y, dy: (x, LABELS, dy),
    ),
}


def fractional_places(x):
    return ops.fractional_max_pool3d(x, 2, output_size=2, return_indices=True, _random_samples=POINTS)[1]


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
@pytest.mark.parametrize("name", CASES)
def test_it_is_the_gradient_of_the_operator(name, form):
    settings, operator, inputs, arrange = CASES[name]
    y, product = dyad.vjp(operator, *inputs)
    dy = noise(*y.shape)
    primitive = getattr(_grad_ops, name)(**settings)
    found = form(lambda *args: primitive(*arrange(*args)))(*inputs, y, dy)
    for one, other in zip(found if isinstance(found, tuple) else (found,), product(dy), strict=True):
        assert one.shape == other.shape
        np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-5)
