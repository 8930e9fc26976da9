"""Arguments that layer and loss Primitives of MindSpore 1 accept and reject."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, jit, ops

rng = np.random.default_rng(4)
FORMS = pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])


def draw(*shape):
    return Tensor(rng.standard_normal(shape).astype(np.float32))


@FORMS
@pytest.mark.parametrize("label", [-1, -100, 4])
def test_classes_that_there_are_not_are_refused(form, label):
    loss = form(lambda x, y: ops.SparseSoftmaxCrossEntropyWithLogitsV2()(x, y))
    message = rf"SparseSoftmaxCrossEntropyWithLogitsV2: labels .*{label}.*need classes in \[0, 4\)"
    with pytest.raises(IndexError, match=message):
        loss(draw(2, 4), Tensor([0, label]))


@pytest.mark.parametrize(
    ("labels", "error"), [(Tensor([0]), ValueError), (Tensor([[0, 1]]), ValueError), (draw(2), TypeError)]
)
def test_labels_of_another_shape_or_dtype_are_refused(labels, error):
    with pytest.raises(error, match="SparseSoftmaxCrossEntropyWithLogitsV2: labels "):
        ops.SparseSoftmaxCrossEntropyWithLogitsV2()(draw(2, 4), labels)


@FORMS
@pytest.mark.parametrize(("operator", "function"), [("AvgPoolV1", "mean"), ("MaxPoolV1", "max")])
def test_four_sizes_of_a_window_follow_the_data_format(form, operator, function):
    x = draw(2, 3, 4, 6)
    expected = getattr(np, function)(x.asnumpy().reshape(2, 3, 2, 2, 2, 3), axis=(3, 5))
    first = getattr(ops, operator)((1, 1, 2, 3), (1, 1, 2, 3))
    np.testing.assert_allclose(form(lambda x: first(x))(x), expected, rtol=1e-5)
    last = getattr(ops, operator)((1, 2, 3, 1), (1, 2, 3, 1), data_format="NHWC")
    found = form(lambda x: last(x))(x.transpose(0, 2, 3, 1))
    np.testing.assert_allclose(found, expected.transpose(0, 2, 3, 1), rtol=1e-5)


@pytest.mark.parametrize("operator", ["AvgPoolV1", "MaxPoolV1"])
@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"kernel_size": (1, 2, 2, 1)}, r"kernel_size is \(1, 2, 2, 1\); need \(1, 1, height, width\)"),
        ({"strides": (2, 1, 1, 1)}, r"strides is \(2, 1, 1, 1\); need \(1, 1, height, width\)"),
        (
            {"kernel_size": (1, 1, 2, 2), "data_format": "NHWC"},
            r"kernel_size is \(1, 1, 2, 2\); need \(1, height, width, 1\)",
        ),
        ({"kernel_size": (1, 2, 2)}, "kernel_size"),
        ({"kernel_size": 0}, "kernel_size"),
        ({"data_format": "NCDHW"}, "data_format"),
    ],
)
def test_windows_over_other_dimensions_are_refused(operator, settings, message):
    with pytest.raises(ValueError, match=f"{operator}: {message}"):
        getattr(ops, operator)(**settings)(draw(1, 2, 4, 4))


@FORMS
@pytest.mark.parametrize(
    ("x", "weight", "settings", "message"),
    [
        ((1, 4, 2, 2, 2), (2, 3, 2, 2, 2), {}, "x has 4 channels; need in_channel, 2"),
        ((1, 2, 2, 2, 2), (2, 4, 2, 2, 2), {}, r"weight has shape \(2, 4, 2, 2, 2\); need \(2, 3, 2, 2, 2\)"),
        ((1, 2, 2, 2, 2), (2, 3, 3, 2, 2), {}, r"weight has shape \(2, 3, 3, 2, 2\); need \(2, 3, 2, 2, 2\)"),
        ((1, 2, 2, 2, 2), (2, 3, 2, 2, 2), {"group": 2}, "group is 2; need a divisor"),
        (
            (1, 2, 2, 2, 2),
            (2, 3, 2, 2, 2),
            {"pad_mode": "pad", "pad": (1, 1, 1)},
            r"pad is \(1, 1, 1\); need",
        ),
    ],
)
def test_a_transposed_convolution_of_other_channels_is_refused(form, x, weight, settings, message):
    with pytest.raises(ValueError, match=f"Conv3DTranspose: {message}"):
        form(lambda x, w: ops.Conv3DTranspose(2, 3, 2, **settings)(x, w))(draw(*x), draw(*weight))


@pytest.mark.parametrize("shape", [(2, 3, 4), (2, 3, 4, 4, 4)])
def test_instances_need_four_dimensions(shape):
    one = ops.ones((2, 3, 1, 1))
    with pytest.raises(ValueError, match=r"InstanceNormV2: x has shape .* need 4 dimensions"):
        ops.InstanceNormV2()(draw(*shape), one, one, one, one)


@pytest.mark.parametrize("missing", [0, 1])
def test_instances_need_statistics_outside_of_training(missing):
    one = ops.ones((2, 3, 1, 1))
    given = [one, one]
    given[missing] = None
    with pytest.raises(
        TypeError, match=r"InstanceNormV2: (mean|variance) is of type NoneType; need a Tensor"
    ):
        ops.InstanceNormV2(is_training=False)(draw(2, 3, 4, 4), one, one, *given)


@FORMS
@pytest.mark.parametrize("rate", [0.0, -0.5, 1.5, float("nan")])
def test_rates_outside_of_the_unit_interval_are_refused(form, rate):
    mask = Tensor([255] * 16).astype("uint8")
    with pytest.raises(ValueError, match=r"DropoutGenMask: keep_prob is .*; need a number in \(0, 1\]"):
        form(lambda p: ops.DropoutGenMask()((2, 3), p))(Tensor(rate))
    with pytest.raises(ValueError, match=r"DropoutDoMask: keep_prob is .*; need a number in \(0, 1\]"):
        form(lambda x, p: ops.DropoutDoMask()(x, mask, p))(ops.ones((4,)), Tensor(rate))


@pytest.mark.parametrize(("shape", "error"), [((2, -3), ValueError), ((2, 1.5), TypeError)])
def test_sizes_of_a_mask_are_ints_of_0_or_more(shape, error):
    with pytest.raises(error, match="DropoutGenMask: shape "):
        ops.DropoutGenMask()(shape, Tensor(0.5))


def test_a_mask_of_a_shape_that_is_a_tensor():
    assert ops.DropoutGenMask()(Tensor([10, 20]), 1.0).tolist() == [255] * 32
    assert ops.DropoutGenMask()((), Tensor(1.0, dyad.float16)).shape == (16,)
