"""Updates of running statistics by batch normalization; the table's samples may not change their arguments."""

import numpy as np
import pytest

from dyad import Tensor, ops


@pytest.fixture
def batch():
    return np.random.default_rng(0).normal(size=(4, 3, 5)).astype(np.float32)


def ones():
    return Tensor(np.ones(3, np.float32))


def expected_running(batch, momentum):
    flat = np.moveaxis(batch, 1, 0).reshape(3, -1)
    return 1 - momentum + momentum * flat.mean(1), 1 - momentum + momentum * flat.var(1, ddof=1)


def test_training_moves_the_running_statistics(batch):
    mean, variance = ones(), ones()
    ops.batch_norm(Tensor(batch), mean, variance, ones(), ones(), True, 0.25)
    for found, wanted in zip((mean, variance), expected_running(batch, 0.25), strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


def test_primitive_moves_the_running_statistics(batch):
    mean, variance = ones(), ones()
    ops.BatchNorm(is_training=True, momentum=0.25)(Tensor(batch), ones(), ones(), mean, variance)
    for found, wanted in zip((mean, variance), expected_running(batch, 0.25), strict=True):
        np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-5)


def test_inference_leaves_the_running_statistics(batch):
    mean, variance = ones(), ones()
    ops.batch_norm(Tensor(batch), mean, variance, ones(), ones())
    np.testing.assert_array_equal(mean.asnumpy(), np.ones(3, np.float32))
    np.testing.assert_array_equal(variance.asnumpy(), np.ones(3, np.float32))
