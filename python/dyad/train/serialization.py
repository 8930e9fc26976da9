"""`dyad.train.serialization`: saving and loading."""

from dyad._src.checkpoint.convert import ckpt_to_safetensors, safetensors_to_ckpt
from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.load import (
    check_checkpoint,
    load_checkpoint,
    load_checkpoint_async,
    load_segmented_checkpoints,
)
from dyad._src.checkpoint.save import async_ckpt_thread_status, save_checkpoint
from dyad._src.missing import missing_attribute

__all__ = [
    "async_ckpt_thread_status",
    "check_checkpoint",
    "ckpt_to_safetensors",
    "load_checkpoint",
    "load_checkpoint_async",
    "load_param_into_net",
    "load_segmented_checkpoints",
    "safetensors_to_ckpt",
    "save_checkpoint",
]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
