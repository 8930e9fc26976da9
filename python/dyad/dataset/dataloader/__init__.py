"""`dyad.dataset.dataloader`: batches of a dataset that is a Python object, as PyTorch has them."""

from dyad.dataset.dataloader.collate import default_collate, default_convert
from dyad.dataset.dataloader.datasets import Dataset, IterableDataset, TensorDataset
from dyad.dataset.dataloader.loader import DataLoader
from dyad.dataset.dataloader.samplers import (
    BatchSampler,
    DistributedSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
)
from dyad.dataset.dataloader.worker_batches import get_worker_info

__all__ = [
    "BatchSampler",
    "DataLoader",
    "Dataset",
    "DistributedSampler",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "TensorDataset",
    "default_collate",
    "default_convert",
    "get_worker_info",
]
