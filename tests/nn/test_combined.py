"""Layers that bring their normalization and activation, and names that programs take from modules."""

import numpy as np
import pytest

from dyad import Tensor, jit, nn
from dyad.train.model import ParallelMode

X = Tensor(np.linspace(-2, 2, 2 * 3 * 5 * 5, dtype=np.float32).reshape(2, 3, 5, 5))


@pytest.mark.parametrize("form", [lambda f: f, jit], ids=["dynamic", "static"])
def test_a_convolution_is_normalized_and_activated(form):
    net = nn.Conv2dBnAct(
        3, 4, 3, has_bias=True, weight_init="ones", has_bn=True, activation="leakyrelu", alpha=0.5
    )
    net.set_train()
    got = form(lambda x: net(x))(X).asnumpy()
    plain = nn.BatchNorm2d(4, 1e-5, 0.997).set_train()(net.conv(X)).asnumpy()
    np.testing.assert_allclose(got, np.where(plain > 0, plain, plain * 0.5), rtol=1e-4, atol=1e-5)
    assert [parameter.name for parameter in net.trainable_params()] == [
        "conv.weight", "conv.bias", "batchnorm.gamma", "batchnorm.beta"
    ]  # fmt: skip


def test_a_dense_layer_is_activated():
    net = nn.DenseBnAct(3, 2, weight_init="ones", activation=nn.ReLU())
    assert net(Tensor([[1.0, 2.0, 3.0], [-1.0, -2.0, 0.0]])).asnumpy().tolist() == [[6, 6], [0, 0]]
    assert not nn.DenseBnAct(3, 2).has_act
    with pytest.raises(
        TypeError, match="DenseBnAct: activation is of type int; need a name, a Cell or a Primitive"
    ):
        nn.DenseBnAct(3, 2, activation=3)


def test_embedding_lookup_accepts_its_slice_modes_only():
    assert nn.EmbeddingLookup(4, 2, slice_mode=nn.EmbeddingLookup.TABLE_ROW_SLICE)(Tensor([1])).shape == (
        1,
        2,
    )
    with pytest.raises(ValueError, match="slice_mode"):
        nn.EmbeddingLookup(4, 2, slice_mode="rows")
    assert ParallelMode.STAND_ALONE == "stand_alone"
