"""`dyad.common.storage`: what tensors hold, handed from one to another."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.base.host_only import host_only

__all__ = ["swap_tensors"]


@host_only
def swap_tensors(t1, t2):
    """Exchange what two tensors are: their values, shapes, element types, classes and attributes.

    Both stay the objects that they are, so that whoever holds one sees what the other one was.

    Example:
        >>> from dyad import Tensor, swap_tensors
        >>> x, y = Tensor([1, 2]), Tensor([3.0])
        >>> swap_tensors(x, y)
        >>> print(x, y)
        [3.] [1 2]
    """
    for name, tensor in (("t1", t1), ("t2", t2)):
        if not isinstance(tensor, Tensor):
            raise TypeError(f"swap_tensors: {name} is {a_value(tensor)}; need a Tensor")
    if t1 is t2:
        return
    first, second = Tensor.copy(t1), Tensor.copy(t2)
    for tensor, source in ((t1, second), (t2, first)):
        if tensor.dtype != source.dtype:
            Tensor.set_dtype(tensor, source.dtype)
        _core.assign_data(tensor, source)
    t1.__class__, t2.__class__ = t2.__class__, t1.__class__
    t1_attributes, t2_attributes = dict(t1.__dict__), dict(t2.__dict__)
    t1.__dict__.clear()
    t2.__dict__.clear()
    t1.__dict__.update(t2_attributes)
    t2.__dict__.update(t1_attributes)
