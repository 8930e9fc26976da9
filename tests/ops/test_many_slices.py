"""Walks the operator table with `vmap`: many slices at once give what a Python loop over them gives."""

from itertools import islice

import numpy as np
import pytest
from arrays import Array, dtype_name, values_of
from comparison import values_are_free
from counted import note_comparison
from faces import materialise
from graphs import chosen_cases, outcome

import dyad
from dyad import Tensor, _core

TABLE = _core.op_table()
OPS = [
    pytest.param(op, id=op["name"])
    for op in TABLE
    if op["writes"] < 0 and not op["updates"] and not op["random"]
]
SHOWN_FAULTS = 4
SLICES = 3
# Operators that give the same result in other steps round in other places.
TOLERANCE = {
    "bfloat16": 5e-2,
    "float16": 5e-3,
    "float32": 2e-4,
    "float64": 1e-9,
    "complex64": 2e-4,
    "complex128": 1e-9,
}
# Operators with a Tensor among their arguments that are applied slice by slice. The list may only become shorter.
SLICE_BY_SLICE = {
    "ctc_label_rows",
    "ctc_log_alpha",
    "ctc_losses",
    "histc",
    "lars_gradients",
    "multinomial",
    "suppress_overlaps",
}
# The shape of what they give depends on the data: slices could differ in it.
DATA_SHAPES = "all slices need one shape"


def test_operators_without_a_rule():
    tensors = ("Tensor", "Tensor?", "Operand", "Operand?", "Tensors", "Tensors?")
    found = {
        op["name"]
        for op in TABLE
        if op["batching"] == "loop"
        and not op["compiler_made"]  # slices are taken before a graph is optimised
        and op["writes"] < 0
        and not op["updates"]
        and not op["data_shape"]
        and any(param["kind"] in tensors for param in op["params"])
    }
    assert found <= SLICE_BY_SLICE, f"new operators without a batching rule: {sorted(found - SLICE_BY_SLICE)}"
    assert found == SLICE_BY_SLICE, f"take these off the list: {sorted(SLICE_BY_SLICE - found)}"


# What operators raise for values that they do not take.
REFUSED = (ValueError, IndexError, TypeError)


@pytest.mark.parametrize("op", OPS)
def test_operator_on_many_slices(op):
    cases = [case for text in op["samples"] for case in chosen_cases(op, text)[:2]]
    faults = list(islice((fault for case in cases for fault in faults_of(op, case)), SHOWN_FAULTS))
    assert not faults, "\n" + "\n".join(faults)


def faults_of(op, case):
    arrays = [name for name, value in case.arguments.items() if list(arrays_in(value))]
    for mapped in {tuple(arrays[:1]), tuple(arrays), tuple(arrays[-1:])}:
        if not mapped:
            continue
        fault = fault_of(op, case, mapped)
        if fault:
            yield f"{op['name']}({case}) mapped over {', '.join(mapped)}: {fault}"


def fault_of(op, case, mapped):
    operator = _core.named_op(op["name"])
    slices = [
        {name: variant(value, i) if name in mapped else value for name, value in case.arguments.items()}
        for i in range(SLICES)
    ]
    by_slice = outcome(lambda: [operator(**materialised(arguments)) for arguments in slices])
    if isinstance(by_slice, Exception):
        # Values that the operator does not take, which another test looks at; the order of elements decides.
        return "" if isinstance(by_slice, REFUSED) else f"one by one: {by_slice!r}"
    given = materialised(slices[0])
    wholes = [stacked([arguments[name] for arguments in slices]) for name in mapped]

    def program(*parts):
        return operator(**{**given, **dict(zip(mapped, parts, strict=True))})

    try:
        found = dyad.vmap(program)(*wholes)
    except RuntimeError as error:
        return "" if DATA_SHAPES in str(error) else f"RuntimeError: {error}"
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return unlike(op, as_list(found), [as_list(results) for results in by_slice])


def unlike(op, found, by_slice):
    if any(len(results) != len(found) for results in by_slice):
        return f"{len(found)} results, a slice gives {len(by_slice[0])}"
    if values_are_free(op):
        note_comparison()
    for number, result in enumerate(found):
        wanted = [results[number] for results in by_slice]
        if result.dtype != wanted[0].dtype:
            return f"result {number} has dtype {result.dtype}, a slice {wanted[0].dtype}"
        expected = np.stack([values_of(value) for value in wanted])
        if tuple(result.shape) != expected.shape:
            return f"result {number} has shape {result.shape}, slices one after the other {expected.shape}"
        if values_are_free(op):
            continue
        note_comparison()
        error = TOLERANCE.get(dtype_name(result.dtype), 0)
        if not np.allclose(values_of(result), expected, rtol=error, atol=error, equal_nan=True):
            return f"result {number} is\n{values_of(result)}\nnot\n{expected}"
    return ""


def variant(value, number):
    """The argument of another slice: the same elements in another order, so that it is as good as the first."""
    if isinstance(value, Array):
        data = value.data if number == 0 else np.flip(value.data)
        if number == 2 and value.data.dtype.kind in "fc":
            data = value.data * 0.5
        return Array(np.ascontiguousarray(data).astype(value.data.dtype), value.dtype)
    if isinstance(value, list | tuple):
        return type(value)(variant(item, number) for item in value)
    return value


def stacked(values):
    if isinstance(values[0], list | tuple):
        return [stacked(list(parts)) for parts in zip(*values, strict=True)]
    if not isinstance(values[0], Array):
        return values[0]
    return Array(np.stack([value.data for value in values]), values[0].dtype).tensor()


def materialised(arguments):
    return {name: materialise(value) for name, value in arguments.items()}


def arrays_in(value):
    if isinstance(value, Array):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)


def as_list(result):
    return list(result) if isinstance(result, tuple | list) else [result]


@pytest.mark.parametrize("name", ["random_normal", "random_uniform"])
def test_random_numbers_are_the_same_for_every_slice_or_not(name):
    operator = _core.named_op(name)

    def program(x):
        return x * 0 + operator((4,)) if name == "random_normal" else x * 0 + operator((4,), 0.0, 1.0)

    x = Tensor(np.zeros((3, 4), np.float32))
    same = dyad.vmap(program)(x).asnumpy()
    assert np.array_equal(same[0], same[1]) and np.array_equal(same[0], same[2])
    different = dyad.vmap(program, randomness="different")(x).asnumpy()
    assert not np.array_equal(different[0], different[1])
