"""Inference on symbolic dimensions: replacing sizes by symbols and putting the sizes back changes nothing."""

import pytest
from arrays import Array, dtype_object
from counted import note_comparison
from faces import default_of, materialise, refused_by_the_rules
from samples import expand

from dyad import _core

TABLE = [op for op in _core.op_table() if op["samples"]]
# Sizes 0 and 1 decide broadcasting, and the length of an index vector decides a rank: they stay what they are.
FIRST_SYMBOLIC = 3
MOST_CASES = 30
SHOWN_FAULTS = 4


def infer(op, case, symbolic):
    return _core.infer(op["name"], hollow_arguments(op, case, symbolic))


def hollow_arguments(op, case, symbolic):
    return [_argument(param, case.arguments, symbolic) for param in op["params"]]


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
    values = {f"size{n}": n for n in range(FIRST_SYMBOLIC, 10_000)}
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
        if op["composed"] and "is known only when the graph runs" in str(error):
            return
        yield f"{op['name']}({case}) on symbols: {type(error).__name__}: {error}"
        return
    if depends_on_data(concrete) or depends_on_data(symbolic):
        return
    note_comparison()
    restored = [put_back(result) for result in symbolic]
    if restored != concrete:
        yield f"{op['name']}({case}): {symbolic} on symbols, {concrete} on sizes"


RULES = [op for op in TABLE if op["gradient"] == "rule" and op["writes"] < 0]


@pytest.mark.parametrize("op", RULES, ids=lambda op: op["name"])
def test_a_gradient_rule_works_without_data(op):
    """Each gradient has the shape of its argument, also where sizes are symbols: a graph may run the rule."""
    faults = []
    for text in op["samples"]:
        for case in expand(op, text, dtypes=["float32"])[:MOST_CASES]:
            for symbolic in (False, True):
                faults += rule_faults(op, case, symbolic)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def rule_faults(op, case, symbolic):
    try:
        found = _core.infer_gradients(op["name"], hollow_arguments(op, case, symbolic))
    except Exception as error:
        if symbolic and "is known only when the graph runs" in str(error):
            return
        # A factor that is not unique: the rule says so.
        if "no derivative" in str(error):
            return
        yield f"gradient of {op['name']}({case}), symbols {symbolic}: {type(error).__name__}: {error}"
        return
    for param, gradient in zip(op["params"], found, strict=True):
        array = case.arguments.get(param["name"])
        if gradient is None or not isinstance(array, Array):
            continue
        note_comparison()
        shape = gradient[1] if depends_on_data([gradient]) else put_back(gradient)[1]
        if shape != array.data.shape:
            yield f"gradient of {op['name']}({case}) by {param['name']} has shape {gradient[1]}"
        if array.dtype == "float32" and gradient[0] != _core.float32:
            yield f"gradient of {op['name']}({case}) by {param['name']} has dtype {gradient[0]}"


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
