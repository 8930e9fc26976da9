"""Each operator among elementwise neighbours: as a static graph it gives what the dynamic graph gives.

The neighbours before it add nothing to its operands, those behind it use its results twice, so that a compiler may
compute all of them in one loop. Elementwise operators and moves agree to the bit. What adds up many numbers may add
them in another order: it agrees within `comparison.TOLERANCE` of the largest number in the result.
"""

import numpy as np
import pytest
from arrays import Array, dtype_object, values_of
from comparison import near, same, values_are_free
from graphs import chosen_cases, copied, message, outcome
from promotion import kind

import dyad
from dyad import Tensor, _core, ops

OPS = [pytest.param(op, id=op["name"]) for op in _core.op_table()]
CASES_PER_OPERATOR = 8
SHOWN_FAULTS = 4


@pytest.mark.parametrize("op", OPS)
def test_operator_among_elementwise_neighbors(op):
    cases = [
        case for text in op["samples"] for case in (chosen_cases(op, text)[:1] + chosen_cases(op, text)[-1:])
    ]
    program = among_neighbours(_core.named_op(op["name"]))
    faults = []
    for case in cases[:CASES_PER_OPERATOR]:
        fault = fault_of(op, program, case)
        faults += [f"{op['name']}({case}): {fault}"] if fault else []
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def among_neighbours(operator):
    def program(arguments, zeros):
        prepared = {
            name: value + zeros[name] if name in zeros else value for name, value in arguments.items()
        }
        results = operator(**prepared)
        if not isinstance(results, (tuple, list)):
            results = (results,)
        return [after(result) if isinstance(result, Tensor) else result for result in results]

    return program


def after(result):
    if result.dtype == _core.bool_:
        return ops.logical_not(result), ops.where(result, 1.5, -0.5)
    return result * 2 + 1, result * result - result


def zeros_for(case):
    """A zero of the dtype of each operand that is a tensor of numbers."""
    return {
        name: Tensor(np.zeros((), np.float32)).astype(dtype_object(value.dtype))
        for name, value in case.arguments.items()
        if isinstance(value, Array) and kind(value.dtype) in "if"
    }


def fault_of(op, program, case):
    state = _core.get_generator_state()
    wanted = outcome(program, copied(case), zeros_for(case))
    _core.set_generator_state(*state)
    found = outcome(dyad.jit(program, jit_level="O1"), copied(case), zeros_for(case))
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        alike = type(found) is type(wanted) and message(found) == message(wanted)
        return "" if alike else f"gives {found!r}, the dynamic graph {wanted!r}"
    exact = op["elementwise"] or op["view"]
    for ours, theirs in zip(flat(found), flat(wanted), strict=True):
        fault = difference(op, ours, theirs, exact)
        if fault:
            return fault
    return ""


def flat(value):
    if isinstance(value, tuple | list):
        return [part for item in value for part in flat(item)]
    return [value]


def difference(op, found, wanted, exact):
    if not isinstance(wanted, Tensor):
        return "" if found == wanted else f"gives {found!r}, the dynamic graph {wanted!r}"
    if (found.dtype, tuple(found.shape)) != (wanted.dtype, tuple(wanted.shape)):
        return f"gives {found.dtype}{found.shape}, the dynamic graph {wanted.dtype}{wanted.shape}"
    if values_are_free(op) or (same if exact else near)(found, wanted):
        return ""
    ours, theirs = values_of(found), values_of(wanted)
    at = tuple(int(i) for i in np.argwhere(~((ours == theirs) | ((ours != ours) & (theirs != theirs))))[0])
    return f"gives {ours[at]!r} at {at}, the dynamic graph {theirs[at]!r}"
