"""`dyad.train.serialization`: saving and loading."""

from dyad._core import Tensor as Tensor  # programs for MindSpore 1 import it from here
from dyad._src.checkpoint.ckpt_file import parse_print
from dyad._src.checkpoint.convert import ckpt_to_safetensors, safetensors_to_ckpt
from dyad._src.checkpoint.into_net import (  # noqa: F401 - the private ones for loaders of packages
    _load_dismatch_prefix_params,
    _update_param,
    load_param_into_net,
)
from dyad._src.checkpoint.layouts import build_searched_strategy, restore_group_info_list
from dyad._src.checkpoint.load import (
    check_checkpoint,
    load_checkpoint,
    load_checkpoint_async,
    load_segmented_checkpoints,
)
from dyad._src.checkpoint.raw_entries import (  # noqa: F401 - for packages with files of their own
    _exec_save,
    _get_merged_param_data,
    _parse_ckpt_proto,
    tensor_to_ms_type,
    tensor_to_np_type,
)
from dyad._src.checkpoint.save import async_ckpt_thread_status, save_checkpoint
from dyad._src.checkpoint.sharded import merge_sliced_parameter
from dyad._src.checkpoint.sharded_files import (
    get_ckpt_path_with_strategy,
    load_distributed_checkpoint,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
    unified_safetensors,
)
from dyad._src.interchange.graph_files import export, load, set_size_limits
from dyad.train._graph_file import save_graph

_save_graph = save_graph  # packages import it

# KiB of weights that `export` keeps inside a MINDIR file, and that one data file next to it holds.
TOTAL_SAVE = 1024 * 1024
PARAMETER_SPLIT_SIZE = 1024 * 1024 * 1024
set_size_limits(lambda: (TOTAL_SAVE, PARAMETER_SPLIT_SIZE))

__all__ = [
    "async_ckpt_thread_status",
    "build_searched_strategy",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "export",
    "get_ckpt_path_with_strategy",
    "load",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_distributed_checkpoint",
    "load_param_into_net",
    "load_segmented_checkpoints",
    "merge_sliced_parameter",
    "parse_print",
    "rank_list_for_transform",
    "restore_group_info_list",
    "safetensors_to_ckpt",
    "save_checkpoint",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]
