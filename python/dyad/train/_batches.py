"""The batches of a dataset, epoch after epoch."""

from dyad._core import Tensor


def batch_count(owner, dataset):
    """Number of batches in an epoch; an error if the argument is not a dataset, or is empty."""
    for name in ("get_dataset_size", "__len__"):
        if hasattr(dataset, name):
            size = getattr(dataset, name)()
            if size <= 0:
                raise ValueError(f"{owner}: the dataset has no batches; need one or more")
            return size
    raise TypeError(
        f"{owner}: the dataset is of type {type(dataset).__name__}; need get_dataset_size, or a length, and rows"
    )


def epochs(owner, dataset, count):
    """The batches of each epoch. One iterator, where there is one, shuffles again in every epoch."""
    own = getattr(dataset, "create_tuple_iterator", None)
    rows = dataset if own is None else own(num_epochs=count)
    for _ in range(count):
        yield _batches(owner, rows)
        if hasattr(dataset, "reset"):
            dataset.reset()


def _batches(owner, rows):
    """The batches of one epoch, each as a tuple of the network's arguments."""
    row = None
    for row in rows:
        parts = row if isinstance(row, (tuple, list)) else (row,)
        yield tuple(part if isinstance(part, (Tensor, dict)) else Tensor(part) for part in parts)
    if row is None:
        raise ValueError(
            f"{owner}: the dataset gave no batch in this epoch; need one that can be read again and again"
        )
