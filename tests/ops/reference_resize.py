"""NumPy statements of resampling and pixel shuffling."""

import numpy as np


def coordinates(align_corners, half_pixel):
    return "align_corners" if align_corners else "half_pixel" if half_pixel else "asymmetric"


def _cubic(d, a=-0.75):
    d = abs(d)
    if d <= 1:
        return (a + 2) * d**3 - (a + 3) * d**2 + 1
    return a * d**3 - 5 * a * d**2 + 8 * a * d - 4 * a if d < 2 else 0.0


def _tabulated_row(inside, low, phase, where):
    row, phase = np.zeros(inside), np.floor(phase * 1024 + 0.5) / 1024
    for k in (-1, 0, 1, 2):
        if where != "half_pixel":
            row[np.clip(low + k, 0, inside - 1)] += _cubic(phase - k)
        elif 0 <= low + k < inside:
            row[low + k] = _cubic(phase - k, -0.5)
    return row / row.sum() if where == "half_pixel" else row


def _matrix(inside, outside, mode, where, scale):
    """Row o holds the weights with which output position o reads the input positions."""
    matrix = np.zeros((outside, inside))
    step = 1 / scale if scale else inside / outside
    for o in range(outside):
        if where == "align_corners":
            position = o * (inside - 1) / (outside - 1) if outside > 1 else 0.0
        elif where == "half_pixel":
            position = (o + 0.5) * step - 0.5
        else:
            position = o * step
        if mode.startswith("nearest"):
            centre = 0.5 if mode == "nearest-exact" or where == "half_pixel" else 0.0
            at = np.floor(position + 0.5) if where == "align_corners" else np.floor((o + centre) * step)
            matrix[o, int(np.clip(at, 0, inside - 1))] += 1
            continue
        if mode == "linear":
            position = max(position, 0.0)
        low = int(np.floor(position))
        if mode == "tabulated_cubic":
            matrix[o] = _tabulated_row(inside, low, position - low, where)
            continue
        for k in (0, 1) if mode == "linear" else (-1, 0, 1, 2):
            weight = 1 - abs(position - low - k) if mode == "linear" else _cubic(position - low - k)
            matrix[o, int(np.clip(low + k, 0, inside - 1))] += weight
    return matrix


def _matrices(inside, outside, mode, where, scales):
    scales = scales or (None,) * len(inside)
    return [_matrix(i, o, mode, where, s) for i, o, s in zip(inside, outside, scales, strict=True)]


def _apply(x, matrices):
    for axis, matrix in enumerate(matrices, start=2):
        x = np.moveaxis(np.tensordot(matrix, x, axes=(1, axis)), 0, axis)
    return x


def resize(x, size, mode, where, scales):
    return _apply(x.astype(np.float64), _matrices(x.shape[2:], size, mode, where, scales))


def resize_back(gradient, size, mode, where, scales):
    matrices = _matrices(size, gradient.shape[2:], mode, where, scales)
    return _apply(gradient.astype(np.float64), [matrix.T for matrix in matrices])


def interpolate(x, size, scale_factor, mode, align_corners):
    spatial = x.ndim - 2
    scales = None
    if size is None:
        scales = tuple(np.broadcast_to(scale_factor, (spatial,)).tolist())
        size = tuple(int(n * s) for n, s in zip(x.shape[2:], scales, strict=True))
    size = tuple(np.broadcast_to(size, (spatial,)).tolist())
    if mode.startswith("nearest"):
        return resize(x, size, mode, "asymmetric", scales)
    kind = "tabulated_cubic" if mode == "bicubic" else "linear"
    where = "align_corners" if align_corners else "half_pixel"
    return resize(x, size, kind, where, None if align_corners else scales)


def pixel_shuffle(x, r):
    *lead, c, h, w = x.shape
    n = len(lead)
    x = x.reshape(*lead, c // r**2, r, r, h, w)
    return x.transpose(*range(n), n, n + 3, n + 1, n + 4, n + 2).reshape(*lead, c // r**2, h * r, w * r)


def pixel_unshuffle(x, r):
    *lead, c, h, w = x.shape
    n = len(lead)
    x = x.reshape(*lead, c, h // r, r, w // r, r)
    return x.transpose(*range(n), n, n + 2, n + 4, n + 1, n + 3).reshape(*lead, c * r**2, h // r, w // r)
