"""Settings and wrappers for several devices. There is one process; settings that need more raise."""

from dyad._src.checkpoint.layouts import build_searched_strategy, restore_group_info_list
from dyad._src.checkpoint.load import load_segmented_checkpoints
from dyad._src.checkpoint.sharded import merge_sliced_parameter
from dyad._src.checkpoint.sharded_files import (
    load_distributed_checkpoint,
    rank_list_for_transform,
    transform_checkpoint_by_rank,
    transform_checkpoints,
    unified_safetensors,
)
from dyad._src.checkpoint.strategy_files import merge_pipeline_strategys
from dyad.parallel import nn as nn
from dyad.parallel.parameter_broadcast import parameter_broadcast, sync_pipeline_shared_parameters
from dyad.parallel.shard import Layout, shard

# The same functions, as newer programs call them.
convert_checkpoints = transform_checkpoints
convert_checkpoint_by_rank = transform_checkpoint_by_rank
rank_list_for_convert = rank_list_for_transform

__all__ = [
    "Layout",
    "build_searched_strategy",
    "convert_checkpoint_by_rank",
    "convert_checkpoints",
    "get_algo_parameters",
    "load_distributed_checkpoint",
    "load_segmented_checkpoints",
    "merge_pipeline_strategys",
    "merge_sliced_parameter",
    "parameter_broadcast",
    "rank_list_for_convert",
    "rank_list_for_transform",
    "reset_algo_parameters",
    "restore_group_info_list",
    "set_algo_parameters",
    "set_op_strategy_config",
    "shard",
    "sync_pipeline_shared_parameters",
    "transform_checkpoint_by_rank",
    "transform_checkpoints",
    "unified_safetensors",
]
