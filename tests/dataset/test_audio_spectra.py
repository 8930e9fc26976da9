"""Spectrograms, mel scales and resampling against SciPy and plain formulas."""

import math

import numpy
import pytest
import scipy.fft
import scipy.signal

from dyad.dataset import audio

RANDOM = numpy.random.default_rng(0)
WAVES = RANDOM.standard_normal((2, 1000)).astype(numpy.float32)
LEVELS = numpy.abs(RANDOM.standard_normal((2, 201, 9))).astype(numpy.float32)
WINDOWS = {
    "BARTLETT": "bartlett",
    "BLACKMAN": "blackman",
    "HAMMING": "hamming",
    "HANN": "hann",
    "KAISER": ("kaiser", 12.0),
}


@pytest.mark.parametrize("window", list(WINDOWS))
@pytest.mark.parametrize(("n_fft", "win_length", "hop"), [(64, 64, 16), (63, 40, 21), (128, 100, 50)])
def test_spectrogram_is_scipys(window, n_fft, win_length, hop):
    made = audio.Spectrogram(n_fft, win_length, hop, window=audio.WindowType[window])(WAVES)
    left = (n_fft - win_length) // 2
    taps = numpy.pad(scipy.signal.get_window(WINDOWS[window], win_length), (left, n_fft - win_length - left))
    padded = numpy.pad(WAVES.astype(float), [(0, 0), (n_fft // 2, n_fft // 2)], "reflect")
    starts = range(0, padded.shape[1] - n_fft + 1, hop)
    frames = numpy.stack([padded[:, start : start + n_fft] * taps for start in starts], -1)
    numpy.testing.assert_allclose(made, numpy.abs(scipy.fft.rfft(frames, axis=1)) ** 2, rtol=1e-4, atol=1e-4)


def test_spectrogram_options():
    parts = audio.Spectrogram(64, power=0.0)(WAVES)
    assert parts.shape == (2, 33, 32, 2)
    numpy.testing.assert_allclose(audio.Spectrogram(64)(WAVES), (parts**2).sum(-1), rtol=1e-4, atol=1e-5)
    norm = math.sqrt((scipy.signal.get_window("hann", 64) ** 2).sum())
    numpy.testing.assert_allclose(
        audio.Spectrogram(64, normalized=True, power=0.0)(WAVES), parts / norm, atol=1e-5
    )
    assert audio.Spectrogram(64, onesided=False)(WAVES).shape == (2, 64, 32)
    assert audio.Spectrogram(64, center=False)(WAVES).shape == (2, 33, 30)
    assert audio.Spectrogram(64, pad=32)(WAVES[0]).shape == (33, 34)
    for mode in audio.BorderType:
        assert audio.Spectrogram(65, pad_mode=mode)(WAVES).shape == (2, 33, 32)


@pytest.mark.parametrize("length", [None, 500, 1500])
def test_inverse_spectrogram_is_the_way_back(length):
    parts = audio.Spectrogram(64, 48, 12, power=0.0, normalized=True)(WAVES)
    made = audio.InverseSpectrogram(length, 64, 48, 12, normalized=True)(parts)
    count = min(made.shape[-1], 990)
    assert length is None or made.shape[-1] == length
    numpy.testing.assert_allclose(made[:, :count], WAVES[:, :count], atol=1e-4)


def test_griffin_lim_comes_near():
    wave = numpy.sin(numpy.arange(2000) * 0.3).astype(numpy.float32)
    wanted = audio.Spectrogram(128, hop_length=32)(wave)
    made = audio.GriffinLim(128, 60, hop_length=32, length=2000)(wanted)
    found = audio.Spectrogram(128, hop_length=32)(made)
    assert numpy.linalg.norm(numpy.sqrt(found) - numpy.sqrt(wanted)) < 0.3 * numpy.linalg.norm(
        numpy.sqrt(wanted)
    )


def test_spectral_centroid():
    wave = numpy.sin(2 * math.pi * 1000 * numpy.arange(4000) / 16000)
    made = audio.SpectralCentroid(16000)(wave)
    assert made.shape == (1, 21)
    numpy.testing.assert_allclose(made[:, 2:-2], 1000, rtol=0.01)


def test_phase_vocoder_keeps_a_tone():
    wave = numpy.sin(2 * math.pi * 1000 * numpy.arange(16000) / 16000)
    parts = audio.Spectrogram(400, hop_length=100, power=0.0)(wave)
    advance = numpy.linspace(0, math.pi * 100, 201)[:, None]
    faster = audio.PhaseVocoder(2.0, advance)(parts)
    assert faster.shape == (201, 81, 2)
    numpy.testing.assert_allclose(audio.TimeStretch(100, 201, 2.0)(parts), faster)
    numpy.testing.assert_array_equal(audio.TimeStretch(100, 201)(parts), parts)
    numpy.testing.assert_array_equal(
        audio.TimeStretch(100, 17, 2.0)(parts), audio.TimeStretch(100, 201, 2.0)(parts)
    )
    tone = audio.InverseSpectrogram(None, 400, hop_length=100)(faster)
    spectrum = numpy.abs(numpy.fft.rfft(tone))
    assert numpy.argmax(spectrum) * 16000 / len(tone) == pytest.approx(1000, rel=0.01)


def test_pitch_shift():
    wave = numpy.sin(2 * math.pi * 440 * numpy.arange(16000) / 16000).astype(numpy.float32)
    made = audio.PitchShift(16000, 12)(wave)
    assert made.shape == wave.shape
    assert numpy.argmax(numpy.abs(numpy.fft.rfft(made))) == pytest.approx(880, rel=0.02)


def test_filter_banks():
    banks = audio.melscale_fbanks(201, 0.0, 8000.0, 20, 16000)
    assert banks.shape == (201, 20)
    assert banks.dtype == numpy.float32
    centres = numpy.argmax(banks, 0)
    mels = 2595 * numpy.log10(1 + 8000 / 700) * numpy.arange(1, 21) / 21
    numpy.testing.assert_allclose(centres * 40, 700 * (10 ** (mels / 2595) - 1), atol=41)
    slaney = audio.melscale_fbanks(2001, 0.0, 8000.0, 20, 16000, audio.NormType.SLANEY, audio.MelType.SLANEY)
    numpy.testing.assert_allclose(slaney.sum(0) * 4, 1, atol=0.05)  # filters of unit area
    linear = audio.linear_fbanks(201, 0.0, 8000.0, 9, 16000)
    assert numpy.argmax(linear, 0).tolist() == [20 * i for i in range(1, 10)]


@pytest.mark.parametrize(("norm", "name"), [(audio.NormMode.ORTHO, "ortho"), (audio.NormMode.NONE, None)])
def test_dct_is_scipys(norm, name):
    values = RANDOM.standard_normal((3, 20))
    expected = scipy.fft.dct(values, 2, norm=name)[:, :7]
    numpy.testing.assert_allclose(values @ audio.create_dct(7, 20, norm), expected, atol=1e-5)


def test_mel_scale_and_cepstra():
    banks = audio.melscale_fbanks(201, 0.0, 8000, 128, 16000)
    mel = audio.MelScale()(LEVELS)
    numpy.testing.assert_allclose(mel, numpy.einsum("cft,fm->cmt", LEVELS, banks), rtol=1e-4, atol=1e-5)
    wave = RANDOM.standard_normal((2, 3000)).astype(numpy.float32)
    levels = audio.MelSpectrogram()(wave)
    numpy.testing.assert_allclose(levels, audio.MelScale()(audio.Spectrogram()(wave)), rtol=1e-5)
    logs = numpy.log(levels + 1e-6)
    expected = scipy.fft.dct(logs, 2, axis=-2, norm="ortho")[:, :40]
    numpy.testing.assert_allclose(audio.MFCC(log_mels=True)(wave), expected, atol=1e-3)
    linear = numpy.einsum(
        "cft,fm->cmt", audio.Spectrogram()(wave), audio.linear_fbanks(201, 0.0, 8000, 128, 16000)
    )
    decibels = audio.AmplitudeToDB()(linear)
    expected = scipy.fft.dct(decibels, 2, axis=-2, norm="ortho")[:, :40]
    numpy.testing.assert_allclose(audio.LFCC()(wave), expected, atol=1e-2)


def test_inverse_mel_scale():
    mel = audio.MelScale(8, 16000, n_stft=33)(LEVELS[:, :33])
    made = audio.InverseMelScale(33, 8, max_iter=3000)(mel)
    assert made.shape == (2, 33, 9)
    assert (made >= 0).all()
    numpy.testing.assert_allclose(audio.MelScale(8, 16000, n_stft=33)(made), mel, atol=0.15)


@pytest.mark.parametrize(("old", "new"), [(16000, 8000), (8000, 16000), (16000, 11025), (3, 2), (7, 7)])
@pytest.mark.parametrize("method", list(audio.ResampleMethod))
def test_resample_keeps_a_tone(old, new, method):
    times = numpy.arange(1200)
    wave = numpy.sin(2 * math.pi * times * 0.05)
    made = audio.Resample(old, new, method, 32)(wave)
    assert made.shape == (math.ceil(1200 * new / old),)
    expected = numpy.sin(2 * math.pi * numpy.arange(len(made)) * old / new * 0.05)
    middle = slice(len(made) // 4, len(made) // 2)
    numpy.testing.assert_allclose(made[middle], expected[middle], atol=2e-3)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: audio.Spectrogram(0), ValueError, "Spectrogram: n_fft is 0"),
        (lambda: audio.Spectrogram(64, 65), ValueError, "win_length is 65; need at most n_fft"),
        (lambda: audio.Spectrogram(64, window="hann"), TypeError, "need WindowType"),
        (lambda: audio.Spectrogram(64)(WAVES[:, :20]), RuntimeError, "need more than 32 to reflect"),
        (lambda: audio.Spectrogram(64, center=False)(WAVES[:, :20]), RuntimeError, "need at least n_fft"),
        (lambda: audio.Spectrogram(64)(numpy.array("a")), RuntimeError, "need real numbers"),
        (lambda: audio.Spectrogram(64)(WAVES, WAVES), RuntimeError, "2 columns were given"),
        (lambda: audio.MelScale()(LEVELS[:, :5]), RuntimeError, "has 5 frequencies; n_stft is 201"),
        (lambda: audio.MelScale(f_min=9000.0), ValueError, "need f_min < f_max"),
        (lambda: audio.MFCC(n_mfcc=200), ValueError, "MFCC: 200 coefficients of 128 filters"),
        (lambda: audio.MFCC(dct_type=3), ValueError, "dct_type is 3"),
        (lambda: audio.InverseSpectrogram()(LEVELS), RuntimeError, r"need \(..., 2\)"),
        (lambda: audio.PhaseVocoder(0, numpy.zeros((3, 1))), ValueError, "rate is 0"),
        (
            lambda: audio.PhaseVocoder(1.5, numpy.zeros((3, 1)))(numpy.ones((4, 5, 2))),
            RuntimeError,
            "4 frequencies",
        ),
        (lambda: audio.Resample(0), ValueError, "orig_freq is 0"),
    ],
)
def test_spectra_refuse(call, error, message):
    with pytest.raises(error, match=message):
        call()
