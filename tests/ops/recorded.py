"""Derivatives of an operator through the tape, of any order."""

from arrays import Array
from faces import canonical, materialise

from dyad import _core

multiply = _core.named_op("mul")
total = _core.named_op("sum")


class Recorded:
    """An operator as a function of some of its tensors, which gives one number: its results weighed with the seeds.

    `places` are (parameter, position in a list or None); `directions` has one array for each of them, and the seed
    None leaves a result out.
    """

    def __init__(self, op, places, seeds, directions):
        self.op = op
        self.places = places
        self.seeds = [None if seed is None else tensor_of(seed) for seed in seeds]
        self.directions = [tensor_of(direction) for direction in directions]

    def tensors(self, arguments: dict) -> list:
        values = (arguments[name] if at is None else arguments[name][at] for name, at in self.places)
        return [value.tensor() for value in values]

    def derivative(self, arguments: dict, tensors, order: int):
        """The derivative of that order along the directions; of order 0, the number itself."""
        if order == 0:
            results = self._results(arguments, tensors)
            return _inner(results, self.seeds)
        return _inner(self.gradients(arguments, tensors, order), self.directions)

    def gradients(self, arguments: dict, tensors, order: int, seeds: bool = False) -> list:
        """The gradients of the derivative of the order below by the tensors, or by the seeds that are used."""
        mark = _core.tape_enter()
        kept = self.seeds
        try:
            inputs = [_core.as_input(tensor) for tensor in tensors]
            self.seeds = [None if seed is None else _core.as_input(seed) for seed in kept]
            value = self.derivative(arguments, inputs, order - 1)
            wanted = [seed for seed in self.seeds if seed is not None] if seeds else inputs
            return _core.differentiate([value], [None], wanted, mark, False)
        finally:
            self.seeds = kept
            _core.tape_exit()

    def _results(self, arguments, tensors) -> list:
        given = {name: materialise(value) for name, value in arguments.items()}
        for (name, at), tensor in zip(self.places, tensors, strict=True):
            given[name] = tensor if at is None else [*given[name][:at], tensor, *given[name][at + 1 :]]
        result = canonical(self.op, given)
        return list(result) if isinstance(result, tuple | list) else [result]


def _inner(tensors, weights):
    parts = [total(multiply(t, w)) for t, w in zip(tensors, weights, strict=True) if w is not None]
    whole = parts[0]
    for part in parts[1:]:
        whole = whole + part
    return whole


def tensor_of(values):
    return Array(values, "float64").tensor()
