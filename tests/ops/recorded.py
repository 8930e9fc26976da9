"""Gradients of an operator through the tape, of the first and of the second order."""

from arrays import Array
from faces import canonical, materialise

from dyad import _core

multiply = _core.named_op("mul")
total = _core.named_op("sum")


def with_tensors(arguments: dict, places, tensors) -> dict:
    """Arguments for a call: those at the given places are these tensors, the others are made of their arrays."""
    given = {name: materialise(value) for name, value in arguments.items()}
    for (name, at), tensor in zip(places, tensors, strict=True):
        if at is None:
            given[name] = tensor
        else:
            given[name] = [*given[name][:at], tensor, *given[name][at + 1 :]]
    return given


def call(op, arguments: dict, places, tensors) -> list:
    result = canonical(op, with_tensors(arguments, places, tensors))
    return list(result) if isinstance(result, tuple | list) else [result]


def first_order(op, arguments: dict, places, tensors, seeds) -> list:
    """The gradients at the places of the results weighed with the seeds; a result of seed None is not used."""
    mark = _core.tape_enter()
    try:
        inputs = [_core.as_input(tensor) for tensor in tensors]
        results = call(op, arguments, places, inputs)
        used = [(r, seed) for r, seed in zip(results, seeds, strict=True) if seed is not None]
        return _core.differentiate([r for r, _ in used], [seed for _, seed in used], inputs, mark, False)
    finally:
        _core.tape_exit()


def projected(op, arguments, places, tensors, seeds, directions):
    """The first-order gradients along directions, summed: the function that the second order differentiates."""
    gradients = first_order(op, arguments, places, tensors, seeds)
    parts = [total(multiply(g, d)) for g, d in zip(gradients, directions, strict=True)]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def second_order(op, arguments, places, tensors, seeds, directions) -> tuple[list, list]:
    """The gradients of `projected` by the tensors and by the seeds that are used."""
    mark = _core.tape_enter()
    try:
        inputs = [_core.as_input(tensor) for tensor in tensors]
        weights = [None if seed is None else _core.as_input(seed) for seed in seeds]
        value = projected(op, arguments, places, inputs, weights, directions)
        used = [weight for weight in weights if weight is not None]
        found = _core.differentiate([value], [None], [*inputs, *used], mark, False)
        return found[: len(inputs)], found[len(inputs) :]
    finally:
        _core.tape_exit()


def tensor_of(values):
    return Array(values, "float64").tensor()
