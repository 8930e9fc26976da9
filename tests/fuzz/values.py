"""The arguments of random graphs: values, dtypes and how they lie in memory, each made from a few words."""

from dataclasses import dataclass, replace

import numpy as np

from dyad import Tensor, _core

FLOATS = ("float16", "bfloat16", "float32", "float64")
SIGNED = ("int8", "int16", "int32", "int64")
DTYPES = (*FLOATS, *SIGNED, "uint8", "bool_")
LAYOUTS = ("plain", "strided", "backwards", "transposed", "repeated", "inside")

# What dyad calls each dtype: the words that programs use.
NAMES = {getattr(_core, name): name for name in DTYPES}

_SPECIAL = (0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40, -1e-44, 6e-8, 1.0, -1.0, 65504.0, 3e38, 1e-30)


@dataclass(frozen=True)
class Argument:
    """A tensor in words. `kind` is "usual", "special" (with NaN, infinities, denormals and -0.0) or "given"."""

    dtype: str
    shape: tuple
    layout: str = "plain"
    kind: str = "usual"
    seed: int = 0
    values: tuple = ()
    parameter: bool = False

    def array(self) -> np.ndarray:
        """The values, in a NumPy dtype that holds them."""
        numbers = np.random.default_rng(self.seed)
        if self.kind == "given":
            return np.array(self.values).reshape(self.shape)
        if self.dtype == "bool_":
            return numbers.integers(0, 2, self.shape).astype(np.bool_)
        if "int" in self.dtype:
            low = 0 if self.dtype == "uint8" else -9
            return np.asarray(numbers.integers(low, 10, self.shape)).astype(self.dtype)
        values = np.asarray(numbers.uniform(-3, 3, self.shape))
        if self.kind == "special":
            chosen = numbers.choice(_SPECIAL, self.shape)
            values = np.where(numbers.random(self.shape) < 0.4, chosen, values)
        return values.astype(np.float64 if self.dtype == "float64" else np.float32)

    def tensor(self, wide: bool = False) -> Tensor:
        """A new tensor; `wide` makes float64 of every float, with the values that the narrow one would have."""
        array, dtype = self.array(), getattr(_core, self.dtype)

        def made(values):
            plain = Tensor(np.ascontiguousarray(values).reshape(values.shape), dtype)
            return plain.astype(_core.float64) if wide and self.dtype in FLOATS else plain

        return _laid(array, self.layout, made)

    def grown(self, size: int) -> "Argument":
        """The same words for a tensor in which every dimension of that size is one larger."""
        return replace(self, shape=tuple(found + (found == size) for found in self.shape))


def _laid(array, layout, made):
    if array.ndim == 0 or layout == "plain":
        return made(array)
    if layout == "strided":
        return made(np.repeat(array, 2, axis=-1))[..., ::2]
    if layout == "backwards":
        return made(array[::-1])[::-1]
    if layout == "transposed":
        order = tuple(reversed(range(array.ndim)))
        return _core.named_op("permute")(made(array.transpose(order)), order)
    if layout == "repeated":  # one column stands for all
        return _core.named_op("broadcast_to")(made(array[..., :1]), array.shape)
    if layout == "inside":  # a window of something larger, which begins in the middle of it
        return made(np.pad(array, 1, mode="edge" if array.size else "constant"))[(slice(1, -1),) * array.ndim]
    raise ValueError(f"no layout {layout!r}; there are {', '.join(LAYOUTS)}")


def array_of(tensor) -> np.ndarray:
    """A tensor's values; bfloat16, which NumPy lacks, as float32."""
    if tensor.dtype == _core.bfloat16:
        tensor = tensor.astype(_core.float32)
    return np.array(tensor.asnumpy())


def shape_of(draw, most: int = 4096) -> tuple:
    """A random shape: often small, with sizes 0 and 1, sometimes large enough for several threads."""
    if draw.random() < 0.04:
        return draw.choice([(130, 257), (3, 20011), (40961,), (9, 64, 65)])
    rank = draw.choice([0, 1, 1, 2, 2, 2, 3, 3, 4])
    sizes: list = []
    for _ in range(rank):
        room = max(1, most // max(1, int(np.prod(sizes))))
        fitting = [size for size in (1, 2, 2, 3, 3, 4, 5, 7, 8, 8, 16, 17, 31, 33, 64, 100) if size <= room]
        sizes.append(0 if draw.random() < 0.02 else draw.choice(fitting))
    return tuple(sizes)
