"""Walks the operator table: each entry is complete, and each sample agrees with NumPy through every face."""

import inspect
from itertools import islice

import numpy as np
import pytest
from arrays import Array, random_array, values_of
from comparison import difference, dtype_fault, expected, same, same_specs, values_are_free
from faces import canonical, default_of, faces, has_faces, materialise, refused_by_the_rules
from samples import Case, expand

import dyad
from dyad import Tensor, _core, ops

TABLE = _core.op_table()
OPS = [pytest.param(op, id=op["name"]) for op in TABLE]
SAMPLES = [
    pytest.param(op, text, id=f"{op['name']}-{i}")
    for op in TABLE
    if op["numpy"] and op["writes"] < 0
    for i, text in enumerate(op["samples"])
]
REJECTS = [
    pytest.param(op, *reject, id=f"{op['name']}-{i}")
    for op in TABLE
    for i, reject in enumerate(op["rejects"])
]
SHOWN_FAULTS = 4


def as_list(result):
    return list(result) if isinstance(result, tuple | list) else [result]


@pytest.mark.parametrize("op", OPS)
def test_entry_is_complete(op):
    assert op["doc"].endswith("."), "doc is missing or no sentence"
    assert op["runnable"], "no kernel, view or body"
    assert op["samples"], "no samples"
    assert op["rejects"], "no rejected call"
    assert op["gradient"], "no gradient decision: a rule, a body, or no_grad with its reason"
    assert op["cost"], "no cost: state it where neither kind nor body tells"
    assert not (op["cost"] == "body" and op["kernel"]), "the kernel costs something else than the body"
    assert op["layout"] in ("default", "transparent", "aware")
    assert op["writes"] < len(op["params"]) and all(at < len(op["params"]) for at in op["updates"])
    assert not (op["compiler_made"] and has_faces(op)), "programs cannot call what passes write"
    assert op["numpy"] or op["random"] or op["writes"] >= 0 or op["updates"], (
        "no NumPy expression to compare with"
    )


@pytest.mark.parametrize(("op", "text"), SAMPLES)
def test_sample_agrees_with_numpy(op, text):
    cases = expand(op, text)
    assert cases, f"sample {text} gives no case"
    faults = list(islice((fault for case in cases for fault in faults_of(op, case)), SHOWN_FAULTS))
    assert not faults, "\n" + "\n".join(faults)


def faults_of(op, case: Case):
    arguments = {name: materialise(value) for name, value in case.arguments.items()}
    try:
        results = as_list(canonical(op, arguments))
    except Exception as error:
        if not refused_by_the_rules(case, error):
            yield f"{op['name']}({case}): {type(error).__name__}: {error}"
        return
    references = expected(op, case)
    if len(results) != len(references):
        yield f"{op['name']}({case}): {len(results)} results, NumPy gives {len(references)}"
        return
    for result, reference in zip(results, references, strict=True):
        fault = difference(op, result, reference) or dtype_fault(op, case, result, reference)
        if fault:
            yield f"{op['name']}({case}): {fault}"
    for array, tensor in tensors_of(case, arguments):
        if not np.array_equal(values_of(tensor), array.data, equal_nan=array.data.dtype.kind in "fc"):
            yield f"{op['name']}({case}): the argument {array} was changed"


BOTH = [pytest.param(op, id=op["name"]) for op in TABLE if op["kernel"] and op["composed"]]


@pytest.mark.parametrize("op", BOTH)
def test_kernel_and_body_agree(op):
    """Gradients and graphs are made from the body, so that it must mean what the kernel does."""
    faults = []
    for text in op["samples"]:
        for case in expand(op, text):
            arguments = [materialise(case.arguments.get(p["name"], default_of(p))) for p in op["params"]]
            by_body = _core.run_body(op["name"], arguments)
            by_kernel = as_list(_core.named_op(op["name"])(*arguments))
            assert len(by_body) == len(by_kernel)
            for body, kernel in zip(by_body, by_kernel, strict=True):
                assert body.dtype == kernel.dtype
                faults += filter(None, [difference(op, body, values_of(kernel))])
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def tensors_of(case, arguments):
    for name, value in case.arguments.items():
        if isinstance(value, Array):
            yield value, arguments[name]


@pytest.mark.parametrize("op", [p for p in OPS if has_faces(p.values[0])])
def test_faces_agree(op):
    """Function, method and Primitive give what the operator itself gives."""
    faults = []
    for text in op["samples"]:
        for case in face_cases(op, text):
            faults += face_faults(op, case)
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def face_cases(op, text):
    cases = expand(op, text, dtypes=None if text.startswith("call") else ["float32", "int32", "bool_"])
    return (cases or expand(op, text))[:40]


def outcome(call):
    """The results of a call, or the error it ends with."""
    try:
        return as_list(call())
    except Exception as error:
        return error


def face_faults(op, case):
    arguments = {name: materialise(value) for name, value in case.arguments.items()}
    state = _core.get_generator_state()
    for name, call, meant in faces(op, arguments):
        _core.set_generator_state(*state)
        wanted = outcome(lambda meant=meant: canonical(op, meant))
        _core.set_generator_state(*state)
        result = outcome(call)
        if isinstance(result, Exception) or isinstance(wanted, Exception):
            if type(result) is not type(wanted):
                yield f"{name}({case}) gives {result!r}, {op['name']} gives {wanted!r}"
            continue
        if not (same_specs(result, wanted) if values_are_free(op) else same(result, wanted)):
            yield f"{name}({case}) differs from {op['name']}"


@pytest.mark.parametrize("op", [p for p in OPS if p.values[0]["inplace_methods"]])
def test_inplace_methods_write_the_result_into_self(op):
    first = op["params"][0]["name"]
    tried = 0
    for text in op["samples"]:
        for case in expand(op, text, dtypes=["float32", "int64"]):
            if not isinstance(case.arguments[first], Array):
                continue
            arguments = {name: materialise(value) for name, value in case.arguments.items()}
            wanted = canonical(op, arguments)
            for name in op["inplace_methods"]:
                target = case.arguments[first].tensor()
                rest = {key: value for key, value in arguments.items() if key != first}
                if wanted.dtype != target.dtype or tuple(wanted.shape) != tuple(target.shape):
                    with pytest.raises((TypeError, ValueError), match="is written into"):
                        getattr(target, name)(**rest)
                    assert np.array_equal(values_of(target), case.arguments[first].data), (
                        "a refused write wrote"
                    )
                    continue
                tried += 1
                assert getattr(target, name)(**rest) is target
                assert same(target, wanted), f"{name}({case})"
    assert tried


@pytest.mark.parametrize(("op", "call", "error", "message"), REJECTS)
def test_reject_raises_what_it_promises(op, call, error, message):
    names = {"ops": ops, "Tensor": Tensor, "np": np, "dyad": dyad, "ones": ones, "ints": ints}
    names |= {
        name: getattr(_core, name) for name in ("float16", "float32", "float64", "int32", "int64", "bool_")
    }
    with pytest.raises(Exception) as caught:  # the class is checked below, with its text
        eval(call, names)
    text = str(caught.value.args[0]) if caught.value.args else ""
    assert (caught.type.__name__, message in text) == (error, True), (
        f"{call} raised {caught.type.__name__}: {text}"
    )


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def ints(*shape):
    return Tensor(np.ones(shape, np.int64))


@pytest.mark.parametrize("op", OPS)
def test_functions_show_their_signature(op):
    for face in op["functions"]:
        shown = inspect.signature(getattr(ops, face["name"]))
        assert list(shown.parameters) == [param["name"] for param in face["params"]]
        assert getattr(ops, face["name"]).__doc__


def _takes_any_shape_of_floats(op):
    text = op["samples"][0]
    return op["elementwise"] and "call(" not in text and bool(expand(op, text, dtypes=["float32"]))


@pytest.mark.parametrize("op", [p for p in OPS if _takes_any_shape_of_floats(p.values[0])])
def test_result_does_not_depend_on_threads(op):
    """Elementwise operators on enough elements for several threads: the same bits with one and with two."""
    text = op["samples"][0]
    rng = np.random.default_rng(5)
    bounds = eval(text, {name: lambda lo=-3, hi=3, **_: (lo, hi) for name in ("unary", "binary", "ternary")})
    count = {"u": 1, "b": 2, "t": 3}[text[0]]
    arguments = {
        param["name"]: random_array(rng, (513, 1001), "float32", *bounds).tensor()
        for param in op["params"][:count]
    }
    threads = _core.get_num_threads()
    try:
        _core.set_num_threads(1)
        alone = canonical(op, arguments)
        _core.set_num_threads(2)
        assert same(canonical(op, arguments), alone)
    finally:
        _core.set_num_threads(threads)
