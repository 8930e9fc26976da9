"""Operators that draw random numbers from a seed and an offset, which a Generator has counted out."""

from dyad import _core, mint, ops
from dyad._core import Tensor
from dyad._src import generator
from dyad._src.host_only import host_only

__all__ = [
    "dropout_do_mask_ext",
    "dropout_gen_mask_ext",
    "func_dropout_ext",
    "inplace_bernoulli_scalar",
    "inplace_bernoulli_tensor",
    "normal_float_float",
    "normal_float_tensor",
    "normal_tensor_float",
    "uniform_ext",
]


def _stream(seed, offset):
    """The generator that stands where the two say."""
    stream = generator.Generator()
    numbers = [int(value.item()) if isinstance(value, Tensor) else int(value) for value in (seed, offset)]
    stream._write(*[number % 2**64 for number in numbers])
    return stream


@host_only
def normal_float_float(mean, std, size, seed, offset):
    """Numbers of a normal distribution."""
    return mint.normal(float(mean), float(std), tuple(size), generator=_stream(seed, offset))


@host_only
def normal_float_tensor(mean, std, seed, offset):
    """Numbers of normal distributions with one mean."""
    return mint.normal(float(mean), std, generator=_stream(seed, offset))


@host_only
def normal_tensor_float(mean, std, seed, offset):
    """Numbers of normal distributions with one deviation."""
    return mint.normal(mean, float(std), generator=_stream(seed, offset))


def _uniform(shape, dtype, seed, offset):
    return mint.rand(*shape, dtype=dtype, generator=_stream(seed, offset))


@host_only
def uniform_ext(tensor, a, b, seed, offset):
    """Numbers from a to before b, as many as `tensor` has and in its dtype."""
    drawn = _uniform(tensor.shape, _core.float32, seed, offset)
    return (drawn * (b - a) + a).astype(tensor.dtype)


@host_only
def inplace_bernoulli_scalar(input, p, seed, offset):
    """Writes 1 with a probability, and 0 otherwise, into the tensor."""
    return input.bernoulli_(p, generator=_stream(seed, offset))


@host_only
def inplace_bernoulli_tensor(input, p, seed, offset):
    """Writes 1 with the probability of each place, and 0 otherwise, into the tensor."""
    return input.bernoulli_(p, generator=_stream(seed, offset))


def _require_rate(owner, p):
    if not 0 <= p <= 1:
        raise ValueError(f"{owner}: p is {p}; need a number in [0, 1]")
    return p


@host_only
def dropout_gen_mask_ext(shape, p, seed, offset, dtype):
    """Bits, eight in a byte, that are 0 with the probability p: enough for a tensor of the shape, 128 at a time."""
    _require_rate("dropout_gen_mask_ext", p)
    count = 1
    for size in shape:
        count *= size
    bits = _uniform((-(-count // 128) * 16, 8), _core.float32, seed, offset) >= p
    powers = Tensor([1 << place for place in range(8)], _core.int32)
    return (bits.astype(_core.int32) * powers).sum(1).astype(_core.uint8)


def dropout_do_mask_ext(input, mask, p):
    """`input` over 1 - p where the bit of a mask is 1, and 0 elsewhere."""
    _require_rate("dropout_do_mask_ext", p)
    if mask.size * 8 < input.size:
        raise ValueError(
            f"dropout_do_mask_ext: mask has {mask.size * 8} bits; need one for each of {input.size} elements"
        )
    powers = Tensor([1 << place for place in range(8)], _core.int32)
    bits = ops.bitwise_and(mask.astype(_core.int32).expand_dims(-1), powers).reshape(-1) > 0
    kept = bits[: input.size].reshape(input.shape).astype(input.dtype)
    return input * kept * (0.0 if p == 1 else 1 / (1 - p))


@host_only
def func_dropout_ext(input, p, training, inplace, seed, offset):
    """`input` with elements dropped with the probability p while training."""
    _require_rate("func_dropout_ext", p)
    if not training:
        return input
    kept = (_uniform(input.shape, _core.float32, seed, offset) >= p).astype(input.dtype)
    result = input * kept * (0.0 if p == 1 else 1 / (1 - p))
    return input.copy_(result) if inplace else result
