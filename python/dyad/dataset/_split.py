"""`Dataset.split`: parts of a dataset without common rows."""

import numbers

import numpy as np

from dyad.dataset import config

_CLOSE = 1e-9


def split(dataset, sizes, randomize):
    """Datasets with these numbers of rows, or fractions of the rows.

    A source with random access assigns indexes of rows. Any other dataset assigns each part a range of its rows, in
    their order; random stages of it could put a row into several parts.
    """
    rows = dataset.get_dataset_size()
    counts = _counts(sizes, rows)
    starts = np.cumsum([0, *counts[:-1]]).tolist()
    parts = list(zip(starts, counts, strict=True))
    if dataset.can_choose_rows:
        order = _order(rows, randomize)
        return [dataset.with_rows(order[start : start + count]) for start, count in parts]
    if dataset.is_shuffled():
        raise RuntimeError(
            "split: the rows are shuffled before the split, so that its parts would have common rows; "
            "split first, or give the source shuffle=False"
        )
    stretches = [dataset.skip(start).take(count) for start, count in parts]
    return [part.shuffle(max(2, len(part))) for part in stretches] if randomize else stretches


def _order(rows, randomize):
    if not randomize:
        return np.arange(rows)
    return np.random.default_rng(config.get_seed() if config.is_seeded() else None).permutation(rows)


def _counts(sizes, rows):
    """The number of rows of each part."""
    if not isinstance(sizes, (list, tuple)):
        raise TypeError(f"split: sizes is {sizes!r}; need a list of ints, or of floats that add up to 1")
    if not sizes:
        raise ValueError("split: sizes is empty; need one part or more")
    if all(_is_int(size) for size in sizes):
        return _whole_counts(sizes, rows)
    if all(isinstance(size, float) for size in sizes):
        return _fraction_counts(sizes, rows)
    raise ValueError(f"split: sizes is {list(sizes)}; need ints only, or floats only")


def _is_int(size):
    return isinstance(size, numbers.Integral) and not isinstance(size, bool)


def _whole_counts(sizes, rows):
    if min(sizes) < 1:
        raise ValueError(f"split: sizes is {list(sizes)}; need ints of at least 1")
    if sum(sizes) != rows:
        raise RuntimeError(
            f"split: sizes is {list(sizes)}, which is {sum(sizes)} rows; the dataset has {rows}"
        )
    return [int(size) for size in sizes]


def _fraction_counts(sizes, rows):
    """Rounded numbers of rows; the rounding difference is corrected in the first parts that allow it."""
    if not all(0 < size <= 1 for size in sizes) or abs(sum(sizes) - 1) > _CLOSE:
        raise ValueError(f"split: sizes is {list(sizes)}; need fractions in (0, 1] that add up to 1")
    counts = [round(size * rows) for size in sizes]
    for size, count in zip(sizes, counts, strict=True):
        if count == 0:
            raise RuntimeError(
                f"split: sizes has {size}, which is none of the {rows} rows; need a larger fraction"
            )
    return _balanced(counts, rows - sum(counts))


def _balanced(counts, missing):
    step = 1 if missing > 0 else -1
    for at in range(len(counts)):
        if missing == 0:
            break
        if counts[at] + step > 0:
            counts[at] += step
            missing -= step
    return counts
