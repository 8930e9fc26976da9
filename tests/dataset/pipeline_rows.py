"""Sources and readers that the tests of the pipeline share."""

import numpy as np

from dyad import dataset as ds


class Pairs:
    """Row i is (i, [i, 2 i])."""

    def __init__(self, size):
        self.size = size

    def __getitem__(self, index):
        return np.array(index), np.array([index, 2 * index], np.float32)

    def __len__(self):
        return self.size


def pairs(size=5, **arguments):
    """A dataset of columns `a` and `b`, in order unless it is said otherwise."""
    if not {"shuffle", "sampler", "batch_sampler", "num_shards"} & set(arguments):
        arguments["shuffle"] = False
    return ds.GeneratorDataset(Pairs(size), ["a", "b"], **arguments)


def numbers(*values, **arguments):
    """A dataset of one column `a`."""
    arguments.setdefault("shuffle", False)
    return ds.NumpySlicesDataset(list(values), ["a"], **arguments)


def rows(dataset):
    """All rows of an epoch, as lists."""
    return [
        [value.tolist() for value in row]
        for row in dataset.create_tuple_iterator(num_epochs=1, output_numpy=True)
    ]


def firsts(dataset):
    """The first column of an epoch."""
    return [row[0] for row in rows(dataset)]
