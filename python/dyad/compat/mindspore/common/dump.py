"""Which parts of a network a device would write the tensors of."""

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import a_value
from dyad._src.base.host_only import host_only
from dyad._src.base.no_effect import say_no_effect
from dyad._src.primitive.primitive import Primitive

__all__ = ["set_dump"]


@host_only
def set_dump(target, enabled=True):
    """Mark a Cell with all that it holds, or a Primitive, for the dump of a device, or take the mark away.

    Cells get the flag `dump`, Primitives the attribute `dump`, "true" or "false". No device here dumps by itself:
    forward hooks and the summary operators record tensors in every form.
    """
    if not isinstance(target, (AbstractCell, Primitive)):
        raise ValueError(f"set_dump: target is {a_value(target)}; need a Cell or a Primitive")
    if not isinstance(enabled, bool):
        raise ValueError(f"set_dump: enabled is {enabled!r}; need a bool")
    say_no_effect("mindspore.set_dump", "set_dump")
    if isinstance(target, Primitive):
        _mark(target, enabled)
        return
    target.add_flags_recursive(dump=enabled)
    for _, cell in target.cells_and_names():
        for value in vars(cell).values():
            if isinstance(value, Primitive):
                _mark(value, enabled)


def _mark(primitive, enabled):
    primitive.add_prim_attr("dump", "true" if enabled else "false")
