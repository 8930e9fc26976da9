"""Sampling of images at a grid of coordinates in NumPy."""

import itertools

import numpy as np


def _reflect(x, low, high):
    span = high - low
    if span <= 0:
        return 0.0
    x = abs(x - low)
    turns = np.floor(x / span)
    rest = x - turns * span
    return high - rest if turns % 2 else low + rest


def _place(number, n, padding, corners):
    x = (number + 1) / 2 * (n - 1) if corners else ((number + 1) * n - 1) / 2
    if padding == "reflection":
        x = _reflect(x, 0, n - 1) if corners else _reflect(x, -0.5, n - 0.5)
    return np.clip(x, 0, n - 1) if padding != "zeros" else x


def _taps(point, sizes, mode, padding, corners):
    """Places and weights that one point of the grid looks at."""
    at = [_place(c, n, padding, corners) for c, n in zip(point[::-1], sizes, strict=True)]
    if mode == "nearest":
        choices = [[(int(np.rint(x)), 1.0)] for x in at]
    else:
        choices = [
            [(int(np.floor(x)), 1 - (x - np.floor(x))), (int(np.floor(x)) + 1, x - np.floor(x))] for x in at
        ]
    for chosen in itertools.product(*choices):
        place = tuple(i for i, _ in chosen)
        if all(0 <= i < n for i, n in zip(place, sizes, strict=True)):
            yield place, np.prod([w for _, w in chosen])


def grid_sample(x, grid, mode, padding, corners):
    out = np.zeros((*x.shape[:2], *grid.shape[1:-1]), x.dtype)
    for image in range(len(x)):
        for at in np.ndindex(*grid.shape[1:-1]):
            for place, weight in _taps(grid[(image, *at)], x.shape[2:], mode, padding, corners):
                out[(image, slice(None), *at)] += weight * x[(image, slice(None), *place)]
    return out


def grid_sample_back(gradient, x, grid, mode, padding, corners):
    by_image = np.zeros_like(x)
    by_grid = np.zeros_like(grid)
    step = 1e-3
    for image in range(len(x)):
        for at in np.ndindex(*grid.shape[1:-1]):
            point = grid[(image, *at)]
            g = gradient[(image, slice(None), *at)]
            for place, weight in _taps(point, x.shape[2:], mode, padding, corners):
                by_image[(image, slice(None), *place)] += weight * g
            # Sampling is linear between neighbouring elements, so that a difference is the derivative.
            for d in range(len(point)):
                values = []
                for sign in (1, -1):
                    moved = point.astype(np.float64)
                    moved[d] += sign * step
                    taps = _taps(moved, x.shape[2:], mode, padding, corners)
                    values.append(
                        sum(weight * (x[(image, slice(None), *place)] * g).sum() for place, weight in taps)
                    )
                by_grid[(image, *at, d)] = (values[0] - values[1]) / (2 * step)
    return by_image, by_grid


def affine_grid(theta, size, corners):
    axes = []
    for n in size[2:]:
        axes.append(
            np.linspace(-1, 1, n)
            if corners and n > 1
            else (2 * np.arange(n) + 1) / n - 1
            if not corners
            else [0.0]
        )
    mesh = np.meshgrid(*axes, indexing="ij")
    points = np.stack([*mesh[::-1], np.ones(size[2:])], -1)
    return np.einsum("...k,nik->n...i", points, theta).astype(theta.dtype)
