"""Effects of a delay that varies; their loops over samples run natively."""

import math
from typing import Any

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation
from dyad.dataset.audio.enums import Interpolation, Modulation


def wave_table(modulation, size, low, high, phase):
    """One period of a wave between two values, `size` samples long."""
    point = (numpy.arange(size) + int(phase / math.pi / 2 * size + 0.5)) % size
    if modulation == Modulation.SINUSOIDAL:
        wave = (numpy.sin(point / size * 2 * math.pi) + 1) / 2
    else:
        ramp, quarter = point * 2 / size, 4 * point // size
        wave = numpy.select([quarter == 0, quarter == 3], [ramp + 0.5, ramp - 1.5], 1.5 - ramp)
    return wave * (high - low) + low


class Phaser(TensorOperation):
    """Adds the sound to itself through a delay that varies by a few milliseconds."""

    def __init__(
        self,
        sample_rate: int,
        gain_in: float = 0.4,
        gain_out: float = 0.74,
        delay_ms: float = 3.0,
        decay: float = 0.4,
        mod_speed: float = 0.5,
        sinusoidal: bool = True,
    ) -> None:
        check.require_int("Phaser", "sample_rate", sample_rate, 1)
        self.gain_in = check.fraction("Phaser", "gain_in", gain_in)
        self.gain_out = check.fraction("Phaser", "gain_out", gain_out, 0, 1e9)
        check.fraction("Phaser", "delay_ms", delay_ms, 0, 5)
        self.decay = check.fraction("Phaser", "decay", decay, 0, 0.99)
        check.fraction("Phaser", "mod_speed", mod_speed, 0.1, 2)
        check.require_type("Phaser", "sinusoidal", sinusoidal, bool)
        self.length = int(delay_ms * 0.001 * sample_rate + 0.5)
        if self.length < 1:
            raise ValueError(f"Phaser: delay_ms is {delay_ms}; need a delay of at least half a sample")
        kind = Modulation.SINUSOIDAL if sinusoidal else Modulation.TRIANGULAR
        period = int(sample_rate / mod_speed + 0.5)
        self.delays = numpy.floor(wave_table(kind, period, 1, self.length, math.pi / 2) + 0.5).astype(
            numpy.int64
        )

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "phaser", {
            "delays": self.delays,
            "length": self.length,
            "gain_in": self.gain_in,
            "gain_out": self.gain_out,
            "decay": self.decay,
        }


class Flanger(TensorOperation):
    """Flanger: mixes the sound with itself through a varying delay, with feedback; channels are the axis
    before time.
    """

    def __init__(
        self,
        sample_rate: int,
        delay: float = 0.0,
        depth: float = 2.0,
        regen: float = 0.0,
        width: float = 71.0,
        speed: float = 0.5,
        phase: float = 25.0,
        modulation: Modulation = Modulation.SINUSOIDAL,
        interpolation: Interpolation = Interpolation.LINEAR,
    ) -> None:
        check.require_int("Flanger", "sample_rate", sample_rate, 1)
        check.fraction("Flanger", "delay", delay, 0, 30)
        check.fraction("Flanger", "depth", depth, 0, 10)
        check.fraction("Flanger", "regen", regen, -95, 95)
        check.fraction("Flanger", "width", width, 0, 100)
        check.fraction("Flanger", "speed", speed, 0.1, 10)
        check.fraction("Flanger", "phase", phase, 0, 100)
        check.require_type("Flanger", "modulation", modulation, Modulation)
        self.quadratic = (
            check.require_type("Flanger", "interpolation", interpolation, Interpolation)
            == Interpolation.QUADRATIC
        )
        period = int(sample_rate / speed)
        if period < 1:
            raise ValueError(
                f"Flanger: sample_rate is {sample_rate} and speed {speed}; need a period of a sample or more"
            )
        self.length = int((delay + depth) / 1000 * sample_rate + 0.5) + 2
        low = math.floor(delay / 1000 * sample_rate + 0.5)
        self.delays = wave_table(modulation, period, low, self.length - 2.0, 3 * math.pi / 2)
        self.feedback = regen / 100
        share = width / 100
        self.gain_in = 1 / (1 + share)
        self.gain_delayed = share / (1 + share) * (1 - abs(self.feedback))
        self.channel_phase = phase / 100

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "flanger", {
            "delays": self.delays,
            "length": self.length,
            "feedback": self.feedback,
            "gain_in": self.gain_in,
            "gain_delayed": self.gain_delayed,
            "channel_phase": self.channel_phase,
            "quadratic": self.quadratic,
        }
