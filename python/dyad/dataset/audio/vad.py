"""Voice activity detection: removes audio before the start of speech."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import WindowType
from dyad.dataset.audio.fourier import window_of
from dyad.dataset.audio.waveform import AudioOperation


def _weights(length):
    return window_of(WindowType.HANN, length) * (2 / math.sqrt(length))


class _Cepstra:
    """Measures the speech in each channel: the power of a part of the cepstrum, minus noise."""

    def __init__(self, settings, channels):
        self.settings = settings
        rate = settings.sample_rate
        self.length = int(rate * settings.measure_duration + 0.5)
        size = 16
        while size < self.length:
            size *= 2
        self.size = size
        first = max(int(settings.hp_filter_freq / rate * size + 0.5), 1)
        last = min(int(settings.lp_filter_freq / rate * size + 0.5), size // 2)
        self.band = slice(first, last)
        last_lifter = min(math.floor(rate * 0.5 / settings.hp_lifter_freq), size // 4)
        self.lifter = slice(math.ceil(rate * 0.5 / settings.lp_lifter_freq), last_lifter)
        for name, part in (("filter", self.band), ("lifter", self.lifter)):
            if part.stop <= part.start or self.length < 1:
                raise RuntimeError(
                    f"Vad: no frequency lies between hp_{name}_freq and lp_{name}_freq at {rate} samples per second"
                )
        self.spectrum = numpy.zeros((channels, last - first))
        self.noise = numpy.zeros((channels, last - first))
        self.boots = 0

    def _decay(self, seconds):
        return math.exp(-1 / (seconds * self.settings.measure_freq))

    def measure(self, samples):
        """One number per channel of samples (channel, time)."""
        booting = self.boots >= 0
        keep = self.boots / (1 + self.boots) if booting else self._decay(self.settings.measure_smooth_time)
        found = numpy.abs(numpy.fft.rfft(samples * _weights(self.length), self.size))[:, self.band]
        self.spectrum = self.spectrum * keep + found * (1 - keep)
        power = self.spectrum**2
        rising = numpy.where(
            power > self.noise,
            self._decay(self.settings.noise_up_time),
            self._decay(self.settings.noise_down_time),
        )
        keep = 0 if booting else rising
        self.noise = self.noise * keep + power * (1 - keep)
        clean = numpy.sqrt(numpy.maximum(0, power - self.settings.noise_reduction_amount * self.noise))
        buffer = numpy.zeros((len(samples), self.size // 2))
        buffer[:, self.band] = clean * _weights(clean.shape[1])
        total = (numpy.abs(numpy.fft.rfft(buffer)[:, self.lifter]) ** 2).sum(1)
        with numpy.errstate(divide="ignore"):
            level = numpy.log(total / (self.lifter.stop - self.lifter.start))
        return numpy.maximum(0, 21 + level)

    def end_turn(self) -> None:
        """Counts the measurements without enough history."""
        if self.boots >= 0:
            last = int(self.settings.boot_time * self.settings.measure_freq - 0.5)
            self.boots = -1 if self.boots == last else self.boots + 1


class Vad(AudioOperation):
    """Cuts off what comes before speech; silence and background noise are empty afterwards."""

    trigger_level: float
    trigger_time: float
    search_time: float
    allowed_gap: float
    pre_trigger_time: float
    measure_freq: float

    def __init__(
        self,
        sample_rate: int,
        trigger_level=7.0,
        trigger_time=0.25,
        search_time=1.0,
        allowed_gap=0.25,
        pre_trigger_time=0.0,
        boot_time=0.35,
        noise_up_time=0.1,
        noise_down_time=0.01,
        noise_reduction_amount: float = 1.35,
        measure_freq=20.0,
        measure_duration=None,
        measure_smooth_time=0.4,
        hp_filter_freq=50.0,
        lp_filter_freq=6000.0,
        hp_lifter_freq=150.0,
        lp_lifter_freq=2000.0,
    ) -> None:
        self.sample_rate = check.require_int("Vad", "sample_rate", sample_rate, 1)
        given = dict(locals())
        for name in ("trigger_level", "search_time", "allowed_gap", "pre_trigger_time", "boot_time"):
            setattr(self, name, check.at_least("Vad", name, given[name], 0))
        self.noise_reduction_amount = check.at_least(
            "Vad", "noise_reduction_amount", noise_reduction_amount, 0
        )
        positive = ("trigger_time", "noise_up_time", "noise_down_time", "measure_freq", "measure_smooth_time")
        for name in (*positive, "hp_filter_freq", "lp_filter_freq", "hp_lifter_freq", "lp_lifter_freq"):
            setattr(self, name, check.positive("Vad", name, given[name]))
        duration = 2.0 / self.measure_freq if measure_duration is None else measure_duration
        self.measure_duration = check.positive("Vad", "measure_duration", duration)
        self.past = math.ceil(self.search_time * self.measure_freq)  # how many measures are kept
        if self.past < 1:
            raise ValueError(f"Vad: search_time is {search_time}; need the time of a measure at least")

    def transform(self, array):
        """The array that it makes of an array."""
        if not array.size:
            return array
        start = self._start(array.reshape(-1, array.shape[-1]))
        return array[..., array.shape[-1] if start is None else start :]

    def _start(self, lines):
        """Start of speech; None if there is none."""
        cepstra = _Cepstra(self, len(lines))
        period = max(int(self.sample_rate / self.measure_freq + 0.5), 1)
        measures = numpy.zeros((len(lines), self.past))
        mean = numpy.zeros(len(lines))
        keep = math.exp(-1 / (self.trigger_time * self.measure_freq))
        for turn, end in enumerate(range(cepstra.length, lines.shape[1], period)):
            level = cepstra.measure(lines[:, end - cepstra.length : end])
            newest = turn % self.past
            measures[:, newest] = level
            mean = mean * keep + level * (1 - keep)
            cepstra.end_turn()
            if (mean >= self.trigger_level).any():
                first = int(numpy.argmax(mean >= self.trigger_level))
                flushed = max(self._quiet_turns(line, newest) for line in measures[first:])
                before = int(self.pre_trigger_time * self.sample_rate + 0.5) + cepstra.length
                return max(end - before - min(flushed, self.past) * period, 0)
        return None

    def _quiet_turns(self, measures, newest):
        """Number of measurements since the start of speech."""
        gap = int(self.allowed_gap * self.measure_freq + 0.5)
        spoken = begun = self.past
        for back in range(self.past):
            level = measures[(newest - back) % self.past]
            if level >= self.trigger_level and back <= spoken + gap:
                spoken = begun = back
            elif level == 0 and spoken >= begun:
                begun = back
        return min(self.past - 1, begun)
