"""`dyad.train`: saving and loading what was trained."""

from dyad._src.checkpoint.load import load_checkpoint, load_param_into_net
from dyad._src.checkpoint.save import save_checkpoint
from dyad._src.missing import missing_attribute

__all__ = ["load_checkpoint", "load_param_into_net", "save_checkpoint"]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
