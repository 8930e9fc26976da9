"""The training Cells as static graphs: in Graph mode, under jit(cell), and called from a compiled function."""

import numpy as np
import pytest
from step_forms import (
    Curve,
    called_in_graph_mode,
    classified,
    dynamic,
    numbers,
    perceptron,
    require_same,
    require_same_curve,
)

import dyad
from dyad import Parameter, ParameterTuple, Tensor, jit, nn, ops

BATCHES = classified()


def in_a_function(cell):
    @jit(fullgraph=True)
    def call(*inputs):
        return cell(*inputs)

    return call


FORMS = [called_in_graph_mode, jit, in_a_function]


@pytest.fixture(params=FORMS, ids=lambda form: form.__name__)
def form(request):
    return request.param


def with_loss():
    net = perceptron()
    return net, nn.WithLossCell(net, nn.CrossEntropyLoss())


def stepping(
    kind=nn.TrainOneStepCell,
    *given,
    optimizer_of=lambda parameters: nn.Momentum(parameters, 0.1, 0.9),
    **named,
):
    """Makes a training Cell of that kind."""

    def make():
        net, loss = with_loss()
        cell = kind(loss, optimizer_of(net.trainable_params()), *given, **named)
        return cell.set_train(), list(cell.get_parameters())

    return make


@pytest.mark.parametrize("settings", [{}, {"sens": 3.0}, {"return_grad": True}], ids=str)
def test_train_one_step(form, settings):
    require_same_curve(stepping(**settings), form, BATCHES)


def test_a_sens_written_between_steps_counts(form):
    def curve(form):
        dyad.set_seed(2)
        cell, parameters = stepping(sens=2.0)()
        run = form(cell)
        for sens in (2.0, 3.0, 1.0):
            cell.sens = sens
            run(*BATCHES[0])
        return [parameter.asnumpy().copy() for parameter in parameters]

    np.testing.assert_equal(curve(form), curve(dynamic))


class GradientsByHand(nn.TrainOneStepCell):
    """A step of a user: gradients by GradOperation, clipped, then the optimizer."""

    def construct(self, *inputs):
        loss = self.network(*inputs)
        sens = ops.fill(loss.dtype, loss.shape, self.sens)
        gradients = self.grad(self.network, self.weights)(*inputs, sens)
        gradients = self.grad_reducer(ops.clip_by_global_norm(gradients, 0.1))
        return ops.depend(loss, self.optimizer(gradients))


class NoSens(nn.TrainOneStepCell):
    def construct(self, *inputs):
        loss = self.network(*inputs)
        gradients = self.grad_no_sens(self.network, self.weights)(*inputs)
        self.optimizer(gradients)
        return loss


class Conditional(nn.TrainOneStepCell):
    """Learns only from losses that are not small yet."""

    def construct(self, *inputs):
        loss, gradients = dyad.value_and_grad(self.network, None, self.weights)(*inputs)
        if loss > 1.4:
            self.optimizer(gradients)
        return loss


@pytest.mark.parametrize("kind", [GradientsByHand, NoSens, Conditional])
def test_steps_of_users(form, kind):
    require_same_curve(stepping(kind), form, BATCHES)


class Alone(nn.Cell):
    """A whole step as one Cell that holds the network, the loss and the optimizer."""

    def __init__(self):
        super().__init__()
        self.net = perceptron()
        self.loss_fn = nn.CrossEntropyLoss()
        self.optimizer = nn.Adam(self.net.trainable_params(), 0.05)
        self.steps = Parameter(Tensor(0, dyad.int32), "steps", requires_grad=False)
        self.gradients_of = dyad.value_and_grad(self.forward, None, self.optimizer.parameters, has_aux=True)

    def forward(self, x, y):
        logits = self.net(x)
        return self.loss_fn(logits, y), logits

    def construct(self, x, y):
        (loss, logits), gradients = self.gradients_of(x, y)
        self.optimizer(gradients)
        self.steps += 1
        return loss, logits.argmax(1)


class AloneWithJit(Alone):
    @jit
    def construct(self, x, y):
        (loss, logits), gradients = self.gradients_of(x, y)
        self.optimizer(gradients)
        self.steps += 1
        return loss, logits.argmax(1)


def alone():
    cell = Alone().set_train()
    return cell, list(cell.get_parameters())


def test_a_step_in_one_cell(form):
    truth = require_same_curve(alone, form, BATCHES)
    assert dict(zip(truth.names, truth.left, strict=True))["steps"] == 6


def test_a_step_with_a_jitted_construct():
    def decorated():
        cell = AloneWithJit().set_train()
        return cell, list(cell.get_parameters())

    truth, found = Curve(alone, dynamic, BATCHES), Curve(decorated, dynamic, BATCHES)
    np.testing.assert_equal(found.given, truth.given)
    np.testing.assert_equal(found.left, truth.left)


# --- Cells that do not step ------------------------------------------------------------------------------------


def test_losses_and_evaluation(form):
    def make():
        net, loss = with_loss()
        return loss, list(net.get_parameters())

    require_same_curve(make, form, BATCHES, 2)

    def evaluate():
        net = perceptron()
        return nn.WithEvalCell(net, nn.CrossEntropyLoss(), True), list(net.get_parameters())

    require_same_curve(evaluate, form, BATCHES, 2)


@pytest.mark.parametrize("sens", [None, Tensor(3.0)])
def test_with_grad_cell(form, sens):
    def make():
        net = perceptron()
        return nn.WithGradCell(net, nn.CrossEntropyLoss(), sens), list(net.get_parameters())

    require_same_curve(make, form, BATCHES, 2)


@pytest.mark.parametrize("get_all", [False, True])
@pytest.mark.parametrize("get_by_list", [False, True])
@pytest.mark.parametrize("sens_param", [False, True])
def test_forward_value_and_grad(form, get_all, get_by_list, sens_param):
    def make():
        net = perceptron()
        cell = nn.ForwardValueAndGrad(net, net.trainable_params(), get_all, get_by_list, sens_param)
        return cell, list(net.get_parameters())

    inputs = (Tensor(numbers(1, 3, 12)), *([Tensor(numbers(2, 3, 4))] if sens_param else []))
    require_same_curve(make, form, [inputs], 2)


def test_parameter_update(form):
    def make():
        parameter = Parameter(Tensor(numbers(1, 5)), "p")
        return nn.ParameterUpdate(parameter), [parameter]

    truth = require_same_curve(make, form, [(Tensor(numbers(2, 5)),)], 2)
    np.testing.assert_array_equal(truth.left[0], numbers(2, 5))


# --- Scaled losses ---------------------------------------------------------------------------------------------


def overflowing():
    batches = classified(4)
    batches[2] = (batches[2][0] * np.inf, batches[2][1])
    return batches


@pytest.mark.parametrize(
    "scale_of",
    [
        lambda: Tensor(1024.0),
        lambda: nn.FixedLossScaleUpdateCell(1024.0),
        lambda: nn.DynamicLossScaleUpdateCell(1024.0, 2, 2),
        lambda: dyad.amp.DynamicLossScaleManager(1024, 2, 3).get_update_cell(),
    ],
    ids=["tensor", "fixed", "dynamic", "from a manager"],
)
def test_scaled_losses(form, scale_of):
    def make():
        net, loss = with_loss()
        cell = nn.TrainOneStepWithLossScaleCell(loss, nn.Adam(net.trainable_params(), 0.02), scale_of())
        return cell.set_train(), list(cell.get_parameters())

    truth = require_same_curve(make, form, overflowing(), 8)
    assert [bool(overflow) for _, overflow, _ in truth.given] == [False, False, True, False] * 2


class OwnScaledStep(nn.TrainOneStepWithLossScaleCell):
    """The step of the documentation: each part of it called by name."""

    def construct(self, *inputs):
        weights = self.weights
        loss = self.network(*inputs)
        scale = self.scale_sense
        status, scale = self.start_overflow_check(loss, scale)
        scaled = ops.ones_like(loss) * ops.cast(scale, loss.dtype)
        gradients = self.grad(self.network, weights)(*inputs, scaled)
        gradients = tuple(gradient / ops.cast(scale, gradient.dtype) for gradient in gradients)
        gradients = self.grad_reducer(gradients)
        overflow = self.process_loss_scale(self.get_overflow_status(status, gradients))
        if not overflow:
            self.optimizer(gradients)
        return loss, overflow, scale


def test_a_scaled_step_of_a_user(form):
    def make():
        net, loss = with_loss()
        manager = nn.DynamicLossScaleUpdateCell(1024.0, 2, 2)
        cell = OwnScaledStep(loss, nn.Adam(net.trainable_params(), 0.02), manager)
        return cell.set_train(), list(cell.get_parameters())

    require_same_curve(make, form, overflowing(), 8)


class Accumulating(nn.TrainOneStepCell):
    """Sums gradients and steps every other time."""

    def __init__(self, network, optimizer):
        super().__init__(network, optimizer)
        self.sums = ParameterTuple(self.weights).clone(prefix="sum", init="zeros")
        self.zeros = ParameterTuple(self.weights).clone(prefix="zeros", init="zeros")
        self.count = Parameter(Tensor(0, dyad.int32), "count", requires_grad=False)
        self.each = ops.HyperMap()

    def construct(self, *inputs):
        loss, gradients = dyad.value_and_grad(self.network, None, self.weights)(*inputs)
        self.each(ops.assign_add, self.sums, gradients)
        ops.assign_add(self.count, Tensor(1, dyad.int32))
        if self.count == 2:
            self.optimizer(self.sums)
            self.each(ops.assign, self.sums, self.zeros)
            ops.assign(self.count, Tensor(0, dyad.int32))
        return loss


def test_accumulated_gradients_train_alike_in_every_form(form):
    require_same_curve(stepping(Accumulating), form, BATCHES)


# --- A whole program in Graph mode -----------------------------------------------------------------------------


def tutorial(mode):
    """The training loop of a tutorial, all of it in that mode: (losses, right answers, Parameters)."""
    dyad.set_context(mode=mode)
    try:
        dyad.set_seed(8)
        net, loss_fn = perceptron(nn.Dropout(p=0.2)), nn.CrossEntropyLoss()
        optimizer = nn.Momentum(net.trainable_params(), nn.cosine_decay_lr(0.01, 0.1, 6, 3, 2), 0.9)

        def forward_fn(data, label):
            logits = net(data)
            return loss_fn(logits, label), logits

        grad_fn = dyad.value_and_grad(forward_fn, None, optimizer.parameters, has_aux=True)

        def train_step(data, label):
            (loss, _), grads = grad_fn(data, label)
            optimizer(grads)
            return loss

        dyad.set_seed(8)
        losses, right = [], []
        for _ in range(2):
            net.set_train()
            losses += [float(train_step(*batch)) for batch in BATCHES]
            net.set_train(False)
            right += [float((net(x).argmax(1) == y).astype(dyad.float32).sum()) for x, y in BATCHES]
        return losses, right, [parameter.asnumpy().copy() for parameter in net.get_parameters()]
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)


def test_a_whole_program_in_graph_mode():
    require_same(tutorial(dyad.GRAPH_MODE), tutorial(dyad.PYNATIVE_MODE))


class _Summing(nn.Cell):
    """Looks for a Tensor in a list, which only Python can."""

    def construct(self, x):
        total, wanted, items = x, x + 1, [x]
        while len(items) < 4:
            items.append(x)
            x = x + 1
            if wanted in items:
                break
            total = total + x
        return total


@pytest.mark.parametrize("form", [dynamic, called_in_graph_mode, jit])
def test_gradients_of_a_network_that_python_runs_in_part(form):
    with_gradients = form(nn.ForwardValueAndGrad(_Summing(), get_all=True))
    for start in (-2.0, 3.0):
        value, gradients = with_gradients(Tensor([start]))
        assert value.asnumpy().tolist() == [2 * start + 1] and gradients[0].asnumpy().tolist() == [2.0]
