from collections import OrderedDict

import pytest

from dyad import Tensor, mint, nn
from dyad.nn.probability import bijector as bijectors
from dyad.nn.probability import distribution as distributions


def test_children_are_indented():
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.flatten = nn.Flatten()
            self.layers = nn.SequentialCell(nn.Dense(784, 512), nn.ReLU())

    assert str(Net()) == (
        "Net(\n"
        "  (flatten): Flatten()\n"
        "  (layers): SequentialCell(\n"
        "    (0): Dense(input_channels=784, output_channels=512, has_bias=True)\n"
        "    (1): ReLU()\n"
        "  )\n"
        ")"
    )


def test_a_cell_without_children_is_one_line():
    class Empty(nn.Cell):
        pass

    assert repr(Empty()) == "Empty()"


def test_own_information_precedes_children():
    assert str(nn.Dense(3, 4, activation="relu", has_bias=False)) == (
        "Dense(\n  input_channels=3, output_channels=4, activation=ReLU()\n  (activation): ReLU()\n)"
    )


def test_an_attribute_that_is_not_a_cell_does_not_show():
    net = nn.SequentialCell(OrderedDict(fc=nn.Dense(2, 2, has_bias=False)))
    net.note = "x"
    assert str(net) == "SequentialCell(\n  (fc): Dense(input_channels=2, output_channels=2)\n)"


@pytest.mark.parametrize(
    ("layer", "text"),
    [
        (nn.Dropout(p=0.3), "Dropout(p=0.3)"),
        (nn.Dropout(0.3), "Dropout(keep_prob=0.3)"),
        (nn.GroupNorm(2, 4), "GroupNorm(num_groups=2, num_channels=4)"),
        (nn.Norm(), "Norm(axis=(), keep_dims=False)"),
        (nn.Identity(), "Identity()"),
        (nn.MaxPool1d(3, 2), "MaxPool1d(kernel_size=(1, 3), stride=(1, 2), pad_mode=VALID)"),
        (nn.AvgPool1d(3, 2, "same"), "AvgPool1d(kernel_size=(1, 3), stride=(1, 2), pad_mode=SAME)"),
        (nn.AvgPool1d(3, 2, "pad", 1), "AvgPool1d(kernel_size=3, stride=2, pad_mode=PAD)"),
        (
            nn.AvgPool2d(3, 2, "same", ceil_mode=True),
            "AvgPool2d(kernel_size=3, stride=2, pad_mode=SAME)",
        ),
        (mint.nn.GroupNorm(2, 4), "GroupNorm(num_groups=2, num_channels=4, eps=1e-05, affine=True)"),
        (mint.nn.LayerNorm(3), "LayerNorm(normalized_shape=(3,), eps=1e-05, elementwise_affine=True)"),
        (
            mint.nn.Embedding(3, 4, padding_idx=0),
            "Embedding(num_embeddings=3, embedding_dim=4, padding_idx=0, max_norm=None, norm_type=2.0, "
            "scale_grad_by_freq=False, dtype=Float32)",
        ),
        (
            mint.nn.Conv1d(3, 4, 3),
            "Conv1d(input_channels=3, output_channels=4, kernel_size=(3,), stride=(1,), padding=(0,), "
            "dilation=(1,), groups=1, bias=True)",
        ),
        (
            mint.nn.Conv1d(3, 4, 3, padding="same", padding_mode="circular", bias=False),
            "Conv1d(input_channels=3, output_channels=4, kernel_size=(3,), stride=(1,), padding=same, "
            "dilation=(1,), groups=1, bias=False, padding_mode=circular)",
        ),
        (
            nn.LayerNorm((3,)),
            "LayerNorm(normalized_shape=(3,), begin_norm_axis=-1, begin_params_axis=-1, "
            "gamma=Parameter (name=gamma, shape=(3,), dtype=Float32, requires_grad=True), "
            "beta=Parameter (name=beta, shape=(3,), dtype=Float32, requires_grad=True))",
        ),
        (
            nn.Conv2d(3, 4, 3, weight_init="ones"),
            "Conv2d(input_channels=3, output_channels=4, kernel_size=(3, 3), stride=(1, 1), pad_mode=same, "
            "padding=0, dilation=(1, 1), group=1, has_bias=False, weight_init=ones, bias_init=None, format=NCHW)",
        ),
    ],
)
def test_layers_show_their_settings(layer, text):
    assert str(layer) == text


def test_a_batch_norm_of_volumes_holds_one_of_images():
    assert str(nn.BatchNorm3d(2)).startswith("BatchNorm3d(\n  (bn2d): BatchNorm2d(num_features=2, ")


@pytest.mark.parametrize(
    ("made", "text"),
    [
        (distributions.Normal(0.0, 2.0), "Normal(mean = 0.0, standard deviation = 2.0)"),
        (distributions.Normal([0.0, 1.0], 2.0), "Normal(batch_shape = (2,))"),
        (distributions.Bernoulli(0.3), "Bernoulli(probs = 0.3)"),
        (distributions.Cauchy(0.0, 1.0), "Cauchy(location = 0.0, scale = 1.0)"),
        (distributions.Gumbel(0.0, 1.0), "Gumbel(loc = 0.0, scale = 1.0)"),
        (distributions.Categorical(Tensor([0.2, 0.8])), "Categorical(probs = [0.2 0.8])"),
        (bijectors.PowerTransform(2.0), "PowerTransform(power = 2.0)"),
        (bijectors.ScalarAffine(2.0, 1.0), "ScalarAffine(scale = 2.0, shift = 1.0)"),
        (bijectors.Invert(bijectors.Exp()), "Invert(\n  (_bijector): Exp(exp)\n)"),
    ],
)
def test_distributions_show_their_parameters(made, text):
    assert str(made) == text
