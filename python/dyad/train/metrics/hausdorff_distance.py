"""Hausdorff distance: maximum distance of two surfaces."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_float
from dyad.train.metrics.surfaces import SurfaceMetric

__all__ = ["HausdorffDistance"]


class HausdorffDistance(SurfaceMetric):
    """The longest way from a point of a surface to the other surface, or that `percentile` of the ways.

    The longer of both directions, or with `directed` from the prediction to the label only. Distances are 'euclidean',
    'chessboard' or 'taxicab'. Only the box around both masks is used, whatever `crop` is.
    """

    def __init__(
        self,
        distance_metric="euclidean",
        percentile: float | None = None,
        directed: bool | None = False,
        crop: bool | None = True,
    ) -> None:
        super().__init__(distance_metric)
        owner = "HausdorffDistance"
        self.percentile = percentile if percentile is None else require_float(owner, "percentile", percentile)
        self.directed = directed if directed is None else require_bool(owner, "directed", directed)
        self.crop = crop if crop is None else require_bool(owner, "crop", crop)

    def _mask(self, values, index):
        return values == index

    def _longest(self, found):
        if not found.size or numpy.isinf(found[0]):  # nothing to go from, or nothing to go to
            return numpy.inf
        if not self.percentile:
            return found.max()
        if not 0 <= self.percentile <= 100:
            raise ValueError(
                f"HausdorffDistance: percentile is {self.percentile}; need a float from 0 to 100"
            )
        return numpy.percentile(found, self.percentile)

    def eval(self):
        """The distance of the last update; infinite where a surface is empty. RuntimeError before any."""
        there, back = self._there_and_back()
        return self._longest(there) if self.directed else max(self._longest(there), self._longest(back))
