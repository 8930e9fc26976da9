"""Features over time: deltas, normalized means, pitch."""

import math

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset.audio.enums import BorderType
from dyad.dataset.audio.waveform import AudioOperation

_SMALL = 1e-9


class ComputeDeltas(AudioOperation):
    """The slope of each feature (…, freq, time) over a window of times."""

    least_rank = 2
    meaning = "(..., freq, time)"

    def __init__(self, win_length: int = 5, pad_mode: BorderType = BorderType.EDGE) -> None:
        self.win_length = check.require_int("ComputeDeltas", "win_length", win_length, 3)
        self.pad_mode = check.require_type("ComputeDeltas", "pad_mode", pad_mode, BorderType)

    def transform(self, array):
        """The array that it makes of an array."""
        reach = (self.win_length - 1) // 2
        padded = numpy.pad(array, [(0, 0)] * (array.ndim - 1) + [(reach, reach)], self.pad_mode.value)
        windows = numpy.lib.stride_tricks.sliding_window_view(padded, 2 * reach + 1, -1)
        weights = numpy.arange(-reach, reach + 1) / (reach * (reach + 1) * (2 * reach + 1) / 3)
        return (windows @ weights).astype(array.dtype)


class SlidingWindowCmn(AudioOperation):
    """Subtracts from features (…, time, freq) their mean over a window of times; may divide by their deviation."""

    least_rank = 2
    meaning = "(..., time, freq)"

    def __init__(
        self, cmn_window: int = 600, min_cmn_window: int = 100, center: bool = False, norm_vars: bool = False
    ) -> None:
        self.cmn_window = check.require_int("SlidingWindowCmn", "cmn_window", cmn_window, 1)
        self.min_cmn_window = check.require_int("SlidingWindowCmn", "min_cmn_window", min_cmn_window, 1)
        self.center = check.require_type("SlidingWindowCmn", "center", center, bool)
        self.norm_vars = check.require_type("SlidingWindowCmn", "norm_vars", norm_vars, bool)

    def _windows(self, frames):
        """First and last-but-one time of the window of each time."""
        times = numpy.arange(frames)
        start = times - (self.cmn_window // 2 if self.center else self.cmn_window)
        end = start + self.cmn_window if self.center else times + 1
        end, start = numpy.where(start < 0, end - start, end), numpy.maximum(start, 0)
        if not self.center:
            end = numpy.where(end > times, numpy.maximum(times + 1, self.min_cmn_window), end)
        start = numpy.where(end > frames, numpy.maximum(start - (end - frames), 0), start)
        return start, numpy.minimum(end, frames)

    def transform(self, array):
        """The array that it makes of an array."""
        start, end = self._windows(array.shape[-2])
        values = array.astype(numpy.float64)
        count = (end - start)[:, None]

        def window_sums(terms):
            sums = numpy.concatenate([numpy.zeros_like(terms[..., :1, :]), terms.cumsum(-2)], -2)
            return sums[..., end, :] - sums[..., start, :]

        mean = window_sums(values) / count
        made = values - mean
        if self.norm_vars:
            variance = numpy.maximum(window_sums(values**2) / count - mean**2, 1e-10)
            made = numpy.where(count == 1, 0, made / numpy.sqrt(variance))
        return made.astype(array.dtype)


class DetectPitchFrequency(AudioOperation):
    """Pitch of each frame of `frame_time` seconds, from the lag with the highest autocorrelation; float32."""

    def __init__(
        self,
        sample_rate: int,
        frame_time: float = 0.01,
        win_length: int = 30,
        freq_low: float = 85,
        freq_high: float = 3400,
    ) -> None:
        owner = "DetectPitchFrequency"
        self.sample_rate = check.sample_rate(owner, sample_rate)
        self.frame_time = check.positive(owner, "frame_time", frame_time)
        self.win_length = check.require_int(owner, "win_length", win_length, 1)
        self.freq_low = check.positive(owner, "freq_low", freq_low)
        self.freq_high = check.positive(owner, "freq_high", freq_high)

    def _likeness(self, waveform):
        """Correlation of each frame with the one `lag` samples later: (channels, frame, lag)."""
        length = waveform.shape[-1]
        lags = math.ceil(self.sample_rate / self.freq_low)
        size = math.ceil(self.sample_rate * self.frame_time)
        frames = math.ceil(length / size)
        padded = numpy.pad(waveform, [(0, 0), (0, lags + frames * size - length)])
        first = padded[:, : frames * size].reshape(len(padded), frames, size)
        first_norm = (_SMALL + numpy.linalg.norm(first, axis=-1)) ** 2
        likeness = []
        for lag in range(1, lags + 1):
            second = padded[:, lag : lag + frames * size].reshape(first.shape)
            second_norm = (_SMALL + numpy.linalg.norm(second, axis=-1)) ** 2
            likeness.append((first * second).sum(-1) / first_norm / second_norm)
        return numpy.stack(likeness, -1)

    def _best_lags(self, likeness):
        """The lag of the highest correlation; a shorter one if its correlation is nearly as high."""
        low = math.ceil(self.sample_rate / self.freq_high)
        best, half = likeness[..., low:], likeness[..., low : likeness.shape[-1] // 2]
        if best.shape[-1] == 0 or half.shape[-1] == 0:
            raise RuntimeError(
                f"DetectPitchFrequency: no lag lies between freq_low {self.freq_low} and freq_high {self.freq_high}"
            )
        short = half.max(-1) > 0.99 * best.max(-1)
        return numpy.where(short, half.argmax(-1), best.argmax(-1)) + low + 1

    def transform(self, array):
        """The array that it makes of an array."""
        lines = array.astype(numpy.float64).reshape(-1, array.shape[-1])
        if lines.shape[-1] == 0:
            raise RuntimeError("DetectPitchFrequency: the waveform has no samples; need at least one")
        lags = self._best_lags(self._likeness(lines))
        before = (self.win_length - 1) // 2
        padded = numpy.concatenate([numpy.repeat(lags[:, :1], before, 1), lags], 1)
        if padded.shape[1] < self.win_length:
            raise RuntimeError(
                f"DetectPitchFrequency: the waveform has {lags.shape[1]} frames; need at least "
                f"{self.win_length - before} for win_length {self.win_length}"
            )
        windows = numpy.sort(numpy.lib.stride_tricks.sliding_window_view(padded, self.win_length, -1), -1)
        smooth = windows[..., (self.win_length - 1) // 2]
        pitch = self.sample_rate / (_SMALL + smooth)
        return pitch.reshape(*array.shape[:-1], -1).astype(numpy.float32)
