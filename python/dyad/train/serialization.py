"""`dyad.train.serialization`: the module path of saving and loading."""

from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]
