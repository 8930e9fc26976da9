"""The data pipeline: sources, operations on rows, transforms of columns."""

from dyad._src.base.lazy_import import load
from dyad._src.base.missing import missing_attribute
from dyad.dataset import (
    audio,
    audio_datasets,
    callback,
    config,
    debug,
    image_datasets,
    record_datasets,
    text,
    transforms,
    vision,
)
from dyad.dataset._batching import BatchDataset, BatchInfo, BucketBatchByLengthDataset, PaddedBatchDataset
from dyad.dataset._dataset import Dataset
from dyad.dataset._joining import ConcatDataset, ZipDataset, zip
from dyad.dataset._mappable import MappableDataset
from dyad.dataset._mapping import FilterDataset, MapDataset
from dyad.dataset._operation import Implementation as Implementation
from dyad.dataset._selecting import (
    ProjectDataset,
    RenameDataset,
    RepeatDataset,
    ShuffleDataset,
    SkipDataset,
    TakeDataset,
)
from dyad.dataset._serialization import compare, deserialize, serialize, show
from dyad.dataset._shuffle import Shuffle
from dyad.dataset._training_dataset import _get_training_dataset as _get_training_dataset
from dyad.dataset._training_dataset import _set_training_dataset as _set_training_dataset
from dyad.dataset._waiting import SyncWaitDataset
from dyad.dataset.audio_datasets import *  # noqa: F403
from dyad.dataset.cache_client import DatasetCache
from dyad.dataset.callback import DSCallback, WaitedDSCallback
from dyad.dataset.config import ErrorSamplesMode
from dyad.dataset.datasets_in_memory import NumpySlicesDataset, PaddedDataset, RandomDataset
from dyad.dataset.datasets_user_defined import GeneratorDataset
from dyad.dataset.debug import DebugHook
from dyad.dataset.image_datasets import *  # noqa: F403
from dyad.dataset.iterators import DictIterator, Iterator, TupleIterator
from dyad.dataset.record_datasets import *  # noqa: F403
from dyad.dataset.samplers import (
    BuiltinSampler,
    DistributedSampler,
    IterSampler,
    PKSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    SubsetSampler,
    WeightedRandomSampler,
)

# Base classes that programs test datasets against; every dataset has the operations of each.
AudioBaseDataset = SourceDataset = TextBaseDataset = UnionBaseDataset = VisionBaseDataset = Dataset

__all__ = [
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "ConcatDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DebugHook",
    "DictIterator",
    "DistributedSampler",
    "ErrorSamplesMode",
    "FilterDataset",
    "GeneratorDataset",
    "IterSampler",
    "Iterator",
    "MapDataset",
    "MappableDataset",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedBatchDataset",
    "PaddedDataset",
    "ProjectDataset",
    "RandomDataset",
    "RandomSampler",
    "RenameDataset",
    "RepeatDataset",
    "Sampler",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TakeDataset",
    "TupleIterator",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "ZipDataset",
    "audio",
    "callback",
    "compare",
    "config",
    "debug",
    "deserialize",
    "serialize",
    "show",
    "text",
    "transforms",
    "vision",
    "zip",
    *audio_datasets.__all__,
    *image_datasets.__all__,
    *record_datasets.__all__,
]


def __getattr__(name):
    if name == "dataloader":  # few programs use it, and its threads and processes take 10 ms to import
        return load("dyad.dataset.dataloader")
    if name in config.__all__:  # settings are read from here as well
        return getattr(config, name)
    raise missing_attribute(__name__, name, __all__)
