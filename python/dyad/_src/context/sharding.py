"""Sharding of tensors over devices, and functions with sharded tensors. One device holds every tensor as a whole."""

import math
from collections.abc import Callable

from dyad._src.base.argument_checks import a_value, require_int

__all__ = ["Layout", "shard"]

_VIRTUAL = "interleaved_parallel"


class Layout:
    """A matrix of devices with named axes; called with axis names, it maps dimensions of a tensor to them.

    `device_matrix` and `alias_name` are tuples of the same length. `rank_list` has the rank of each device, by
    default in order. A dimension may be split by one axis, by a tuple of axes, or by none, written "None".

    Example:
        >>> from dyad.parallel import Layout
        >>> Layout((2, 4), ("rows", "columns"))("columns", "None").to_dict()["tensor_map"]
        (0, -1)
    """

    def __init__(self, device_matrix, alias_name, rank_list=None):
        self._device_shape = _require_tuple("device_matrix", device_matrix, int)
        self._alias_name = _require_tuple("alias_name", alias_name, str)
        if len(device_matrix) != len(alias_name):
            raise ValueError(
                f"Layout: alias_name is {alias_name}; need {len(device_matrix)} names, one per axis"
            )
        if len(set(alias_name)) != len(alias_name) or not {"", "None"}.isdisjoint(alias_name):
            raise ValueError(
                f"Layout: alias_name is {alias_name}; need different names, none empty or 'None'"
            )
        if _VIRTUAL in alias_name[:-1]:
            raise ValueError(f"Layout: alias_name is {alias_name}; need {_VIRTUAL!r} in the last place")
        self._rank_list = self._placed(rank_list)
        self._tensor_map = None

    def _placed(self, ranks):
        count = math.prod(self._device_shape)
        if ranks is None:
            return list(range(count))
        if not isinstance(ranks, list):
            raise TypeError(f"Layout: rank_list is {ranks!r}; need a list of ints")
        if len([require_int("Layout", "rank_list", rank, low=0) for rank in ranks]) != count:
            raise ValueError(f"Layout: rank_list has {len(ranks)} entries; need {count}, one per device")
        return ranks

    def __call__(self, *tensor_map):
        """A Layout with these axes for the dimensions of a tensor."""
        split = Layout(self._device_shape, self._alias_name, self._rank_list)
        used: list = []
        split._tensor_map = tuple(self._places(axes, used) for axes in tensor_map)
        return split

    def _places(self, axes, used):
        """The number of an axis counted from the last one, or a tuple of them; -1 for none."""
        if isinstance(axes, tuple):
            return tuple(self._places(axis, used) for axis in axes)
        if axes == "None":
            return -1
        if axes not in self._alias_name or axes in used:
            raise ValueError(
                f"Layout: an axis is {axes!r}; need one of {self._alias_name}, each at most once"
            )
        used.append(axes)
        return len(self._alias_name) - 1 - self._alias_name.index(axes)

    def to_dict(self) -> dict:
        """The devices and which axis splits which dimension; needs a Layout that was called."""
        if self._tensor_map is None:
            raise ValueError("Layout: it has no tensor_map; need a Layout that was called with axes")
        return {
            "device_matrix": self._device_shape,
            "tensor_map": self._tensor_map,
            "interleaved_parallel": _VIRTUAL in self._alias_name,
            "alias_name": self._alias_name,
            "rank_list": self._rank_list,
        }

    def _parts(self):
        return math.prod(self._device_shape)


def _require_tuple(name, value, kind):
    if not isinstance(value, tuple) or not all(isinstance(entry, kind) for entry in value):
        raise TypeError(f"Layout: {name} is {value!r}; need a tuple of {kind.__name__}")
    return value


def _parts(strategy):
    """Into how many parts a strategy splits: the largest of its numbers."""
    if strategy is None:
        return 1
    if isinstance(strategy, Layout):
        return strategy._parts()
    if isinstance(strategy, (tuple, list)):
        return max((_parts(entry) for entry in strategy), default=1)
    if isinstance(strategy, dict):
        return _parts(list(strategy.values()))
    return require_int("shard", "a strategy", strategy, low=1)


def require_whole(owner, **strategies):
    """ValueError for a strategy that splits a tensor."""
    for name, strategy in strategies.items():
        if _parts(strategy) != 1:
            raise ValueError(f"{owner}: {name} is {strategy}; need ones, there is one process")


def shard(fn: Callable, in_strategy, out_strategy=None, parameter_plan=None):
    """A function whose tensors are split over devices according to the strategies.

    There is one process, so only strategies of ones are possible, which return the function itself; others raise
    ValueError.
    """
    if not callable(fn):
        raise TypeError(f"shard: fn is {a_value(fn)}; need a Cell or function")
    require_whole("shard", in_strategy=in_strategy, out_strategy=out_strategy, parameter_plan=parameter_plan)
    return fn
