"""Changes of level: decibels, gains, fades, companding, distortion, dither."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import DensityFunction, FadeShape, GainType, ScaleType
from dyad.dataset.audio.waveform import AudioOperation, filtered, generator_of, real_array


class AmplitudeToDB(AudioOperation):
    """Powers or magnitudes in decibels, at most `top_db` below the loudest one."""

    def __init__(
        self, stype: ScaleType = ScaleType.POWER, ref_value: float = 1.0, amin: float = 1e-10, top_db=80.0
    ) -> None:
        owner = "AmplitudeToDB"
        self.multiplier = (
            10.0 if check.require_type(owner, "stype", stype, ScaleType) == ScaleType.POWER else 20.0
        )
        self.ref_value = check.positive(owner, "ref_value", ref_value)
        self.amin = check.positive(owner, "amin", amin)
        self.top_db = check.optional(check.positive, owner, "top_db", top_db)

    def transform(self, array):
        """The array that it makes of an array."""
        reference = math.log10(max(self.amin, self.ref_value))
        decibels = self.multiplier * (numpy.log10(numpy.maximum(array, self.amin)) - reference)
        if self.top_db is not None:
            axes = tuple(range(-min(array.ndim, 3), 0))
            loudest = decibels.max(axes, keepdims=True, initial=-numpy.inf)
            decibels = numpy.maximum(decibels, loudest - self.top_db)
        return decibels.astype(array.dtype)


class DBToAmplitude(AudioOperation):
    """Decibels as powers (power 1) or magnitudes (power 0.5) of a reference."""

    least_rank = 0

    def __init__(self, ref: float, power: float) -> None:
        self.ref = check.finite("DBToAmplitude", "ref", ref)
        self.power = check.finite("DBToAmplitude", "power", power)

    def transform(self, array):
        """The array that it makes of an array."""
        return (self.ref * (10 ** (0.1 * array)) ** self.power).astype(array.dtype)


class Contrast(AudioOperation):
    """Contrast enhancement: makes audio sound louder without compressing it."""

    def __init__(self, enhancement_amount: float = 75.0) -> None:
        self.enhancement_amount = check.fraction("Contrast", "enhancement_amount", enhancement_amount, 0, 100)

    def transform(self, array):
        """The array that it makes of an array."""
        angle = array * (math.pi / 2)
        return numpy.sin(angle + self.enhancement_amount / 750 * numpy.sin(4 * angle)).astype(array.dtype)


class DCShift(AudioOperation):
    """Shifts the level; a limiter gain keeps the peaks that would leave [-1, 1]."""

    def __init__(self, shift: float, limiter_gain=None) -> None:
        self.shift = check.fraction("DCShift", "shift", shift, -2, 2)
        self.limiter_gain = check.optional(check.finite, "DCShift", "limiter_gain", limiter_gain)

    def transform(self, array):
        """The array that it makes of an array."""
        shifted = numpy.clip(array + self.shift, -1, 1)
        if self.limiter_gain is not None and self.shift != 0:
            sign = 1 if self.shift > 0 else -1
            shifted = numpy.where(
                array * sign > self._threshold(), self._limited(array * sign) * sign, shifted
            )
        return shifted.astype(array.dtype)

    def _threshold(self):
        return 1 - (abs(self.shift) - self.limiter_gain)

    def _limited(self, peaks):
        """Peaks beyond the threshold: pressed together, shifted, and at most the threshold."""
        threshold = self._threshold()
        pressed = (peaks - threshold) * (self.limiter_gain / (1 - threshold)) if threshold != 1 else 0
        return numpy.minimum(pressed + threshold + abs(self.shift), threshold)


class Dither(AudioOperation):
    """Dithering: adds noise of one step of 16 bits and rounds; noise shaping adds a sample's error to the next one."""

    _steps = 2**15

    def __init__(
        self, density_function: DensityFunction = DensityFunction.TPDF, noise_shaping: bool = False
    ) -> None:
        self.density_function = check.require_type(
            "Dither", "density_function", density_function, DensityFunction
        )
        self.noise_shaping = check.require_type("Dither", "noise_shaping", noise_shaping, bool)

    def _noise(self, generator, shape):
        if self.density_function == DensityFunction.GPDF:
            return generator.random((6, *shape)).sum(0) - 3
        if self.density_function == DensityFunction.RPDF:
            return generator.random(shape) - 0.5
        return generator.triangular(-1, 0, 1, shape)

    def apply(self, columns, random) -> tuple:
        """The columns that it makes of a tuple of columns."""
        array = real_array("Dither", columns[0], 1, "(..., time)")
        scaled = array * float(self._steps - 1)
        dithered = numpy.round(scaled + self._noise(generator_of(random), array.shape)) / self._steps
        if self.noise_shaping:
            error = dithered - array
            dithered[..., 1:] += error[..., :-1]
        return (dithered.astype(array.dtype),)


class Fade(AudioOperation):
    """Fades in at the beginning and out at the end."""

    def __init__(
        self, fade_in_len: int = 0, fade_out_len: int = 0, fade_shape: FadeShape = FadeShape.LINEAR
    ) -> None:
        self.fade_in_len = check.require_int("Fade", "fade_in_len", fade_in_len)
        self.fade_out_len = check.require_int("Fade", "fade_out_len", fade_out_len)
        self.fade_shape = check.require_type("Fade", "fade_shape", fade_shape, FadeShape)

    def _curve(self, rise):
        """The factors of a fade in, for times in [0, 1]."""
        if self.fade_shape == FadeShape.LINEAR:
            return rise
        if self.fade_shape == FadeShape.EXPONENTIAL:
            return 2 ** (rise - 1) * rise
        if self.fade_shape == FadeShape.LOGARITHMIC:
            return numpy.log10(0.1 + rise) + 1
        if self.fade_shape == FadeShape.QUARTER_SINE:
            return numpy.sin(rise * math.pi / 2)
        return numpy.sin(rise * math.pi - math.pi / 2) / 2 + 0.5

    def transform(self, array):
        """The array that it makes of an array."""
        length = array.shape[-1]
        for name, size in (("fade_in_len", self.fade_in_len), ("fade_out_len", self.fade_out_len)):
            if size > length:
                raise RuntimeError(f"Fade: {name} is {size}; the waveform has {length} samples")
        faded = array.copy()
        faded[..., : self.fade_in_len] *= self._curve(numpy.linspace(0, 1, self.fade_in_len))
        faded[..., length - self.fade_out_len :] *= self._curve(numpy.linspace(1, 0, self.fade_out_len))
        return faded


class Gain(AudioOperation):
    """Amplifies by `gain_db` decibels."""

    def __init__(self, gain_db: float = 1.0) -> None:
        self.gain_db = check.finite("Gain", "gain_db", gain_db)

    def transform(self, array):
        """The array that it makes of an array."""
        return (array * 10 ** (self.gain_db / 20)).astype(array.dtype)


class Vol(AudioOperation):
    """Changes the volume by a factor of the amplitude or of the power, or by decibels, within [-1, 1]."""

    def __init__(self, gain: float, gain_type: GainType = GainType.AMPLITUDE) -> None:
        self.gain_type = check.require_type("Vol", "gain_type", gain_type, GainType)
        self.gain = check.finite("Vol", "gain", gain)
        if self.gain_type == GainType.AMPLITUDE and self.gain < 0:
            raise ValueError(f"Vol: gain is {gain}; need a number of at least 0 for an amplitude")
        if self.gain_type == GainType.POWER and self.gain <= 0:
            raise ValueError(f"Vol: gain is {gain}; need a number above 0 for a power")

    def transform(self, array):
        """The array that it makes of an array."""
        if self.gain_type == GainType.AMPLITUDE:
            factor = self.gain
        else:
            factor = math.sqrt(self.gain) if self.gain_type == GainType.POWER else 10 ** (self.gain / 20)
        return numpy.clip(array * factor, -1, 1).astype(array.dtype)


class MuLawEncoding(AudioOperation):
    """A signal in [-1, 1] as numbers of steps of the mu-law."""

    def __init__(self, quantization_channels: int = 256) -> None:
        self.mu = check.require_int("MuLawEncoding", "quantization_channels", quantization_channels, 2) - 1

    def transform(self, array):
        """The array that it makes of an array."""
        companded = numpy.sign(array) * numpy.log1p(self.mu * numpy.abs(array)) / math.log1p(self.mu)
        return ((companded + 1) / 2 * self.mu + 0.5).astype(numpy.int32)


class MuLawDecoding(AudioOperation):
    """The signal of numbers of steps of the mu-law."""

    def __init__(self, quantization_channels: int = 256) -> None:
        self.mu = check.require_int("MuLawDecoding", "quantization_channels", quantization_channels, 2) - 1

    def transform(self, array):
        """The array that it makes of an array."""
        companded = array / self.mu * 2 - 1
        level = numpy.sign(companded) * numpy.expm1(numpy.abs(companded) * math.log1p(self.mu)) / self.mu
        return level.astype(array.dtype)


class Overdrive(AudioOperation):
    """Distorts: loud parts are bent, and the bend of a sample lasts into the next ones."""

    def __init__(self, gain: float = 20.0, color: float = 20.0) -> None:
        self.gain = check.fraction("Overdrive", "gain", gain, 0, 100)
        self.color = check.fraction("Overdrive", "color", color, 0, 100)

    def transform(self, array):
        """The array that it makes of an array."""
        driven = array.astype(numpy.float64) * 10 ** (self.gain / 20) + self.color / 200
        bent = numpy.where(driven < -1, -2 / 3, numpy.where(driven > 1, 2 / 3, driven - driven**3 / 3))
        lasting = filtered(bent, [1, -0.995], [1, -1])
        return numpy.clip(array * 0.5 + lasting * 0.75, -1, 1).astype(array.dtype)
