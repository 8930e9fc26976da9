"""Composed operators on float16 and bfloat16: what they compute on the way must not leave the range of the dtype.

Each result is compared with the same call in float64 on the same numbers, rounded once.
"""

import warnings

import numpy as np
import pytest
from arrays import Array, dtype_name, round_to, values_of
from comparison import values_are_free
from counted import note_comparison
from faces import canonical, materialise
from samples import expand

import dyad
from dyad import Tensor, _core, nn, ops

NARROW = ["float16", "bfloat16"]
# Squares of 300 are beyond float16, those of 9000 far beyond; bfloat16 has the range of float32.
SCALES = {"float16": [1.0, 100.0, 3000.0], "bfloat16": [1.0, 100.0]}
UNIT = {"float16": 2.0**-10, "bfloat16": 2.0**-7}
# Of the largest result: what matrix products and running sums in the narrow dtype itself may lose.
UNITS = 6
# Nearer to the end of float16 a sum may pass it on the way.
LARGEST = 20000.0
MOST_CASES = 3


def is_composed(op):
    changes = op["random"] or op["writes"] >= 0 or op["updates"]
    return op["composed"] and not changes and not values_are_free(op)


# Their samples name their dtypes, or the result's, and no other float is among them.
FLOAT32_ALONE = {
    "astype",
    "conjugate_transpose",
    "crop_and_resize",
    "float_status",
    "ldexp",
    "logspace",
    "resize_area",
}
# Softmax and gates are 0 or 1 on these, where a rounded input decides.
ALL_OR_NOTHING = {"attention_gradient", "lstm_layer_grad"}
OPS = [
    pytest.param(op, id=op["name"])
    for op in _core.op_table()
    if is_composed(op) and op["name"] not in ALL_OR_NOTHING
]


def changed(value, change):
    if isinstance(value, Array) and value.dtype == "float64":
        return change(value)
    if isinstance(value, list | tuple):
        return type(value)(changed(item, change) for item in value)
    return value


def scaled(case, factor, dtype):
    """The arguments with every float tensor scaled and rounded to what the narrow dtype holds, still in float64."""

    def scale(array):
        largest = 65504.0 if dtype == "float16" else np.inf
        numbers = np.clip(array.data * factor, -largest, largest)
        return array.like(round_to(np.asarray(numbers), dtype).astype(np.float64))

    return {name: changed(value, scale) for name, value in case.arguments.items()}


def narrowed(arguments, dtype):
    return {
        name: changed(value, lambda array: Array(array.data, dtype, array.layout))
        for name, value in arguments.items()
    }


def fault(found, wanted, dtype):
    """Fault of a narrow result; empty if there is none."""
    ours, theirs = values_of(found).astype(np.float64), values_of(wanted)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        held = np.isfinite(theirs) & (np.abs(theirs) < LARGEST)
        largest = np.abs(theirs[held]).max(initial=0)
        bound = UNITS * UNIT[dtype] * max(largest, 1e-3)
        wrong = held & ~(np.abs(ours - theirs) <= bound)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0]) if wrong.ndim else ()
    return f"{ours[at]} at {at}, float64 gives {theirs[at]}"


class Walk:
    """One operator on all its samples; counts what is compared."""

    def __init__(self, op):
        self.op, self.compared = op, 0

    def call(self, arguments):
        result = canonical(self.op, {name: materialise(value) for name, value in arguments.items()})
        return list(result) if isinstance(result, tuple | list) else [result]

    def faults(self):
        for text in self.op["samples"]:
            for case in expand(self.op, text, dtypes=["float64"])[:MOST_CASES]:
                for dtype in NARROW:
                    for factor in SCALES[dtype]:
                        yield from self.faults_at(case, dtype, factor)

    def faults_at(self, case, dtype, factor):
        wide = scaled(case, factor, dtype)
        try:
            wanted = self.call(wide)
        except (ValueError, IndexError, RuntimeError):  # the scaled numbers are no arguments of this operator
            return
        narrow = narrowed(wide, dtype)
        for found, truth in zip(self.call(narrow), wanted, strict=True):
            if dtype_name(truth.dtype) != "float64" or dtype_name(found.dtype) == "float64":
                continue
            self.compared += 1
            note_comparison()
            wrong = fault(found, truth, dtype)
            if wrong:
                yield f"{self.op['name']}({case}) times {factor} in {dtype}: {wrong}"


@pytest.mark.parametrize("op", OPS)
def test_a_composition_keeps_its_range(op):
    walk = Walk(op)
    faults = list(walk.faults())
    assert not faults, "\n" + "\n".join(faults[:4])
    assert walk.compared or op["name"] in FLOAT32_ALONE or not gives_floats(op)


def gives_floats(op):
    """True if a sample of float32 tensors has a float32 result."""
    for text in op["samples"]:
        for case in expand(op, text):
            if not any(array.dtype == "float32" for array in case.arrays()):
                continue
            result = canonical(op, {name: materialise(value) for name, value in case.arguments.items()})
            results = result if isinstance(result, tuple | list) else [result]
            if any(isinstance(x, Tensor) and x.dtype == dyad.float32 for x in results):
                return True
    return False


LENGTHS = [
    ("std", lambda x: x.std()),
    ("var", lambda x: (x * 0.01).var()),
    ("std_mean", lambda x: ops.std_mean(x)[0]),
    ("norm", lambda x: ops.norm(x)),
    ("renorm", lambda x: ops.renorm(x, 2, 0, 10.0)),
    ("dist", lambda x: ops.dist(x, x * 0.5)),
    ("pdist", lambda x: ops.pdist(x)),
    ("cdist", lambda x: ops.cdist(x, x * 0.5)),
    ("clip", lambda x: nn.ClipByNorm()(x, Tensor(1.0, x.dtype))),
    ("numpy std", lambda x: dyad.numpy.std(x)),
    ("layer", lambda x: nn.Norm()(x)),
    ("root mean square", lambda x: nn.RMSELoss()(x, x * 0.5)),
]


@pytest.mark.parametrize("compiled", [False, True], ids=["dynamic", "static"])
@pytest.mark.parametrize("dtype", NARROW)
@pytest.mark.parametrize("length", [pytest.param(f, id=name) for name, f in LENGTHS])
def test_lengths_and_their_gradients(length, dtype, compiled):
    """Values and gradients where the squares are beyond float16."""
    numbers = round_to(np.random.default_rng(3).uniform(-3000, 3000, (4, 5)), dtype)
    narrow, wide = Array(numbers, dtype).tensor(), Tensor(numbers, dyad.float64)
    both = dyad.value_and_grad(length)
    (value, gradient), truth = (dyad.jit(both) if compiled else both)(narrow), both(wide)
    assert dtype_name(value.dtype) == dtype_name(gradient.dtype) == dtype
    assert not fault(value, truth[0], dtype) and not fault(gradient, truth[1], dtype)


def test_a_norm_beyond_the_dtype_still_clips():
    x = Tensor(np.full(10000, 1000.0), dyad.float16)
    clipped = nn.ClipByNorm()(x, Tensor(1.0, dyad.float16))
    np.testing.assert_allclose(clipped.asnumpy(), 0.01, rtol=1e-3)


@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16])
def test_a_dtype_that_is_asked_for(dtype):
    x = Tensor(np.full(4, 30000.0 if dtype == dyad.float16 else 3.0), dtype)
    assert ops.norm(x, dtype=dyad.float32).dtype == dyad.float32
    assert ops.norm(x.astype(dyad.float32), dtype=dtype).dtype == dtype
    assert np.isfinite(ops.norm(x.astype(dyad.float32), dtype=dtype).astype(dyad.float32).asnumpy())


def test_beside_a_wider_tensor_the_result_is_wide():
    narrow, wide = Tensor(np.ones((2, 3)), dyad.float16), Tensor(np.ones((2, 3)), dyad.float32)
    assert ops.cdist(narrow, wide).dtype == dyad.float32
    assert ops.cdist(narrow, narrow.astype(dyad.bfloat16)).dtype == dyad.float32
