"""Layouts of split tensors of a run on several devices, read from strategy files.

    ParallelStrategyMap { repeated Item parallel_layout_item = 3 }
    Item    { string param_name = 1; ParallelLayouts parallel_layouts = 2 }
    ParallelLayouts { repeated Dims dev_matrix = 1, tensor_map = 2, param_split_shape = 3, indices_offset = 4;
                      int32 field = 5, opt_weight_shard_step = 6, opt_weight_shard_size = 7 }
    Dims    { repeated int64 dim = 1 }

Devices form a matrix, `dev_matrix`, and are numbered along its last axis first. `tensor_map` names, for each
dimension of the tensor, the axis of that matrix along which it is split: 0 is the last axis, -1 none. Devices that
would hold the same slice may share it, split once more along its first dimension: into `opt_weight_shard_size` parts,
or as many as there are such devices if that is -1. In a file of several pipeline stages, a name starts with its
stage: "1-fc.weight".
"""

import dataclasses
import json
import math
import os

from dyad._src.base.host_only import host_only
from dyad._src.base.protobuf import wire
from dyad._src.checkpoint.ckpt_file import CorruptFile


@dataclasses.dataclass
class Dims:
    """A list of numbers."""

    dim: list[int]


@dataclasses.dataclass
class ParallelLayouts:
    """The layout of one Parameter, with the names that the file format has."""

    dev_matrix: list[Dims] = dataclasses.field(default_factory=list)
    tensor_map: list[Dims] = dataclasses.field(default_factory=list)
    param_split_shape: list[Dims] = dataclasses.field(default_factory=list)
    indices_offset: list[Dims] = dataclasses.field(default_factory=list)
    field: int = 0
    opt_weight_shard_step: int = 0
    opt_weight_shard_size: int = 0

    @property
    def devices(self):
        """The matrix of devices."""
        return self.dev_matrix[0].dim if self.dev_matrix else [1]

    def place(self, rank):
        """For each dimension of the tensor: which slice of how many the device holds."""
        coordinates = _coordinates(rank, self.devices)
        places, used = [], set()
        for axes in self._split_axes():
            used.update(axes)
            places.append(_position([(coordinates[axis], self.devices[axis]) for axis in axes]))
        if self.opt_weight_shard_size and places:
            index, count = places[0]
            part, parts = self._part(coordinates, used)
            places[0] = (index * parts + part, count * parts)
        return places

    def _split_axes(self):
        """For each dimension of the tensor, the axes of the device matrix that split it."""
        if len(self.tensor_map) > 1:
            by_dimension = [dims.dim for dims in self.tensor_map if dims.dim]
        else:
            by_dimension = [[number] for number in (self.tensor_map[0].dim if self.tensor_map else [])]
        last = len(self.devices) - 1
        if any(not -1 <= number <= last for numbers in by_dimension for number in numbers):
            raise CorruptFile(f"the tensor map {by_dimension} has no meaning for the devices {self.devices}")
        return [[last - number for number in numbers if number >= 0] for numbers in by_dimension]

    def _part(self, coordinates, used):
        """The part of its slice that a device holds: devices that share one are neighbors on the unused axes."""
        free = [axis for axis in range(len(self.devices)) if axis not in used]
        held, sharing = _position([(coordinates[axis], self.devices[axis]) for axis in free])
        parts = sharing if self.opt_weight_shard_size == -1 else self.opt_weight_shard_size
        if parts < 1 or sharing % parts:
            raise CorruptFile(f"{sharing} devices cannot share a slice in {parts} parts")
        return held % parts, parts


def _coordinates(rank, matrix):
    coordinates = []
    for size in reversed(matrix):
        coordinates.append(rank % size)
        rank //= size
    return coordinates[::-1]


def _position(digits):
    """The number with these (digit, base) pairs, and the count of such numbers."""
    index, count = 0, 1
    for digit, base in digits:
        index, count = index * base + digit, count * base
    return index, count


@host_only
def build_searched_strategy(strategy_filename):
    """{name of a Parameter: its layout} from a strategy file, which is JSON if it is called .json; None for None."""
    if strategy_filename is None:
        return None
    content = _content("build_searched_strategy", "strategy_filename", strategy_filename)
    try:
        layouts = _from_json(content) if strategy_filename.endswith(".json") else _from_messages(content)
        for layout in layouts.values():
            _require_meaning(layout)
        return layouts
    except (CorruptFile, AttributeError, TypeError) as error:
        raise ValueError(
            f"build_searched_strategy: {strategy_filename} is not a strategy file: {error}"
        ) from None


@host_only
def restore_group_info_list(group_info_file_name):
    """The ranks whose checkpoints are equal to that of the process that wrote the file of its groups."""
    content = _content("restore_group_info_list", "group_info_file_name", group_info_file_name)
    try:
        ranks = [_dims(item) for number, item in wire.fields(memoryview(content)) if number == 2]
    except CorruptFile as error:
        raise ValueError(
            f"restore_group_info_list: {group_info_file_name} is not a file of groups: {error}"
        ) from None
    if not ranks:
        raise ValueError(f"restore_group_info_list: {group_info_file_name} has no list of ranks")
    return ranks[-1].dim


def by_stage(strategy):
    """{name: (stages, layout)}: layouts without the stages before their names."""
    layouts: dict = {}
    for name, layout in strategy.items():
        stage, dash, rest = name.partition("-")
        is_staged = bool(dash) and stage.isdigit()
        found = layouts.setdefault(rest if is_staged else name, ([], layout))
        found[0].append(int(stage) if is_staged else 0)
    return layouts


def _content(owner, name, path):
    if not isinstance(path, str):
        raise TypeError(f"{owner}: {name} is of type {type(path).__name__}; need a str")
    if not os.path.isfile(path) or os.path.getsize(path) == 0:
        raise ValueError(f"{owner}: {name} is {path!r}; there is no such file, or it is empty")
    with open(path, "rb") as file:
        return file.read()


def _from_messages(content):
    layouts = {}
    for number, item in wire.fields(memoryview(content)):
        if number != 3:
            continue
        parts = dict(wire.fields(wire.as_bytes(item)))
        if not {1, 2} <= parts.keys():
            raise CorruptFile("a layout has no name or no contents")
        layouts[wire.as_text(parts[1])] = _layout(wire.as_bytes(parts[2]))
    return layouts


_LISTS = {1: "dev_matrix", 2: "tensor_map", 3: "param_split_shape", 4: "indices_offset"}
_NUMBERS = {5: "field", 6: "opt_weight_shard_step", 7: "opt_weight_shard_size"}


def _layout(message):
    layout = ParallelLayouts()
    for number, content in wire.fields(message):
        if number in _LISTS:
            getattr(layout, _LISTS[number]).append(_dims(content))
        elif number in _NUMBERS:
            setattr(layout, _NUMBERS[number], wire.as_number(content))
    return layout


def _dims(content):
    numbers = [wire.as_numbers(part) for number, part in wire.fields(wire.as_bytes(content)) if number == 1]
    return Dims([each for part in numbers for each in part])


def _from_json(content):
    try:
        items = json.loads(content).get("parallel_layout_item", {})
    except (ValueError, RecursionError) as error:
        raise CorruptFile(f"it is no JSON: {error}") from None
    layouts = {}
    for name, item in items.items():
        layout = layouts[name] = ParallelLayouts()
        for key in _LISTS.values():
            getattr(layout, key).append(Dims([int(number) for number in item.get(key, [])]))
        for key in _NUMBERS.values():
            setattr(layout, key, int(item.get(key, 0)))
    return layouts


def _require_meaning(layout):
    if any(size < 1 for size in layout.devices) or math.prod(layout.devices) > 2**20:
        raise CorruptFile(f"the devices {layout.devices} are no matrix of devices")
    layout.place(0)
