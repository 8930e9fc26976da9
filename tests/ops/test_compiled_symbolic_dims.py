"""Operators in graphs whose sizes are open: one graph serves two shapes, or the operator says that it needs them."""

import functools
import re

import numpy as np
import pytest
from arrays import Array
from faces import canonical
from graphs import chosen_cases, copied, difference, outcome, program_of
from samples import Case

import dyad
from dyad import Tensor, _core, ops
from dyad._src.capture.entry import compile_call
from dyad._src.jit.dynamic_shapes.dynamic_sizes import tensors_in_call
from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE, JitOptions, OpenShape

OPS = [pytest.param(op, id=op["name"]) for op in _core.op_table()]
SHOWN_FAULTS = 4


@pytest.mark.parametrize("op", OPS)
def test_operator_with_a_symbolic_dim(op):
    cases = [case for text in op["samples"] for case in chosen_cases(op, text)[:2]]
    faults = [fault for case in cases for size in sizes_of(case) for fault in faults_of(op, case, size)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def faults_of(op, case, size):
    cases = [case, Case({name: grown(value, size) for name, value in case.arguments.items()})]
    wanted, states = [], []
    for each in cases:
        states.append(_core.get_generator_state())
        wanted.append(outcome(canonical, op, copied(each)))
    if isinstance(wanted[1], Exception):
        return  # other arguments of the sample fix this size
    program = outcome(compiled_for_every, size, op, copied(case))
    if isinstance(program, _core.SymbolicDimError):
        words = rf"{op['name']}: the size .* is known only when the graph runs; {op['name']} needs to know it before"
        if not re.match(words, str(program)):
            yield f"{op['name']}({case}), {size} open: refused with {program}"
        return
    if isinstance(program, Exception):
        yield f"{op['name']}({case}), {size} open: {program!r}"
        return
    for each, result, state in zip(cases, wanted, states, strict=True):
        _core.set_generator_state(*state)
        fault = difference(op, outcome(program, copied(each)), result)
        if fault:
            yield f"{op['name']}({each}), {size} open: {fault}"


def sizes_of(case: Case):
    """The sizes of the arguments that may be open."""
    shapes = [array.data.shape for value in case.arguments.values() for array in arrays_in(value)]
    return sorted({size for shape in shapes for size in shape if size >= SMALLEST_OPEN_SIZE})


def arrays_in(value):
    if isinstance(value, Array):
        yield value
    elif isinstance(value, list | tuple):
        for item in value:
            yield from arrays_in(item)


def grown(value, size):
    """The value with every dimension of that size one larger; the first slice stands for the new one."""
    if isinstance(value, list | tuple):
        return type(value)(grown(item, size) for item in value)
    if not isinstance(value, Array):
        return value
    data = value.data
    for axis, found in enumerate(value.data.shape):
        if found == size:
            data = np.concatenate([data, np.take(data, [0], axis)], axis)
    return value.like(data)


def compiled_for_every(size, op, arguments):
    """The operator as a graph in which every dimension of that size is open."""
    templates = {
        place: OpenShape(tuple("n" if found == size else found for found in tensor.shape))
        for place, tensor in tensors_in_call((arguments,), {}).items()
        if size in tensor.shape
    }
    program = program_of(_core.named_op(op["name"]))

    def refuse(*_):
        raise AssertionError("the graph with a symbolic dimension does not fit")

    compiled = functools.update_wrapper(_core.CompiledFunction(refuse), program)
    compiled.add(compile_call(compiled, program, (arguments,), {}, JitOptions(templates=templates)))
    return compiled


def test_operator_that_needs_a_size_gets_a_graph_for_each():
    @dyad.jit(dynamic=1)
    def program(x):
        return ops.unstack(x * 2)

    for size in (2, 3, 4, 5, 4):
        x = Tensor(np.arange(size * 2, dtype=np.float32).reshape(size, 2))
        assert [part.asnumpy().tolist() for part in program(x)] == (x.asnumpy() * 2).tolist()


def test_wrong_call_is_refused_in_the_words_of_the_dynamic_graph():
    @dyad.jit(dynamic=1)
    def program(x):
        return x + Tensor(np.ones((7, 2), np.float32))[:, :1].reshape((7,))

    for size in (2, 3, 4, 5):
        x = Tensor(np.ones((size,), np.float32))
        with pytest.raises(ValueError, match=rf"add: shapes \({size},\) and \(7,\) do not broadcast"):
            program(x)
    assert program(Tensor(np.ones((7,), np.float32))).asnumpy().tolist() == [2] * 7


def test_size_that_depends_on_data_may_be_one():
    def program(x):
        return ops.squeeze(x[x > 0])

    with pytest.raises(
        _core.SymbolicDimError, match=r"squeeze: the size .* is known only when the graph runs"
    ):
        dyad.jit(program, fullgraph=True)(Tensor([1.0, -1.0]))
    assert dyad.jit(program)(Tensor([1.0, -1.0])).shape == ()
