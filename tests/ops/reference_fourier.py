"""NumPy statements of transforms and windows that NumPy has in another form."""

import numpy as np

_OPPOSITE = {None: "forward", "backward": "forward", "forward": "backward", "ortho": "ortho"}


def fourier(input, axis, inverse):
    result = np.fft.ifft(input, axis=axis, norm="forward") if inverse else np.fft.fft(input, axis=axis)
    return result.astype(input.dtype)


def hfft(input, n, dim, norm):
    return np.fft.hfft(input, n, dim, norm)


def hfftn(input, s, dim, norm):
    return np.fft.irfftn(np.conj(input), s, dim, _OPPOSITE[norm])


def ihfft(input, n, dim, norm):
    return np.fft.ihfft(input, n, dim, norm)


def ihfftn(input, s, dim, norm):
    return np.conj(np.fft.rfftn(input, s, dim, _OPPOSITE[norm]))


def window(make, length, periodic):
    """A symmetric window, or one period of a repeating one: a symmetric one without its last element."""
    values = make(length + 1)[:-1] if periodic and length > 1 else make(length)
    return values.astype(np.float32)


def hamming_window(length, periodic, alpha, beta):
    def make(count):
        if count == 1:
            return np.ones(1)
        return alpha - beta * np.cos(2 * np.pi * np.arange(count) / (count - 1))

    return window(make, length, periodic)


def kaiser_window(length, periodic, beta):
    return window(lambda count: np.kaiser(count, beta), length, periodic)
