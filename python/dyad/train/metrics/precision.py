"""Precision: the share of predictions that are correct."""

from dyad.train.metrics.shares import ShareOfRight

__all__ = ["Precision"]


class Precision(ShareOfRight):
    """The share of the samples predicted as a class that belong to it; one number per class.

    With 'multilabel', the share of the classes predicted for a sample that it has; one number per sample.
    """

    def _of(self, told, there):
        return told
