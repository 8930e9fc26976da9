"""Collates samples to a batch, and converts arrays to Tensors."""

from collections.abc import Mapping, Sequence

import numpy

from dyad._core import Tensor, float64
from dyad._src.operators import stack


def default_collate(batch):
    """Collates a list of samples: numbers, arrays and Tensors along a new first dimension of a Tensor.

    Dictionaries are collated by key, sequences by index; strings stay a list.

    Example:
        >>> from dyad.dataset.dataloader import default_collate
        >>> default_collate([{"x": 1.0, "name": "a"}, {"x": 2.0, "name": "b"}])["name"]
        ['a', 'b']
    """
    if not batch:
        raise ValueError("default_collate: the batch is empty; need one or more samples")
    first = batch[0]
    if isinstance(first, Tensor):
        return stack(list(batch))
    if isinstance(first, numpy.ndarray | numpy.generic):
        if first.dtype.kind in "SUO":
            raise TypeError(f"default_collate: an array is of {first.dtype}; need numbers or bools")
        return Tensor(numpy.stack(batch))
    if isinstance(first, float):
        return Tensor(list(batch), float64)
    if isinstance(first, int):
        return Tensor(list(batch))
    if isinstance(first, str | bytes):
        return batch
    if isinstance(first, Mapping):
        return _rebuilt(first, {key: default_collate([sample[key] for sample in batch]) for key in first})
    if isinstance(first, Sequence):
        sizes = [len(sample) for sample in batch]
        if len(set(sizes)) > 1:
            raise RuntimeError(f"default_collate: the samples have {sizes} members; need as many in each")
        parts = [default_collate(list(part)) for part in zip(*batch, strict=True)]
        return type(first)(*parts) if hasattr(first, "_fields") else parts
    raise TypeError(
        f"default_collate: a sample holds a value of type {type(first).__name__}; need Tensors, arrays, numbers, "
        "texts, dictionaries or sequences"
    )


def default_convert(data):
    """Converts arrays and NumPy numbers of a sample to Tensors, in dictionaries and sequences as well."""
    if isinstance(data, numpy.ndarray | numpy.generic):
        return data if data.dtype.kind in "SUO" else Tensor(data)
    if isinstance(data, Mapping):
        return _rebuilt(data, {key: default_convert(value) for key, value in data.items()})
    if isinstance(data, Sequence) and not isinstance(data, str | bytes):
        parts = [default_convert(part) for part in data]
        return type(data)(*parts) if hasattr(data, "_fields") else parts
    return data


def _rebuilt(like, entries):
    """The entries as a mapping of the type of another one, if its constructor accepts a dict."""
    try:
        return type(like)(entries)
    except TypeError:
        return entries
