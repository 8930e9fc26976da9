"""`data_sink`: calls a function with batches of a dataset."""

import functools
from collections.abc import Callable

from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int
from dyad._src.jit.api.jit import jit
from dyad.train.dataset_helper import DatasetHelper

__all__ = ["data_sink"]


def data_sink(fn: Callable, dataset, sink_size: int = 1, jit_config=None, input_signature=None):
    """A function without arguments that calls `fn` with the next `sink_size` batches and returns the last result.

    The dataset is repeated without end. With a `jit_config` the calls are those of a compiled graph.
    `input_signature`, a Tensor or a list of them, specifies shapes and dtypes of the batches; -1 or None is any size.
    """
    if not callable(fn):
        raise TypeError(f"data_sink: fn is {fn!r}; need a function")
    require_int("data_sink", "sink_size", sink_size, low=1)
    wanted = (input_signature,) if isinstance(input_signature, Tensor) else input_signature
    called = fn if jit_config is None else jit(fn, jit_config=jit_config)
    batches = DatasetHelper(dataset, True, sink_size, epoch_num=-1)

    @functools.wraps(fn)
    def sink_process():
        result = None
        for batch in batches:
            if wanted is not None:
                _require_like(batch, wanted)
            result = called(*batch)
        return result

    return sink_process


def _require_like(batch, wanted):
    given, needed = [[(tuple(part.shape), part.dtype) for part in parts] for parts in (batch, wanted)]
    fits = len(given) == len(needed) and all(
        dtype == other
        and len(shape) == len(sizes)
        and all(size in (-1, length) for length, size in zip(shape, sizes, strict=True))
        for (shape, dtype), (sizes, other) in zip(given, needed, strict=True)
    )
    if not fits:
        raise TypeError(f"data_sink: a batch has {given}; need {needed}, as input_signature says")
