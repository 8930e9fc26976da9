"""Levels, masks and features against plain formulas."""

import math

import numpy
import pytest

from dyad.dataset import audio, config

RANDOM = numpy.random.default_rng(0)
WAVES = RANDOM.uniform(-1, 1, (2, 400)).astype(numpy.float32)
LEVELS = numpy.abs(RANDOM.standard_normal((2, 11, 9))).astype(numpy.float32)
PARTS = RANDOM.standard_normal((2, 5, 7, 2)).astype(numpy.float32)


@pytest.fixture(autouse=True)
def _seed():
    before = config.get_seed()
    config.set_seed(11)
    yield
    config.set_seed(before)


def test_amplitude_to_db_agrees_with_its_formula():
    made = audio.AmplitudeToDB()(LEVELS)
    numpy.testing.assert_allclose(made, 10 * numpy.log10(LEVELS), rtol=1e-4, atol=1e-5)
    limited = audio.AmplitudeToDB(audio.ScaleType.MAGNITUDE, 2.0, 1e-5, 20.0)(LEVELS)
    plain = 20 * numpy.log10(LEVELS / 2)
    numpy.testing.assert_allclose(limited, numpy.maximum(plain, plain.max() - 20), rtol=1e-4, atol=1e-4)
    several = audio.AmplitudeToDB(top_db=5.0)(numpy.stack([LEVELS, LEVELS * 100]))
    numpy.testing.assert_allclose(several.max((1, 2, 3)) - several.min((1, 2, 3)), 5, rtol=1e-4)
    numpy.testing.assert_allclose(audio.DBToAmplitude(1.0, 1.0)(made), LEVELS, rtol=1e-4)


def test_gains_multiply_and_clip():
    numpy.testing.assert_allclose(audio.Gain(6.0)(WAVES), WAVES * 10**0.3, rtol=1e-5)
    numpy.testing.assert_allclose(audio.Vol(0.5)(WAVES), WAVES / 2)
    numpy.testing.assert_allclose(
        audio.Vol(4.0, audio.GainType.POWER)(WAVES), numpy.clip(WAVES * 2, -1, 1), rtol=1e-5
    )
    loud = numpy.clip(WAVES * 10**0.1, -1, 1)
    numpy.testing.assert_allclose(audio.Vol(2.0, audio.GainType.DB)(WAVES), loud, rtol=1e-5)
    assert audio.Gain()(numpy.array([1, 2], numpy.int16)).dtype == numpy.float32
    angle = WAVES * math.pi / 2
    numpy.testing.assert_allclose(
        audio.Contrast(75.0)(WAVES), numpy.sin(angle + 0.1 * numpy.sin(4 * angle)), atol=1e-5
    )
    numpy.testing.assert_allclose(audio.DCShift(0.5)(WAVES), numpy.minimum(WAVES + 0.5, 1), atol=1e-6)
    limited = audio.DCShift(-0.5, 0.05)(WAVES)
    peaks = WAVES < -0.55
    numpy.testing.assert_allclose(limited[peaks], -0.55, atol=1e-6)
    numpy.testing.assert_allclose(limited[~peaks], numpy.maximum(WAVES[~peaks] - 0.5, -1), atol=1e-6)


@pytest.mark.parametrize("shape", list(audio.FadeShape))
def test_fade_starts_and_ends_in_silence(shape):
    made = audio.Fade(100, 50, shape)(numpy.ones((2, 300), numpy.float32))
    assert made[0, 0] == pytest.approx(0, abs=1e-6)
    assert made[0, -1] == pytest.approx(0, abs=1e-6)
    assert (made[:, 100:250] == 1).all()
    assert (numpy.diff(made[0, :100]) >= -1e-6).all()
    assert (numpy.diff(made[0, 250:]) <= 1e-6).all()
    middle = {"linear": 0.5, "half_sine": 0.5, "quarter_sine": math.sqrt(0.5), "exponential": 0.5 * 2**-0.5}
    expected = middle.get(shape.value, math.log10(0.6) + 1)
    assert made[0, 49:51].mean() == pytest.approx(expected, abs=1e-3)
    with pytest.raises(RuntimeError, match="Fade: fade_in_len is 100; the waveform has 20 samples"):
        audio.Fade(100)(numpy.ones(20))


def test_mu_law():
    steps = audio.MuLawEncoding(256)(WAVES)
    assert steps.dtype == numpy.int32
    assert steps.min() >= 0
    assert steps.max() <= 255
    numpy.testing.assert_allclose(audio.MuLawDecoding(256)(steps), WAVES, atol=0.03)
    assert audio.MuLawEncoding()(numpy.array([-1.0, 0.0, 1.0])).tolist() == [0, 128, 255]


def test_overdrive_agrees_with_its_formula():
    gain, colour = 10 ** (20 / 20), 20 / 200
    expected, before, lasting = [], 0.0, 0.0
    for sample in WAVES[0].tolist():
        driven = sample * gain + colour
        bent = -2 / 3 if driven < -1 else 2 / 3 if driven > 1 else driven - driven**3 / 3
        lasting = bent - before + 0.995 * lasting
        before = bent
        expected.append(min(max(sample * 0.5 + lasting * 0.75, -1), 1))
    numpy.testing.assert_allclose(audio.Overdrive()(WAVES)[0], expected, atol=1e-5)


@pytest.mark.parametrize("density", list(audio.DensityFunction))
def test_dither_rounds_to_steps_of_16_bits(density):
    wave = numpy.full(20000, 0.3)
    made = audio.Dither(density)(wave)
    steps = made * 2**15
    numpy.testing.assert_allclose(steps, numpy.round(steps), atol=1e-6)
    error = steps - 0.3 * (2**15 - 1)
    assert abs(error.mean()) < 0.03
    assert 0.2 < error.std() < 1
    shaped = audio.Dither(density, True)(wave)
    assert shaped.shape == wave.shape
    assert not numpy.array_equal(made, shaped)


def test_fixed_masks():
    expected = LEVELS.copy()
    expected[:, 1:4] = 5
    numpy.testing.assert_array_equal(audio.FrequencyMasking(False, 3, 1, 5.0)(LEVELS), expected)
    numpy.testing.assert_array_equal(audio.MaskAlongAxis(1, 3, 5.0, 1)(LEVELS), expected)
    expected = LEVELS.copy()
    expected[..., 2:6] = 0
    numpy.testing.assert_array_equal(audio.TimeMasking(False, 4, 2)(LEVELS), expected)
    assert (LEVELS > 0).all()
    with pytest.raises(RuntimeError, match="the mask is from 7 to 11; the axis has size 9"):
        audio.TimeMasking(False, 4, 7)(LEVELS)
    with pytest.raises(ValueError, match="axis is 3"):
        audio.MaskAlongAxis(1, 1, 1.0, 3)


def test_random_masks():
    widths = []
    for _ in range(200):
        masked = (audio.TimeMasking(True, 5, mask_value=-1.0)(LEVELS) == -1).all((0, 1))
        places = numpy.flatnonzero(masked)
        widths.append(len(places))
        assert len(places) == 0 or places[-1] - places[0] + 1 == len(places)
    assert set(widths) == {0, 1, 2, 3, 4}
    with pytest.raises(RuntimeError, match="the mask may be 12 wide; the axis has size 11"):
        audio.FrequencyMasking(True, 12)(LEVELS)


def test_complex_values():
    numbers = PARTS[..., 0] + 1j * PARTS[..., 1]
    numpy.testing.assert_allclose(audio.Angle()(PARTS), numpy.angle(numbers), atol=1e-6)
    numpy.testing.assert_allclose(audio.ComplexNorm(2.0)(PARTS), numpy.abs(numbers) ** 2, rtol=1e-5)
    magnitude, angle = audio.Magphase()(PARTS)
    numpy.testing.assert_allclose(magnitude * numpy.exp(1j * angle), numbers, atol=1e-5)
    with pytest.raises(RuntimeError, match=r"Angle: got an array with shape \(2, 3\); need \(..., 2\)"):
        audio.Angle()(numpy.ones((2, 3)))


@pytest.mark.parametrize("window", [3, 5, 8])
def test_deltas_agree_with_their_formula(window):
    reach = (window - 1) // 2
    padded = numpy.pad(LEVELS, [(0, 0), (0, 0), (reach, reach)], "edge")
    expected = sum(
        n * (padded[..., reach + n : 9 + reach + n] - padded[..., reach - n : 9 + reach - n])
        for n in range(1, reach + 1)
    ) / (2 * sum(n * n for n in range(1, reach + 1)))
    numpy.testing.assert_allclose(audio.ComputeDeltas(window)(LEVELS), expected, atol=1e-5)


def cmn_model(lines, window, least, center, norm):
    frames = len(lines)
    made = []
    for t in range(frames):
        start = t - window // 2 if center else t - window
        end = start + window if center else t + 1
        if start < 0:
            start, end = 0, end - start
        if not center and end > t:
            end = max(t + 1, least)
        if end > frames:
            start, end = max(start - (end - frames), 0), frames
        part = lines[start:end]
        row = lines[t] - part.mean(0)
        if norm:
            row = row / numpy.sqrt(numpy.maximum(part.var(0), 1e-10)) if len(part) > 1 else row * 0
        made.append(row)
    return numpy.stack(made)


@pytest.mark.parametrize("center", [False, True])
@pytest.mark.parametrize("norm", [False, True])
@pytest.mark.parametrize(("window", "least"), [(4, 1), (5, 3), (600, 100)])
def test_sliding_window_cmn(center, norm, window, least):
    made = audio.SlidingWindowCmn(window, least, center, norm)(LEVELS.astype(float))
    for line, given in zip(made, LEVELS.astype(float), strict=True):
        numpy.testing.assert_allclose(line, cmn_model(given, window, least, center, norm), atol=1e-9)


@pytest.mark.parametrize("pitch", [100.0, 200.0, 320.0])
def test_the_pitch_of_a_sine_is_found(pitch):
    wave = numpy.sin(2 * math.pi * pitch * numpy.arange(16000) / 16000)
    made = audio.DetectPitchFrequency(16000)(numpy.stack([wave, wave]))
    assert made.shape == (2, 85)
    numpy.testing.assert_allclose(numpy.median(made, -1), pitch, rtol=0.02)
    with pytest.raises(RuntimeError, match="the waveform has 1 frames"):
        audio.DetectPitchFrequency(16000)(wave[:100])


def test_vad_finds_where_speech_begins():
    times = numpy.arange(80000) / 16000
    voice = sum(
        numpy.sin(2 * math.pi * (130 + 20 * numpy.sin(6 * math.pi * times)) * k * times) / k
        for k in range(1, 12)
    )
    noise = RANDOM.standard_normal((1, 80000)) * 0.0005
    wave = (noise + voice * 0.3 * (times > 2)).astype(numpy.float32)
    made = audio.Vad(16000)(wave)
    start = 80000 - made.shape[-1]
    assert 24000 < start <= 32000
    numpy.testing.assert_array_equal(made, wave[:, start:])
    assert audio.Vad(16000)(noise[0, :30000]).shape == (0,)
    assert audio.Vad(16000)(wave[..., :0]).shape == (*wave.shape[:-1], 0)
    assert audio.Vad(16000, pre_trigger_time=0.1)(wave).shape[-1] == made.shape[-1] + 1600
    with pytest.raises(ValueError, match="Vad: measure_freq is 0"):
        audio.Vad(16000, measure_freq=0)
