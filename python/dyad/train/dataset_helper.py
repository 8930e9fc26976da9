"""`DatasetHelper`: the batches of a dataset for a training loop of the user's own."""

from dyad._src.base.argument_checks import require_bool, require_int

__all__ = ["DatasetHelper", "connect_network_with_dataset"]


class DatasetHelper:
    """Iterates over the batches of a dataset, epoch after epoch: `for inputs in helper: network(*inputs)`.

    Args:
        dataset (Dataset): source of the batches.
        dataset_sink_mode (bool): one `for` yields `sink_size` batches instead of an epoch. They are in the memory of
            the CPU already, so the loop receives them in this mode as well.
        sink_size (int): batches of one `for` in that mode; -1 for an epoch.
        epoch_num (int): number of times that the dataset can be read; -1 for no limit.
    """

    def __init__(
        self, dataset, dataset_sink_mode: bool = True, sink_size: int = -1, epoch_num: int = 1
    ) -> None:
        if not hasattr(dataset, "create_tuple_iterator"):
            raise TypeError(f"DatasetHelper: dataset is {dataset!r}; need a Dataset")
        require_int("DatasetHelper", "sink_size", sink_size, -1)
        require_int("DatasetHelper", "epoch_num", epoch_num, -1)
        if sink_size == 0 or epoch_num == 0:
            raise ValueError(
                f"DatasetHelper: sink_size is {sink_size} and epoch_num {epoch_num}; need -1 or an int of at least 1"
            )
        sinks = require_bool("DatasetHelper", "dataset_sink_mode", dataset_sink_mode)
        self.dataset = dataset
        self._limit = sink_size if sinks and sink_size > 0 else None
        self._batches = dataset.create_tuple_iterator(num_epochs=epoch_num)

    def __iter__(self):
        if self._limit is None:
            return map(tuple, self._batches)
        return (self._following() for _ in range(self._limit))

    def _following(self):
        """The next batch; after the last one the first of the next epoch."""
        for batch in self._batches:
            return tuple(batch)
        return tuple(next(self._batches))

    def sink_size(self):
        """Number of batches that one `for` yields."""
        return self.dataset.get_dataset_size() if self._limit is None else self._limit

    def types_shapes(self):
        """The dtypes and the shapes of the columns."""
        return self.dataset.output_types(), self.dataset.output_shapes()

    def dynamic_min_max_shapes(self):
        """The smallest and the largest shape of each column, over one epoch."""
        return self.dataset.dynamic_min_max_shapes()

    def stop_send(self) -> None:
        """Ends the threads that make batches."""
        self._batches.stop()

    release = stop_send

    def continue_send(self):
        """Has no effect: batches are computed whenever a queue has space."""


def connect_network_with_dataset(network, dataset_helper: DatasetHelper):
    """The network itself: a `DatasetHelper` hands it the batches in every mode."""
    if not isinstance(dataset_helper, DatasetHelper):
        raise TypeError(
            f"connect_network_with_dataset: dataset_helper is {dataset_helper!r}; need a DatasetHelper"
        )
    return network
