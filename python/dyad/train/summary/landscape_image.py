"""A loss landscape as an image: low losses dark, high ones bright, with the path of training."""

import itertools

import numpy

_EDGE = 320  # pixels of a side, at least
# Colors from the lowest loss to the highest.
_COLOURS = numpy.array(
    [[24, 18, 64], [42, 72, 140], [32, 134, 142], [90, 190, 110], [250, 230, 60]], numpy.float64
)
_PATH, _END = (255, 255, 255), (220, 40, 40)


def picture(plane, losses):
    """[1, 3, height, width] of bytes; y grows upwards."""
    scale = -(-_EDGE // len(plane.columns))
    pixels = _colored(_spread(losses)).repeat(scale, 0).repeat(scale, 1)[::-1].copy()
    places = [_place(plane, point, pixels.shape) for point in plane.path]
    for begin, end in itertools.pairwise(places):
        _draw_line(pixels, begin, end)
    for place in places:
        _draw_dot(pixels, place, _END if place is places[-1] else _PATH)
    return pixels.transpose(2, 0, 1)[None]


def _spread(losses):
    """Losses as ranks of their size from 0 to 1, on a scale of logarithms: walls are far higher than valleys."""
    finite = losses[numpy.isfinite(losses)]
    if not finite.size:
        return numpy.ones_like(losses)
    low, high = finite.min(), finite.max()
    heights = numpy.log1p(numpy.where(numpy.isfinite(losses), losses, high) - low)
    return heights / (heights.max() or 1.0)


def _colored(heights):
    places = numpy.linspace(0, 1, len(_COLOURS))
    channels = [numpy.interp(heights, places, _COLOURS[:, channel]) for channel in range(3)]
    return numpy.stack(channels, -1).astype(numpy.uint8)


def _place(plane, point, shape):
    """The row and column of a point; the middle of a cell is the point whose loss was computed."""
    places = []
    for axis, coordinate, length in ((plane.rows, point[1], shape[0]), (plane.columns, point[0], shape[1])):
        cell = length / len(axis)
        share = (coordinate - axis[0]) / (axis[-1] - axis[0])
        places.append(share * (length - cell) + cell / 2)
    return shape[0] - 1 - places[0], places[1]


def _draw_line(pixels, begin, end):
    steps = int(max(abs(end[0] - begin[0]), abs(end[1] - begin[1]))) + 1
    rows = numpy.linspace(begin[0], end[0], steps).astype(int)
    columns = numpy.linspace(begin[1], end[1], steps).astype(int)
    pixels[rows, columns] = _PATH


def _draw_dot(pixels, place, color, radius=3):
    row, column = (int(each) for each in place)
    top, left = max(row - radius, 0), max(column - radius, 0)
    pixels[top : row + radius + 1, left : column + radius + 1] = color
