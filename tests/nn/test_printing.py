from collections import OrderedDict

import pytest

from dyad import nn


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


def test_an_attribute_that_is_no_cell_does_not_show():
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
