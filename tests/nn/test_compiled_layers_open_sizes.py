"""Layers in graphs whose first size is open: one graph serves batches of every size."""

import numpy as np
import pytest
from layer_agreement import require_agreement
from layer_cases import LAYER_CASES
from network_cases import NETWORK_CASES
from test_compiled_layers import shown

import dyad
from dyad import Tensor

CASES = [*LAYER_CASES, *NETWORK_CASES]


def batch(value, times):
    """The value with every tensor of it repeated along its first dimension."""
    if isinstance(value, tuple):
        return tuple(batch(item, times) for item in value)
    if isinstance(value, Tensor) and value.ndim > 0:
        return Tensor(np.concatenate([value.asnumpy()] * times), value.dtype)
    return value


def outcome(call, arguments):
    try:
        return shown(call(*arguments))
    except (TypeError, ValueError) as error:
        return type(error), str(error).split("\n")[0]


@pytest.mark.parametrize(
    ("make", "arguments"), [pytest.param(*case[1:], id=case[0].removeprefix("dyad.")) for case in CASES]
)
def test_layer_with_an_open_first_size(make, arguments):
    dyad.set_seed(7)
    layer = make().set_train()
    dyad.set_seed(7)
    plain = make().set_train()
    compiled = dyad.jit(layer, dynamic=1)
    for times in (1, 2, 3, 4, 5):
        given = batch(arguments(), times)
        dyad.set_seed(times)
        wanted = outcome(plain, given)
        dyad.set_seed(times)
        require_agreement(outcome(compiled, given), wanted)
    require_agreement(
        [p.asnumpy() for p in layer.get_parameters()], [p.asnumpy() for p in plain.get_parameters()]
    )
