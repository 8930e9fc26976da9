"""Operators that draw random numbers from a seed and an offset, which a Generator has counted out."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import plain_number, require_sequence
from dyad._src.tensor import generator

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


_rand, _randn = ops.rand, ops.randn


def _stream(seed, offset):
    """The generator that stands where the two say."""
    stream = generator.Generator()
    stream._write(*[int(value.item()) % 2**64 for value in (seed, offset)])
    return stream


def _drawn(owner, operator, shape, seed, offset):
    """Draws float32 numbers of a shape; in a static graph again at each run."""
    sizes = tuple(plain_number(size) for size in require_sequence(owner, "the shape", shape))
    if not all(isinstance(size, int) for size in sizes):
        raise TypeError(f"{owner}: the shape is {sizes}; need sizes that are known when the graph is made")

    def draw(seed, offset):
        return generator.drawn(owner, _stream(seed, offset), operator, *sizes)

    pair = [
        value if isinstance(value, Tensor) else Tensor(plain_number(value) % 2**63, _core.int64)
        for value in (seed, offset)
    ]
    graph = _core.current_graph()
    if graph is None:
        return draw(*pair)
    return graph.add_host(owner, draw, pair, [Tensor(numpy.zeros(sizes, numpy.float32))])[0]


def _normal(owner, mean, std, shape, dtype, seed, offset):
    return _drawn(owner, _randn, shape, seed, offset).astype(dtype) * std + mean


def _uniform(owner, shape, seed, offset):
    return _drawn(owner, _rand, shape, seed, offset)


def normal_float_float(mean, std, size, seed, offset):
    """Numbers of a normal distribution."""
    return _normal("normal_float_float", mean, std, size, _core.float32, seed, offset)


def normal_float_tensor(mean, std, seed, offset):
    """Numbers of normal distributions with one mean."""
    return _normal("normal_float_tensor", mean, std, std.shape, std.dtype, seed, offset)


def normal_tensor_float(mean, std, seed, offset):
    """Numbers of normal distributions with one deviation."""
    return _normal("normal_tensor_float", mean, std, mean.shape, mean.dtype, seed, offset)


def uniform_ext(tensor, a, b, seed, offset):
    """Numbers from a to before b, as many as `tensor` has and in its dtype."""
    return (_uniform("uniform_ext", tensor.shape, seed, offset) * (b - a) + a).astype(tensor.dtype)


def inplace_bernoulli_scalar(input, p, seed, offset):
    """Writes 1 with a probability, and 0 otherwise, into the tensor."""
    _require_rate("inplace_bernoulli_scalar", p)
    return input.copy_(
        (_uniform("inplace_bernoulli_scalar", input.shape, seed, offset) < p).astype(input.dtype)
    )


def inplace_bernoulli_tensor(input, p, seed, offset):
    """Writes 1 with the probability of each place, and 0 otherwise, into the tensor."""
    return input.copy_(
        (_uniform("inplace_bernoulli_tensor", input.shape, seed, offset) < p).astype(input.dtype)
    )


def _require_rate(owner, p):
    if not 0 <= p <= 1:
        raise ValueError(f"{owner}: p is {p}; need a number in [0, 1]")
    return p


def dropout_gen_mask_ext(shape, p, seed, offset, dtype):
    """Bits, eight in a byte, that are 0 with the probability p: enough for a tensor of the shape, 128 at a time."""
    _require_rate("dropout_gen_mask_ext", p)
    count = 1
    for size in shape:
        count *= size
    bits = _uniform("dropout_gen_mask_ext", (-(-count // 128) * 16, 8), seed, offset) >= p
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


def func_dropout_ext(input, p, training, inplace, seed, offset):
    """`input` with elements dropped with the probability p while training."""
    _require_rate("func_dropout_ext", p)
    if not training:
        return input
    kept = (_uniform("func_dropout_ext", input.shape, seed, offset) >= p).astype(input.dtype)
    result = input * kept * (0.0 if p == 1 else 1 / (1 - p))
    return input.copy_(result) if inplace else result
