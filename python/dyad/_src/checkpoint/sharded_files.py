"""Files of runs on several devices, for one process: reads them together, or rewrites them for another layout."""

import json
import math
import os
import re

from dyad._src.base.abstract_cell import AbstractCell
from dyad._src.base.argument_checks import require_choice, require_int
from dyad._src.base.host_only import host_only
from dyad._src.checkpoint.ckpt_file import CorruptFile
from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.layouts import build_searched_strategy, by_stage
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import FORMATS, save_checkpoint
from dyad._src.checkpoint.sharded import ranks_needed, recut
from dyad._src.tensor.parameter import Parameter

_PART_BYTES = 3 * 2**30
_PART_MAP = "param_name_map.json"


class _Run:
    """The layouts of a run: {name: (stages, layout)}. A run without a strategy file is one device."""

    def __init__(self, strategy):
        layouts = build_searched_strategy(strategy) if not isinstance(strategy, dict) else strategy
        if layouts is not None and not layouts:
            raise ValueError(f"build_searched_strategy: {strategy} has no layouts")
        self.layouts = by_stage(layouts or {})
        first = next(iter(self.layouts.values()), ([0], None))[1]
        self.per_stage = 1 if first is None else math.prod(first.devices)
        stages = {stage for found, _ in self.layouts.values() for stage in found}
        self.ranks = self.per_stage * (max(stages, default=0) + 1)

    def layout(self, name):
        """The layout of a Parameter, or None for one that is whole everywhere."""
        return self.layouts[name][1] if name in self.layouts else None

    def holds(self, rank, name):
        """Returns whether the stage of a rank has the Parameter."""
        return name not in self.layouts or rank // self.per_stage in self.layouts[name][0]

    def first_rank(self, name):
        """The first rank of the first stage that has the Parameter."""
        return min(self.layouts[name][0]) * self.per_stage if name in self.layouts else 0


@host_only
def rank_list_for_transform(rank_id, src_strategy_file=None, dst_strategy_file=None):
    """Ranks of one run whose checkpoints are needed to make that of a rank of another run, the highest first."""
    require_int("rank_list_for_transform", "rank_id", rank_id, 0)
    source, target = _Run(src_strategy_file), _Run(dst_strategy_file)
    needed = set()
    for name in source.layouts:
        if target.holds(rank_id, name):
            local = ranks_needed(source.layout(name), target.layout(name), rank_id % target.per_stage)
            needed |= {source.first_rank(name) + rank for rank in local}
    return sorted(needed or {0}, reverse=True)


@host_only
def transform_checkpoint_by_rank(
    rank_id, checkpoint_files_map, save_checkpoint_file_name, src_strategy_file=None, dst_strategy_file=None
):
    """Write the checkpoint of one rank of a run from those of another: {rank: file name}, both with a strategy file.

    Without a strategy file a run is one device.
    """
    owner = "transform_checkpoint_by_rank"
    require_int(owner, "rank_id", rank_id, 0)
    if not isinstance(checkpoint_files_map, dict):
        raise TypeError(
            f"{owner}: checkpoint_files_map is of type {type(checkpoint_files_map).__name__}; need a dict"
        )
    contents = {rank: _loaded(path) for rank, path in checkpoint_files_map.items()}
    made = _transformed(owner, contents, _Run(src_strategy_file), _Run(dst_strategy_file), rank_id)
    save_checkpoint(made, save_checkpoint_file_name, format=_format(save_checkpoint_file_name))


@host_only
def transform_checkpoints(
    src_checkpoints_dir,
    dst_checkpoints_dir,
    ckpt_prefix,
    src_strategy_file=None,
    dst_strategy_file=None,
    process_num=1,
    output_format="ckpt",
):
    """Write the checkpoints of all ranks of a run from those of another: `rank_N` directories with one file each.

    Of several files in a directory, the last by name counts. New files are called `ckpt_prefix`N. `process_num` changes
    nothing. Without a strategy file a run is one device.
    """
    owner = "transform_checkpoints"
    require_choice(owner, "output_format", output_format, FORMATS)
    if not isinstance(ckpt_prefix, str):
        raise TypeError(f"{owner}: ckpt_prefix is of type {type(ckpt_prefix).__name__}; need a str")
    source, target = _Run(src_strategy_file), _Run(dst_strategy_file)
    contents = {rank: _loaded(path) for rank, path in _files_of_ranks(owner, src_checkpoints_dir).items()}
    for rank in range(target.ranks):
        folder = os.path.join(dst_checkpoints_dir, f"rank_{rank}")
        os.makedirs(folder, exist_ok=True)
        made = _transformed(owner, contents, source, target, rank)
        path = os.path.join(folder, f"{ckpt_prefix}{rank}.{output_format}")
        save_checkpoint(made, path, format=output_format)


@host_only
def unified_safetensors(
    src_dir,
    src_strategy_file,
    dst_dir,
    merge_with_redundancy=True,
    file_suffix=None,
    max_process_num=64,
    choice_func=None,
    split_dst_file=(),
):
    """Merges the safetensors files of all ranks of a run: part0.safetensors, ... and a map of names to parts.

    `src_dir` has `rank_N` directories; `file_suffix` is the end of the files' names. `choice_func(name)` keeps a
    Parameter, drops it or, with a str, renames it. Values without a layout are written to hyper_param.safetensors. A
    part has up to 3 GiB. The other arguments set the number of processes and have no effect.
    """
    owner = "unified_safetensors"
    source = _Run(src_strategy_file)
    files = _files_of_ranks(owner, src_dir, ("safetensors",), file_suffix)
    contents = {rank: _loaded(path) for rank, path in files.items()}
    whole = _transformed(owner, contents, source, _Run(None), 0)
    whole = {name: value for name, value in whole.items() if not name.startswith("accu_grads")}
    os.makedirs(dst_dir, exist_ok=True)
    others = {name: value for name, value in whole.items() if name not in source.layouts}
    if others:
        save_checkpoint(others, os.path.join(dst_dir, "hyper_param"), format="safetensors")
    chosen = _chosen({name: value for name, value in whole.items() if name not in others}, choice_func)
    parts = _parts(chosen)
    for number, part in enumerate(parts):
        save_checkpoint(part, os.path.join(dst_dir, f"part{number}"), format="safetensors")
    places = {name: f"part{number}.safetensors" for number, part in enumerate(parts) for name in part}
    total = sum(value.nbytes for value in chosen.values())
    with open(os.path.join(dst_dir, _PART_MAP), "w", encoding="utf-8") as file:
        json.dump({"metadata": {"total_size": total}, "weight_map": places}, file, indent=4)


@host_only
def load_distributed_checkpoint(
    network,
    checkpoint_filenames=None,
    predict_strategy=None,
    train_strategy_filename=None,
    strict_load=False,
    dec_key=None,
    dec_mode="AES-GCM",
    format="ckpt",
    unified_safetensors_dir=None,
    dst_safetensors_dir=None,
    rank_id=None,
    output_format="safetensors",
    name_map=None,
    max_process_num=64,
    return_param_dict=False,
):
    """Loads the checkpoint of a run on several devices into a network of one process.

    For "ckpt", `checkpoint_filenames` are the files of all ranks, in order, and `train_strategy_filename` is their
    strategy file. For "safetensors", `unified_safetensors_dir` is a directory that `unified_safetensors` wrote, and
    `name_map` renames Parameters. Parameters are whole in this process, so `predict_strategy` must be None or for one
    device, and slices are not written (`dst_safetensors_dir`): `transform_checkpoints` does that.
    """
    owner = "load_distributed_checkpoint"
    if not isinstance(network, AbstractCell):
        raise TypeError(f"{owner}: network is of type {type(network).__name__}; need a Cell")
    require_choice(owner, "format", format, FORMATS)
    if _devices_of(predict_strategy) != 1:
        raise ValueError(
            f"{owner}: predict_strategy is for several devices; need one for one device, or None"
        )
    if format == "safetensors":
        contents = _unified(owner, unified_safetensors_dir, name_map or {})
    else:
        run = _Run(train_strategy_filename)
        if not isinstance(checkpoint_filenames, (list, tuple)) or len(checkpoint_filenames) != run.ranks:
            raise ValueError(
                f"{owner}: checkpoint_filenames is {checkpoint_filenames!r}; need the files of {run.ranks} devices"
            )
        files = enumerate(checkpoint_filenames)
        shards = {rank: load_checkpoint(path, dec_key=dec_key, dec_mode=dec_mode) for rank, path in files}
        contents = _transformed(owner, shards, run, _Run(None), 0)
    load_param_into_net(network, contents, strict_load)
    return contents if return_param_dict else True


@host_only
def get_ckpt_path_with_strategy(cur_ckpt_path, cur_strategy_path):
    """The path of a checkpoint that this process, which is rank 0, can load, or None if there is none."""
    for path in (cur_ckpt_path, re.sub(r"rank_\d+", "rank_0", cur_ckpt_path)):
        if os.path.isfile(path):
            return path
    return None


def _format(path):
    return "safetensors" if str(path).endswith(".safetensors") else "ckpt"


def _loaded(path):
    return load_checkpoint(path, format=_format(path))


def _files_of_ranks(owner, folder, formats=FORMATS, ending=None):
    """{rank: path} of the directories `rank_N`."""
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise NotADirectoryError(f"{owner}: there is no folder {folder!r}")
    endings = tuple(f"{ending or ''}.{format}" for format in formats)
    files = {}
    for name in os.listdir(folder):
        below = os.path.join(folder, name)
        if re.fullmatch(r"rank_\d+", name) and os.path.isdir(below):
            fitting = sorted(each for each in os.listdir(below) if each.endswith(endings))
            if fitting:
                files[int(name.removeprefix("rank_"))] = os.path.join(below, fitting[-1])
    if not files:
        raise ValueError(f"{owner}: {folder!r} has no folders rank_0, rank_1, ... with files in them")
    return dict(sorted(files.items()))


def _transformed(owner, contents, source, target, rank):
    """{name: value} of a rank of `target` from {rank: {name: value}} of `source`."""
    made: dict[str, str | Parameter] = {}
    for name in dict.fromkeys(name for each in contents.values() for name in each):
        if not target.holds(rank, name):
            continue
        slices = {number: each[name] for number, each in contents.items() if name in each}
        first = next(iter(slices.values()))
        if isinstance(first, str):
            made[name] = first
            continue
        local = {number % source.per_stage: value for number, value in slices.items()}
        try:
            tensor = recut(name, local, source.layout(name), target.layout(name), rank % target.per_stage)
        except CorruptFile as error:
            raise ValueError(f"{owner}: {error}") from None
        made[name] = Parameter(tensor, name, first.requires_grad)
    return made


def _chosen(values, choice_func):
    chosen = {}
    for name, value in values.items():
        choice = True if choice_func is None else choice_func(name)
        if choice:
            chosen[choice if isinstance(choice, str) else name] = value
    return chosen


def _parts(values):
    """Dicts of values with up to 3 GiB each, or a single value."""
    parts: list = []
    room = 0
    for name, value in values.items():
        if not parts or value.nbytes > room:
            parts.append({})
            room = _PART_BYTES
        parts[-1][name] = value
        room -= value.nbytes
    return parts


def _devices_of(strategy):
    if strategy is None:
        return 1
    if isinstance(strategy, dict):
        matrices = [
            layout[0] if isinstance(layout, (list, tuple)) else layout.devices for layout in strategy.values()
        ]
        return max((math.prod(matrix) for matrix in matrices), default=1)
    return _Run(strategy).ranks


def _unified(owner, folder, name_map):
    if not isinstance(folder, str) or not os.path.isdir(folder):
        raise ValueError(f"{owner}: unified_safetensors_dir is {folder!r}; need a folder")
    names = sorted(name for name in os.listdir(folder) if name.endswith(".safetensors"))
    contents: dict = {}
    for name in names:
        contents |= load_checkpoint(os.path.join(folder, name), format="safetensors")
    if not contents:
        raise ValueError(f"{owner}: there is no .safetensors file in {folder!r}")
    return {name_map.get(name, name): value for name, value in contents.items()}
