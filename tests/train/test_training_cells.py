"""Cells around a network: losses, gradients and training steps, against the same steps written out in NumPy."""

import re

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops


class Scale(nn.Cell):
    """y = w x + b on (n, 2)."""

    def __init__(self, dtype=dyad.float32):
        super().__init__()
        self.w = Parameter(Tensor([1.0, -2.0], dtype), "w")
        self.b = Parameter(Tensor([0.5, 0.0], dtype), "b")

    def construct(self, x):
        return self.w * x + self.b


X = np.array([[1.0, 2.0], [3.0, -1.0]], np.float32)
Y = np.array([[0.0, 1.0], [2.0, 2.0]], np.float32)


def statement(w, b, factor=1.0):
    """Loss and gradients of the mean squared error."""
    difference = w * X + b - Y
    slope = 2 * difference / difference.size * factor
    return (difference**2).mean(), (slope * X).sum(0), slope.sum(0)


def data():
    return Tensor(X), Tensor(Y)


def values(network):
    return network.w.asnumpy().copy(), network.b.asnumpy().copy()


def test_with_loss_cell():
    network = Scale()
    cell = nn.WithLossCell(network, nn.MSELoss())
    np.testing.assert_allclose(cell(*data()).asnumpy(), statement(*values(network))[0], rtol=1e-6)
    assert cell.backbone_network is network
    assert [parameter.name for parameter in cell.trainable_params()] == ["w", "b"]


def test_with_eval_cell():
    network = Scale(dyad.float16)
    loss, output, label = nn.WithEvalCell(network, nn.MSELoss(), add_cast_fp32=True)(
        *(part.astype(dyad.float16) for part in data())
    )
    assert output.dtype == label.dtype == dyad.float32
    np.testing.assert_allclose(loss.asnumpy(), ((output.asnumpy() - Y) ** 2).mean(), rtol=1e-5)


@pytest.mark.parametrize("factor", [None, 3.0])
def test_train_one_step(factor):
    network = Scale()
    w, b = values(network)
    optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer, sens=factor)
    for _ in range(5):
        loss = step(*data())
        expected, by_w, by_b = statement(w, b, factor or 1.0)
        w, b = w - 0.1 * by_w, b - 0.1 * by_b
        np.testing.assert_allclose(loss.asnumpy(), expected, rtol=1e-5)
    np.testing.assert_allclose(network.w.asnumpy(), w, rtol=1e-5)
    np.testing.assert_allclose(network.b.asnumpy(), b, rtol=1e-5)
    assert not network.training


def test_train_one_step_hands_out_gradients_by_name():
    network = Scale()
    optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
    _, by_w, by_b = statement(*values(network))
    step = nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer, return_grad=True)
    _, gradients = step(*data())
    assert list(gradients) == ["w", "b"]
    np.testing.assert_allclose(gradients["w"].asnumpy(), by_w, rtol=1e-6)
    np.testing.assert_allclose(gradients["b"].asnumpy(), by_b, rtol=1e-6)


def test_a_step_runs_the_network_once():
    class Counting(Scale):
        runs = 0

        def construct(self, x):
            type(self).runs += 1
            return super().construct(x)

    network = Counting()
    optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
    nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer, sens=2.0)(*data())
    assert Counting.runs == 1


def test_a_step_of_ones_own():
    class ClippedStep(nn.TrainOneStepCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            sens = ops.fill(loss.dtype, loss.shape, 1.0)
            gradients = self.grad(self.network, self.weights)(*inputs, sens)
            gradients = self.grad_reducer(ops.clip_by_global_norm(gradients, 0.1))
            return ops.depend(loss, self.optimizer(gradients))

    network = Scale()
    w, b = values(network)
    _, by_w, by_b = statement(w, b)
    norm = np.sqrt((by_w**2).sum() + (by_b**2).sum())
    optimizer = nn.SGD(network.trainable_params(), learning_rate=1.0)
    ClippedStep(nn.WithLossCell(network, nn.MSELoss()), optimizer)(*data())
    np.testing.assert_allclose(network.w.asnumpy(), w - by_w * 0.1 / norm, rtol=1e-5)


def test_with_grad_cell():
    network = Scale()
    _, by_w, by_b = statement(*values(network))
    gradients = nn.WithGradCell(network, nn.MSELoss())(*data())
    np.testing.assert_allclose(gradients[0].asnumpy(), by_w, rtol=1e-6)
    tripled = nn.WithGradCell(network, nn.MSELoss(), sens=Tensor(3.0))(*data())
    np.testing.assert_allclose(tripled[1].asnumpy(), 3 * by_b, rtol=1e-6)


@pytest.mark.parametrize("get_all", [False, True])
@pytest.mark.parametrize("get_by_list", [False, True])
@pytest.mark.parametrize("sens_param", [False, True])
def test_forward_value_and_grad(get_all, get_by_list, sens_param):
    network = Scale()
    weights = network.trainable_params()
    cell = nn.ForwardValueAndGrad(network, weights, get_all, get_by_list, sens_param)
    inputs = (Tensor(X), Tensor(np.full_like(X, 2.0))) if sens_param else (Tensor(X),)
    output, gradients = cell(*inputs)
    factor = 2.0 if sens_param else 1.0
    np.testing.assert_allclose(output.asnumpy(), network(Tensor(X)).asnumpy())
    by_input = factor * np.broadcast_to(network.w.asnumpy(), X.shape)
    by_w = factor * X.sum(0)
    if get_by_list:
        weights_part = gradients[1] if get_all else gradients
        assert isinstance(weights_part, tuple) and len(weights_part) == 2
        np.testing.assert_allclose(weights_part[0].asnumpy(), by_w, rtol=1e-6)
    if get_all:
        gradients = gradients[0] if get_by_list else gradients
        assert isinstance(gradients, tuple)
        np.testing.assert_allclose(gradients[0].asnumpy(), by_input)
    elif not get_by_list:
        np.testing.assert_allclose(gradients.asnumpy(), by_input)


def test_forward_value_and_grad_of_a_function():
    output, gradient = nn.ForwardValueAndGrad(lambda x, y: (x * y).sum())(*data())
    np.testing.assert_allclose(output.asnumpy(), (X * Y).sum())
    np.testing.assert_array_equal(gradient.asnumpy(), Y)


def test_parameter_update():
    parameter = Parameter(Tensor([1.0, 2.0]), "p")
    given = Tensor([3.0, 4.0])
    assert nn.ParameterUpdate(parameter)(given) is given
    assert parameter.asnumpy().tolist() == [3.0, 4.0]


def scaled_step(network, scale_sense, learning_rate=0.1):
    optimizer = nn.SGD(network.trainable_params(), learning_rate=learning_rate)
    return nn.TrainOneStepWithLossScaleCell(nn.WithLossCell(network, nn.MSELoss()), optimizer, scale_sense)


@pytest.mark.parametrize("scale", [Tensor(1024.0), nn.FixedLossScaleUpdateCell(1024.0)])
def test_a_scaled_loss_gives_the_same_step(scale):
    network = Scale()
    w, b = values(network)
    loss, by_w, by_b = statement(w, b)
    found, overflow, used = scaled_step(network, scale)(*data())
    np.testing.assert_allclose(found.asnumpy(), loss, rtol=1e-6)
    assert not overflow and float(used) == 1024.0
    np.testing.assert_allclose(network.w.asnumpy(), w - 0.1 * by_w, rtol=1e-5)
    np.testing.assert_allclose(network.b.asnumpy(), b - 0.1 * by_b, rtol=1e-5)


def test_an_overflow_leaves_the_weights_and_shrinks_the_scale():
    network = Scale()
    w, _ = values(network)
    step = scaled_step(network, nn.DynamicLossScaleUpdateCell(16.0, 2, 2))
    _, overflow, used = step(Tensor(np.array([[np.inf, 1.0]], np.float32)), Tensor(Y[:1]))
    assert overflow and float(used) == 16.0 and float(step.scale_sense) == 8.0
    np.testing.assert_array_equal(network.w.asnumpy(), w)


def test_a_dynamic_scale_follows_its_window():
    update = nn.DynamicLossScaleUpdateCell(8.0, 2, 3)
    scale = Parameter(Tensor(update.get_loss_scale(), dyad.float32), "scale")
    seen = []
    for overflow in (False, False, False, False, True, False, False, False, True, True, True, True, True):
        update(scale, Tensor(overflow))
        seen.append(float(scale))
    assert seen == [8, 8, 16, 16, 8, 8, 8, 16, 8, 4, 2, 1, 1]


def test_a_scale_set_by_hand():
    step = scaled_step(Scale(), Tensor(4.0))
    step.set_sense_scale(Tensor(32.0))
    assert float(step(*data())[2]) == 32.0


def test_accumulated_gradients_are_those_of_the_whole_batch():
    network, loss_fn = Scale(), nn.MSELoss()
    w, b = values(network)
    weights = network.trainable_params()
    optimizer = nn.SGD(weights, learning_rate=0.1)
    sums = dyad.ParameterTuple(weights).clone(prefix="sum", init="zeros")
    gradients = dyad.value_and_grad(lambda x, y: loss_fn(network(x), y), None, weights)
    for i in range(2):
        _, found = gradients(Tensor(X[i : i + 1]), Tensor(Y[i : i + 1]))
        ops.HyperMap()(ops.assign_add, sums, found)
    optimizer(ops.HyperMap()(lambda total: total / 2, tuple(sums)))
    _, by_w, by_b = statement(w, b)
    np.testing.assert_allclose(network.w.asnumpy(), w - 0.1 * by_w, rtol=1e-5)
    np.testing.assert_allclose(network.b.asnumpy(), b - 0.1 * by_b, rtol=1e-5)


def make_step(**settings):
    network = Scale()
    optimizer = nn.SGD(network.trainable_params(), learning_rate=0.1)
    return nn.TrainOneStepCell(nn.WithLossCell(network, nn.MSELoss()), optimizer, **settings)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_gradients_of_a_step_of_ones_own_are_unscaled_and_looked_at(mode):
    from dyad.nn.wrap.loss_scale import _grad_overflow, _grad_scale

    class Step(nn.Cell):
        def construct(self, scale, gradients):
            over = ops.HyperMap()(ops.partial(_grad_overflow), gradients)
            return over, ops.HyperMap()(ops.partial(_grad_scale, scale), gradients)

    before = dyad.get_context("mode")
    dyad.set_context(mode=mode)
    try:
        over, unscaled = Step()(Tensor(4.0), (Tensor([8.0, float("inf")]), Tensor([2.0], dyad.float16)))
    finally:
        dyad.set_context(mode=before)
    assert [flag.asnumpy().tolist() for flag in over] == [[1.0], [0.0]]
    assert unscaled[1].dtype == dyad.float16 and unscaled[1].asnumpy().tolist() == [0.5]
    assert unscaled[0].asnumpy().tolist() == [2.0, float("inf")]


def test_a_step_of_a_user_starts_from_the_scale_it_finds():
    class Step(nn.TrainOneStepCell):
        def construct(self, *inputs):
            loss = self.network(*inputs)
            start = ops.fill(loss.dtype, loss.shape, self.sens)
            gradients = self.grad(self.network, self.weights)(*inputs, start)
            return ops.depend(loss, self.optimizer(self.grad_reducer(gradients)))

    def weight_after(form, *settings):
        net = nn.Dense(2, 1, weight_init="ones", bias_init="zeros")
        step = form(nn.WithLossCell(net, nn.MSELoss()), nn.SGD(net.trainable_params(), 0.1), *settings)
        assert step.sense_flag == bool(settings)
        step(Tensor(np.ones((3, 2), np.float32)), Tensor(np.zeros((3, 1), np.float32)))
        return net.weight.asnumpy()

    # The gradient of the mean of (w1 + w2)^2 is 4 for each weight of 1.
    for form in (Step, nn.TrainOneStepCell):
        np.testing.assert_allclose(weight_after(form), 1 - 0.1 * 4, rtol=1e-6)
        np.testing.assert_allclose(weight_after(form, 2.0), 1 - 0.1 * 8, rtol=1e-6)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: nn.WithLossCell(3, nn.MSELoss()), TypeError, "WithLossCell: backbone is of type int"),
        (lambda: nn.WithLossCell(Scale(), 3), TypeError, "loss_fn is of type int; need a Cell or function"),
        (lambda: nn.WithEvalCell(Scale(), nn.MSELoss(), 1), TypeError, "add_cast_fp32 is 1 of type int"),
        (
            lambda: make_step(sens=0),
            ValueError,
            "TrainOneStepCell: sens is 0; need a finite number other than 0",
        ),
        (lambda: make_step(sens="a"), TypeError, "TrainOneStepCell: sens is 'a' of type str"),
        (lambda: make_step(return_grad=1), TypeError, "return_grad is 1 of type int"),
        (lambda: nn.TrainOneStepCell(Scale(), 3), TypeError, "optimizer is of type int; need a Cell"),
        (lambda: nn.ForwardValueAndGrad(3), TypeError, "ForwardValueAndGrad: network is of type int"),
        (
            lambda: nn.ForwardValueAndGrad(Scale(), get_by_list=True),
            TypeError,
            "weights is of type NoneType; need a tuple or list of Parameters",
        ),
        (lambda: nn.ParameterUpdate(Tensor(1.0)), TypeError, "param is of type Tensor; need a Parameter"),
        (lambda: scaled_step(Scale(), 3.0), TypeError, "scale_sense is of type float"),
        (lambda: scaled_step(Scale(), Tensor([1.0, 2.0])), ValueError, "scale_sense has shape (2,)"),
        (lambda: nn.DynamicLossScaleUpdateCell(8, 2, 0), ValueError, "scale_window is 0"),
        (
            lambda: nn.DynamicLossScaleUpdateCell(0, 2, 1),
            ValueError,
            "loss_scale_value is 0; need a finite number above 0",
        ),
    ],
)
def test_wrong_settings_are_refused(call, error, message):
    with pytest.raises(error, match=re.escape(message)):
        call()
