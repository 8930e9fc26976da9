"""Recursive filters; they run natively. The designs are those of the audio EQ cookbook and of SoX."""

import math
from typing import Any

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation
from dyad.dataset.audio.waveform import AudioOperation, filtered


def _coefficients(owner, name, values):
    check.require_type(owner, name, values, list, tuple)
    if not values:
        raise ValueError(f"{owner}: {name} is empty; need at least one coefficient")
    return [check.finite(owner, f"{name}[{i}]", value) for i, value in enumerate(values)]


class _Filter(TensorOperation):
    """A recurrence a, b along the last axis."""

    clamp = True

    def design(self, a, b) -> None:
        """Keeps the coefficients."""
        if a[0] == 0:
            raise ValueError(
                f"{type(self).__name__}: the first coefficient of the denominator is 0; need another"
            )
        self.a, self.b = list(a), list(b)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "linear_filter", {"owner": type(self).__name__, "a": self.a, "b": self.b, "clamp": self.clamp}


class LFilter(_Filter):
    """A filter by a difference equation: a_coeffs weigh earlier outputs, b_coeffs inputs."""

    def __init__(self, a_coeffs, b_coeffs, clamp: bool = True) -> None:
        a = _coefficients("LFilter", "a_coeffs", a_coeffs)
        b = _coefficients("LFilter", "b_coeffs", b_coeffs)
        if len(a) != len(b):
            raise ValueError(f"LFilter: a_coeffs has {len(a)} numbers and b_coeffs {len(b)}; need as many")
        self.clamp = check.require_type("LFilter", "clamp", clamp, bool)
        self.design(a, b)


class Filtfilt(AudioOperation):
    """The filter forwards and then backwards, which leaves phases as they are."""

    def __init__(self, a_coeffs, b_coeffs, clamp: bool = True) -> None:
        self.a = _coefficients("Filtfilt", "a_coeffs", a_coeffs)
        self.b = _coefficients("Filtfilt", "b_coeffs", b_coeffs)
        if len(self.a) != len(self.b):
            raise ValueError(
                f"Filtfilt: a_coeffs has {len(self.a)} numbers and b_coeffs {len(self.b)}; need as many"
            )
        if self.a[0] == 0:
            raise ValueError("Filtfilt: the first of a_coeffs is 0; need another")
        self.clamp = check.require_type("Filtfilt", "clamp", clamp, bool)

    def transform(self, array):
        """The array that it makes of an array."""
        forward = filtered(array, self.a, self.b)
        return filtered(forward[..., ::-1], self.a, self.b, self.clamp)[..., ::-1]


class Biquad(_Filter):
    """A filter of second order by its coefficients."""

    def __init__(self, b0, b1, b2, a0, a1, a2):
        named = {"b0": b0, "b1": b1, "b2": b2, "a0": a0, "a1": a1, "a2": a2}
        values = [check.finite("Biquad", name, value) for name, value in named.items()]
        if values[3] == 0:
            raise ValueError("Biquad: a0 is 0; need another number")
        self.design(values[3:], values[:3])


class _Resonance:
    """Angular frequency, its cosine and the bandwidth, from which filters are designed."""

    def __init__(
        self, owner, sample_rate: int, frequency: float, quality: float, name="central_freq"
    ) -> None:
        check.sample_rate(owner, sample_rate)
        check.finite(owner, name, frequency)
        check.positive(owner, "Q", quality)
        check.fraction(owner, "Q", quality)
        angle = 2 * math.pi * frequency / sample_rate
        self.cos = math.cos(angle)
        self.sin = math.sin(angle)
        self.alpha = self.sin / (2 * quality)
        self.denominator = [1 + self.alpha, -2 * self.cos, 1 - self.alpha]


class AllpassBiquad(_Filter):
    """Changes phases around a frequency and no amplitude."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        at = _Resonance("AllpassBiquad", sample_rate, central_freq, Q)
        self.design(at.denominator, at.denominator[::-1])


class BandBiquad(_Filter):
    """A band around a frequency, for pitched sounds or for noise."""

    def __init__(self, sample_rate, central_freq, Q=0.707, noise: bool = False) -> None:
        at = _Resonance("BandBiquad", sample_rate, central_freq, Q)
        check.require_type("BandBiquad", "noise", noise, bool)
        a2 = math.exp(-2 * math.pi * (central_freq / Q) / sample_rate)
        a1 = -4 * a2 / (1 + a2) * at.cos
        b0 = math.sqrt(1 - a1 * a1 / (4 * a2)) * (1 - a2)
        if noise:
            b0 = math.sqrt(((1 + a2) ** 2 - a1 * a1) * (1 - a2) / (1 + a2))
        self.design([1, a1, a2], [b0, 0, 0])


class BandpassBiquad(_Filter):
    """Band-pass biquad filter."""

    def __init__(self, sample_rate, central_freq, Q=0.707, const_skirt_gain: bool = False) -> None:
        at = _Resonance("BandpassBiquad", sample_rate, central_freq, Q)
        check.require_type("BandpassBiquad", "const_skirt_gain", const_skirt_gain, bool)
        peak = at.sin / 2 if const_skirt_gain else at.alpha
        self.design(at.denominator, [peak, 0, -peak])


class BandrejectBiquad(_Filter):
    """Band-reject biquad filter."""

    def __init__(self, sample_rate, central_freq, Q=0.707):
        at = _Resonance("BandrejectBiquad", sample_rate, central_freq, Q)
        self.design(at.denominator, [1, -2 * at.cos, 1])


def _shelf(gain, cos, alpha, high):
    """(a, b) of a shelf: what is above the frequency, or below it, is louder by `gain` decibels."""
    root = 10 ** (gain / 40)
    slope = 2 * math.sqrt(root) * alpha
    sign = 1 if high else -1
    minus, plus = (root - 1) * cos * sign, (root + 1) * cos * sign
    b = [root + 1 + minus + slope, -2 * sign * (root - 1 + plus), root + 1 + minus - slope]
    a = [root + 1 - minus + slope, 2 * sign * (root - 1 - plus), root + 1 - minus - slope]
    return a, [root * value for value in b]


class BassBiquad(_Filter):
    """Low-shelf biquad filter: changes bass by `gain` decibels."""

    def __init__(self, sample_rate, gain: float, central_freq=100.0, Q=0.707) -> None:
        at = _Resonance("BassBiquad", sample_rate, central_freq, Q)
        self.design(*_shelf(check.finite("BassBiquad", "gain", gain), at.cos, at.alpha, high=False))


class TrebleBiquad(_Filter):
    """High-shelf biquad filter: changes treble by `gain` decibels."""

    def __init__(self, sample_rate, gain: float, central_freq=3000, Q=0.707) -> None:
        at = _Resonance("TrebleBiquad", sample_rate, central_freq, Q)
        self.design(*_shelf(check.finite("TrebleBiquad", "gain", gain), at.cos, at.alpha, high=True))


class DeemphBiquad(_Filter):
    """The de-emphasis of compact discs, for 44100 or 48000 samples per second."""

    _designs = {44100: (5283, 0.4845, -9.477), 48000: (5356, 0.479, -9.62)}  # noqa: RUF012

    def __init__(self, sample_rate: int) -> None:
        check.require_type("DeemphBiquad", "sample_rate", sample_rate, int)
        if sample_rate not in self._designs:
            raise ValueError(f"DeemphBiquad: sample_rate is {sample_rate}; need 44100 or 48000")
        frequency, slope, gain = self._designs[sample_rate]
        angle = 2 * math.pi * frequency / sample_rate
        root = 10 ** (gain / 40)
        alpha = math.sin(angle) / 2 * math.sqrt((root + 1 / root) * (1 / slope - 1) + 2)
        self.design(*_shelf(gain, math.cos(angle), alpha, high=True))


class EqualizerBiquad(_Filter):
    """Peaking equalizer biquad filter: changes a band around a frequency by `gain` decibels."""

    def __init__(self, sample_rate, center_freq, gain: float, Q=0.707) -> None:
        at = _Resonance("EqualizerBiquad", sample_rate, center_freq, Q, "center_freq")
        root = 10 ** (check.finite("EqualizerBiquad", "gain", gain) / 40)
        a = [1 + at.alpha / root, -2 * at.cos, 1 - at.alpha / root]
        self.design(a, [1 + at.alpha * root, -2 * at.cos, 1 - at.alpha * root])


class HighpassBiquad(_Filter):
    """High-pass biquad filter."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        at = _Resonance("HighpassBiquad", sample_rate, cutoff_freq, Q, "cutoff_freq")
        half = (1 + at.cos) / 2
        self.design(at.denominator, [half, -2 * half, half])


class LowpassBiquad(_Filter):
    """Low-pass biquad filter."""

    def __init__(self, sample_rate, cutoff_freq, Q=0.707):
        at = _Resonance("LowpassBiquad", sample_rate, cutoff_freq, Q, "cutoff_freq")
        half = (1 - at.cos) / 2
        self.design(at.denominator, [half, 2 * half, half])


class RiaaBiquad(_Filter):
    """The playback equalization of records, at 0 dB for 1 kHz."""

    _zeros_and_poles = {  # noqa: RUF012
        44100: ((-0.2014898, 0.9233820), (0.7083149, 0.9924091)),
        48000: ((-0.1766069, 0.9321590), (0.7396325, 0.9931330)),
        88200: ((-0.1168735, 0.9648312), (0.8590646, 0.9964002)),
        96000: ((-0.1141486, 0.9676817), (0.8699137, 0.9966946)),
    }

    def __init__(self, sample_rate: int) -> None:
        check.require_type("RiaaBiquad", "sample_rate", sample_rate, int)
        if sample_rate not in self._zeros_and_poles:
            raise ValueError(f"RiaaBiquad: sample_rate is {sample_rate}; need 44100, 48000, 88200 or 96000")
        b, a = ([1, -(u + v), u * v] for u, v in self._zeros_and_poles[sample_rate])
        turn = complex(0, -2 * math.pi * 1000 / sample_rate)
        response = [sum(c * math.e ** (turn * k) for k, c in enumerate(side)) for side in (b, a)]
        gain = abs(response[1]) / abs(response[0])
        self.design(a, [value * gain for value in b])
