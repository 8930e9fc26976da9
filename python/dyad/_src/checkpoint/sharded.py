"""Checkpoints of runs in which each device had a slice of a tensor: merges slices, and splits them in another way.

Whatever the layouts are, a tensor is assembled from the slices of one run and split again for the other.
"""

import math

from dyad import _core
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.host_only import host_only
from dyad._src.checkpoint.ckpt_file import CorruptFile
from dyad._src.tensor.parameter import Parameter


@host_only
def merge_sliced_parameter(sliced_parameters, strategy=None):
    """One Parameter from its slices, given in the order of ranks.

    `strategy` is the result of `build_searched_strategy`; without it the slices are concatenated along the first
    dimension. A missing name raises KeyError, slices that do not fit ValueError.
    """
    _require_slices(sliced_parameters)
    first = sliced_parameters[0]
    if strategy is not None and not isinstance(strategy, dict):
        raise TypeError(f"merge_sliced_parameter: strategy is of type {type(strategy).__name__}; need a dict")
    if strategy and first.name not in strategy:
        raise KeyError(f"merge_sliced_parameter: strategy has no layout for {first.name!r}")
    layout = strategy[first.name] if strategy else None
    try:
        whole = joined(first.name, dict(enumerate(sliced_parameters)), layout)
    except CorruptFile as error:
        raise ValueError(f"merge_sliced_parameter: {error}") from None
    return Parameter(whole, first.name, first.requires_grad, first.layerwise_parallel)


def _require_slices(slices):
    if not isinstance(slices, list):
        raise TypeError(
            f"merge_sliced_parameter: sliced_parameters is of type {type(slices).__name__}; need a list"
        )
    if not slices:
        raise ValueError("merge_sliced_parameter: sliced_parameters is empty; need at least one Parameter")
    for slice_ in slices:
        if not isinstance(slice_, Parameter):
            raise TypeError(
                f"merge_sliced_parameter: a slice is of type {type(slice_).__name__}; need Parameters"
            )
        if (slice_.name, slice_.dtype, slice_.shape[1:]) != (
            slices[0].name,
            slices[0].dtype,
            slices[0].shape[1:],
        ):
            raise ValueError(
                f"merge_sliced_parameter: {slice_} does not go with {slices[0]}; need equal names, dtypes and shapes "
                "but for the first dimension"
            )


def joined(name, slices, layout):
    """The whole Tensor from {rank: Tensor}; of slices that several ranks hold, one will do."""
    held, counts = _held(name, slices, layout)
    if len(held) != math.prod(counts):
        raise CorruptFile(
            f"{name} is split into {math.prod(counts)} slices, and {len(held)} of them are there"
        )
    return _assembled(name, held, counts)


def recut(name, slices, layout, wanted, rank):
    """The slice of a rank in the layout `wanted`, from the overlapping slices of another layout."""
    if layout is None:
        return cut(name, next(iter(slices.values())), wanted, rank)
    held, counts = _held(name, slices, layout)
    missing = ranks_needed(layout, wanted, rank, held)
    if missing:
        raise CorruptFile(f"{name} needs the slices of the ranks {sorted(missing)} as well")
    return cut(name, _assembled(name, held, counts), wanted, rank)


def _held(name, slices, layout):
    """{index along each dimension: Tensor}, and how many slices each dimension has."""
    held: dict = {}
    for rank, tensor in slices.items():
        places = _places(name, layout, rank, len(slices), tensor)
        held.setdefault(tuple(index for index, _ in places), tensor)
    return held, [count for _, count in places]


def _assembled(name, held, counts):
    """The whole Tensor; missing parts are zero."""
    tensor = next(iter(held.values()))
    if math.prod(counts) == 1:
        return tensor
    starts = [_starts(name, dimension, count, held) for dimension, count in enumerate(counts)]
    whole = numpy.zeros([ends[-1] for ends in starts], _opaque(tensor))
    for index, tensor in held.items():
        region = tuple(slice(ends[i], ends[i + 1]) for i, ends in zip(index, starts, strict=True))
        whole[region] = _array(tensor)
    return _core.from_bytes(whole.tobytes(), tensor.dtype, whole.shape)


def _places(name, layout, rank, ranks, tensor):
    """Index and number of slices along each dimension."""
    if layout is None:
        if tensor.ndim == 0 and ranks > 1:
            raise CorruptFile(f"{name} is a scalar, which has no slices")
        return [(rank, ranks)][: tensor.ndim] + [(0, 1)] * (tensor.ndim - 1)
    if layout.field > 0:
        raise CorruptFile(f"{name} is a table of {layout.field} fields, which cannot be put together here")
    places = layout.place(rank)
    if len(places) > tensor.ndim:
        raise CorruptFile(f"{name} has {tensor.ndim} dimensions, and a layout of {len(places)}")
    return places + [(0, 1)] * (tensor.ndim - len(places))


def _starts(name, dimension, count, held):
    """The start of each slice along a dimension, and the end."""
    sizes = [-1] * count
    for index, tensor in held.items():
        if sizes[index[dimension]] not in (-1, tensor.shape[dimension]):
            raise CorruptFile(f"slices of {name} have different sizes in dimension {dimension}")
        sizes[index[dimension]] = tensor.shape[dimension]
    sizes = [tensor.shape[dimension] if size == -1 else size for size in sizes]
    return [sum(sizes[:number]) for number in range(count + 1)]


def cut(name, tensor, layout, rank):
    """The slice of a whole Tensor that a rank holds."""
    if layout is None:
        return tensor
    region = []
    for size, (index, count) in zip(tensor.shape, _places(name, layout, rank, 1, tensor), strict=True):
        if size % count:
            raise CorruptFile(f"{name} of shape {tensor.shape} cannot be split into {count} equal slices")
        region.append(slice(index * (size // count), (index + 1) * (size // count)))
    part = _array(tensor)[tuple(region)]
    return _core.from_bytes(part.tobytes(), tensor.dtype, part.shape)


def ranks_needed(layout, wanted, rank, held=()):
    """Ranks of one layout that have between them what a rank of the other will have and is not `held` yet."""
    chosen: dict = {}
    for source in range(math.prod(layout.devices)):
        places = layout.place(source)
        index = tuple(number for number, _ in places)
        known = any(each[: len(index)] == index for each in held)
        if not known and (wanted is None or _overlap(places, wanted.place(rank))):
            chosen.setdefault(index, source)
    return set(chosen.values())


def _overlap(one, other):
    return all(
        index * others < (number + 1) * count and number * count < (index + 1) * others
        for (index, count), (number, others) in zip(one, other, strict=False)
    )


def _opaque(tensor):
    """Elements are only moved, so their dtype does not matter."""
    return numpy.dtype((numpy.void, tensor.dtype.itemsize))


def _array(tensor):
    return numpy.frombuffer(_core.to_bytes(tensor), _opaque(tensor)).reshape(tensor.shape)
