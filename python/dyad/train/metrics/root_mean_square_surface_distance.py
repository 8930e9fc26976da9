"""Root mean square distance of two surfaces."""

from dyad._src.base import lazy_numpy as numpy
from dyad.train.metrics.surfaces import MeanOfDistances

__all__ = ["RootMeanSquareDistance"]


class RootMeanSquareDistance(MeanOfDistances):
    """The mean square distance from the points of the prediction's surface to that of the label.

    With `symmetric` the root of the mean of both directions; without it, as in MindSpore, no root is taken.
    """

    def _require_index(self, index, kind=TypeError):
        super()._require_index(index, kind)

    def _counted(self, found):
        return found.astype(float) ** 2

    def eval(self):
        """The distance of the last update; infinite where a surface is empty. RuntimeError before any."""
        mean = numpy.mean(self._means())
        return numpy.sqrt(mean) if self.symmetric else mean
