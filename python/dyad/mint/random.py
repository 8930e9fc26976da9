"""Random numbers, from the stream of the process or from a `Generator` of the program's own."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.operators import bernoulli_of, random_integers, random_normal
from dyad._src.tensor.generator import drawn
from dyad.mint.functions import placed

__all__ = [
    "bernoulli",
    "multinomial",
    "normal",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
]


def rand(*size, generator=None, dtype=None, device=None, **named):
    """Uniform random numbers in [0, 1); without a size a Tensor of 0 dimensions."""
    size = size if size or named else ((),)
    return placed(drawn("rand", generator, ops.rand, *size, dtype=dtype, **named), device)


def randn(*size, generator=None, dtype=None, device=None, **named):
    """Standard normal random numbers; without a size a Tensor of 0 dimensions."""
    size = size if size or named else ((),)
    return placed(drawn("randn", generator, ops.randn, *size, dtype=dtype, **named), device)


def rand_like(input, *, dtype=None, device=None):
    """Uniform random numbers in [0, 1) with the shape of `input`."""
    return placed(ops.rand_like(input, dtype=dtype), device)


def randn_like(input, *, dtype=None, device=None):
    """Standard normal random numbers with the shape of `input`."""
    return placed(ops.randn_like(input, dtype=dtype), device)


def randint(*args, generator=None, dtype=None, device=None, **named):
    """`randint(low=0, high, size)`: uniform random integers in [low, high)."""
    low, high, size = _bounds("randint", "size", args, named)
    chosen = drawn("randint", generator, random_integers, tuple(size), low, high, dtype or _core.int64)
    return placed(chosen, device)


def randint_like(input, *args, dtype=None, device=None, **named):
    """`randint_like(input, low=0, high)`: uniform random integers in [low, high) with the shape of `input`."""
    low, high = _bounds("randint_like", None, args, named)
    return placed(ops.randint_like(input, low, high).astype(dtype or input.dtype), device)


def randperm(n, *, generator=None, dtype=_core.int64):
    """Random permutation of 0 to n - 1."""
    return drawn("randperm", generator, ops.randperm, n, dtype=dtype)


def multinomial(input, num_samples, replacement: bool = False, *, generator=None):
    """Indexes drawn with the probabilities in the last dimension."""
    chosen = drawn("multinomial", generator, ops.multinomial, input, num_samples, replacement)
    return chosen.astype(_core.int64)


def bernoulli(input, *, generator=None):
    """1 with the probability in each element of `input`, otherwise 0."""
    return drawn("bernoulli", generator, bernoulli_of, input)


def normal(mean=0.0, std=1.0, size=None, *, generator=None):
    """Normal random numbers with means `mean` and standard deviations `std`, numbers or Tensors that broadcast.

    With two numbers, `size` is the shape of the result.
    """
    for name, value in (("mean", mean), ("std", std)):
        if isinstance(value, bool) or not isinstance(value, (int, float, Tensor)):
            raise TypeError(f"normal: {name} is of type {type(value).__name__}; need a Tensor or a number")
    if isinstance(std, (int, float)) and std < 0:
        raise ValueError(f"normal: std is {std}; need 0 or more")
    tensors = [value for value in (mean, std) if isinstance(value, Tensor)]
    if not tensors and size is None:
        raise TypeError(
            "normal: size is missing; need the shape of the result, since mean and std are numbers"
        )
    if tensors and size is not None:
        raise TypeError(f"normal: size is {size}; need none, since mean or std is a Tensor")
    shape = (mean + std).shape if tensors else tuple(size)
    return (
        drawn("normal", generator, random_normal, shape, tensors[0].dtype if tensors else None) * std + mean
    )


def _bounds(owner, last, args, named):
    """The arguments after an optional first one, which is 0."""
    names = ["low", "high"] if last is None else ["low", "high", last]
    if len(args) + len(named) < len(names) and "low" not in named:
        args = (0, *args)
    if len(args) > len(names):
        raise TypeError(f"{owner}: {len(args)} arguments are given; need {', '.join(names)}")
    given = dict(zip(names, args, strict=False))
    for name, value in named.items():
        if name not in names or name in given:
            raise TypeError(
                f"{owner}() got an unexpected keyword argument {name!r}; need one of {', '.join(names)}"
            )
        given[name] = value
    for name in names:
        if name not in given:
            raise TypeError(f"{owner}: {name} is missing; need {', '.join(names)}")
    return [given[name] for name in names]
