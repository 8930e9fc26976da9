"""Grids that slices span: `mgrid[0:3, -1:1:5j]`."""

from dyad import ops
from dyad.numpy.creation import arange, linspace, meshgrid

__all__ = ["mgrid", "ogrid"]


class _Grid:
    """Coordinates of a grid, one array for each slice.

    A slice counts as `arange` does; an imaginary step is the number of points from start to stop, both included.
    """

    def __init__(self, sparse):
        self._sparse = sparse

    def __getitem__(self, slices):
        if not isinstance(slices, tuple):
            return _points(slices)
        axes = [_points(each) for each in slices]
        grids = meshgrid(*axes, sparse=self._sparse, indexing="ij")
        return grids if self._sparse else ops.stack(grids)


def _points(given):
    if not isinstance(given, slice) or given.stop is None:
        raise TypeError(f"mgrid: the index is {given!r}; need slices such as 0:5, 0:1:0.25 or 0:1:5j")
    start = 0 if given.start is None else given.start
    for bound in (start, given.stop):
        if isinstance(bound, bool) or not isinstance(bound, (int, float)):
            raise TypeError(f"mgrid: a bound of a slice is {bound!r}; need a number")
    if isinstance(given.step, complex):
        return linspace(start, given.stop, int(abs(given.step)))
    return arange(start, given.stop, given.step)


mgrid, ogrid = _Grid(sparse=False), _Grid(sparse=True)
