"""`dyad.ops.communication`: the functions of `dyad.mint.distributed`, which can also return their results.

After `set_comm_ops_inplace(False)` a function that writes one Tensor returns (result, handle) and does not change its
arguments.
"""

import functools
import inspect

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value, require_bool
from dyad._src.base.missing import missing_attribute
from dyad._src.context import process_groups
from dyad._src.context.process_groups import handle
from dyad.mint import distributed
from dyad.mint.distributed.tensors import _require_tensor, _write

__all__ = [
    *distributed.__all__, "all_to_all_v_c", "gather_into_tensor", "scatter_tensor", "set_comm_ops_inplace"
]  # fmt: skip

_handing_out: set = set()  # names of functions whose results are not written


def gather_into_tensor(output_tensor, input_tensor, dst=0, group=None, async_op: bool = False):
    """Writes the tensors of all processes, joined along the first dimension, into that of process `dst`."""
    process_groups.ranks_of("gather_into_tensor", group)
    process_groups.require_rank("gather_into_tensor", "dst", dst)
    _write("gather_into_tensor", output_tensor, input_tensor)
    return handle(async_op)


def scatter_tensor(output_tensor, input_tensor, src=0, group=None, async_op: bool = False):
    """Writes this process's part of the tensor of process `src` into `output_tensor`."""
    process_groups.ranks_of("scatter_tensor", group)
    process_groups.require_rank("scatter_tensor", "src", src)
    _write("scatter_tensor", output_tensor, input_tensor)
    return handle(async_op)


def all_to_all_v_c(output, input, send_count_matrix, group=None, async_op: bool = False):
    """Writes the elements that each process has for this one into `output`; the matrix has a row for each sender."""
    size = len(process_groups.ranks_of("all_to_all_v_c", group))
    counts = send_count_matrix.tolist() if isinstance(send_count_matrix, Tensor) else list(send_count_matrix)
    _require_tensor("all_to_all_v_c", "input", input)
    if counts != [input.size] * size * size:
        raise ValueError(
            f"all_to_all_v_c: send_count_matrix is {counts}; need [{input.size}], all elements for the one process"
        )
    _write("all_to_all_v_c", output, input)
    return handle(async_op)


def set_comm_ops_inplace(is_enable: bool, func_list: list | tuple | None = None) -> None:
    """Sets whether the functions of these names write or return their result; default: all that write one Tensor.

    Example:
        >>> from dyad import Tensor
        >>> from dyad.ops.communication import all_reduce, set_comm_ops_inplace
        >>> set_comm_ops_inplace(False)
        >>> print(all_reduce(Tensor([1.0]))[0])
        [1.]
        >>> set_comm_ops_inplace(True)
    """
    require_bool("set_comm_ops_inplace", "is_enable", is_enable)
    if func_list is not None and not isinstance(func_list, (list, tuple)):
        raise TypeError(f"set_comm_ops_inplace: func_list is {a_value(func_list)}; need a list of names")
    for name in func_list or ():
        if name not in _EITHER_WAY:
            raise ValueError(
                f"set_comm_ops_inplace: func_list has {name!r}; need names out of {', '.join(sorted(_EITHER_WAY))}"
            )
    names = _EITHER_WAY if func_list is None else func_list
    (_handing_out.difference_update if is_enable else _handing_out.update)(names)


def _either_way(function):
    """The function, which hands its result out while that is set."""
    signature = inspect.signature(function)
    output, *rest = signature.parameters
    source = rest[0] if rest[0].startswith("input") else output

    @functools.wraps(function)
    def collective(*args, **kwargs):
        if function.__name__ not in _handing_out:
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs)
        sent = _require_tensor(function.__name__, source, given.arguments[source])
        given.arguments[output] = result = sent.copy()
        return result, function(*given.args, **given.kwargs)

    return collective


_EITHER_WAY = {
    function.__name__: _either_way(function)
    for function in (
        distributed.all_reduce,
        distributed.reduce,
        distributed.broadcast,
        distributed.all_gather_into_tensor,
        distributed.all_gather_into_tensor_uneven,
        distributed.reduce_scatter_tensor,
        distributed.reduce_scatter_tensor_uneven,
        distributed.all_to_all_single,
        gather_into_tensor,
        scatter_tensor,
        all_to_all_v_c,
    )
}
globals().update(_EITHER_WAY)


def __getattr__(name):
    if name in distributed.__all__:
        return getattr(distributed, name)
    raise missing_attribute(__name__, name, __all__)
