"""How many of those that are there are told."""

from dyad._src.borrowed_names import borrowing
from dyad.train.metrics.shares import ShareOfRight

__all__ = ["Recall"]

__getattr__ = borrowing(__name__)


class Recall(ShareOfRight):
    """Of the samples of a class, the share that is told to be of it; one number per class.

    With 'multilabel', of the classes of a sample the share that is told; one number per sample.
    """

    def _of(self, told, there):
        return there
