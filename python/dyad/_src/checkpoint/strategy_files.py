"""Strategy files of the stages of a pipeline, put together in one.

Each stage writes a file of its own, in which names have no stage. In the file of all of them a name starts with its
stage, as `layouts` reads it:

    ParallelStrategyMap { uint32 current_stage = 1; repeated StrategyItem parallel_strategy_item = 2;
                          repeated LayoutItem parallel_layout_item = 3 }
    StrategyItem { string node_name = 1; Strategys parallel_strategys = 2 { uint32 stage = 1; ... } }
    LayoutItem   { string param_name = 1; ParallelLayouts parallel_layouts = 2 }
"""

import json
import os

from dyad._src.base.atomic_file import write_atomically
from dyad._src.base.host_only import host_only
from dyad._src.base.protobuf import wire
from dyad._src.checkpoint.ckpt_file import CorruptFile

_OWNER = "merge_pipeline_strategys"
_STAGE, _STRATEGY, _LAYOUT = 1, 2, 3  # fields of ParallelStrategyMap
_WHOLE = 1  # what `current_stage` is in a file of all stages


@host_only
def merge_pipeline_strategys(src_strategy_dirs, dst_strategy_file):
    """Write one strategy file from those of the stages of a pipeline: all .ckpt or all .json files of a directory.

    Of several files of one stage, the first by name counts.
    """
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(f"{_OWNER}: src_strategy_dirs is {src_strategy_dirs!r}; need a folder")
    names = sorted(name for name in os.listdir(src_strategy_dirs) if name.endswith((".ckpt", ".json")))
    formats = {os.path.splitext(name)[1] for name in names}
    if len(formats) != 1:
        found = "both" if formats else "none"
        raise ValueError(
            f"{_OWNER}: {src_strategy_dirs!r} has {found} of .ckpt and .json files; need files of one kind"
        )
    paths = [os.path.join(src_strategy_dirs, name) for name in names]
    content = (_merged_messages if formats == {".ckpt"} else _merged_json)(paths)
    path = os.path.abspath(dst_strategy_file)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    write_atomically(path, [content], 0o600)


def _merged_messages(paths):
    stages: dict = {}
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        try:
            fields = [
                (number, each) for number, each in wire.fields(content) if number in (_STRATEGY, _LAYOUT)
            ]
            strategies = [wire.as_bytes(each) for number, each in fields if number == _STRATEGY]
            layouts = [_parts(each) for number, each in fields if number == _LAYOUT]
            _require_contents(strategies, layouts)
            stages.setdefault(_stage(strategies[0]), (strategies, layouts))
        except CorruptFile as error:
            raise ValueError(f"{_OWNER}: {path} is not a strategy file: {error}") from None
    pieces = [wire.number_field(_STAGE, _WHOLE)]
    pieces += [
        wire.bytes_field(_STRATEGY, bytes(each)) for strategies, _ in stages.values() for each in strategies
    ]
    for stage, (_, layouts) in stages.items():
        for name, layout in layouts:
            item = wire.bytes_field(1, f"{stage}-{name}") + wire.bytes_field(2, bytes(layout))
            pieces.append(wire.bytes_field(_LAYOUT, item))
    return b"".join(pieces)


def _parts(item):
    """The name and the contents of a layout."""
    fields = dict(wire.fields(wire.as_bytes(item)))
    if not {1, 2} <= fields.keys():
        raise CorruptFile("a layout has no name or no contents")
    return wire.as_text(fields[1]), wire.as_bytes(fields[2])


def _stage(item):
    strategy = dict(wire.fields(item)).get(2)
    stage = None if strategy is None else dict(wire.fields(wire.as_bytes(strategy))).get(1)
    if stage is None:
        raise CorruptFile("a strategy has no stage")
    return wire.as_number(stage)


def _merged_json(paths):
    stages: dict = {}
    for path in paths:
        with open(path, "rb") as file:
            content = file.read()
        try:
            whole = json.loads(content)
            strategies, layouts = whole.get("parallel_strategy_item"), whole.get("parallel_layout_item")
            _require_contents(strategies, layouts)
            stages.setdefault(next(iter(strategies.values()))["stage"], (strategies, dict(layouts)))
        except (AttributeError, KeyError, TypeError, RecursionError, ValueError) as error:
            raise ValueError(f"{_OWNER}: {path} is not a strategy file: {error!r}") from None
    whole = {"current_stage": _WHOLE, "parallel_strategy_item": {}, "parallel_layout_item": {}}
    for stage, (strategies, layouts) in stages.items():
        whole["parallel_strategy_item"] |= strategies
        whole["parallel_layout_item"] |= {f"{stage}-{name}": layout for name, layout in layouts.items()}
    return json.dumps(whole).encode()


def _require_contents(strategies, layouts):
    if not strategies or not layouts:
        raise CorruptFile("it has no strategies or no layouts of Parameters")
