"""Gradients of every layer where its inputs are zero, one or all equal: finite wherever the result is."""

import numpy as np
import pytest
from layer_cases import LAYER_CASES
from network_cases import NETWORK_CASES

import dyad
from dyad import Tensor, nn
from dyad._src.autodiff.structures import tensors_in

POINTS = {
    "zeros": lambda array, first: np.zeros_like(array),
    "ones": lambda array, first: np.ones_like(array),
    "equal": lambda array, first: first.copy() if first.shape == array.shape else array,
}
CASES = [
    pytest.param(make, arguments, id=name.removeprefix("dyad."))
    for name, make, arguments in [*LAYER_CASES, *NETWORK_CASES]
]


def finite(structure):
    return all(np.isfinite(x.asnumpy()).all() for x in tensors_in(structure) if x.is_floating_point())


@pytest.mark.parametrize(("make", "arguments"), CASES)
def test_gradients_are_finite(make, arguments):
    layer = make()
    given = arguments()
    places = tuple(i for i, x in enumerate(given) if isinstance(x, Tensor) and x.is_floating_point())
    # A matrix of zeros or ones has no inverse.
    if not places or not isinstance(layer, nn.Cell) or isinstance(layer, nn.Optimizer | nn.MatInverse):
        return
    if isinstance(layer, nn.MatDet) and given[places[0]].device != "CPU":
        return  # there its gradient is taken by the inverse
    first = given[places[0]].asnumpy()
    for name, point in POINTS.items():
        moved = [Tensor(point(x.asnumpy(), first)) if i in places else x for i, x in enumerate(given)]
        weights = layer.trainable_params()
        output, gradients = dyad.value_and_grad(layer, places, weights or None)(*moved)
        assert not finite(output) or finite(gradients), f"at {name}"
