"""NumPy statements of operators whose windows lie where numbers say."""

import numpy as np


def _pixel_between(plane, y, x):
    top, left = int(np.floor(y)), int(np.floor(x))
    total = 0.0
    for row, column in ((top, left), (top, left + 1), (top + 1, left), (top + 1, left + 1)):
        if 0 <= row < plane.shape[0] and 0 <= column < plane.shape[1]:
            total += plane[row, column] * (1 - abs(y - row)) * (1 - abs(x - column))
    return total


def deformable_offsets(x, offsets, strides, pads, ksize, dilations, groups, modulated):
    kernel_rows, kernel_columns = ksize
    images, _, rows, columns = offsets.shape
    parts = offsets.reshape(images, 3 if modulated else 2, groups, kernel_rows, kernel_columns, rows, columns)
    result = np.zeros((images, x.shape[1], rows * kernel_rows, columns * kernel_columns), x.dtype)
    for n, c, i, j, row, column in np.ndindex(images, x.shape[1], kernel_rows, kernel_columns, rows, columns):
        own = parts[n, :, c // (x.shape[1] // groups), i, j, row, column]
        value = _pixel_between(
            x[n, c],
            row * strides[2] - pads[0] + i * dilations[2] + own[1],
            column * strides[3] - pads[2] + j * dilations[3] + own[0],
        )
        result[n, c, row * kernel_rows + i, column * kernel_columns + j] = value * (
            own[2] if modulated else 1
        )
    return result


def deformable_conv2d(x, weight, offsets, kernel_size, strides, padding, bias, dilations):
    points = deformable_offsets(x, offsets, strides, padding, kernel_size, dilations, 1, True)
    images, channels, height, width = points.shape
    kernel_rows, kernel_columns = kernel_size
    windows = points.reshape(
        images, channels, height // kernel_rows, kernel_rows, width // kernel_columns, kernel_columns
    )
    result = np.einsum("nchiwj,ocij->nohw", windows, weight)
    return result if bias is None else result + bias[:, None, None]


def fractional_max_pool(input, kernel_size, output_size, random_samples):
    spatial = len(kernel_size)
    planes = input.reshape(-1, *input.shape[-spatial:])
    samples = random_samples.reshape(len(planes), spatial).astype("float32")
    found = np.zeros((len(planes), *output_size), input.dtype)
    places = np.zeros(found.shape, "int64")
    for plane, values in enumerate(planes):
        drawn = samples[plane][::-1] if spatial == 2 else samples[plane]
        begins = []
        for u, size, width, count in zip(drawn, values.shape, kernel_size, output_size, strict=True):
            step = np.float32((size - width) / max(count - 1, 1))
            begins.append([int((i + u) * step) - int(u * step) for i in range(count - 1)] + [size - width])
        for at in np.ndindex(*output_size):
            starts = [begins[d][i] for d, i in enumerate(at)]
            box = tuple(slice(s, s + width) for s, width in zip(starts, kernel_size, strict=True))
            inner = np.unravel_index(np.argmax(values[box]), kernel_size)
            place = tuple(s + i for s, i in zip(starts, inner, strict=True))
            found[(plane, *at)] = values[place]
            places[(plane, *at)] = np.ravel_multi_index(place, values.shape)
    shape = (*input.shape[:-spatial], *output_size)
    return found.reshape(shape), places.reshape(shape)
