"""Surfaces of masks, and how far the points of one are from the nearest of another."""

from typing import Any

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_choice
from dyad.train.metrics.metric import Metric, rearrange_inputs

# Distance of a point `offset` positions along an axis from one at `distance`; Euclidean distances are squared.
_FARTHER = {
    "euclidean": lambda distance, offset: distance + offset * offset,
    "taxicab": lambda distance, offset: distance + offset,
    "chessboard": lambda distance, offset: numpy.maximum(distance, offset),
}
DISTANCES = ("euclidean", "chessboard", "taxicab")


def surface(mask):
    """The points of a mask that have a neighbor along some axis which is not in it, or is outside the array."""
    inside = numpy.ones_like(mask)
    for axis in range(mask.ndim):
        padded = numpy.pad(mask, [(1, 1) if place == axis else (0, 0) for place in range(mask.ndim)])
        size = mask.shape[axis]
        for start in (0, 2):
            inside &= numpy.take(padded, numpy.arange(start, start + size), axis=axis)
    return mask & ~inside


def distances(points, others, metric):
    """For each of `points`, how far the nearest of `others` is; both are masks of one shape."""
    if not others.any():
        return numpy.full(numpy.count_nonzero(points), numpy.inf)
    box = bounding_box(points | others)
    points, reached = points[box], numpy.where(others[box], 0.0, numpy.inf)
    for axis in range(reached.ndim):
        reached = spread(reached, axis, _FARTHER[metric])
    found = reached[points]
    return numpy.sqrt(found) if metric == "euclidean" else found.astype(numpy.int32)


def spread(reached, axis, farther):
    """Propagates distances along `axis`; stops when no point gets closer."""
    lines = numpy.moveaxis(reached, axis, 0)
    best = lines.copy()
    for offset in range(1, len(lines)):
        if farther(0.0, offset) >= best.max():
            break
        numpy.minimum(best[offset:], farther(lines[:-offset], offset), out=best[offset:])
        numpy.minimum(best[:-offset], farther(lines[offset:], offset), out=best[:-offset])
    return numpy.moveaxis(best, 0, axis)


def bounding_box(mask) -> tuple:
    """Slices of the smallest box with all points of a mask that has some."""
    return tuple(slice(places.min(), places.max() + 1) for places in numpy.nonzero(mask))


class SurfaceMetric(Metric):
    """Keeps the surfaces of the last prediction and label; `update` also accepts the value that marks a mask."""

    def __init__(self, distance_metric: str) -> None:
        super().__init__()
        self.distance_metric = require_choice(
            type(self).__name__, "distance_metric", distance_metric, DISTANCES
        )
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._surfaces: Any = None

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Extracts the surfaces of the positions where the prediction, and where the label, has the label index."""
        self._require_inputs(inputs, ("prediction", "label", "label index"))
        prediction, label = self._convert_data(inputs[0]), self._convert_data(inputs[1])
        self._require_index(inputs[2])
        if prediction.size == 0 or prediction.shape != label.shape:
            raise ValueError(
                f"{type(self).__name__}.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need the same, and one or more places"
            )
        if inputs[2] not in prediction and inputs[2] not in label:
            raise ValueError(
                f"{type(self).__name__}.update: the label index {inputs[2]} is neither in the prediction nor in the "
                "label; need a value of one of them"
            )
        masks = [self._mask(values, inputs[2]) for values in (prediction, label)]
        self._surfaces = tuple(surface(mask) for mask in masks)

    def _require_index(self, index, kind=ValueError):
        if not isinstance(index, (int, float)):
            raise kind(
                f"{type(self).__name__}.update: the label index is of type {type(index).__name__}; "
                "need an int or a float"
            )

    def _mask(self, values, index):
        """An array of bools is a mask already."""
        return values if values.dtype == bool else values == index

    def _there_and_back(self):
        """The distances from the surface of the prediction to that of the label, and the other way."""
        self._require_seen(self._surfaces is not None)
        told, there = self._surfaces
        return distances(told, there, self.distance_metric), distances(there, told, self.distance_metric)


class MeanOfDistances(SurfaceMetric):
    """A mean over surfaces: of what `_counted` makes of distances, both ways with `symmetric`."""

    def __init__(self, symmetric: bool = False, distance_metric="euclidean") -> None:
        super().__init__(distance_metric)
        self.symmetric = require_bool(type(self).__name__, "symmetric", symmetric)

    def _means(self):
        """The mean of each direction; infinite if a surface is empty."""
        ways = self._there_and_back()[: 2 if self.symmetric else 1]
        return [self._counted(found).mean() if found.size else numpy.inf for found in ways]

    def _counted(self, found):
        return found
