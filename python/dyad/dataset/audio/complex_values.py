"""Magnitudes and angles of spectrograms of real and imaginary parts (…, 2)."""

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.waveform import AudioOperation, complex_array


class _OfParts(AudioOperation):
    """Base class of transforms of real and imaginary parts."""

    meaning = "(..., 2), real and imaginary parts"


class Angle(_OfParts):
    """The angle of complex numbers."""

    def transform(self, array):
        """The array that it makes of an array."""
        return numpy.angle(complex_array("Angle", array)).astype(array.dtype)


class ComplexNorm(_OfParts):
    """The magnitude of complex numbers to a power."""

    def __init__(self, power: float = 1.0) -> None:
        self.power = check.at_least("ComplexNorm", "power", power, 0)

    def transform(self, array):
        """The array that it makes of an array."""
        return (numpy.abs(complex_array("ComplexNorm", array)) ** self.power).astype(array.dtype)


class Magphase(_OfParts):
    """The magnitude of complex numbers to a power, and their angle."""

    def __init__(self, power: float = 1.0) -> None:
        self.power = check.at_least("Magphase", "power", power, 0)

    def transform(self, array):
        """The array that it makes of an array."""
        numbers = complex_array("Magphase", array)
        return (numpy.abs(numbers) ** self.power).astype(array.dtype), numpy.angle(numbers).astype(
            array.dtype
        )
