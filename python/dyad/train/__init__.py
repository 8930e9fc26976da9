"""`dyad.train`: training and evaluating a network, and saving and loading what was trained."""

from dyad.amp import (
    DynamicLossScaleManager,
    FixedLossScaleManager,
    LossScaleManager,
    build_train_network,
)
from dyad.train import callback, metrics, serialization
from dyad.train.callback import *  # noqa: F403
from dyad.train.data_sink import data_sink
from dyad.train.dataset_helper import DatasetHelper, connect_network_with_dataset
from dyad.train.metrics import *  # noqa: F403
from dyad.train.model import Model
from dyad.train.serialization import *  # noqa: F403
from dyad.train.summary import SummaryRecord
from dyad.train.train_thor import ConvertModelUtils, ConvertNetUtils

__all__ = [
    "ConvertModelUtils",
    "ConvertNetUtils",
    "DatasetHelper",
    "DynamicLossScaleManager",
    "FixedLossScaleManager",
    "LossScaleManager",
    "Model",
    "SummaryRecord",
    "build_train_network",
    "callback",
    "connect_network_with_dataset",
    "data_sink",
    "metrics",
    "serialization",
    *callback.__all__,
    *metrics.__all__,
    *serialization.__all__,
]
