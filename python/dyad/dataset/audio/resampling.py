"""Resampling by a windowed sinc."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import ResampleMethod
from dyad.dataset.audio.waveform import AudioOperation

_DEFAULT_BETA = 14.769656459379492


def _kernels(orig, new, filter_width, rolloff, beta):
    """One filter per phase of the new samples, and their half width; `beta` None selects a Hann window."""
    base = min(orig, new) * rolloff
    width = math.ceil(filter_width * orig / base)
    taps = numpy.arange(-width, width + orig) / orig
    times = (taps[None, :] - numpy.arange(new)[:, None] / new) * base
    times = numpy.clip(times, -filter_width, filter_width)
    if beta is None:
        window = numpy.cos(times * math.pi / filter_width / 2) ** 2
    else:
        window = numpy.i0(beta * numpy.sqrt(1 - (times / filter_width) ** 2)) / numpy.i0(beta)
    return numpy.sinc(times) * window * (base / orig), width


def resampled(array, orig_freq, new_freq, filter_width, rolloff, beta):
    """The waveform (…, time) at another rate."""
    common = math.gcd(orig_freq, new_freq)
    orig, new = orig_freq // common, new_freq // common
    if orig == new:
        return array
    length = array.shape[-1]
    kernels, width = _kernels(orig, new, filter_width, rolloff, beta)
    padded = numpy.pad(array, [(0, 0)] * (array.ndim - 1) + [(width, width + orig)])
    pieces = numpy.lib.stride_tricks.sliding_window_view(padded, kernels.shape[1], -1)[..., ::orig, :]
    made = (pieces @ kernels.T).reshape(*array.shape[:-1], -1)
    return made[..., : math.ceil(new * length / orig)]


class Resample(AudioOperation):
    """Resamples from one rate to another."""

    def __init__(
        self,
        orig_freq: int = 16000,
        new_freq: int = 16000,
        resample_method: ResampleMethod = ResampleMethod.SINC_INTERPOLATION,
        lowpass_filter_width: int = 6,
        rolloff: float = 0.99,
        beta=None,
    ) -> None:
        self.orig_freq = check.require_int("Resample", "orig_freq", orig_freq, 1)
        self.new_freq = check.require_int("Resample", "new_freq", new_freq, 1)
        check.require_type("Resample", "resample_method", resample_method, ResampleMethod)
        self.lowpass_filter_width = check.require_int(
            "Resample", "lowpass_filter_width", lowpass_filter_width, 1
        )
        self.rolloff = check.fraction("Resample", "rolloff", check.positive("Resample", "rolloff", rolloff))
        beta = check.optional(check.finite, "Resample", "beta", beta)
        kaiser = resample_method == ResampleMethod.KAISER_WINDOW
        self.beta = (_DEFAULT_BETA if beta is None else beta) if kaiser else None

    def transform(self, array):
        """The array that it makes of an array."""
        made = resampled(
            array, self.orig_freq, self.new_freq, self.lowpass_filter_width, self.rolloff, self.beta
        )
        return made.astype(array.dtype)
