"""Filter banks on the mel scale and on a linear one, and cepstra."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import BorderType, MelType, NormMode, NormType, WindowType
from dyad.dataset.audio.levels import AmplitudeToDB
from dyad.dataset.audio.spectrograms import Spectrogram
from dyad.dataset.audio.waveform import AudioOperation, generator_of, real_array

_LINEAR_HERTZ, _LINEAR_MELS, _LOG_STEP = (
    1000.0,
    15.0,
    math.log(6.4) / 27.0,
)  # Slaney's scale is linear below 1 kHz


def _to_mel(hertz, mel_type):
    if mel_type == MelType.HTK:
        return 2595.0 * numpy.log10(1.0 + hertz / 700.0)
    above = _LINEAR_MELS + numpy.log(numpy.maximum(hertz, 1e-10) / _LINEAR_HERTZ) / _LOG_STEP
    return numpy.where(hertz >= _LINEAR_HERTZ, above, hertz * 3 / 200)


def _to_hertz(mels, mel_type):
    if mel_type == MelType.HTK:
        return 700.0 * (10.0 ** (mels / 2595.0) - 1.0)
    return numpy.where(
        mels >= _LINEAR_MELS, _LINEAR_HERTZ * numpy.exp(_LOG_STEP * (mels - _LINEAR_MELS)), mels * 200 / 3
    )


def _triangles(frequencies, points):
    """Triangular filters (freq, filter), which rise from one point to the next and fall to the one after it."""
    widths = numpy.diff(points)
    slopes = points[None, :] - frequencies[:, None]
    with numpy.errstate(divide="ignore", invalid="ignore"):
        falling, rising = -slopes[:, :-2] / widths[:-1], slopes[:, 2:] / widths[1:]
    return numpy.maximum(0.0, numpy.minimum(falling, rising))


def _require_band(owner, f_min, f_max):
    if not f_min < f_max:
        raise ValueError(f"{owner}: f_min is {f_min} and f_max {f_max}; need f_min < f_max")


def melscale_fbanks(
    n_freqs: int,
    f_min: float,
    f_max: float,
    n_mels: int,
    sample_rate: int,
    norm: NormType = NormType.NONE,
    mel_type: MelType = MelType.HTK,
):
    """Triangular filters on the mel scale, (n_freqs, n_mels)."""
    owner = "melscale_fbanks"
    check.require_int(owner, "n_freqs", n_freqs, 1)
    check.require_int(owner, "n_mels", n_mels, 1)
    check.require_int(owner, "sample_rate", sample_rate, 1)
    _require_band(owner, check.at_least(owner, "f_min", f_min, 0), check.positive(owner, "f_max", f_max))
    check.require_type(owner, "norm", norm, NormType)
    check.require_type(owner, "mel_type", mel_type, MelType)
    ends = _to_mel(numpy.array([f_min, f_max], float), mel_type)
    points = _to_hertz(numpy.linspace(ends[0], ends[1], n_mels + 2), mel_type)
    filters = _triangles(numpy.linspace(0, sample_rate // 2, n_freqs), points)
    if norm == NormType.SLANEY:
        filters *= 2.0 / (points[2:] - points[:-2])
    return filters.astype(numpy.float32)


def linear_fbanks(n_freqs: int, f_min: float, f_max: float, n_filter: int, sample_rate: int):
    """Triangular filters at equal distances, (n_freqs, n_filter)."""
    owner = "linear_fbanks"
    check.require_int(owner, "n_freqs", n_freqs, 1)
    check.require_int(owner, "n_filter", n_filter, 1)
    check.require_int(owner, "sample_rate", sample_rate, 1)
    _require_band(owner, check.at_least(owner, "f_min", f_min, 0), check.positive(owner, "f_max", f_max))
    frequencies = numpy.linspace(0, sample_rate // 2, n_freqs)
    return _triangles(frequencies, numpy.linspace(f_min, f_max, n_filter + 2)).astype(numpy.float32)


def create_dct(n_mfcc: int, n_mels: int, norm: NormMode = NormMode.NONE):
    """The matrix (n_mels, n_mfcc) of a cosine transform."""
    check.require_int("create_dct", "n_mfcc", n_mfcc, 1)
    check.require_int("create_dct", "n_mels", n_mels, 1)
    check.require_type("create_dct", "norm", norm, NormMode)
    matrix = numpy.cos(math.pi / n_mels * (numpy.arange(n_mels)[:, None] + 0.5) * numpy.arange(n_mfcc))
    if norm == NormMode.NONE:
        return (2 * matrix).astype(numpy.float32)
    matrix[:, 0] /= math.sqrt(2)
    return (matrix * math.sqrt(2 / n_mels)).astype(numpy.float32)


def _filtered(filters, spectrogram):
    """Filters (freq, filter) applied to (…, freq, time)."""
    return numpy.swapaxes(numpy.swapaxes(spectrogram, -1, -2) @ filters, -1, -2)


class MelScale(AudioOperation):
    """A spectrogram (…, freq, time) on the mel scale (…, mel, time)."""

    least_rank = 2
    meaning = "(..., freq, time)"

    def __init__(
        self,
        n_mels=128,
        sample_rate: int = 16000,
        f_min=0.0,
        f_max=None,
        n_stft: int = 201,
        norm=NormType.NONE,
        mel_type=MelType.HTK,
    ) -> None:
        owner = type(self).__name__
        check.require_int(owner, "sample_rate", sample_rate, 1)
        self.n_stft = check.require_int(owner, "n_stft", n_stft, 1)
        f_max = sample_rate // 2 if f_max is None else f_max
        self.filters = melscale_fbanks(n_stft, f_min, f_max, n_mels, sample_rate, norm, mel_type)

    def transform(self, array):
        """The array that it makes of an array."""
        if array.shape[-2] != self.n_stft:
            raise RuntimeError(
                f"MelScale: the spectrogram has {array.shape[-2]} frequencies; n_stft is {self.n_stft}"
            )
        return _filtered(self.filters, array).astype(array.dtype)


class InverseMelScale(MelScale):
    """A spectrogram whose mel scale comes near the given one, found by gradient descent from random numbers."""

    meaning = "(..., mel, time)"

    def __init__(
        self,
        n_stft,
        n_mels=128,
        sample_rate=16000,
        f_min=0.0,
        f_max=None,
        max_iter: int = 100000,
        tolerance_loss: float = 1e-5,
        tolerance_change: float = 1e-8,
        sgdargs: dict | None = None,
        norm=NormType.NONE,
        mel_type=MelType.HTK,
    ) -> None:
        super().__init__(n_mels, sample_rate, f_min, f_max, n_stft, norm, mel_type)
        owner = "InverseMelScale"
        self.max_iter = check.require_int(owner, "max_iter", max_iter, 1)
        self.tolerance_loss = check.positive(owner, "tolerance_loss", tolerance_loss)
        self.tolerance_change = check.positive(owner, "tolerance_change", tolerance_change)
        given = {} if sgdargs is None else check.require_type(owner, "sgdargs", sgdargs, dict)
        self.rate = check.at_least(owner, "sgd_lr", given.get("sgd_lr", 0.1), 0)
        self.momentum = check.at_least(owner, "sgd_momentum", given.get("sgd_momentum", 0.9), 0)

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        array = real_array("InverseMelScale", columns[0], 2, self.meaning)
        if array.shape[-2] != self.filters.shape[1]:
            raise RuntimeError(
                f"InverseMelScale: the spectrogram has {array.shape[-2]} mels; n_mels is {self.filters.shape[1]}"
            )
        lines = numpy.swapaxes(array, -1, -2).reshape(-1, array.shape[-2]).astype(numpy.float64)
        start = generator_of(random).random((len(lines), self.n_stft))
        found = self._descended(lines, start).reshape(*array.shape[:-2], array.shape[-1], self.n_stft)
        return (numpy.swapaxes(found, -1, -2).astype(array.dtype),)

    def _descended(self, wanted, lines):
        velocity, before = numpy.zeros_like(lines), math.inf
        for _ in range(self.max_iter):
            difference = wanted - lines @ self.filters
            loss = (difference**2).sum(-1).mean()
            if loss < self.tolerance_loss or abs(before - loss) < self.tolerance_change:
                break
            gradient = -2 * difference @ self.filters.T / len(lines)
            velocity = self.momentum * velocity + gradient
            lines = numpy.maximum(lines - self.rate * velocity, 0)
            before = loss
        return lines


class MelSpectrogram(AudioOperation):
    """The spectrogram of a waveform on the mel scale."""

    def __init__(
        self,
        sample_rate=16000,
        n_fft=400,
        win_length=None,
        hop_length=None,
        f_min=0.0,
        f_max=None,
        pad=0,
        n_mels=128,
        window=WindowType.HANN,
        power: float = 2.0,
        normalized: bool = False,
        center: bool = True,
        pad_mode=BorderType.REFLECT,
        onesided: bool = True,
        norm=NormType.NONE,
        mel_scale=MelType.HTK,
    ) -> None:
        check.positive("MelSpectrogram", "power", power)
        self.spectrogram = Spectrogram(
            n_fft, win_length, hop_length, pad, window, power, normalized, center, pad_mode, onesided
        )
        self.spectrogram.in_the_name_of("MelSpectrogram")
        bins = n_fft // 2 + 1 if onesided else n_fft
        self.scale = MelScale(n_mels, sample_rate, f_min, f_max, bins, norm, mel_scale)

    def transform(self, array):
        """The array that it makes of an array."""
        return self.scale.transform(self.spectrogram.transform(array))


class _Cepstrum(AudioOperation):
    """The cosine transform of logarithms of a filtered spectrogram, in float32."""

    def take(self, dct_type: int, norm: NormMode, count, filters, log) -> None:
        """Checks and stores the arguments shared by both kinds."""
        owner = type(self).__name__
        if check.require_type(owner, "dct_type", dct_type, int) != 2:
            raise ValueError(f"{owner}: dct_type is {dct_type}; need 2")
        check.require_type(owner, "norm", norm, NormMode)
        if count > filters:
            raise ValueError(
                f"{owner}: {count} coefficients of {filters} filters were asked for; need at most {filters}"
            )
        self.dct = create_dct(count, filters, norm)
        self.log = log

    def cepstrum(self, levels):
        """The coefficients (…, coefficient, time)."""
        logs = numpy.log(levels + 1e-6) if self.log else AmplitudeToDB().transform(levels)
        return _filtered(self.dct, logs).astype(numpy.float32)


class MFCC(_Cepstrum):
    """Mel-frequency cepstral coefficients of a waveform."""

    def __init__(
        self,
        sample_rate=16000,
        n_mfcc: int = 40,
        dct_type=2,
        norm=NormMode.ORTHO,
        log_mels: bool = False,
        melkwargs: dict | None = None,
    ) -> None:
        check.require_int("MFCC", "n_mfcc", n_mfcc, 1)
        check.require_type("MFCC", "log_mels", log_mels, bool)
        given = {} if melkwargs is None else check.require_type("MFCC", "melkwargs", melkwargs, dict)
        self.mel = MelSpectrogram(sample_rate, **given)
        self.take(dct_type, norm, n_mfcc, self.mel.scale.filters.shape[1], log_mels)

    def transform(self, array):
        """The array that it makes of an array."""
        return self.cepstrum(self.mel.transform(array))


class LFCC(_Cepstrum):
    """Linear-frequency cepstral coefficients of a waveform."""

    def __init__(
        self,
        sample_rate: int = 16000,
        n_filter: int = 128,
        n_lfcc: int = 40,
        f_min=0.0,
        f_max=None,
        dct_type=2,
        norm=NormMode.ORTHO,
        log_lf: bool = False,
        speckwargs: dict | None = None,
    ) -> None:
        check.require_int("LFCC", "sample_rate", sample_rate, 1)
        check.require_int("LFCC", "n_filter", n_filter, 1)
        check.require_int("LFCC", "n_lfcc", n_lfcc, 1)
        check.require_type("LFCC", "log_lf", log_lf, bool)
        given = {} if speckwargs is None else check.require_type("LFCC", "speckwargs", speckwargs, dict)
        self.spectrogram = Spectrogram(**given).in_the_name_of("LFCC")
        f_max = sample_rate // 2 if f_max is None else f_max
        bins = (
            self.spectrogram.frames.n_fft // 2 + 1
            if self.spectrogram.onesided
            else self.spectrogram.frames.n_fft
        )
        self.filters = linear_fbanks(bins, f_min, f_max, n_filter, sample_rate)
        self.take(dct_type, norm, n_lfcc, n_filter, log_lf)

    def transform(self, array):
        """The array that it makes of an array."""
        return self.cepstrum(_filtered(self.filters, self.spectrogram.transform(array)))
