"""Short-time Fourier transforms of the last axis, over NumPy."""

from typing import Self

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import BorderType, WindowType
from dyad.dataset.audio.waveform import AudioOperation


def window_of(kind, length) -> numpy.ndarray:
    """A periodic window: one more sample would be the first again."""
    if length == 1:
        return numpy.ones(1)
    if kind == WindowType.KAISER:
        return numpy.kaiser(length + 1, 12.0)[:-1]
    functions = {
        WindowType.BARTLETT: numpy.bartlett,
        WindowType.BLACKMAN: numpy.blackman,
        WindowType.HAMMING: numpy.hamming,
        WindowType.HANN: numpy.hanning,
    }
    return functions[kind](length + 1)[:-1]


class Frames:
    """Length, hop and window of frames, from the arguments of a transform."""

    def __init__(
        self, owner, n_fft: int, win_length: int | None, hop_length: int | None, window: WindowType
    ) -> None:
        self.owner = owner
        self.n_fft = check.require_int(owner, "n_fft", n_fft, 1)
        self.win_length = (
            n_fft if win_length is None else check.require_int(owner, "win_length", win_length, 1)
        )
        if self.win_length > n_fft:
            raise ValueError(f"{owner}: win_length is {win_length}; need at most n_fft, which is {n_fft}")
        default = max(self.win_length // 2, 1)
        self.hop_length = (
            default if hop_length is None else check.require_int(owner, "hop_length", hop_length, 1)
        )
        self.window = check.require_type(owner, "window", window, WindowType)

    def padded_window(self) -> numpy.ndarray:
        """The window in the middle of a frame."""
        left = (self.n_fft - self.win_length) // 2
        right = self.n_fft - self.win_length - left
        return numpy.pad(window_of(self.window, self.win_length), (left, right))


class FramedOperation(AudioOperation):
    """A transform that cuts waveforms into frames."""

    def take_frames(self, *settings) -> None:
        """Checks and stores the arguments of `frames`, with the name that its errors start with."""
        Frames(*settings)
        self.frame_settings = settings

    @property
    def frames(self):
        """The frames."""
        return Frames(*self.frame_settings)

    def in_the_name_of(self, owner) -> Self:
        """The same transform as part of another one, for which its errors speak."""
        self.frame_settings = (owner, *self.frame_settings[1:])
        return self


def pad_last(owner, array, width, mode) -> numpy.ndarray:
    """The array with `width` more samples at both ends of its last axis."""
    if mode == BorderType.REFLECT and width >= array.shape[-1]:
        raise RuntimeError(
            f"{owner}: the waveform has {array.shape[-1]} samples; need more than {width} to reflect it at its ends"
        )
    if array.shape[-1] == 0:
        raise RuntimeError(f"{owner}: the waveform has no samples; need at least one")
    return numpy.pad(array, [(0, 0)] * (array.ndim - 1) + [(width, width)], mode.value)


def transformed(array, frames, center, pad_mode, onesided) -> numpy.ndarray:
    """Complex numbers (…, freq, time) of a waveform (…, time)."""
    if center:
        array = pad_last(frames.owner, array, frames.n_fft // 2, pad_mode)
    if array.shape[-1] < frames.n_fft:
        raise RuntimeError(
            f"{frames.owner}: the waveform has {array.shape[-1]} samples; need at least n_fft, which is {frames.n_fft}"
        )
    pieces = numpy.lib.stride_tricks.sliding_window_view(array, frames.n_fft, -1)[
        ..., :: frames.hop_length, :
    ]
    weighted = pieces * frames.padded_window()
    spectrum = numpy.fft.rfft(weighted) if onesided else numpy.fft.fft(weighted)
    return numpy.swapaxes(spectrum, -1, -2)


def inverted(spectrum, frames, length, center, onesided) -> numpy.ndarray:
    """The waveform (…, time) of complex numbers (…, freq, time): overlapping frames, added and weighed."""
    window = frames.padded_window()
    lines = numpy.swapaxes(spectrum, -1, -2)
    pieces = (numpy.fft.irfft(lines, frames.n_fft) if onesided else numpy.fft.ifft(lines).real) * window
    count = pieces.shape[-2]
    total = frames.n_fft + (count - 1) * frames.hop_length
    waveform = numpy.zeros((*pieces.shape[:-2], total))
    weights = numpy.zeros(total)
    for i in range(count):
        place = slice(i * frames.hop_length, i * frames.hop_length + frames.n_fft)
        waveform[..., place] += pieces[..., i, :]
        weights[place] += window**2
    start = frames.n_fft // 2 if center else 0
    wanted = total - 2 * start if length is None else length
    waveform, weights = waveform[..., start : start + wanted], weights[start : start + wanted]
    made = waveform / numpy.where(weights > 1e-11, weights, 1)
    missing = wanted - made.shape[-1]
    return made if missing <= 0 else numpy.pad(made, [(0, 0)] * (made.ndim - 1) + [(0, missing)])
