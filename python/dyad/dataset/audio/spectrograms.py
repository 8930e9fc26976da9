"""Spectrograms and the way back."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import BorderType, WindowType
from dyad.dataset.audio.fourier import FramedOperation, inverted, pad_last, transformed
from dyad.dataset.audio.resampling import resampled
from dyad.dataset.audio.waveform import AudioOperation, complex_array, generator_of, in_parts, real_array


class Spectrogram(FramedOperation):
    """Powers of frequencies over time (…, freq, time); with power 0 real and imaginary parts (…, freq, time, 2)."""

    def __init__(
        self,
        n_fft=400,
        win_length=None,
        hop_length=None,
        pad: int = 0,
        window=WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        owner = type(self).__name__
        self.take_frames(owner, n_fft, win_length, hop_length, window)
        self.pad = check.require_int(owner, "pad", pad)
        self.power = check.at_least(owner, "power", power, 0)
        self.normalized = check.require_type(owner, "normalized", normalized, bool)
        self.center = check.require_type(owner, "center", center, bool)
        self.pad_mode = check.require_type(owner, "pad_mode", pad_mode, BorderType)
        self.onesided = check.require_type(owner, "onesided", onesided, bool)

    def transform(self, array):
        """The array that it makes of an array."""
        padded = pad_last(self.frames.owner, array, self.pad, BorderType.CONSTANT) if self.pad else array
        spectrum = transformed(padded, self.frames, self.center, self.pad_mode, self.onesided)
        if self.normalized:
            spectrum = spectrum / math.sqrt((self.frames.padded_window() ** 2).sum())
        if self.power == 0:
            return in_parts(spectrum, array.dtype)
        return (numpy.abs(spectrum) ** self.power).astype(array.dtype)


class InverseSpectrogram(FramedOperation):
    """The waveform of a spectrogram of real and imaginary parts (…, freq, time, 2)."""

    least_rank = 3
    meaning = "(..., freq, time, 2)"

    def __init__(
        self,
        length=None,
        n_fft=400,
        win_length=None,
        hop_length=None,
        pad: int = 0,
        window=WindowType.HANN,
        normalized: bool = False,
        center: bool = True,
        pad_mode: BorderType = BorderType.REFLECT,
        onesided: bool = True,
    ) -> None:
        owner = "InverseSpectrogram"
        self.length = check.optional(check.require_int, owner, "length", length)
        self.take_frames(owner, n_fft, win_length, hop_length, window)
        self.pad = check.require_int(owner, "pad", pad)
        self.normalized = check.require_type(owner, "normalized", normalized, bool)
        self.center = check.require_type(owner, "center", center, bool)
        check.require_type(owner, "pad_mode", pad_mode, BorderType)
        self.onesided = check.require_type(owner, "onesided", onesided, bool)

    def transform(self, array) -> numpy.ndarray:
        """The array that it makes of an array."""
        spectrum = complex_array("InverseSpectrogram", array)
        bins = self.frames.n_fft // 2 + 1 if self.onesided else self.frames.n_fft
        if spectrum.shape[-2] != bins:
            raise RuntimeError(
                f"InverseSpectrogram: the spectrogram has {spectrum.shape[-2]} frequencies; n_fft {self.frames.n_fft} "
                f"has {bins}"
            )
        if self.normalized:
            spectrum = spectrum * math.sqrt((self.frames.padded_window() ** 2).sum())
        length = None if self.length is None else self.length + 2 * self.pad
        waveform = inverted(spectrum, self.frames, length, self.center, self.onesided)
        return waveform[..., self.pad : waveform.shape[-1] - self.pad].astype(array.dtype)


class SpectralCentroid(AudioOperation):
    """The mean frequency at each time, weighed by magnitudes: (…, 1, time)."""

    def __init__(
        self, sample_rate: int, n_fft=400, win_length=None, hop_length=None, pad=0, window=WindowType.HANN
    ) -> None:
        self.sample_rate = check.require_int("SpectralCentroid", "sample_rate", sample_rate, 1)
        spectrogram = Spectrogram(n_fft, win_length, hop_length, pad, window, 1.0)
        self.spectrogram = spectrogram.in_the_name_of("SpectralCentroid")

    def transform(self, array):
        """The array that it makes of an array."""
        magnitudes = self.spectrogram.transform(array)
        frequencies = numpy.linspace(0, self.sample_rate // 2, magnitudes.shape[-2])[:, None]
        total = magnitudes.sum(-2, keepdims=True)
        with numpy.errstate(invalid="ignore"):
            return ((frequencies * magnitudes).sum(-2, keepdims=True) / total).astype(array.dtype)


class GriffinLim(FramedOperation):
    """A waveform whose spectrogram comes near the given one: phases are found by going back and forth."""

    least_rank = 2
    meaning = "(..., freq, time)"

    def __init__(
        self,
        n_fft=400,
        n_iter: int = 32,
        win_length=None,
        hop_length=None,
        window_type=WindowType.HANN,
        power: float = 2.0,
        momentum: float = 0.99,
        length=None,
        rand_init: bool = True,
    ) -> None:
        self.take_frames("GriffinLim", n_fft, win_length, hop_length, window_type)
        self.n_iter = check.require_int("GriffinLim", "n_iter", n_iter, 1)
        self.power = check.positive("GriffinLim", "power", power)
        self.momentum = check.at_least("GriffinLim", "momentum", momentum, 0)
        self.length = check.optional(check.require_int, "GriffinLim", "length", length)
        self.rand_init = check.require_type("GriffinLim", "rand_init", rand_init, bool)

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        array = real_array("GriffinLim", columns[0], 2, "(..., freq, time)")
        bins = self.frames.n_fft // 2 + 1
        if array.shape[-2] != bins:
            raise RuntimeError(f"GriffinLim: the spectrogram has {array.shape[-2]} frequencies; need {bins}")
        magnitudes = array.astype(numpy.float64) ** (1 / self.power)
        angles = numpy.ones(array.shape, complex)
        if self.rand_init:
            angles = numpy.exp(2j * math.pi * generator_of(random).random(array.shape))
        waveform = self._waveform(magnitudes * self._settled(magnitudes, angles))
        return (waveform.astype(array.dtype),)

    def _waveform(self, spectrum):
        return inverted(spectrum, self.frames, self.length, center=True, onesided=True)

    def _settled(self, magnitudes, angles):
        before = numpy.zeros_like(angles)
        speed = self.momentum / (1 + self.momentum)
        for _ in range(self.n_iter):
            waveform = self._waveform(magnitudes * angles)
            rebuilt = transformed(waveform, self.frames, True, BorderType.REFLECT, True)
            rebuilt = rebuilt[..., : magnitudes.shape[-1]]
            missing = magnitudes.shape[-1] - rebuilt.shape[-1]
            rebuilt = numpy.pad(rebuilt, [(0, 0)] * (rebuilt.ndim - 1) + [(0, missing)])
            angles = rebuilt - speed * before
            angles = angles / (numpy.abs(angles) + 1e-16)
            before = rebuilt
        return angles


def stretched(spectrum, rate, phase_advance):
    """A spectrogram of complex numbers (…, freq, time) `rate` times as fast, with phases that go on smoothly."""
    if rate == 1:
        return spectrum
    steps = numpy.arange(0, spectrum.shape[-1], rate)
    whole = steps.astype(int)
    share = steps - whole
    spread = numpy.concatenate([spectrum, numpy.zeros((*spectrum.shape[:-1], 2))], -1)
    first, second = spread[..., whole], spread[..., whole + 1]
    change = numpy.angle(second) - numpy.angle(first) - phase_advance
    change = change - 2 * math.pi * numpy.round(change / (2 * math.pi)) + phase_advance
    phase = numpy.concatenate([numpy.angle(spread[..., :1]), change[..., :-1]], -1).cumsum(-1)
    magnitude = share * numpy.abs(second) + (1 - share) * numpy.abs(first)
    return magnitude * numpy.exp(1j * phase)


class PhaseVocoder(AudioOperation):
    """Phase vocoder: speeds up a spectrogram of parts (…, freq, time, 2) by `rate` at the same pitch."""

    least_rank = 3
    meaning = "(..., freq, time, 2)"

    def __init__(self, rate: float, phase_advance) -> None:
        self.rate = check.positive("PhaseVocoder", "rate", rate)
        check.require_type("PhaseVocoder", "phase_advance", phase_advance, numpy.ndarray)
        if phase_advance.ndim != 2 or phase_advance.shape[1] != 1:
            raise ValueError(f"PhaseVocoder: phase_advance has shape {phase_advance.shape}; need (freq, 1)")
        self.phase_advance = phase_advance

    def transform(self, array) -> numpy.ndarray:
        """The array that it makes of an array."""
        spectrum = complex_array("PhaseVocoder", array)
        if spectrum.shape[-2] != len(self.phase_advance):
            raise RuntimeError(
                f"PhaseVocoder: the spectrogram has {spectrum.shape[-2]} frequencies and phase_advance "
                f"{len(self.phase_advance)}; need as many"
            )
        return in_parts(stretched(spectrum, self.rate, self.phase_advance), array.dtype)


class TimeStretch(AudioOperation):
    """The phase vocoder with the phases of a hop length; without a rate the spectrogram is not changed.

    `n_freq` determines the default hop length; the spectrogram may have any number of frequencies.
    """

    least_rank = 3
    meaning = "(..., freq, time, 2)"

    def __init__(
        self, hop_length: int | None = None, n_freq: int = 201, fixed_rate: float | None = None
    ) -> None:
        self.n_freq = check.require_int("TimeStretch", "n_freq", n_freq, 1)
        default = self.n_freq - 1
        self.hop_length = (
            default if hop_length is None else check.require_int("TimeStretch", "hop_length", hop_length, 1)
        )
        self.fixed_rate = (
            1.0 if fixed_rate is None else check.positive("TimeStretch", "fixed_rate", fixed_rate)
        )

    def transform(self, array) -> numpy.ndarray:
        """The array that it makes of an array."""
        spectrum = complex_array("TimeStretch", array)
        advance = numpy.linspace(0, math.pi * self.hop_length, spectrum.shape[-2])[:, None]
        return in_parts(stretched(spectrum, self.fixed_rate, advance), array.dtype)


class PitchShift(FramedOperation):
    """Shifts the pitch by `n_steps` of which an octave has `bins_per_octave`."""

    def __init__(
        self,
        sample_rate: int,
        n_steps: int,
        bins_per_octave: int = 12,
        n_fft=512,
        win_length=None,
        hop_length=None,
        window=WindowType.HANN,
    ) -> None:
        self.sample_rate = check.require_int("PitchShift", "sample_rate", sample_rate, 1)
        self.n_steps = check.require_type("PitchShift", "n_steps", n_steps, int)
        self.bins_per_octave = check.require_type("PitchShift", "bins_per_octave", bins_per_octave, int)
        if bins_per_octave == 0:
            raise ValueError("PitchShift: bins_per_octave is 0; need an int other than 0")
        win_length = n_fft if win_length is None else win_length
        hop_length = (
            max(win_length // 4, 1) if hop_length is None and isinstance(win_length, int) else hop_length
        )
        self.take_frames("PitchShift", n_fft, win_length, hop_length, window)

    def transform(self, array) -> numpy.ndarray:
        """The array that it makes of an array."""
        rate = 2.0 ** (-self.n_steps / self.bins_per_octave)
        length = array.shape[-1]
        spectrum = transformed(array, self.frames, True, BorderType.REFLECT, True)
        advance = numpy.linspace(0, math.pi * self.frames.hop_length, spectrum.shape[-2])[:, None]
        slower = stretched(spectrum, rate, advance)
        waveform = inverted(slower, self.frames, round(length / rate), center=True, onesided=True)
        shifted = resampled(waveform, int(self.sample_rate / rate), self.sample_rate, 6, 0.99, None)[
            ..., :length
        ]
        missing = length - shifted.shape[-1]
        return numpy.pad(shifted, [(0, 0)] * (array.ndim - 1) + [(0, missing)]).astype(array.dtype)
