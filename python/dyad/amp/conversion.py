"""Networks that compute in float16 or bfloat16 where that is enough, and keep their Parameters in float32."""

import functools

from dyad import nn
from dyad._core import DType, OpFunction, bfloat16, float16, float32
from dyad._src.tensor.precision import autocast_rule, call_with_autocast
from dyad.amp.lists import AMP_BLACK_LIST, AMP_WHITE_LIST
from dyad.ops import Primitive

__all__ = ["auto_mixed_precision", "custom_mixed_precision"]

LEVELS = ("O0", "O1", "O2", "O3", "auto")


def auto_mixed_precision(network, amp_level="O0", dtype=float16):
    """Changes the network to compute in `dtype` as the level specifies; Parameters and their gradients stay float32.

    - "O0": no change.
    - "O1": Cells and operators of `get_white_list()` compute in `dtype` and return float32.
    - "O2": everything computes in `dtype` except the Cells of `get_black_list()`; the results are float32.
    - "O3": everything computes in `dtype`; the results are float32.
    - "auto": products compute in `dtype`, operators that need range or digits in float32. Results may be
      in `dtype`. Accepts functions too, and returns a new one.

    Settings of `to_float` are kept at "O1" and "auto", and overwritten at "O2" and "O3".

    Example:
        >>> import dyad
        >>> from dyad import Tensor, amp, nn
        >>> net = amp.auto_mixed_precision(nn.Dense(2, 2), "O2")
        >>> net(Tensor([[1.0, 2.0]])).dtype, net.weight.dtype
        (dyad.float32, dyad.float32)
    """
    owner = "auto_mixed_precision"
    if not isinstance(network, nn.Cell) and not (amp_level == "auto" and _is_function(network)):
        accepted = 'a Cell or, with amp_level "auto", a function'
        raise TypeError(f"{owner}: network is of type {type(network).__name__}; need {accepted}")
    _require_lower(owner, dtype)
    if amp_level not in LEVELS:
        raise ValueError(f"{owner}: amp_level is {amp_level!r}; need one of {', '.join(LEVELS)}")
    if amp_level == "O0":
        return network
    converted = _CONVERSIONS[amp_level](network, dtype)
    converted._amp_level = amp_level
    return converted


def custom_mixed_precision(network: nn.Cell, *, white_list=None, black_list=None, dtype=float16):
    """The network, changed as level "O1" does it with another white list, or as "O2" with another black list.

    `white_list` holds classes of Cells and Primitives, `black_list` classes of Cells; one of them is given.

    Example:
        >>> from dyad import amp, nn
        >>> net = nn.SequentialCell(nn.Dense(2, 2), nn.Softmax())
        >>> net = amp.custom_mixed_precision(net, black_list=[*amp.get_black_list(), nn.Softmax])
    """
    owner = "custom_mixed_precision"
    if not isinstance(network, nn.Cell):
        raise TypeError(f"{owner}: network is of type {type(network).__name__}; need a Cell")
    if (white_list is None) == (black_list is None):
        given = "neither is" if white_list is None else "both are"
        raise ValueError(f"{owner}: need either white_list or black_list; {given} given")
    _require_lower(owner, dtype)
    if white_list is not None:
        return lower_listed(network, _require_classes("white_list", white_list, nn.Cell, Primitive), dtype)
    return lower_all(network, dtype, _require_classes("black_list", black_list, nn.Cell))


def _is_function(value):
    return callable(value) and not isinstance(value, type)


def _require_lower(owner, dtype):
    if not isinstance(dtype, DType) or dtype not in (float16, bfloat16):
        raise ValueError(f"{owner}: dtype is {dtype!r}; need float16 or bfloat16")


def _require_classes(name, given, *kinds):
    if not isinstance(given, list):
        raise TypeError(f"custom_mixed_precision: {name} is of type {type(given).__name__}; need a list")
    for cls in given:
        if not (isinstance(cls, type) and issubclass(cls, kinds)):
            accepted = " or ".join(kind.__name__ for kind in kinds)
            raise TypeError(f"custom_mixed_precision: {name} holds {cls!r}; need subclasses of {accepted}")
    return given


def lower_listed(network, listed, dtype):
    """Cells and operators of the listed classes compute in `dtype` and return float32; all others are unchanged."""
    primitives = tuple(cls for cls in listed if issubclass(cls, Primitive))
    cells = tuple(cls for cls in listed if issubclass(cls, nn.Cell))
    for cls in primitives:
        if not isinstance(cls._call, OpFunction):
            raise TypeError(
                f"custom_mixed_precision: white_list holds {cls.__name__}, which is no operator of its own here; "
                "list the Primitives that it is made of"
            )
    network._set_precision(_autocast=autocast_rule(dtype, primitives))
    for _, cell in network.cells_and_names():
        if isinstance(cell, cells) and cell._compute_dtype is None:
            cell._set_precision(_compute_dtype=dtype, _output_dtype=float32)
    return network


def lower_all(network, dtype, kept):
    """Everything computes in `dtype` but Cells of the classes `kept`; the results are float32."""
    float32_kinds: tuple[type[nn.Cell], ...] = tuple(kept)
    if isinstance(network, float32_kinds):
        return network.to_float(float32)
    network.to_float(dtype)
    _keep_float32(network, float32_kinds, dtype, set())
    network._set_precision(_output_dtype=float32)
    return network


def _keep_float32(cell, kept, dtype, seen):
    for child in cell.cells():
        if id(child) in seen:
            continue
        seen.add(id(child))
        if isinstance(child, kept):
            child.to_float(float32)
            child._set_precision(_output_dtype=dtype)
        else:
            _keep_float32(child, kept, dtype, seen)


def _choose_by_operator(network, dtype):
    """Each operator computes in the dtype of its entry in the operator table."""
    rule = autocast_rule(dtype)
    if not isinstance(network, nn.Cell):
        return _in_mixed_precision(rule, network)
    network._set_precision(_autocast=rule)
    return network


def _in_mixed_precision(rule, function):
    @functools.wraps(function)
    def in_mixed_precision(*args, **kwargs):
        return call_with_autocast(rule, function, args, kwargs)

    in_mixed_precision.__dict__["_is_program"] = True
    return in_mixed_precision


_CONVERSIONS = {
    "O1": lambda network, dtype: lower_listed(network, AMP_WHITE_LIST, dtype),
    "O2": lambda network, dtype: lower_all(network, dtype, AMP_BLACK_LIST),
    "O3": lambda network, dtype: lower_all(network, dtype, ()),
    "auto": _choose_by_operator,
}
