"""Native stages in short words, for tests."""

import traceback

from dyad import _core

data = _core.data


def explain(error):
    return "explained: " + "".join(traceback.format_exception(error))


def python(function):
    return data.python_transform(lambda columns, key: function(*columns), explain)


def arrays(*columns, order=None):
    return data.sampled(data.arrays_source(list(columns)), order or data.sequential_order(0, 0))


def pipeline(root, workers=2, prefetch=4, epochs=1, seed=1):
    return data.Pipeline(root, seed, workers, prefetch, epochs)


def rows(running, as_tensors=False):
    """All rows, None between epochs."""
    got = []
    while True:
        try:
            got.append(running.next(as_tensors))
        except StopIteration:
            return got


def first_column(root, **options):
    return [row if row is None else row[0].tolist() for row in rows(pipeline(root, **options))]
