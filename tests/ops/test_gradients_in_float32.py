"""Gradients of operators whose samples know no float64: their results or arguments are float32 whatever is given."""

import numpy as np
import pytest
from arrays import Array, values_of
from counted import note_comparison
from faces import canonical, materialise
from samples import expand

import dyad
from dyad import _core

NAMES = ("conjugate_transpose", "crop_and_resize", "ldexp", "logspace", "resize_area")
STEP = 2e-3
TOLERANCE = 0.02
MOST_CASES = 4


def cases_of(op):
    cases = [case for text in op["samples"] for case in expand(op, text, dtypes=["float32"])]
    return [case for case in cases if names_of(op, case)][:MOST_CASES]


def names_of(op, case):
    """The arguments that the gradient is taken by."""
    return [
        name
        for name, value in case.arguments.items()
        if isinstance(value, Array)
        and value.dtype == "float32"
        and f"takes `{name}` as constant" not in op["doc"]
    ]


class Loss:
    """The results of an operator, weighed with fixed numbers, as a function of its float32 tensors."""

    def __init__(self, op, case):
        self.op, self.names = op, names_of(op, case)
        self.given = {name: materialise(value) for name, value in case.arguments.items()}
        self.weights = None

    def __call__(self, *tensors):
        made = canonical(self.op, {**self.given, **dict(zip(self.names, tensors, strict=True))})
        made = list(made) if isinstance(made, tuple | list) else [made]
        if self.weights is None:
            rng = np.random.default_rng(7)
            self.weights = [Array(rng.uniform(-1, 1, result.shape), "float32").tensor() for result in made]
        return sum((result * weight).sum() for result, weight in zip(made, self.weights, strict=True))


@pytest.mark.parametrize(
    "op", [op for op in _core.op_table() if op["name"] in NAMES], ids=lambda op: op["name"]
)
def test_gradient_agrees_with_differences(op):
    rng = np.random.default_rng(5)
    for case in cases_of(op):
        loss = Loss(op, case)
        arrays = [case.arguments[name].data for name in loss.names]

        def at(*given, loss=loss):
            return float(values_of(loss(*[Array(array, "float32").tensor() for array in given])))

        places = tuple(range(len(arrays)))
        found = dyad.grad(lambda *tensors, loss=loss: loss(*tensors), places)(
            *[Array(array, "float32").tensor() for array in arrays]
        )
        for place, gradient in zip(places, found if isinstance(found, tuple) else (found,), strict=True):
            along = [np.zeros_like(array) for array in arrays]
            along[place] = rng.uniform(-1, 1, arrays[place].shape)
            ahead, here, behind = (
                at(*[array + sign * STEP * line for array, line in zip(arrays, along, strict=True)])
                for sign in (1, 0, -1)
            )
            if abs(ahead - 2 * here + behind) > TOLERANCE * max(STEP, abs(ahead - behind)):
                continue  # it jumps or turns in between
            numeric = (ahead - behind) / (2 * STEP)
            ours = float(np.sum(values_of(gradient) * along[place]))
            note_comparison()
            assert abs(ours - numeric) <= TOLERANCE * max(1.0, abs(numeric)), (
                f"{op['name']}({case}) by {place}"
            )
