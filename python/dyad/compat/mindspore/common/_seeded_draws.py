"""Fills NumPy arrays with seeded random numbers."""

from dyad._src.tensor.random import seeded_stream

__all__: list[str] = []


def _random_normal(seed, arr, mean, sigma):
    """Fills the array with normal draws."""
    arr[...] = seeded_stream(seed).normal(mean, sigma, arr.shape)


def _random_uniform(seed, arr, low, high):
    """Fills the array with draws that are uniform between two numbers."""
    arr[...] = seeded_stream(seed).uniform(low, high, arr.shape)


def _truncated_normal(seed, arr, low, high, mean, sigma):
    """Fills the array with normal draws that lie between `low` and `high` standard deviations of the mean."""
    stream = seeded_stream(seed)
    draws = stream.standard_normal(arr.shape)
    outside = (draws < low) | (draws > high)
    while outside.any():
        draws[outside] = stream.standard_normal(int(outside.sum()))
        outside = (draws < low) | (draws > high)
    arr[...] = draws * sigma + mean
