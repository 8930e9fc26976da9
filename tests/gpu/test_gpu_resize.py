"""Resizing and sampling on the device, against the CPU."""

import warnings

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core

DTYPES = {"float32": 2e-5, "float64": 1e-11, "float16": 4e-3, "bfloat16": 3e-2}
SIZES = [
    ((2, 3, 7), (16,)),
    ((1, 2, 9, 5), (4, 13)),
    ((2, 1, 1, 6), (5, 1)),
    ((1, 1, 40, 3), (3, 40)),
    ((1, 2, 3, 4, 5), (5, 2, 9)),
]


def on_both(name, dtype, arrays, *rest):
    """The operator's result on the device, and the CPU's."""
    found = []
    for device in ("GPU", "CPU"):
        dyad.set_context(device_target=device)
        try:
            tensors = [Tensor(array).astype(getattr(dyad, dtype)) for array in arrays]
            with warnings.catch_warnings():
                warnings.simplefilter("error")  # that it is computed on the CPU
                found.append(_core.named_op(name)(*tensors, *rest).astype(dyad.float64).asnumpy())
        finally:
            dyad.set_context(device_target="GPU")
    return found


def assert_near(found, dtype):
    ours, theirs = found
    assert ours.shape == theirs.shape
    assert np.abs(ours - theirs).max(initial=0) <= DTYPES[dtype] * max(1.0, np.abs(theirs).max(initial=0))


@pytest.mark.parametrize("coordinates", ["align_corners", "half_pixel", "asymmetric"])
@pytest.mark.parametrize("mode", ["nearest", "nearest-exact", "linear", "cubic"])
@pytest.mark.parametrize(("shape", "size"), SIZES)
def test_resize_and_its_gradient_agree_with_the_cpu(shape, size, mode, coordinates):
    rng = np.random.default_rng(0)
    image, gradient = rng.normal(size=shape), rng.normal(size=(*shape[:2], *size))
    scales = [None, [1.7] * len(size)] if coordinates != "align_corners" else [None]
    for dtype in DTYPES:
        for scale in scales:
            assert_near(on_both("resize", dtype, [image], size, mode, coordinates, scale), dtype)
            back = on_both("resize_back", dtype, [gradient], shape[2:], mode, coordinates, scale)
            assert_near(back, dtype)


@pytest.mark.parametrize("corners", [False, True])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["nearest", "bilinear"])
@pytest.mark.parametrize("spatial", [2, 3])
def test_sample_grid(spatial, mode, padding, corners):
    rng = np.random.default_rng(1)
    image = rng.normal(size=(2, 3, 5, 4, 6)[: 2 + spatial])
    grid = rng.uniform(-1.6, 1.6, size=(2, 3, 7, 2, spatial) if spatial == 3 else (2, 3, 7, spatial))
    grid[0, 0, 0] = np.nan
    grid[0, 0, 1] = np.inf
    for dtype in ("float32", "float64"):
        assert_near(on_both("sample_grid", dtype, [image, grid], mode, padding, corners), dtype)
