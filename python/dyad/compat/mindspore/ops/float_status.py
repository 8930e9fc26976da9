"""The register in which one kind of device notes that a float overflowed.

No device of Dyad has one. Programs construct these Primitives wherever they run and call them where the device has the
register, so they can be constructed, check what they are given, and say what answers the question here.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.primitive.primitive import Primitive

__all__ = [
    "NPUAllocFloatStatus",
    "NPUClearFloatStatus",
    "NPUClearFloatStatusV2",
    "NPUGetFloatStatus",
    "NPUGetFloatStatusV2",
]

_SHAPE = (8,)


class _OfRegister(Primitive):
    def __init__(self):
        super().__init__(type(self).__name__)

    def _refuse(self):
        raise RuntimeError(
            f"{self.name}: no device here has a register of overflows; ask ops.isfinite or amp.all_finite"
        )


class NPUAllocFloatStatus(_OfRegister):
    """Memory for the register's contents; only a device that has the register can give it.

    Example:
        >>> from dyad import ops
        >>> ops.NPUAllocFloatStatus().name
        'NPUAllocFloatStatus'
    """

    def __call__(self):
        self._refuse()


class _OnStatus(_OfRegister):
    _dtypes: tuple = (_core.float16, _core.float32)

    def __call__(self, input_x):
        if not isinstance(input_x, Tensor):
            raise TypeError(f"{self.name}: input_x is of type {type(input_x).__name__}; need a Tensor")
        if input_x.dtype not in self._dtypes:
            accepted = " or ".join(str(dtype).lower() for dtype in self._dtypes)
            raise TypeError(f"{self.name}: input_x is of {input_x.dtype}; need {accepted}")
        if input_x.shape != _SHAPE:
            raise ValueError(f"{self.name}: input_x has shape {input_x.shape}; need {_SHAPE}")
        self._refuse()


class NPUGetFloatStatus(_OnStatus):
    """The register's contents, written to `input_x`; only a device that has the register can answer.

    Example:
        >>> from dyad import ops
        >>> ops.NPUGetFloatStatus().name
        'NPUGetFloatStatus'
    """


class NPUClearFloatStatus(_OnStatus):
    """Resets the register; only a device that has it can.

    Example:
        >>> from dyad import ops
        >>> ops.NPUClearFloatStatus().name
        'NPUClearFloatStatus'
    """


class NPUGetFloatStatusV2(_OnStatus):
    """The register's contents as int32; only a device that has the register can answer.

    Example:
        >>> from dyad import ops
        >>> ops.NPUGetFloatStatusV2().name
        'NPUGetFloatStatusV2'
    """

    _dtypes = (_core.int32,)


class NPUClearFloatStatusV2(_OnStatus):
    """Resets the register, of which the contents are int32; only a device that has it can.

    Example:
        >>> from dyad import ops
        >>> ops.NPUClearFloatStatusV2().name
        'NPUClearFloatStatusV2'
    """

    _dtypes = (_core.int32,)
