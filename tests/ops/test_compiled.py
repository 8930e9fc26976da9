"""Walks the operator table as static graphs: each operator does there what it does in the dynamic graph."""

from itertools import islice

import numpy as np
import pytest
from arrays import Array
from comparison import same
from faces import canonical, faces, has_faces
from graphs import (
    chosen_cases,
    compiled,
    copied,
    difference,
    function_of_tensors,
    message,
    outcome,
    tensors_in,
)
from samples import Case, expand

import dyad
from dyad import Tensor, _core, ops

TABLE = _core.op_table()
OPS = [pytest.param(op, id=op["name"]) for op in TABLE]
MODES = ["ast", "trace"]
REJECTS = [
    pytest.param(op, *reject[:2], id=f"{op['name']}-{i}")
    for op in TABLE
    for i, reject in enumerate(op["rejects"])
]
SHOWN_FAULTS = 4
# What the dynamic graph checks by counting elements before it starts, a graph meets as a shape that does not fit.
COUNTED_BEFOREHAND = {"masked_scatter"}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("op", OPS)
def test_operator_as_a_graph(op, mode):
    cases = [case for text in op["samples"] for case in chosen_cases(op, text)]
    faults = list(islice((fault for case in cases for fault in faults_of(op, case, mode)), SHOWN_FAULTS))
    assert not faults, "\n" + "\n".join(faults)


def faults_of(op, case: Case, mode):
    program = compiled(_core.named_op(op["name"]), capture_mode=mode)
    for _ in range(2):  # the second call runs the graph that the first one made
        state = _core.get_generator_state()
        plain, given = copied(case), copied(case)
        wanted = outcome(canonical, op, plain)
        drawn = _core.get_generator_state()
        _core.set_generator_state(*state)
        fault = difference(op, outcome(program, given), wanted)
        if fault:
            yield f"{op['name']}({case}) {fault}"
            return
        if not same(list(tensors_in(given)), list(tensors_in(plain))):
            yield f"{op['name']}({case}): the arguments differ after the call"
        if _core.get_generator_state() != drawn:
            yield f"{op['name']}({case}): the generator is not where the dynamic graph leaves it"
    if program.hits == 0:
        yield f"{op['name']}({case}): the second call is compiled again"


@pytest.mark.parametrize("op", [p for p in OPS if has_faces(p.values[0])])
def test_faces_as_graphs(op):
    """Function, method and Primitive."""
    faults = []
    for case in [case for text in op["samples"] for case in chosen_cases(op, text)[:1]]:
        for name, call, _ in faces(op, copied(case)):
            state = _core.get_generator_state()
            wanted = outcome(call)
            _core.set_generator_state(*state)
            fault = difference(op, outcome(dyad.jit(call)), wanted)
            faults += [f"{name}({case}) {fault}"] if fault else []
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


@pytest.mark.parametrize("op", [p for p in OPS if p.values[0]["inplace_methods"]])
def test_inplace_methods_as_graphs(op):
    first = op["params"][0]["name"]
    tried = 0
    for text in op["samples"]:
        for case in expand(op, text, dtypes=["float32", "int64"])[:8]:
            if not isinstance(case.arguments[first], Array):
                continue
            for name in op["inplace_methods"]:

                def program(target, rest, name=name):
                    return getattr(target, name)(**rest)

                plain, given = copied(case), copied(case)
                wanted = outcome(program, plain[first], without(plain, first))
                found = outcome(dyad.jit(program), given[first], without(given, first))
                fault = difference(op, found, wanted)
                assert not fault, f"{name}({case}) {fault}"
                assert same(given[first], plain[first]), f"{name}({case})"
                if isinstance(wanted, Tensor):
                    tried += 1
                    assert found is given[first]
    assert tried


def without(arguments, name):
    return {key: value for key, value in arguments.items() if key != name}


@pytest.mark.parametrize("op", [p for p in OPS if p.values[0]["view"]])
def test_writes_reach_what_a_result_is_a_view_of(op):
    operator = _core.named_op(op["name"])

    def program(arguments):
        result = operator(**arguments)
        result.zero_()
        return result, [value + value for value in arguments.values() if isinstance(value, Tensor)]

    for text in op["samples"]:
        for case in chosen_cases(op, text):
            plain, given = copied(case), copied(case)
            wanted = outcome(program, plain)
            fault = difference(op, outcome(dyad.jit(program), given), wanted)
            assert not fault, f"{op['name']}({case}) {fault}"
            assert same(list(tensors_in(given)), list(tensors_in(plain))), f"{op['name']}({case})"


@pytest.mark.parametrize(("op", "call", "error"), REJECTS)
def test_rejects_as_graphs(op, call, error):
    """A graph rejects the calls that the dynamic graph rejects, with the same message."""
    names = {"ops": ops, "Tensor": Tensor, "np": np, "dyad": dyad, "ones": ones, "ints": ints}
    names |= {
        name: getattr(_core, name) for name in ("float16", "float32", "float64", "int32", "int64", "bool_")
    }
    made = outcome(function_of_tensors, call, names)
    if isinstance(made, Exception):  # the Tensor itself is refused: nothing reaches the operator
        assert type(made).__name__ == error, f"{call} raised {made!r}"
        return
    program, arguments = made
    wanted = outcome(program, *arguments)
    assert isinstance(wanted, Exception)
    found = outcome(dyad.jit(program), *arguments)
    if op["name"] in COUNTED_BEFOREHAND:
        assert type(found) is type(wanted)
    else:
        assert (type(found), message(found)) == (type(wanted), message(wanted))


def ones(*shape):
    return Tensor(np.ones(shape, np.float32))


def ints(*shape):
    return Tensor(np.ones(shape, np.int64))
