"""Gradients of inputs and seeds in other layouts, of empty tensors and in narrow dtypes, against those of plain float64
tensors, which differences check."""

import numpy as np
import pytest
from arrays import Array, round_to, values_of
from counted import note_comparison
from faces import canonical, materialise
from test_gradients import element_count, float_places, get
from test_second_order import TABLE, cases_of

from dyad import _core

# What a gradient may be off by, relative to the largest element: a few times the dtype's last digit.
TOLERANCE = {"float32": 2e-5, "float16": 1e-2, "bfloat16": 6e-2}
EXACT = 1e-12
# Narrow dtypes are compared where neither the arguments nor the gradients come near their limits.
LARGEST = 1e3
MOST_CASES = 6
SHOWN_FAULTS = 4
REFUSED = (ValueError, IndexError, TypeError)


def replaced(arguments, places, change):
    """The arguments with `change(array)` at each of the places."""
    changed = dict(arguments)
    for name, at in places:
        if at is None:
            changed[name] = change(changed[name])
        else:
            items = list(changed[name])
            items[at] = change(items[at])
            changed[name] = items
    return changed


def gradients(op, arguments, places, seeds):
    """The gradients at the places; `seeds` makes the seed of each result, or None for one that is not used."""
    mark = _core.tape_enter()
    try:
        given = {name: materialise(value) for name, value in arguments.items()}
        inputs = []
        for name, at in places:
            inputs.append(_core.as_input(given[name] if at is None else given[name][at]))
            given[name] = (
                inputs[-1] if at is None else [*given[name][:at], inputs[-1], *given[name][at + 1 :]]
            )
        result = canonical(op, given)
        results = list(result) if isinstance(result, tuple | list) else [result]
        used = [(r, seed) for i, r in enumerate(results) if (seed := seeds(i, r)) is not None]
        if not used:
            return None
        return _core.differentiate([r for r, _ in used], [s for _, s in used], inputs, mark, False)
    finally:
        _core.tape_exit()


def is_float(tensor):
    return tensor.dtype in (_core.float16, _core.bfloat16, _core.float32, _core.float64)


def seed_values(i, shape):
    return np.random.default_rng(i).uniform(-1, 1, shape)


def plain_seed(i, result):
    return Array(seed_values(i, result.shape), "float64").tensor() if result.dtype == _core.float64 else None


def narrow_seed(i, result):
    if not is_float(result):
        return None
    return Array(seed_values(i, result.shape), "float64").tensor().astype(result.dtype)


def repeated_seed(i, result):
    """One number for all elements, as the gradient of a sum is."""
    if result.dtype != _core.float64:
        return None
    return _core.named_op("broadcast_to")(Array(np.array(0.7), "float64").tensor(), result.shape)


def copied_repeated_seed(i, result):
    seed = repeated_seed(i, result)
    return None if seed is None else seed.copy()


def strided_seed(i, result):
    if result.dtype != _core.float64:
        return None
    return Array(seed_values(i, result.shape), "float64", "strided").tensor()


def small_cases(op):
    return sorted(cases_of(op), key=element_count)[-MOST_CASES:]


def compared(op, case, what, ours, expected, tolerance):
    if ours is None or expected is None:
        return
    for place, a, b in zip(float_places(case), ours, expected, strict=True):
        note_comparison()
        a, b = values_of(a).astype(np.float64), values_of(b)
        if a.shape != b.shape:
            yield f"{op['name']}({case}): gradient by {place[0]} {what} has shape {a.shape}, not {b.shape}"
            continue
        moderate = np.abs(b) <= LARGEST
        a, b = a[moderate], b[moderate]
        size = max(1.0, float(np.max(np.abs(b), initial=0)))
        if not np.all(np.abs(a - b) <= tolerance * size):
            yield f"{op['name']}({case}): gradient by {place[0]} {what} is off by {np.max(np.abs(a - b))}"


def attempt(op, case, arguments, seeds):
    """The gradients, or None where the operator does not take such arguments."""
    try:
        return gradients(op, arguments, float_places(case), seeds)
    except REFUSED:
        canonical_refuses(op, arguments)
        return None


def canonical_refuses(op, arguments):
    """A call that cannot be differentiated must be rejected without differentiation too, or state the reason."""
    try:
        canonical(op, {name: materialise(value) for name, value in arguments.items()})
    except REFUSED:
        return
    raise AssertionError(f"{op['name']} takes {arguments} but cannot be differentiated there")


def layout_faults(op, case):
    places = float_places(case)
    try:
        expected = gradients(op, case.arguments, places, plain_seed)
        repeated = gradients(op, case.arguments, places, copied_repeated_seed)
    except ValueError as error:
        if "no derivative" in str(error):
            return
        raise
    for layout in ("strided", "transposed"):

        def laid_out(array, layout=layout):
            return Array(array.data, array.dtype, layout)

        arguments = replaced(case.arguments, places, laid_out)
        found = gradients(op, arguments, places, plain_seed)
        yield from compared(op, case, f"of {layout} tensors", found, expected, EXACT)
    found = gradients(op, case.arguments, places, strided_seed)
    yield from compared(op, case, "with a strided seed", found, expected, EXACT)
    found = gradients(op, case.arguments, places, repeated_seed)
    yield from compared(op, case, "with a repeated seed", found, repeated, EXACT)


def narrow_faults(op, case, dtype):
    places = float_places(case)

    def rounded(array):
        return Array(round_to(array.data, dtype).astype(np.float64), "float64")

    def narrow(array):
        return Array(array.data, dtype)

    if any(np.max(np.abs(get(case.arguments, place).data), initial=0) > LARGEST for place in places):
        return
    arguments = replaced(case.arguments, places, rounded)
    try:
        expected = gradients(op, arguments, places, plain_seed)
    except REFUSED:
        return
    found = attempt(op, case, replaced(arguments, places, narrow), narrow_seed)
    if found is None or expected is None:
        return
    for (name, _), gradient in zip(places, found, strict=True):
        if gradient.dtype != getattr(_core, dtype):
            yield f"{op['name']}({case}): gradient by {name} has dtype {gradient.dtype}, not {dtype}"
    yield from compared(op, case, f"in {dtype}", found, expected, TOLERANCE[dtype])


def empty_faults(op, case):
    """The case with the first dimension of its tensors, and all like it, empty."""
    sizes = {get(case.arguments, place).data.shape[:1] for place in float_places(case)} - {()}
    for size in sizes:

        def emptied(array, size=size):
            return Array(array.data[:0], array.dtype) if array.data.shape[:1] == size else array

        arrays = [(n, None) for n, v in case.arguments.items() if isinstance(v, Array)]
        arrays += [
            (n, i)
            for n, v in case.arguments.items()
            if isinstance(v, list | tuple)
            for i, item in enumerate(v)
            if isinstance(item, Array)
        ]
        arguments = replaced(case.arguments, arrays, emptied)
        found = attempt(op, case, arguments, plain_seed)
        for place, gradient in zip(float_places(case), found or [], strict=bool(found)):
            note_comparison()
            expected = get(arguments, place).data.shape
            if gradient.shape != expected:
                yield f"{op['name']}, emptied: gradient by {place[0]} has shape {gradient.shape}, not {expected}"


def collect(op, faults_of, *args):
    return [fault for case in small_cases(op) if float_places(case) for fault in faults_of(op, case, *args)]


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_layouts_make_no_difference(op):
    faults = collect(op, layout_faults)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_empty_tensors_have_empty_gradients(op):
    faults = collect(op, empty_faults)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("dtype", list(TOLERANCE))
@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_narrow_dtypes_agree_with_float64(op, dtype):
    faults = collect(op, narrow_faults, dtype)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])
