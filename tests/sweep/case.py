"""A case of the sweep: a small network with its operands, drawn from a number."""

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

import dyad
from dyad import Parameter, Tensor


@dataclass
class Case:
    """`network(*inputs, *weights)`; `text` says what was drawn, `tolerance` how exact the result must be."""

    text: str
    network: Callable
    inputs: list[np.ndarray]
    weights: list[np.ndarray] = field(default_factory=list)
    reference: Callable | None = None  # the network of NumPy arrays
    tolerance: float = 2e-5
    has_gradient: bool = True

    @property
    def arrays(self):
        return [*self.inputs, *self.weights]


class Draw:
    """Random choices, and arrays of small whole numbers: their sums are exact, so that no tie is broken by rounding."""

    def __init__(self, *seeds):
        self._rng = np.random.default_rng(seeds)

    def whole(self, low, high):
        return int(self._rng.integers(low, high + 1))

    def one_of(self, *choices):
        return choices[self.whole(0, len(choices) - 1)]

    def chance(self, part):
        return bool(self._rng.random() < part)

    def channels(self):
        """1 to 17 mostly; otherwise next to a multiple of a vector's width."""
        if self.chance(0.8):
            return self.whole(1, 17)
        return max(1, self.one_of(32, 48, 64, 96) + self.whole(-1, 1))

    def length(self, most=300):
        """A size as a matrix has it: small, or next to a multiple of a vector's width."""
        if self.chance(0.6):
            return self.whole(1, 17)
        return min(most, self.one_of(16, 32, 48, 64, 128, 256) + self.whole(-1, 1))

    def integers(self, shape, most=2):
        return self._rng.integers(-most, most + 1, shape).astype(np.float32)

    def normal(self, shape):
        return self._rng.standard_normal(shape).astype(np.float32)

    def indices(self, shape, count):
        return self._rng.integers(0, count, shape).astype(np.int32)


class Difference(AssertionError):
    """Two forms of a case that do not agree."""


def check(case: Case) -> None:
    """Compares the static graph, its gradients and the dynamic ones with the same in float64 and with NumPy."""
    exact = _dynamic(case, np.float64)
    _compare(case, "dynamic", _dynamic(case, np.float32), exact)
    _compare(case, "static", _static(case, as_parameters=False), exact)
    if case.weights:
        _compare(case, "static, with Parameters", _static(case, as_parameters=True), exact)
    if case.reference:
        wide = [array.astype(np.float64) if array.dtype == np.float32 else array for array in case.arrays]
        _compare(case, "dynamic float64 against NumPy", exact[:1], [np.asarray(case.reference(*wide))])


def _dynamic(case, dtype):
    tensors = [Tensor(array.astype(dtype) if array.dtype == np.float32 else array) for array in case.arrays]
    value = case.network(*tensors)
    if not case.has_gradient:
        return _numpy([value])
    seed = Tensor(_seed(value.shape).astype(dtype))
    return _numpy([value, *_listed(_gradients(case, seed)(*tensors))])


def _static(case, as_parameters):
    tensors = [Tensor(array) for array in case.arrays]
    inputs, weights = tensors[: len(case.inputs)], tensors[len(case.inputs) :]
    if not as_parameters:
        value = dyad.jit(case.network)(*tensors)
        if not case.has_gradient:
            return _numpy([value])
        seed = Tensor(_seed(value.shape))
        return _numpy([value, *_listed(dyad.jit(_gradients(case, seed))(*tensors))])
    parameters = [Parameter(weight, name=f"w{at}") for at, weight in enumerate(weights)]
    value = dyad.jit(lambda *given: case.network(*given, *parameters))(*inputs)
    seed = Tensor(_seed(value.shape))
    positions = _float_positions(case.inputs)
    taken = dyad.grad(
        lambda *given: (case.network(*given, *parameters) * seed).sum(), positions or None, parameters
    )
    found = dyad.jit(taken)(*inputs)
    parts = found if positions else [(), found]
    return _numpy([value, *_listed(parts[0]), *_listed(parts[1])])


def _gradients(case, seed):
    return dyad.grad(lambda *given: (case.network(*given) * seed).sum(), _float_positions(case.arrays))


def _float_positions(arrays):
    return tuple(at for at, array in enumerate(arrays) if array.dtype == np.float32)


def _seed(shape):
    return np.random.default_rng(5).integers(-1, 2, shape).astype(np.float32)


def _listed(found):
    return found if isinstance(found, tuple | list) else [found]


def _numpy(values):
    return [value.asnumpy() for value in values]


def _compare(case, form, found, exact):
    names = ["the result", *(f"gradient {at}" for at in range(len(exact) - 1))]
    if len(found) != len(exact):
        raise Difference(f"{form}: {len(found)} results, expected {len(exact)}")
    for name, one, other in zip(names, found, exact, strict=True):
        if one.shape != other.shape:
            raise Difference(f"{form}: {name} has shape {one.shape}, expected {other.shape}")
        if not one.size:
            continue
        far = np.abs(one - other)
        limit = case.tolerance * (np.abs(other).max() + 1)
        if not (far <= limit).all():  # NaN is not
            place = np.unravel_index(np.argmax(np.where(np.isnan(far), np.inf, far)), far.shape)
            place = tuple(map(int, place))
            raise Difference(f"{form}: {name} at {place} is {one[place]}, expected {other[place]}")
