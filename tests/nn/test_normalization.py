import re

import numpy as np
import pytest

import dyad
from dyad import Tensor, mint, nn


def random(*shape):
    return (3 * np.random.standard_normal(shape) + 1).astype(np.float32)


def normalized(x, axes, epsilon):
    return (x - x.mean(axes, keepdims=True)) / np.sqrt(x.var(axes, keepdims=True) + epsilon)


def per_channel(values, ndim):
    return values.reshape((1, -1) + (1,) * (ndim - 2))


BATCH_NORMS = [
    (nn.BatchNorm1d, (6, 3)),
    (nn.BatchNorm1d, (6, 3, 5)),
    (nn.BatchNorm2d, (4, 3, 5, 2)),
    (nn.BatchNorm3d, (2, 3, 4, 3, 2)),
]


@pytest.mark.parametrize(("kind", "shape"), BATCH_NORMS)
def test_batch_norm_trains_on_the_batch_and_keeps_running_statistics(kind, shape):
    layer, x = kind(3).set_train(), random(*shape)
    axes = tuple(axis for axis in range(x.ndim) if axis != 1)
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), normalized(x, axes, 1e-5), rtol=1e-4, atol=1e-5)
    kept = getattr(layer, "bn2d", layer)
    np.testing.assert_allclose(kept.moving_mean.asnumpy(), 0.1 * x.mean(axes), rtol=1e-4)
    np.testing.assert_allclose(kept.moving_variance.asnumpy(), 0.9 + 0.1 * x.var(axes, ddof=1), rtol=1e-4)


@pytest.mark.parametrize(("kind", "shape"), BATCH_NORMS)
def test_batch_norm_infers_with_the_running_statistics(kind, shape):
    mean, variance, gamma, beta = (
        np.array(v, np.float32) for v in ([1, 2, 3], [4, 5, 6], [7, 8, 9], [1, 0, -1])
    )
    layer = kind(
        3,
        gamma_init=Tensor(gamma),
        beta_init=Tensor(beta),
        moving_mean_init=Tensor(mean),
        moving_var_init=Tensor(variance),
    )
    x = random(*shape)
    shaped = [per_channel(v, x.ndim) for v in (mean, variance, gamma, beta)]
    expected = (x - shaped[0]) / np.sqrt(shaped[1] + 1e-5) * shaped[2] + shaped[3]
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-4, atol=1e-4)
    assert getattr(layer, "bn2d", layer).moving_mean.asnumpy().tolist() == [1, 2, 3]


def test_parameters_of_volumes_are_named_after_their_images():
    names = ["bn2d.moving_mean", "bn2d.moving_variance", "bn2d.gamma", "bn2d.beta"]
    assert [parameter.name for parameter in nn.BatchNorm3d(3).get_parameters()] == names
    with pytest.raises(ValueError, match="BatchNorm3d: x has shape"):
        nn.BatchNorm3d(3)(Tensor(random(2, 3, 4, 5)))


def test_use_batch_statistics_decides_regardless_of_training():
    x = Tensor(random(4, 3, 5, 2))
    always = nn.BatchNorm2d(3, use_batch_statistics=True)
    always(x)
    assert np.abs(always.moving_mean.asnumpy()).sum() > 0
    never = nn.BatchNorm2d(3, use_batch_statistics=False).set_train()
    never(x)
    assert np.abs(never.moving_mean.asnumpy()).sum() == 0


def test_momentum_and_channels_last():
    x = random(4, 5, 2, 3)
    layer = nn.BatchNorm2d(3, momentum=0.5, data_format="NHWC").set_train()
    np.testing.assert_allclose(
        layer(Tensor(x)).asnumpy(), normalized(x, (0, 1, 2), 1e-5), rtol=1e-4, atol=1e-5
    )
    np.testing.assert_allclose(layer.moving_mean.asnumpy(), 0.5 * x.mean((0, 1, 2)), rtol=1e-4)


def test_affine_decides_what_is_trained():
    assert [p.requires_grad for p in nn.BatchNorm2d(2).get_parameters()] == [False, False, True, True]
    assert [p.requires_grad for p in nn.BatchNorm2d(2, affine=False).get_parameters()] == [False] * 4


@pytest.mark.parametrize("shape", [(2, 3), (2, 5, 3), (3,)])
def test_layer_norm_over_the_last_dimension(shape):
    x, layer = random(*shape), nn.LayerNorm((3,), gamma_init=Tensor([1.0, 2.0, 3.0]), beta_init=0.5)
    expected = normalized(x, -1, 1e-7) * [1, 2, 3] + 0.5
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-4, atol=1e-5)


def test_layer_norm_axes():
    x = random(2, 3, 4)
    both = nn.LayerNorm((3, 4), begin_norm_axis=1, begin_params_axis=1)
    np.testing.assert_allclose(both(Tensor(x)).asnumpy(), normalized(x, (1, 2), 1e-7), rtol=1e-4, atol=1e-5)
    from_the_end = nn.LayerNorm([3, 4], begin_norm_axis=-2, begin_params_axis=-2)
    np.testing.assert_allclose(
        from_the_end(Tensor(x)).asnumpy(), normalized(x, (1, 2), 1e-7), rtol=1e-4, atol=1e-5
    )
    last_parameters = nn.LayerNorm((4,), begin_norm_axis=1, gamma_init=2.0)
    np.testing.assert_allclose(
        last_parameters(Tensor(x)).asnumpy(), 2 * normalized(x, (1, 2), 1e-7), rtol=1e-4, atol=1e-5
    )


@pytest.mark.parametrize("shape", [(2, 4), (2, 4, 5), (2, 4, 3, 3)])
def test_group_norm(shape):
    x, layer = random(*shape), nn.GroupNorm(2, 4, gamma_init=2.0, beta_init=1.0)
    grouped = x.reshape(2, 2, -1)
    expected = normalized(grouped, -1, 1e-5).reshape(shape) * 2 + 1
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), expected, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize(
    ("kind", "shape"),
    [(nn.InstanceNorm1d, (2, 3, 6)), (nn.InstanceNorm2d, (2, 3, 4, 5)), (nn.InstanceNorm3d, (2, 3, 2, 3, 4))],
)
def test_instance_norm(kind, shape):
    x, layer = random(*shape), kind(3).set_train()
    axes = tuple(range(2, x.ndim))
    np.testing.assert_allclose(layer(Tensor(x)).asnumpy(), normalized(x, axes, 1e-5), rtol=1e-4, atol=1e-4)
    np.testing.assert_allclose(layer.moving_mean.asnumpy(), 0.1 * x.mean((0, *axes)), rtol=1e-4, atol=1e-6)


def test_running_statistics_stay_without_training():
    layer = nn.InstanceNorm2d(3)
    layer(Tensor(random(2, 3, 4, 5)))
    assert layer.moving_mean.asnumpy().tolist() == [0, 0, 0]


def test_half_precision_input():
    x = random(2, 8).astype(np.float16)
    layer = nn.LayerNorm((8,), dtype=dyad.float16)
    result = layer(Tensor(x))
    assert result.dtype == dyad.float16
    np.testing.assert_allclose(result.asnumpy(), normalized(x.astype(np.float32), -1, 1e-7), atol=5e-3)


@pytest.mark.parametrize(
    ("action", "error", "text"),
    [
        (lambda: nn.BatchNorm2d(0), ValueError, "BatchNorm2d: num_features is 0; need an int of at least 1"),
        (
            lambda: nn.BatchNorm2d(3, momentum=2),
            ValueError,
            "BatchNorm2d: momentum is 2; need a number in [0, 1]",
        ),
        (
            lambda: nn.BatchNorm2d(3, use_batch_statistics=5),
            ValueError,
            "BatchNorm2d: use_batch_statistics is 5",
        ),
        (
            lambda: nn.BatchNorm2d(3)(Tensor(np.ones((1, 3), np.float32))),
            ValueError,
            "BatchNorm2d: x has shape (1, 3); need 4 dimensions",
        ),
        (
            lambda: nn.BatchNorm1d(3)(Tensor(np.ones((1, 3, 1, 1), np.float32))),
            ValueError,
            "BatchNorm1d: x has shape (1, 3, 1, 1); need 2 or 3 dimensions",
        ),
        (lambda: nn.BatchNorm2d(3, data_format="X"), ValueError, "BatchNorm2d: data_format is 'X'"),
        (
            lambda: nn.LayerNorm(3),
            TypeError,
            "LayerNorm: normalized_shape is 3; need a tuple or list of ints",
        ),
        (
            lambda: nn.LayerNorm([]),
            ValueError,
            "LayerNorm: normalized_shape is empty; need at least one size",
        ),
        (
            lambda: nn.LayerNorm((3,), begin_norm_axis=1)(Tensor(np.ones((2, 4), np.float32))),
            ValueError,
            "LayerNorm: input_x has shape (2, 4); need (3,) from dimension -1 on",
        ),
        (
            lambda: nn.GroupNorm(3, 4),
            ValueError,
            "GroupNorm: num_channels is 4 and num_groups is 3; need a multiple",
        ),
    ],
)
def test_misuse_is_named(action, error, text):
    with pytest.raises(error, match=re.escape(text)):
        action()


def test_group_norm_of_mint_has_weight_and_bias():
    x = Tensor(np.arange(16, dtype=np.float32).reshape(1, 4, 2, 2))
    layer = mint.nn.GroupNorm(2, 4)
    assert [parameter.name for parameter in layer.get_parameters()] == ["weight", "bias"]
    plain = layer(x).asnumpy()
    layer.weight.set_data(Tensor(np.full(4, 2, np.float32)))
    layer.bias.set_data(Tensor(np.full(4, 1, np.float32)))
    np.testing.assert_allclose(layer(x).asnumpy(), 2 * plain + 1, rtol=1e-6)
    bare = mint.nn.GroupNorm(2, 4, affine=False)
    assert bare.weight is bare.bias is None and not list(bare.get_parameters())
    np.testing.assert_allclose(bare(x).asnumpy(), plain, rtol=1e-6)
