"""`dyad.train`: training and evaluating a network, and saving and loading what was trained."""

from dyad._src.checkpoint.into_net import load_param_into_net
from dyad._src.checkpoint.load import load_checkpoint
from dyad._src.checkpoint.save import save_checkpoint
from dyad._src.missing import missing_attribute
from dyad.train import callback, metrics
from dyad.train.callback import *  # noqa: F403
from dyad.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from dyad.train.metrics import *  # noqa: F403
from dyad.train.model import Model

__all__ = [
    "DatasetHelper",
    "Model",
    "callback",
    "connect_network_with_dataset",
    "load_checkpoint",
    "load_param_into_net",
    "metrics",
    "save_checkpoint",
    *callback.__all__,
    *metrics.__all__,
]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
