"""Candidate samplers, the Fourier Primitive and functions that are Tensor methods."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops
from dyad.ops import auto_generate

FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def called(form, primitive):
    return form(lambda x: primitive(x))


TRUE = Tensor(np.array([[1, 3], [0, 2]], np.int64))


def zipf(classes, range_max):
    return (np.log(classes + 2.0) - np.log(classes + 1.0)) / np.log(range_max + 1)


@FORMS
def test_draws_with_repetition_have_their_probabilities(form):
    dyad.set_seed(2)
    sampled, true_count, sampled_count = called(form, ops.LogUniformCandidateSampler(2, 4000, False, 6))(TRUE)
    expected = zipf(np.arange(6), 6)
    np.testing.assert_allclose(np.bincount(sampled.asnumpy(), minlength=6) / 4000, expected, atol=0.04)
    np.testing.assert_allclose(true_count, 4000 * zipf(TRUE.asnumpy(), 6), rtol=1e-4)
    np.testing.assert_allclose(sampled_count, 4000 * zipf(sampled.asnumpy(), 6), rtol=1e-4)
    assert sampled.dtype == dyad.int64


@FORMS
def test_unique_draws(form):
    dyad.set_seed(3)
    sampled, true_count, sampled_count = called(form, ops.UniformCandidateSampler(2, 5, True, 8))(TRUE)
    assert len(set(sampled.tolist())) == 5
    assert (true_count.shape, sampled_count.shape) == ((2, 2), (5,))
    assert 0 < sampled_count.min() <= sampled_count.max() < 1


def test_expected_counts_of_unique_draws_are_their_frequencies():
    dyad.set_seed(4)
    sampler = ops.LogUniformCandidateSampler(1, 4, True, 10)
    classes = Tensor(np.arange(10, dtype=np.int32).reshape(10, 1))
    seen, counts = np.zeros(10), np.zeros(10)
    for _ in range(600):
        sampled, expected, _ = sampler(classes)
        seen[sampled.asnumpy()] += 1 / 600
        counts += expected.asnumpy().reshape(-1) / 600
    np.testing.assert_allclose(counts, seen, atol=0.1)


@pytest.mark.parametrize("unique", [True, False])
def test_true_classes_are_not_drawn_if_so_asked(unique):
    for seed in range(1, 20):
        sampled = ops.uniform_candidate_sampler(TRUE, 2, 3, unique, 8, seed, True)[0]
        assert not set(sampled.tolist()) & {0, 1, 2, 3}
    again = ops.uniform_candidate_sampler(TRUE, 2, 3, unique, 8, 5, True)[0]
    assert again.shape == (3,)


SIGNAL = np.random.default_rng(9).standard_normal((3, 4, 5)).astype(np.float32)


@FORMS
@pytest.mark.parametrize("norm", ["backward", "forward", "ortho"])
@pytest.mark.parametrize("count", [1, 2, 3])
def test_fft_with_size_agrees_with_numpy(form, count, norm):
    axes = tuple(range(3 - count, 3))
    make = lambda *kind: called(form, ops.FFTWithSize(count, *kind[:2], norm, *kind[2:]))  # noqa: E731
    same = lambda found, wanted: np.testing.assert_allclose(found, wanted, rtol=1e-4, atol=1e-4)  # noqa: E731
    whole, half = np.fft.fftn(SIGNAL, axes=axes, norm=norm), np.fft.rfftn(SIGNAL, axes=axes, norm=norm)
    same(make(False, True)(Tensor(SIGNAL)), half)
    same(make(False, True, False)(Tensor(SIGNAL)), whole)
    same(make(False, False)(Tensor(SIGNAL.astype(np.complex64))), whole)
    same(make(True, False)(Tensor(whole.astype(np.complex64))), SIGNAL)
    same(make(True, True, True, SIGNAL.shape[3 - count :])(Tensor(half.astype(np.complex64))), SIGNAL)
    same(make(True, True, False)(Tensor(whole.astype(np.complex64))), SIGNAL)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.FFTWithSize(4, False, False), ValueError, "signal_ndim is 4"),
        (lambda: ops.FFTWithSize(1, 0, False), TypeError, "inverse is 0"),
        (lambda: ops.FFTWithSize(1, False, False, "none"), ValueError, "norm is 'none'"),
        (lambda: ops.FFTWithSize(2, False, True)(Tensor([1.0])), ValueError, "need 2 dimensions"),
        (lambda: ops.UniformCandidateSampler(1, 5, True, 4), ValueError, "need no more unique classes"),
        (lambda: ops.UniformCandidateSampler(1, 0, True, 4), ValueError, "num_sampled is 0"),
        (lambda: ops.UniformCandidateSampler(1, 2, 1, 4), TypeError, "unique is 1"),
        (lambda: ops.log_uniform_candidate_sampler(TRUE), ValueError, r"true_classes has shape \(2, 2\)"),
        (lambda: ops.log_uniform_candidate_sampler(Tensor([[1.0]])), TypeError, "is of Float32"),
    ],
)
def test_wrong_arguments_are_rejected(call, error, message):
    with pytest.raises(error, match=message):
        call()


@FORMS
def test_new_tensors_by_function(form):
    ones = form(lambda x: auto_generate.new_ones(x, (2, 3), dtype=dyad.int32))(Tensor([1.0]))
    assert (ones.dtype, ones.tolist()) == (dyad.int32, [[1, 1, 1]] * 2)
    assert auto_generate.new_zeros(Tensor([1.0]), (2,)).tolist() == [0.0, 0.0]


@FORMS
@pytest.mark.parametrize("center", [True, False])
@pytest.mark.parametrize(("hop", "length"), [(None, None), (3, 4)])
def test_transforms_of_windows(form, center, hop, length):
    signals = np.random.default_rng(10).standard_normal((2, 20)).astype(np.float32)
    window = np.hanning(length or 8).astype(np.float32)
    result = form(lambda x, w: ops.stft(x, 8, hop, length, w, center, return_complex=True))(
        Tensor(signals), Tensor(window)
    )
    padded = np.pad(signals, ((0, 0), (4, 4)), "reflect") if center else signals
    whole = np.pad(window, (8 - window.size) // 2)
    frames = np.lib.stride_tricks.sliding_window_view(padded, 8, 1)[:, :: hop or 2]
    expected = np.fft.rfft(frames * whole).swapaxes(1, 2)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-4)
    parts = ops.stft(
        Tensor(signals[0]), 8, hop, length, Tensor(window), center, onesided=False, normalized=True
    )
    whole_spectrum = np.fft.fft(frames[0] * whole, norm="ortho").T
    np.testing.assert_allclose(parts.asnumpy() @ np.array([1, 1j]), whole_spectrum, rtol=1e-4, atol=1e-4)


def test_windows_must_fit():
    with pytest.raises(ValueError, match="stft: n_fft is 8 and the signal has 4"):
        ops.stft(ops.ones(4), 8, center=False)
    with pytest.raises(ValueError, match=r"stft: window has shape \(3,\)"):
        ops.stft(ops.ones(8), 4, window=ops.ones(3))


@pytest.mark.parametrize("form", [lambda function: function, jit])
def test_a_fraction_outside_of_its_range_has_no_quantile(form):
    x = Tensor(np.array([1.0, 2.0, 3.0, 4.0], np.float32))
    for quantile in (ops.quantile, ops.nanquantile):
        made = form(lambda x, q, f=quantile: f(x, q))(
            x, Tensor(np.array([0.5, -0.3, 1.3, np.nan], np.float32))
        )
        np.testing.assert_array_equal(made.asnumpy(), [2.5, np.nan, np.nan, np.nan])
