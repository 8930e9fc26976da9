"""A plane in the space of all Parameters, on which the loss is drawn.

A plane has an origin, the Parameters at the end of training, and two directions. For a run they are the principal
components of its path, so that the plane comes as near to the path as any does. For a result they are random, and each
Parameter's part is as long as the Parameter itself, so that layers of different sizes count alike.
"""

import dataclasses

import numpy

from dyad._core import Tensor
from dyad._src.tensor.parameter import Parameter

_MARGIN = 0.2  # of the extent of a path, on each side
_REACH = 1.0  # along random directions


@dataclasses.dataclass
class Plane:
    """A plane, the coordinates of a path on it, and those at which the loss is drawn."""

    origin: dict
    directions: tuple
    path: numpy.ndarray  # [points, 2]; of a result the origin alone
    columns: numpy.ndarray
    rows: numpy.ndarray
    decomposition: str
    held: float | None = None  # the share of the path's variance that the plane holds

    def parameters(self, x, y):
        """{name: Parameter} at a point."""
        first, second = self.directions
        found = {}
        for name, value in self.origin.items():
            if name in first:
                value = value + (x * first[name] + y * second[name]).astype(value.dtype)
            found[name] = Parameter(Tensor(value), name=name)
        return found


def path_plane(snapshots, trained, size):
    """The plane of a path: snapshots as {name: array} in order, of which the Parameters `trained` move."""
    shapes = {name: snapshots[-1][name].shape for name in trained}
    points = numpy.stack([_flat(snapshot, trained) for snapshot in snapshots])
    offsets = points - points[-1]
    # The points are few and the Parameters many: the small matrix of inner products has the same components.
    values, vectors = numpy.linalg.eigh(offsets @ offsets.T)
    order = numpy.argsort(values)[::-1][:2]
    lengths = numpy.sqrt(numpy.maximum(values[order], 0.0))
    basis = (offsets.T @ vectors[:, order]) / numpy.where(lengths > 0, lengths, 1.0)
    basis *= numpy.where(basis[numpy.abs(basis).argmax(0), [0, 1]] < 0, -1.0, 1.0)  # one sign of two
    path = offsets @ basis
    total = float(values.sum())
    return Plane(
        snapshots[-1],
        tuple(_parts(basis[:, column], shapes) for column in (0, 1)),
        path,
        _around(path[:, 0], size),
        _around(path[:, 1], size),
        "PCA",
        float(values[order].sum()) / total if total > 0 else 1.0,
    )


def random_plane(snapshot, trained, size, generator):
    """A plane through one point along random directions."""
    directions = []
    for _ in range(2):
        drawn = {name: generator.standard_normal(snapshot[name].shape) for name in trained}
        directions.append({name: _as_long_as(snapshot[name], each) for name, each in drawn.items()})
    axis = numpy.linspace(-_REACH, _REACH, size)
    return Plane(snapshot, tuple(directions), numpy.zeros((1, 2)), axis, axis, "Random")


def _flat(snapshot, names):
    return numpy.concatenate([snapshot[name].astype(numpy.float64).reshape(-1) for name in names])


def _parts(vector, shapes):
    parts, begin = {}, 0
    for name, shape in shapes.items():
        end = begin + int(numpy.prod(shape))
        parts[name] = vector[begin:end].reshape(shape)
        begin = end
    return parts


def _around(coordinates, size):
    low, high = coordinates.min(), coordinates.max()
    margin = _MARGIN * (high - low) or 1.0
    return numpy.linspace(low - margin, high + margin, size)


def _as_long_as(value, direction):
    return direction * (
        numpy.linalg.norm(value.astype(numpy.float64)) / (numpy.linalg.norm(direction) or 1.0)
    )
