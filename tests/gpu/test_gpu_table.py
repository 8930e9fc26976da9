"""The whole operator table on the device: every operator's samples, forward and gradient, beside the CPU."""

import warnings

import numpy as np
import pytest
from device_samples import cases_of, faults_of
from faces import canonical

import dyad
from dyad import _core

MOST_CASES = 8
# Of values that are written to one place, any may stay (docs/gpu.md).
ANY_MAY_STAY = {"index_update", "index_write", "scatter_elements", "scatter_elements_into"}
TABLE = [
    pytest.param(op, id=op["name"])
    for op in _core.op_table()
    if op["numpy"] and op["samples"] and not op["samples"][0].startswith(("unary", "binary", "ternary"))
]


@pytest.mark.parametrize("op", TABLE)
def test_table_as_numpy(op):
    def any_may_stay(arguments):
        return op["name"] in ANY_MAY_STAY and arguments.get("reduction", "none") == "none"

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        faults = faults_of(op, MOST_CASES, any_may_stay)
    assert not faults, "\n" + "\n".join(faults[:4])


def gradients_of(op, arguments, names):
    def total(*tensors):
        result = canonical(op, {**arguments, **dict(zip(names, tensors, strict=True))})
        results = result if isinstance(result, (tuple, list)) else (result,)
        floats = [one for one in results if one.dtype in (dyad.float32, dyad.float64)]
        return sum((one * (k + 1)).sum() for k, one in enumerate(floats))

    tensors = [arguments[name] for name in names]
    found = dyad.grad(total, tuple(range(len(names))))(*tensors)
    return found if isinstance(found, tuple) else (found,)


def differentiable_case(op):
    """The first case of float32 operands, and which of them take a gradient."""
    for _, arguments in cases_of(op, MOST_CASES):
        names = [
            name
            for name, value in arguments.items()
            if isinstance(value, dyad.Tensor) and value.dtype == dyad.float32
        ]
        if names:
            return arguments, names
    return None


def on_cpu(op, arguments, names):
    """The gradients on the CPU; what it raises instead, an operator without one say, is given back."""
    dyad.set_context(device_target="CPU")
    try:
        return gradients_of(op, {name: moved(value) for name, value in arguments.items()}, names)
    except Exception as error:
        return error
    finally:
        dyad.set_context(device_target="GPU")


DIFFERENTIABLE = [
    param
    for param in TABLE
    if param.values[0]["gradient"] and not param.values[0]["random"] and differentiable_case(param.values[0])
]


@pytest.mark.parametrize("op", DIFFERENTIABLE)
def test_gradients_as_on_the_cpu(op):
    arguments, names = differentiable_case(op)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        theirs = on_cpu(op, arguments, names)
        if isinstance(theirs, Exception):
            with pytest.raises(type(theirs)):
                gradients_of(op, arguments, names)
            return
        ours = gradients_of(op, arguments, names)
    for one, other in zip(ours, theirs, strict=True):
        assert one.device == "GPU:0"
        np.testing.assert_allclose(one.asnumpy(), other.asnumpy(), rtol=2e-4, atol=2e-5)


def moved(value):
    if isinstance(value, (list, tuple)):
        return type(value)(moved(member) for member in value)
    return value.to("CPU") if isinstance(value, dyad.Tensor) else value
