"""Data and starting weights that are the same wherever they are computed: no random generator takes part."""

import numpy as np


def scattered(shape, scale, phase):
    """Weights spread over (-scale, scale)."""
    places = np.arange(int(np.prod(shape)), dtype=np.float64)
    values = np.modf(np.sin(12.9898 * places + phase) * 43758.5453)[0]
    return (scale * values).astype(np.float32).reshape(shape)


def stripes(count=64, size=12, directions=4):
    """Images of stripes under a pattern of noise, and the number of each one's direction."""
    y, x = np.mgrid[0:size, 0:size].astype(np.float64)
    images = []
    labels = np.arange(count) % directions
    for k, label in enumerate(labels):
        angle = np.pi * label / directions
        along = np.cos(angle) * x + np.sin(angle) * y
        images.append(np.sin(0.9 * along + 0.37 * k) + 0.3 * np.sin(7.1 * x * y + k))
    return np.stack(images)[:, None].astype(np.float32), labels.astype(np.int32)


def successions(count=16, length=16, vocabulary=17):
    """Sequences in which each token follows from the one before, and the same sequences one token on."""
    tokens = np.zeros((count, length + 1), np.int64)
    tokens[:, 0] = np.arange(count)
    for t in range(length):
        tokens[:, t + 1] = (3 * tokens[:, t] + 5) % vocabulary
    return tokens[:, :-1].astype(np.int32), tokens[:, 1:].astype(np.int32)
