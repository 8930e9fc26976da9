"""Recall: the share of true samples that are found."""

from dyad.train.metrics.shares import ShareOfRight

__all__ = ["Recall"]


class Recall(ShareOfRight):
    """The share of the samples of a class that are predicted as it; one number per class.

    With 'multilabel', the share of the classes of a sample that are predicted; one number per sample.
    """

    def _of(self, told, there):
        return there
