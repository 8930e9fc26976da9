"""Mean distance of two surfaces."""

from dyad._src.base import lazy_numpy as numpy
from dyad.train.metrics.surfaces import MeanOfDistances

__all__ = ["MeanSurfaceDistance"]


class MeanSurfaceDistance(MeanOfDistances):
    """The mean way from a point of the prediction's surface to the label's; with `symmetric` the mean of both ways."""

    def eval(self):
        """The distance of the last update; infinite where a surface is empty. RuntimeError before any."""
        return numpy.mean(self._means())
