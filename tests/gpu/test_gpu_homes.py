"""Tensors that lie elsewhere than on the chosen device: what operators and gradients make of them lies beside them."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, ops
from dyad import dataset as ds

X = np.arange(6, dtype=np.float32).reshape(2, 3)


@pytest.fixture
def on_host():
    return Tensor(X).to("CPU")


@pytest.mark.parametrize(
    "make", [ops.zeros_like, ops.ones_like, ops.rand_like, lambda y: ops.full_like(y, 2.0)]
)
def test_what_is_made_like_a_tensor_lies_beside_it(make, on_host):
    made = make(on_host)
    assert made.device == "CPU"
    assert (on_host + made).device == "CPU"


@pytest.mark.parametrize(
    "function",
    [
        lambda a: (a**2).sum(),
        lambda a: ops.cumsum(a, 0).sum(),
        lambda a: ops.relu(a).mean(),
        lambda a: ops.concat((a, a)).sum(),
        lambda a: a[0].sum() + a[:, [0, 2]].sum(),
        lambda a: ops.softmax(a).max(),
        lambda a: ops.norm(a),
    ],
)
def test_gradients_lie_beside_their_tensors(function, on_host):
    gradient = grad(function)(on_host)
    assert gradient.device == "CPU"
    np.testing.assert_allclose(gradient.asnumpy(), grad(function)(Tensor(X)).asnumpy(), rtol=1e-6, atol=1e-7)


def test_second_derivatives_lie_beside_their_tensors(on_host):
    second = grad(grad(lambda a: (a**3).sum()))(on_host)
    assert second.device == "CPU"
    np.testing.assert_allclose(second.asnumpy(), 6 * X, rtol=1e-6)


def test_a_loss_on_the_cpu_has_gradients_on_the_device():
    x = Tensor(X)
    gradient = grad(lambda a: (a.to("CPU") ** 2).sum())(x)
    assert gradient.device == x.device != "CPU"
    np.testing.assert_array_equal(gradient.asnumpy(), 2 * X)


@pytest.mark.parametrize(
    ("transform", "given", "expected"),
    [
        (ds.transforms.TypeCast(dyad.float16), X, X.astype(np.float16)),
        (ds.transforms.OneHot(4), np.int32(2), np.array([0, 0, 1, 0])),
        (ds.vision.HWC2CHW(), X.reshape(2, 3, 1), X.reshape(1, 2, 3)),
    ],
)
def test_transforms_take_tensors_of_the_device(transform, given, expected):
    np.testing.assert_array_equal(np.asarray(transform(Tensor(given))), expected)


def test_rows_of_a_dataset_may_lie_on_the_device():
    rows = ds.GeneratorDataset([(Tensor(X),), (Tensor(X + 1),)], ["a"], shuffle=False)
    rows = rows.map(lambda a: Tensor(a) * 2, "a").batch(2)
    ((batch,),) = rows.create_tuple_iterator(num_epochs=1)
    np.testing.assert_array_equal(batch.asnumpy(), np.stack([X, X + 1]) * 2)


def test_a_network_moves_as_a_whole():
    net = dyad.nn.Dense(3, 2)
    weight, here = net.weight, net.weight.device
    x = Tensor(X)
    before = net(x).asnumpy()
    net.to("CPU")
    assert net.weight is weight and {each.device for each in net.get_parameters()} == {"CPU"}
    np.testing.assert_allclose(net(x.to("CPU")).asnumpy(), before, rtol=1e-5)
    net.to(x)
    assert weight.device == here
    np.testing.assert_allclose(net(x).asnumpy(), before, rtol=1e-5)
