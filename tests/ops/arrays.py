"""Test arrays: values with a framework dtype and a memory layout, as NumPy arrays and as Tensors."""

from dataclasses import dataclass

import numpy as np
from promotion import ALL

from dyad import Tensor, _core

NUMPY = {"bool_": np.bool_, "bfloat16": np.float32, "float16": np.float32}
NARROW = ("float16", "bfloat16")


def numpy_type(dtype: str):
    """The NumPy type in which reference values of `dtype` are computed: narrow floats compute in float32."""
    return np.dtype(NUMPY.get(dtype, dtype))


def dtype_object(name: str):
    return getattr(_core, name)


def dtype_name(dtype) -> str:
    return next(name for name in ALL if getattr(_core, name) == dtype)


def round_to(values: np.ndarray, dtype: str) -> np.ndarray:
    """Values that `dtype` can hold, in its reference type."""
    if dtype == "float16":
        return values.astype(np.float16).astype(np.float32)
    if dtype == "bfloat16":
        bits = np.ascontiguousarray(values, dtype=np.float32).view(np.uint32).astype(np.uint64)
        rounded = ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 << 16).astype(np.uint32).view(np.float32)
        return np.where(np.isfinite(values), rounded, values).astype(np.float32).reshape(np.shape(values))
    return values.astype(numpy_type(dtype))


@dataclass
class Array:
    """Reference values and how the tensor made of them lies in memory."""

    data: np.ndarray
    dtype: str
    layout: str = "contiguous"

    def tensor(self) -> Tensor:
        """A new Tensor of these values in this layout."""
        if self.data.ndim == 0 or self.layout == "contiguous":
            return self._plain(self.data)
        if self.layout == "strided":  # every second element of a wider tensor, backwards
            wide = np.repeat(self.data[..., ::-1], 2, axis=-1)
            return self._plain(wide)[..., ::-2]
        if self.layout == "transposed":
            order = tuple(reversed(range(self.data.ndim)))
            return _core.named_op("permute")(self._plain(self.data.transpose(order)), order)
        if self.layout == "repeated":  # one column stands for all
            return _core.named_op("broadcast_to")(self._plain(self.data[..., :1]), self.data.shape)
        raise ValueError(f"no layout {self.layout!r}")

    def _plain(self, values) -> Tensor:
        return Tensor(np.ascontiguousarray(values).reshape(values.shape), dtype_object(self.dtype))

    def like(self, data) -> "Array":
        return Array(data, self.dtype, self.layout)

    def __repr__(self):
        return (
            f"{self.dtype}{list(self.data.shape)}{'' if self.layout == 'contiguous' else ' ' + self.layout}"
        )


def values_of(tensor) -> np.ndarray:
    """A tensor's values in its reference type."""
    name = dtype_name(tensor.dtype)
    if name in NARROW:
        tensor = tensor.astype(_core.float32)
    return np.array(tensor.asnumpy())


def random_array(rng, shape, dtype: str, lo=-3, hi=3) -> Array:
    """Uniform values in [lo, hi]; integers include both ends, unsigned ones start at 0."""
    if dtype == "bool_":
        return Array(rng.integers(0, 2, shape).astype(np.bool_), dtype)
    if "int" in dtype:
        limits = np.iinfo(dtype)
        low, high = max(int(np.ceil(lo)), limits.min), min(int(np.floor(hi)), limits.max)
        return Array(
            np.asarray(rng.integers(min(low, high), high, shape, endpoint=True)).astype(dtype), dtype
        )
    values = np.asarray(rng.uniform(lo, hi, shape))
    if "complex" in dtype:
        values = values + 1j * rng.uniform(lo, hi, shape)
    return Array(round_to(np.asarray(values), dtype), dtype)
