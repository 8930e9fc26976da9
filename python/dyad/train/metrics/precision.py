"""How many of those told are right."""

from dyad._src.borrowed_names import borrowing
from dyad.train.metrics.shares import ShareOfRight

__all__ = ["Precision"]

__getattr__ = borrowing(__name__)


class Precision(ShareOfRight):
    """Of the samples told to be of a class, the share that is of it; one number per class.

    With 'multilabel', of the classes told for a sample the share that it has; one number per sample.
    """

    def _of(self, told, there):
        return told
