"""Operators that programs import from `_inner_ops`; each says in Python what it means, and a graph reads it so."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.primitive import Primitive, primitive_of


def _same_type_shape(x, y):
    """`x`, which must have the dtype and the shape of `y`."""
    for name, value in (("x", x), ("y", y)):
        if not isinstance(value, Tensor):
            raise TypeError(f"SameTypeShape: {name} is of type {type(value).__name__}; need a Tensor")
    if x.dtype != y.dtype:
        raise TypeError(f"SameTypeShape: x has dtype {x.dtype} and y has {y.dtype}; both must be the same")
    if x.shape != y.shape:
        raise ValueError(f"SameTypeShape: x has shape {x.shape} and y has {y.shape}; both must be the same")
    return x


class ConvertToDynamic(Primitive):
    """The Tensor itself. Where a compiler knows sizes before a graph runs, they are no promise about later calls."""

    _parameters = ("is_dynamic_rank",)

    def __init__(self, is_dynamic_rank=False):
        super().__init__()
        self.attrs = {"is_dynamic_rank": is_dynamic_rank}

    def __call__(self, input):
        if not isinstance(input, Tensor):
            raise TypeError(f"ConvertToDynamic: input is of type {type(input).__name__}; need a Tensor")
        return input


class FlattenConcat(Primitive):
    """The elements of Tensors, one after another: a Tensor for each dtype, in the order of their first Tensors.

    A Tensor has at most `fusion_size` bytes, if that is not 0; what is more makes a further one of the dtype.
    """

    _parameters = ("fusion_size",)

    def __init__(self, fusion_size=0):
        super().__init__()
        if not isinstance(fusion_size, int) or fusion_size < 0:
            raise ValueError(f"FlattenConcat: fusion_size is {fusion_size!r}; need an int of at least 0")
        self.attrs = {"fusion_size": fusion_size}

    def __call__(self, tensors):
        by_dtype = {}
        for tensor in tensors:
            pieces = by_dtype.setdefault(tensor.dtype, [[]])
            used = sum([piece.nbytes for piece in pieces[-1]])
            most = self.attrs["fusion_size"]
            if most and pieces[-1] and used + tensor.nbytes > most:
                pieces.append([])
            pieces[-1].append(tensor)
        return tuple(
            [ops.concat([t.reshape(-1) for t in piece]) for pieces in by_dtype.values() for piece in pieces]
        )


_same_type_shape.__dict__["_is_program"] = True
classes = {
    "ConvertToDynamic": ConvertToDynamic,
    "FlattenConcat": FlattenConcat,
    "GpuConvertToDynamicShape": ConvertToDynamic,
    "SameTypeShape": primitive_of("SameTypeShape", _same_type_shape),
}
