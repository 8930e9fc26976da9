"""The operations of `Dataset`: each returns a new dataset and does not change this one."""

from collections.abc import Callable
from typing import ClassVar

import numpy as np

from dyad._src.base.argument_checks import require_bool
from dyad.dataset import _saving, _serialization, _split


class Operations:
    """Methods of `Dataset` that make datasets, or files, of it."""

    _kinds: ClassVar[dict]
    children: list
    create_tuple_iterator: Callable

    def _kind(self, method):
        """The class of the datasets that a method makes."""
        return self._kinds[method]

    def map(self, operations, input_columns=None, output_columns=None, num_parallel_workers=None, **kwargs):
        """Applies operations, one after another, to columns of every row.

        Args:
            operations: one or a list of: transforms of `dataset`, or Python functions of NumPy arrays.
            input_columns (str, list): inputs of the first operation. Default: None, the first column.
            output_columns (str, list): names of the results of the last operation. Default: None, those of the
                input. If there are more or fewer than input columns, they precede the others.
            num_parallel_workers (int): number of threads, or processes.
            python_multiprocessing (bool): whether Python functions run in processes of their own.
            max_rowsize: no effect; shared memory grows with the rows.
            cache: None.
            callbacks (DSCallback, list): called at the start and the end of epochs and rows.
            offload (bool): no effect; the pipeline always runs on the CPU.
        """
        kind = self._kind("map")
        return kind(self, operations, input_columns, output_columns, num_parallel_workers, **kwargs)

    def batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, **kwargs):
        """Stacks rows of equal shapes.

        Args:
            batch_size (int, callable): rows in a batch, or a function from a `BatchInfo` to that number.
            drop_remainder (bool): whether a last batch that is not full is dropped.
            num_parallel_workers (int): number of threads, or processes, for `per_batch_map`.
            per_batch_map (callable): receives a list of arrays for each input column, then a `BatchInfo`, and
                returns the columns to stack.
            input_columns, output_columns (str, list): of `per_batch_map`. Default: None, all columns.
            python_multiprocessing (bool): whether `per_batch_map` runs in processes of its own.
            max_rowsize: no effect; shared memory grows with the rows.
        """
        return self._kind("batch")(self, batch_size, drop_remainder, num_parallel_workers, **kwargs)

    def padded_batch(self, batch_size, drop_remainder=False, num_parallel_workers=None, pad_info=None):
        """Stacks rows whose columns are filled up to one shape.

        `pad_info` has (shape, value) by column, None in a shape for the largest size in the batch; `{}` pads every
        column to the largest with zeros. Without it nothing is padded.
        """
        kind = self._kind("padded_batch")
        return kind(self, batch_size, drop_remainder, num_parallel_workers, pad_info)

    def bucket_batch_by_length(
        self,
        column_names,
        bucket_boundaries,
        bucket_batch_sizes,
        element_length_function=None,
        pad_info=None,
        pad_to_bucket_boundary=False,
        drop_remainder=False,
    ):
        """Batches rows of similar length.

        A row belongs to the bucket before the first boundary above its length. The length is the result of
        `element_length_function` on the named columns, or the first size of a single column.
        """
        kind = self._kind("bucket_batch_by_length")
        return kind(
            self,
            column_names,
            bucket_boundaries,
            bucket_batch_sizes,
            element_length_function,
            pad_info,
            pad_to_bucket_boundary,
            drop_remainder,
        )

    def shuffle(self, buffer_size):
        """Draws each row from a buffer of `buffer_size` rows; a new order in every epoch."""
        return self._kind("shuffle")(self, buffer_size)

    def repeat(self, count=None):
        """Repeats the rows `count` times as one epoch; infinitely with None or -1."""
        return self._kind("repeat")(self, count)

    def take(self, count=-1):
        """The first `count` rows of every epoch; all with -1."""
        return self._kind("take")(self, count)

    def skip(self, count):
        """Every epoch without its first `count` rows."""
        return self._kind("skip")(self, count)

    def zip(self, datasets):
        """The columns of several datasets side by side, as long as the shortest."""
        if isinstance(datasets, tuple):
            return self._kind("zip")((self, *datasets))
        if not isinstance(datasets, Operations):
            raise TypeError(f"zip: datasets is {datasets!r}; need a Dataset or a tuple of them")
        return self._kind("zip")((self, datasets))

    def concat(self, datasets):
        """The rows of several datasets with the same columns, one dataset after another."""
        if isinstance(datasets, Operations):
            datasets = [datasets]
        elif not isinstance(datasets, list):
            raise TypeError(f"concat: datasets is {datasets!r}; need a Dataset or a list of them")
        return self._kind("concat")([self, *datasets])

    def __add__(self, datasets):
        return self.concat(datasets)

    def rename(self, input_columns, output_columns):
        """The same rows under other names of columns."""
        return self._kind("rename")(self, input_columns, output_columns)

    def project(self, columns):
        """The named columns, in this order."""
        return self._kind("project")(self, columns)

    def filter(self, predicate, input_columns=None, num_parallel_workers=None):
        """Keeps the rows for whose columns `predicate` returns true."""
        return self._kind("filter")(self, predicate, input_columns, num_parallel_workers)

    def split(self, sizes, randomize=True):
        """Splits into a list of disjoint datasets.

        Args:
            sizes (list): numbers of rows, or fractions that add up to 1.
            randomize (bool): whether rows are assigned at random; the assignment is drawn now and is the same in
                every epoch.
        """
        return _split.split(self, sizes, require_bool("split", "randomize", randomize))

    def flat_map(self, func):
        """Concatenates the datasets that `func` returns for the columns of each row. It is called now, for all rows."""
        if not callable(func):
            raise TypeError(f"flat_map: func is {func!r}; need a function that gives a Dataset")
        made = []
        for row in self.create_tuple_iterator(num_epochs=1, output_numpy=True):
            dataset = func(*(np.asarray(value) for value in row))
            if not isinstance(dataset, Operations):
                raise TypeError(f"flat_map: func gave {dataset!r}; need a Dataset")
            made.append(dataset)
        if not made:
            raise RuntimeError("flat_map: the dataset has no rows, so that there is nothing to join")
        return made[0] if len(made) == 1 else made[0].concat(made[1:])

    def apply(self, apply_func):
        """Returns `apply_func` of this dataset."""
        if not callable(apply_func):
            raise TypeError(
                f"apply: apply_func is {apply_func!r}; need a function from a Dataset to a Dataset"
            )
        made = apply_func(self)
        if not isinstance(made, Operations):
            raise TypeError(f"apply: apply_func gave {made!r}; need a Dataset")
        return made

    def sync_wait(self, condition_name, num_batch=1, callback=None):
        """Returns `num_batch` batches, then waits for `sync_update`, which hands its data to `callback`.

        A batch is a row, or the rows that a later `batch` stacks.
        """
        return self._kind("sync_wait")(self, condition_name, num_batch, callback)

    def sync_update(self, condition_name, num_batch=None, data=None):
        """Releases `num_batch` more batches of the `sync_wait` of that name, after calling its callback with `data`."""
        notifiers = self.get_sync_notifiers()
        if condition_name not in notifiers:
            known = ", ".join(map(repr, notifiers)) or "none"
            raise RuntimeError(
                f"sync_update: condition_name is {condition_name!r}; the dataset waits for {known}"
            )
        notifiers[condition_name](num_batch, data)

    def get_sync_notifiers(self):
        """From names of `sync_wait` to the functions that `sync_update` calls."""
        found = {}
        for child in self.children:
            found.update(child.get_sync_notifiers())
        return found

    def is_sync(self):
        """Returns whether the dataset contains a `sync_wait`."""
        return bool(self.get_sync_notifiers())

    def disable_sync(self):
        """Releases all rows from now on."""
        for child in self.children:
            child.disable_sync()

    def is_shuffled(self):
        """Returns whether the dataset contains a random order of rows."""
        return any(child.is_shuffled() for child in self.children)

    def is_sharded(self):
        """Returns whether a source is restricted to one shard of its rows."""
        return any(child.is_sharded() for child in self.children)

    def device_que(self, send_epoch_end=True, create_data_info_queue=False, queue_name=""):
        """Returns this dataset: batches are in the memory of the CPU, and there is no queue of a device to fill."""
        require_bool("device_que", "send_epoch_end", send_epoch_end)
        require_bool("device_que", "create_data_info_queue", create_data_info_queue)
        return self

    def save(self, file_name, num_files=1, file_type="mindrecord"):
        """Writes one epoch to files, as `mindrecord` or `tfrecord`."""
        return _saving.save(self, file_name, num_files, file_type)

    def to_json(self, filename=""):
        """The dataset as a dict of names and arguments, written to a file too if one is named."""
        return _serialization.serialize(self, filename)
