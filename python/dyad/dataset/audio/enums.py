"""Choices of audio transforms."""

import enum


class BorderType(enum.StrEnum):
    """The extension of a signal beyond its ends."""

    CONSTANT = "constant"
    EDGE = "edge"
    REFLECT = "reflect"
    SYMMETRIC = "symmetric"


class DensityFunction(enum.StrEnum):
    """Distribution of dithering noise: triangular, rectangular, Gaussian."""

    TPDF = "TPDF"
    RPDF = "RPDF"
    GPDF = "GPDF"


class FadeShape(enum.StrEnum):
    """The curve of a fade."""

    QUARTER_SINE = "quarter_sine"
    HALF_SINE = "half_sine"
    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"
    EXPONENTIAL = "exponential"


class GainType(enum.StrEnum):
    """The quantity that a gain multiplies, or decibels."""

    AMPLITUDE = "amplitude"
    POWER = "power"
    DB = "db"


class Interpolation(enum.StrEnum):
    """Interpolation of a delay between two samples."""

    LINEAR = "linear"
    QUADRATIC = "quadratic"


class MelType(enum.StrEnum):
    """The formula of the mel scale."""

    HTK = "htk"
    SLANEY = "slaney"


class Modulation(enum.StrEnum):
    """The wave by which a delay varies."""

    SINUSOIDAL = "sinusoidal"
    TRIANGULAR = "triangular"


class NormMode(enum.StrEnum):
    """Normalization of a cosine transform."""

    ORTHO = "ortho"
    NONE = "none"


class NormType(enum.StrEnum):
    """Normalization of mel filters by their width."""

    SLANEY = "slaney"
    NONE = "none"


class ResampleMethod(enum.StrEnum):
    """The window of the sinc that resampling uses."""

    SINC_INTERPOLATION = "sinc_interpolation"
    KAISER_WINDOW = "kaiser_window"


class ScaleType(enum.StrEnum):
    """Values of a spectrogram: powers or magnitudes."""

    POWER = "power"
    MAGNITUDE = "magnitude"


class WindowType(enum.StrEnum):
    """The window of a Fourier transform."""

    BARTLETT = "bartlett"
    BLACKMAN = "blackman"
    HAMMING = "hamming"
    HANN = "hann"
    KAISER = "kaiser"
