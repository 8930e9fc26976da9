"""Values and types as they are written into `.mindir` files."""

from dyad import _core
from dyad._src.interchange.mindir import dtypes
from dyad._src.interchange.mindir.messages import (
    Attribute,
    AttributeType,
    SequenceInfo,
    TensorRecord,
    ValueInfo,
)

ORDER = Attribute(name="value", type=AttributeType.UMONAD)


class Unwritable(Exception):
    """The value cannot be written into a file."""


def tensor_record(tensor, name, ref_key=None):
    """A Tensor with its bytes."""
    return TensorRecord(
        dims=list(tensor.shape),
        data_type=_number(tensor.dtype),
        name=name,
        raw_data=_core.to_bytes(tensor),
        ref_key=ref_key,
    )


def tensor_type(dtype, shape):
    """The type of a Tensor; sizes that are not ints are open."""
    return TensorRecord(
        dims=[size if isinstance(size, int) else -1 for size in shape], data_type=_number(dtype)
    )


def _number(dtype):
    number = dtypes.tensor_number(dtype)
    if number is None:
        raise Unwritable(f"files have no dtype {dtype}")
    return number


def type_attribute(name, dtype, shape):
    """The type of a Tensor as an attribute."""
    return Attribute(name=name, type=AttributeType.TENSORS, tensors=[tensor_type(dtype, shape)])


def input_info(name, dtype, shape):
    """An input of a graph."""
    return ValueInfo(name=name, tensor=[tensor_type(dtype, shape)])


def order_info(name):
    """An input of a function that only orders effects."""
    return ValueInfo(
        name=name, denotation="UMonadType", attr_info=Attribute(name=name, type=AttributeType.UMONAD)
    )


def attribute(name, value):
    """A Python value as an attribute. Unwritable if files do not support it."""
    made = _scalar(name, value) or _structure(name, value)
    if made is None:
        raise Unwritable(f"files have no values of type {type(value).__name__}")
    return made


def _scalar(name, value):
    if value is None:
        return Attribute(name=name, type=AttributeType.NONE)
    if isinstance(value, bool):
        return Attribute(name=name, type=AttributeType.BOOL, i=int(value))
    if isinstance(value, int) and -(1 << 63) <= value < 1 << 63:
        return Attribute(name=name, type=AttributeType.INT64, i=value)
    if isinstance(value, float):
        return Attribute(name=name, type=AttributeType.FLOAT, f=_in_range(value))
    if isinstance(value, str):
        return Attribute(name=name, type=AttributeType.STRING, s=value.encode())
    return None


def _in_range(value):
    """A float of 32 bits: what files have. One that is too large for it becomes infinite, as a cast does."""
    largest = 3.4028234663852886e38
    if abs(value) > largest and value == value:
        return float("inf") if value > 0 else float("-inf")
    return value


def _structure(name, value):
    if isinstance(value, _core.Tensor):
        return Attribute(name=name, type=AttributeType.TENSORS, tensors=[tensor_record(value, "value0")])
    if isinstance(value, _core.DType):
        record = TensorRecord(name="value0", data_type=_number(value))
        return Attribute(name=name, type=AttributeType.TENSORS, tensors=[record])
    if isinstance(value, (tuple, list)):
        kind = AttributeType.LIST if isinstance(value, list) else AttributeType.TUPLE
        return Attribute(
            name=name, type=kind, values=[*map(_member, value)], seq_info=SequenceInfo(is_dyn_len=False)
        )
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        entries = [Attribute(name=key, values=[_member(member)]) for key, member in value.items()]
        return Attribute(name=name, type=AttributeType.DICT, values=entries)
    return None


def _member(value):
    """A member of a tuple: its number is in a list of one."""
    made = attribute(None, value)
    for one, many in (("i", "ints"), ("f", "floats"), ("s", "strings")):
        if getattr(made, one) is not None:
            setattr(made, many, [getattr(made, one)])
            setattr(made, one, None)
    return made
