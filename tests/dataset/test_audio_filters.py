"""Filters against SciPy, and effects with a varying delay against plain loops."""

import math

import numpy
import pytest
import scipy.signal

from dyad.dataset import audio
from dyad.dataset.audio.modulation import wave_table

WAVES = numpy.random.default_rng(0).standard_normal((2, 3, 500)) * 0.2

FILTERS = [
    audio.AllpassBiquad(44100, 200.0),
    audio.BandBiquad(44100, 200.0),
    audio.BandBiquad(44100, 200.0, 0.5, True),
    audio.BandpassBiquad(44100, 2000.0),
    audio.BandpassBiquad(44100, 2000.0, 0.9, True),
    audio.BandrejectBiquad(44100, 2000.0),
    audio.BassBiquad(44100, 10.0),
    audio.TrebleBiquad(44100, -5.0),
    audio.DeemphBiquad(44100),
    audio.DeemphBiquad(48000),
    audio.EqualizerBiquad(44100, 1500.0, 5.5),
    audio.HighpassBiquad(44100, 1500.0),
    audio.LowpassBiquad(44100, 1500.0),
    *(audio.RiaaBiquad(rate) for rate in (44100, 48000, 88200, 96000)),
    audio.Biquad(0.01, 0.02, 0.13, 2.0, 0.12, 0.3),
    audio.LFilter([0.5, 0.2, 0.1, 0.05], [0.1, 0.2, 0.3, 0.4]),
    audio.LFilter([2.0], [3.0]),
]


@pytest.mark.parametrize("operation", FILTERS, ids=lambda operation: type(operation).__name__)
def test_filters_are_scipys(operation):
    expected = numpy.clip(scipy.signal.lfilter(operation.b, operation.a, WAVES), -1, 1)
    numpy.testing.assert_allclose(operation(WAVES), expected, atol=1e-12)
    narrow = operation(WAVES.astype(numpy.float32))
    assert narrow.dtype == numpy.float32
    numpy.testing.assert_allclose(narrow, expected, atol=1e-6)


def response(operation, frequency, rate):
    """Gain in decibels at a frequency."""
    _, found = scipy.signal.freqz(operation.b, operation.a, [frequency], fs=rate)
    return 20 * math.log10(max(abs(found[0]), 1e-12))


def test_designs_do_what_they_say():
    assert response(audio.LowpassBiquad(8000, 500.0), 10, 8000) == pytest.approx(0, abs=0.1)
    assert response(audio.LowpassBiquad(8000, 500.0), 3900, 8000) < -40
    assert response(audio.HighpassBiquad(8000, 500.0), 3900, 8000) == pytest.approx(0, abs=0.1)
    assert response(audio.HighpassBiquad(8000, 500.0), 500, 8000) == pytest.approx(-3, abs=0.1)
    assert response(audio.BandpassBiquad(8000, 500.0), 500, 8000) == pytest.approx(0, abs=1e-6)
    assert response(audio.BandrejectBiquad(8000, 500.0), 500, 8000) < -200
    assert response(audio.AllpassBiquad(8000, 500.0), 1234, 8000) == pytest.approx(0, abs=1e-9)
    assert response(audio.EqualizerBiquad(8000, 500.0, 6.0), 500, 8000) == pytest.approx(6, abs=1e-6)
    assert response(audio.BassBiquad(8000, 9.0), 1e-3, 8000) == pytest.approx(9, abs=0.01)
    assert response(audio.TrebleBiquad(48000, 9.0), 23999, 48000) == pytest.approx(9, abs=0.01)
    assert response(audio.RiaaBiquad(48000), 1000, 48000) == pytest.approx(0, abs=1e-6)
    assert response(audio.DeemphBiquad(44100), 20000, 44100) == pytest.approx(-9.5, abs=0.6)


@pytest.mark.parametrize("shape", [(1,), (1, 1), (0,), (3, 0), (2, 2, 7)])
def test_filters_of_odd_shapes(shape):
    waves = numpy.random.default_rng(1).standard_normal(shape).astype(numpy.float32)
    assert audio.LFilter([1.0, 0.5], [0.5, 0.1])(waves).shape == shape
    numpy.testing.assert_allclose(
        audio.LFilter([1.0, 0.5], [0.5, 0.1], False)(waves[..., ::-1]),
        scipy.signal.lfilter([0.5, 0.1], [1, 0.5], waves[..., ::-1]) if waves.size else waves,
        atol=1e-6,
    )


def test_filtfilt_agrees_with_scipy():
    a, b = [1.0, 0.2, 0.1], [0.1, 0.2, 0.3]
    forward = scipy.signal.lfilter(b, a, WAVES)
    expected = scipy.signal.lfilter(b, a, forward[..., ::-1])[..., ::-1]
    numpy.testing.assert_allclose(audio.Filtfilt(a, b)(WAVES), expected, atol=1e-12)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: audio.LowpassBiquad(0, 100.0), ValueError, "LowpassBiquad: sample_rate is 0"),
        (lambda: audio.LowpassBiquad(8000, 100.0, 2.0), ValueError, "LowpassBiquad: Q is 2.0"),
        (lambda: audio.LowpassBiquad(8000, "a"), TypeError, "LowpassBiquad: cutoff_freq is 'a'"),
        (lambda: audio.LowpassBiquad(8000, math.inf), ValueError, "need a finite number"),
        (lambda: audio.DeemphBiquad(8000), ValueError, "need 44100 or 48000"),
        (lambda: audio.RiaaBiquad(8000), ValueError, "RiaaBiquad: sample_rate is 8000"),
        (lambda: audio.Biquad(1, 0, 0, 0, 0, 0), ValueError, "Biquad: a0 is 0"),
        (lambda: audio.LFilter([1.0], [1.0, 2.0]), ValueError, "a_coeffs has 1 numbers and b_coeffs 2"),
        (lambda: audio.LFilter([], []), ValueError, "a_coeffs is empty"),
        (lambda: audio.LFilter([0.0], [1.0]), ValueError, "denominator is 0"),
        (
            lambda: audio.LowpassBiquad(8000, 100.0)(numpy.array(1.0)),
            RuntimeError,
            "need real numbers in shape",
        ),
        (lambda: audio.LowpassBiquad(8000, 100.0)("a"), TypeError, "LowpassBiquad: got a text"),
        (lambda: audio.LowpassBiquad(8000, 100.0)(WAVES + 1j), RuntimeError, "dtype complex128"),
        (lambda: audio.Phaser(8000, delay_ms=0.0), ValueError, "Phaser: delay_ms is 0"),
        (
            lambda: audio.Flanger(8000, delay=31.0),
            ValueError,
            r"Flanger: delay is 31.0; need a value in \[0, 30\]",
        ),
        (lambda: audio.Flanger(8000)(numpy.array(1.0)), RuntimeError, "Flanger: got an array"),
    ],
)
def test_filters_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_phaser_is_a_loop_over_samples():
    operation = audio.Phaser(800, 0.5, 0.8, 5.0, 0.3, 2.0, False)
    ring, at, expected = numpy.zeros(4), 0, []
    delays = numpy.floor(wave_table(audio.Modulation.TRIANGULAR, 400, 1, 4, math.pi / 2) + 0.5).astype(int)
    for n, sample in enumerate(WAVES[0, 0]):
        source = (at + delays[n % 400]) % 4
        at = (at + 1) % 4
        mixed = sample * 0.5 + ring[source]
        ring[at] = mixed * 0.3
        expected.append(min(max(mixed * 0.8, -1), 1))
    numpy.testing.assert_allclose(operation(WAVES)[0, 0], expected, atol=1e-12)


@pytest.mark.parametrize("interpolation", list(audio.Interpolation))
def test_flanger_is_a_loop_over_samples(interpolation):
    operation = audio.Flanger(
        1000, 2.0, 3.0, 20.0, 50.0, 5.0, 50.0, audio.Modulation.SINUSOIDAL, interpolation
    )
    channel, period, length = 1, 200, 7
    delays = wave_table(audio.Modulation.SINUSOIDAL, period, 2, 5, 3 * math.pi / 2)
    past, last, expected = [0.0] * 20, 0.0, []
    for n, sample in enumerate(WAVES[1, channel]):
        past.insert(0, sample + last * 0.2)
        delay = delays[(n + int(channel * period * 0.5 + 0.5)) % period]
        whole, share = int(delay), delay - int(delay)
        taps = [past[(whole + more) % length] for more in range(3)]
        if interpolation == audio.Interpolation.LINEAR:
            last = taps[0] + (taps[1] - taps[0]) * share
        else:
            near, far = taps[1] - taps[0], taps[2] - taps[0]
            last = taps[0] + ((far / 2 - near) * share + 2 * near - far / 2) * share
        expected.append(sample / 1.5 + last * (0.5 / 1.5) * 0.8)
    numpy.testing.assert_allclose(operation(WAVES)[1, channel], numpy.clip(expected, -1, 1), atol=1e-12)
