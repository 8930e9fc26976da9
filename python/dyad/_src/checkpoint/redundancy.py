"""Devices of a run that hold the same slice of a Parameter, so that one of them may save it for all."""

import math

from dyad._src.checkpoint.layouts import Dims, ParallelLayouts, build_searched_strategy


def get_parameter_redundancy(layout_obj, initial_rank=None):
    """{name of a Parameter: groups of ranks that hold the same slice of it}, in the order of the slices.

    `layout_obj` is a strategy file or `{name: (device matrix, tensor map, shape of a slice, ...)}` as a Cell's
    `parameter_layout_dict` has it. Ranks count from `initial_rank`, the first of a stage of a pipeline.
    """
    if isinstance(layout_obj, str):
        layouts = build_searched_strategy(layout_obj)
    elif isinstance(layout_obj, dict):
        layouts = {name: _layout(name, given) for name, given in layout_obj.items()}
    else:
        raise TypeError(
            f"get_parameter_redundancy: layout_obj is of type {type(layout_obj).__name__}; need the name of a strategy "
            "file, or a dict of layouts"
        )
    first = 0 if initial_rank is None else initial_rank
    return {name: _groups(layout, first) for name, layout in layouts.items()}


def remove_param_redundancy(param_redundancy_dict, keep_redundancy=1):
    """{rank: names of the Parameters that it keeps}: of each group the first `keep_redundancy` ranks keep theirs."""
    kept: dict = {}
    for name, groups in param_redundancy_dict.items():
        for group in groups:
            for place, rank in enumerate(group):
                names = kept.setdefault(rank, set())
                if place < keep_redundancy:
                    names.add(name)
    return kept


def _layout(name, given):
    if isinstance(given, ParallelLayouts):
        return given
    try:
        devices, tensor_map = given[:2]
        dimensions = [each if isinstance(each, (list, tuple)) else [each] for each in tensor_map]
        maps = [Dims(list(each)) for each in dimensions] or [Dims([])]
        if all(len(each.dim) == 1 for each in maps):
            maps = [Dims([each.dim[0] for each in maps])]
        return ParallelLayouts(dev_matrix=[Dims(list(devices))], tensor_map=maps)
    except (TypeError, ValueError):
        raise ValueError(
            f"get_parameter_redundancy: the layout of {name!r} is {given!r}; need a device matrix and a tensor map"
        ) from None


def _groups(layout, first):
    by_place: dict = {}
    for rank in range(math.prod(layout.devices)):
        place = tuple(index for index, _ in layout.place(rank))
        by_place.setdefault(place, []).append(first + rank)
    return tuple(tuple(by_place[place]) for place in sorted(by_place))
