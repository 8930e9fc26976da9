"""Methods of Tensor that are compositions of other methods."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice
from dyad._src.base.break_reasons import UNKNOWN, capture_error
from dyad._src.base.host_only import host_only
from dyad._src.operators import bernoulli as _bernoulli
from dyad._src.operators import (
    bernoulli_of,
    cat,
    log1p,
    random_integers,
    random_normal,
    random_uniform,
    where,
    zeros,
)
from dyad._src.operators import searchsorted as _searchsorted
from dyad._src.tensor.generator import drawn


def allclose(self, other, rtol=1e-05, atol=1e-08, equal_nan=False):
    """Returns whether all elements are within a tolerance of those of `other`, as a bool."""
    return bool(self.isclose(other, rtol, atol, equal_nan).all())


allclose.__dict__["_is_program"] = True


def fill_diagonal_(self, fill_value, wrap=False):
    """Writes a number on the main diagonal, in place; see `fill_diagonal`."""
    return self.copy_(self.fill_diagonal(fill_value, wrap))


fill_diagonal_.__dict__["_writes"] = (0,)


_tile = Tensor.tile


def repeat(self, *repeats, **keywords):
    """Tile: repeats the whole tensor along each dimension, y[i, j] = x[i mod n, j mod m] for x of shape (n, m).

    Args:
        *repeats (int or sequence of ints): copies along each dimension; the shorter of shape and repeats is extended
            with ones at its start.
        axis (int): keyword of MindSpore 1; repeats each slice along that axis, like `repeat_interleave`.

    Returns:
        Tensor with the dtype of the tensor.

    See also: Tensor.tile, Tensor.repeat_interleave.
    """
    if "axis" in keywords:
        return self.repeat_interleave(*repeats, **keywords)
    return _tile(self, *repeats, **keywords)


repeat.__dict__["_is_program"] = True


def searchsorted(self, v, side="left", sorter=None):
    """Indexes, as int32, at which the values `v` can be inserted into this sorted array and leave it sorted.

    An array of more dimensions holds many sorted sequences, and `v` values for each.
    """
    if self.ndim == 0:
        raise ValueError("searchsorted: the array has shape (); need at least 1 dimension")
    require_choice("searchsorted", "side", side, ("left", "right"))
    sequence = self if sorter is None else _in_order(self, sorter)
    values = v if isinstance(v, Tensor) else Tensor(v)
    common = (sequence.reshape(-1)[:1] + values.reshape(-1)[:1]).dtype
    looked_for = values.astype(common)
    if sequence.ndim == 1:
        looked_for = looked_for.reshape(-1)
    places = _searchsorted(sequence.astype(common), looked_for, side=side)
    return places.reshape(values.shape).astype(_core.int32)


def _in_order(sequences, sorter):
    order = sorter if isinstance(sorter, Tensor) else Tensor(sorter)
    return sequences[order] if sequences.ndim == 1 else sequences.gather_elements(-1, order)


def choose(self, choices, mode="clip"):
    """Selects from arrays: element i of the result is element i of the array `choices[self[i]]`.

    An index out of range is clipped or, with mode 'wrap', taken modulo the number of arrays.
    """
    if mode not in ("clip", "wrap"):
        raise ValueError(f"choose: mode is {mode!r}; need 'clip' or 'wrap'")
    arrays = [choice if isinstance(choice, Tensor) else Tensor(choice) for choice in choices]
    if not arrays:
        raise ValueError("choose: choices are empty; need one array or more")
    which = self % len(arrays) if mode == "wrap" else self.clamp(0, len(arrays) - 1)
    result = where(which == 0, arrays[0], arrays[0])  # in memory of its own, even of a single array
    for number, array in enumerate(arrays[1:], 1):
        result = where(which == number, array, result)
    return result


def resize(self, *new_shape):
    """The elements in row-major order under another shape: those that are too many are dropped, missing ones are 0.

    Without a shape nothing changes.
    """
    if not new_shape:
        return self
    shape = new_shape[0] if len(new_shape) == 1 and not isinstance(new_shape[0], int) else new_shape
    count = 1
    for size in shape:
        if type(size) is not int or size < 0:
            raise ValueError(f"resize: the shape is {tuple(shape)}; need ints of 0 or more")
        count *= size
    flat = self.reshape(-1)
    if count > self.size:
        flat = cat([flat, zeros((count - self.size,), self.dtype)])
    return flat[:count].reshape(tuple(shape))


def bernoulli(self, *, generator=None):
    """1 with the probability that each element holds, otherwise 0."""
    return drawn("bernoulli", generator, bernoulli_of, self)


def bernoulli_(self, p=0.5, *, generator=None):
    """Writes 1 with probability `p`, a number or a Tensor, and 0 otherwise, in place."""
    return self.copy_(drawn("bernoulli_", generator, _bernoulli, self, p))


def _float_of(tensor):
    return tensor.dtype if tensor.dtype.is_floating_point else _core.float32


def uniform(self, from_=0.0, to=1.0, generator=None):
    """Numbers drawn evenly from `from_` to before `to`, in the shape and dtype of the tensor."""
    return _evenly("uniform", self, from_, to, generator)


def uniform_(self, from_=0, to=1, *, generator=None):
    """Fills with uniform random numbers from `from_` (included) to `to` (excluded), in place."""
    return self.copy_(_evenly("uniform_", self, from_, to, generator))


def _evenly(owner, like, low, high, generator):
    if low > high:
        raise ValueError(f"{owner}: from_ is {low} and to is {high}; need from_ up to to")
    return drawn(owner, generator, random_uniform, like.shape, low, high, _float_of(like))


def normal_(self, mean=0, std=1, *, generator=None):
    """Fills with normal random numbers of a mean and a standard deviation, in place."""
    if not std >= 0:
        raise ValueError(f"normal_: std is {std}; need 0 or more")
    return self.copy_(drawn("normal_", generator, random_normal, self.shape, _float_of(self)) * std + mean)


def exponential_(self, lambd=1, *, generator=None):
    """Fills with exponential random numbers of rate `lambd`, in place."""
    if not lambd > 0:
        raise ValueError(f"exponential_: lambd is {lambd}; need more than 0")
    share = drawn("exponential_", generator, random_uniform, self.shape, 0, 1, _float_of(self))
    return self.copy_(-log1p(-share) / lambd)


# The first integer beyond those that the dtype holds, or of which it holds every one.
_INTEGERS_BELOW = {
    _core.bool_: 2,
    _core.uint8: 2**8,
    _core.int8: 2**7,
    _core.int16: 2**15,
    _core.int32: 2**31,
    _core.bfloat16: 2**8 + 1,
    _core.float16: 2**11 + 1,
    _core.float32: 2**24 + 1,
    _core.float64: 2**53 + 1,
}


def random_(self, from_=0, to=None, *, generator=None):
    """Fills with uniform random integers from `from_` to below `to`, or up to the maximum of the dtype, in place."""
    high = _INTEGERS_BELOW.get(self.dtype, 2**63 - 1) if to is None else to
    if from_ >= high:
        raise ValueError(f"random_: from_ is {from_} and to is {high}; need from_ below to")
    return self.copy_(drawn("random_", generator, random_integers, self.shape, from_, high, _core.int64))


@host_only
def set_dtype(self, dtype):
    """Converts the tensor itself, for all its holders, and returns the dtype; a Parameter keeps its name."""
    return _core.set_dtype(self, dtype)


def take_over(tensor, source):
    """Returns a tensor the values of another. What a graph holds keeps its shape: another one is left to Python."""
    if _core.is_symbolic(tensor) and source.shape != tensor.shape:
        raise capture_error(
            UNKNOWN,
            f"a tensor of shape {tensor.shape} cannot take over values of shape {source.shape} in a static graph",
        )
    _core.assign_data(tensor, source)


_DRAWN_INTO = (bernoulli_, exponential_, normal_, random_, uniform_)
for _function in _DRAWN_INTO:
    _function.__dict__["_writes"] = (0,)

METHODS = (
    allclose,
    bernoulli,
    choose,
    fill_diagonal_,
    repeat,
    resize,
    searchsorted,
    set_dtype,
    uniform,
    *_DRAWN_INTO,
)
