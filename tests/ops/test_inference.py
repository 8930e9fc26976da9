"""Inference on symbolic dimensions: replacing sizes by symbols and putting the sizes back changes nothing."""

import pytest
from arrays import Array, dtype_object
from faces import default_of, materialise, refused_by_the_rules
from samples import expand

from dyad import _core

TABLE = [op for op in _core.op_table() if op["samples"]]
# Sizes 0 and 1 decide broadcasting, and the length of an index vector decides a rank: they stay what they are.
FIRST_SYMBOLIC = 3
MOST_CASES = 30
SHOWN_FAULTS = 4


def infer(op, case, symbolic):
    return _core.infer(op["name"], [_argument(param, case.arguments, symbolic) for param in op["params"]])


def _argument(param, arguments, symbolic):
    if param["name"] not in arguments:
        return default_of(param)
    return _hollow(arguments[param["name"]], symbolic)


def _hollow(value, symbolic):
    """Arrays become placeholders; a size becomes the symbol of that size, so that equal sizes stay equal."""
    if isinstance(value, Array):
        sizes = [f"size{n}" if symbolic and n >= FIRST_SYMBOLIC else n for n in value.data.shape]
        return _core.Placeholder(dtype_object(value.dtype), sizes)
    if isinstance(value, list | tuple) and any(isinstance(item, Array) for item in value):
        return [_hollow(item, symbolic) for item in value]
    return materialise(value)


def put_back(result):
    dtype, sizes = result
    values = {f"size{n}": n for n in range(FIRST_SYMBOLIC, 4096)}
    return dtype, tuple(
        eval(size, {"max": max, "min": min}, values) if isinstance(size, str) else size for size in sizes
    )


def depends_on_data(results):
    return any("#" in str(size) for _, sizes in results for size in sizes)


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_symbols_agree_with_sizes(op):
    faults = []
    for text in op["samples"]:
        for case in expand(op, text)[:MOST_CASES]:
            faults += faults_of(op, case)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def faults_of(op, case):
    try:
        concrete = infer(op, case, symbolic=False)
    except TypeError as error:
        if refused_by_the_rules(case, error):
            return
        raise
    try:
        symbolic = infer(op, case, symbolic=True)
    except Exception as error:
        # A body may need a size to know which operators to apply (one per chunk, say); a graph then fixes that size.
        if op["composed"] and "is asked for before it is known" in str(error):
            return
        yield f"{op['name']}({case}) on symbols: {type(error).__name__}: {error}"
        return
    if depends_on_data(concrete) or depends_on_data(symbolic):
        return
    restored = [put_back(result) for result in symbolic]
    if restored != concrete:
        yield f"{op['name']}({case}): {symbolic} on symbols, {concrete} on sizes"


def names(op, *args):
    return _core.infer(op, list(args))


def holder(*sizes, dtype="float32"):
    return _core.Placeholder(dtype_object(dtype), sizes)


def test_elementwise_keeps_symbols():
    assert names("add", holder("n", 3), holder(3)) == [(_core.float32, ("n", 3))]
    assert names("add", holder("n", 1), holder("m")) == [(_core.float32, ("n", "m"))]
    assert names("add", holder("n"), holder("n", dtype="float64")) == [(_core.float64, ("n",))]


def test_a_size_that_cannot_fit_is_refused():
    with pytest.raises(ValueError, match="do not broadcast"):
        names("add", holder("n", 3), holder("n", 4))
