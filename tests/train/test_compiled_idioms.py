"""Idioms of training steps: clipping, schedules, accumulation, scaled losses, with and without jit."""

import numpy as np
import pytest
from step_forms import STATIC_FORMS, classified, numbers, perceptron, require_same_curve, whole

import dyad
from dyad import Parameter, ParameterTuple, Tensor, amp, nn, ops
from dyad.experimental import optim

BATCHES = classified()


def stepping(change, optimizer_of=lambda parameters: nn.SGD(parameters, 0.5)):
    """Makes a step that changes the gradients before the optimizer gets them."""

    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = optimizer_of(net.trainable_params())
        gradients_of = dyad.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

        def step(x, y):
            loss, gradients = gradients_of(x, y)
            optimizer(change(gradients))
            return loss

        return step, [*net.get_parameters(), *optimizer.get_parameters()]

    return make


# --- Clipping --------------------------------------------------------------------------------------------------


def clipped_by_value(gradients):
    return ops.clip_by_value(gradients, Tensor(-0.01), Tensor(0.01))


def clipped_one_by_one(gradients):
    return tuple(ops.clip_by_value(gradient, -0.01, 0.01) for gradient in gradients)


def clipped_by_norm(gradients):
    return tuple(ops.clip_by_norm(gradient, 0.05) for gradient in gradients)


def clipped_by_global_norm(gradients):
    return ops.clip_by_global_norm(gradients, 0.1)


def clipped_by_the_norm_of_all(gradients):
    norm = ops.sqrt(sum((gradient * gradient).sum() for gradient in gradients))
    if norm > 0.1:
        gradients = tuple(gradient * (0.1 / norm) for gradient in gradients)
    return gradients


clip_one = ops.MultitypeFuncGraph("clip_one")


@clip_one.register("Number", "Number", "Tensor")
def clip_tensor(kind, most, gradient):
    if kind == 0:
        return ops.clip_by_value(gradient, -most, most)
    return nn.ClipByNorm()(gradient, ops.cast(Tensor(most), gradient.dtype))


def clipped_by_a_map(gradients):
    return ops.HyperMap()(ops.partial(clip_one, 0, 0.01), gradients)


CLIP = nn.ClipByNorm()


def clipped_by_a_cell(gradients):
    return tuple(CLIP(gradient, Tensor(0.05)) for gradient in gradients)


@pytest.mark.parametrize(
    "change",
    [
        clipped_by_value,
        clipped_one_by_one,
        clipped_by_norm,
        clipped_by_global_norm,
        clipped_by_the_norm_of_all,
        clipped_by_a_map,
        clipped_by_a_cell,
    ],
)
def test_clipped_gradients_train_alike_in_a_compiled_step(change):
    truth = require_same_curve(stepping(change), whole, BATCHES)
    free = require_same_curve(stepping(lambda gradients: gradients), whole, BATCHES)
    assert not np.array_equal(truth.left[0], free.left[0])


# --- Rates -----------------------------------------------------------------------------------------------------

RATES = {
    "a number": 0.1,
    "a list": [0.3, 0.2, 0.1, 0.05, 0.02, 0.01],
    "a cosine as a list": nn.cosine_decay_lr(0.01, 0.5, 6, 2, 3),
    "a Tensor of rates": Tensor([0.3, 0.2, 0.1, 0.05, 0.02, 0.01]),
    "warm up": nn.WarmUpLR(0.5, 4),
    "a cosine": nn.CosineDecayLR(0.01, 0.5, 4),
    "an exponential": nn.ExponentialDecayLR(0.5, 0.9, 2, True),
    "a natural exponential": nn.NaturalExpDecayLR(0.5, 0.9, 2, True),
    "an inverse": nn.InverseDecayLR(0.5, 0.9, 2),
    "a polynomial": nn.PolynomialDecayLR(0.5, 0.01, 4, 0.5, True),
}


@pytest.mark.parametrize("rate", RATES.values(), ids=RATES)
def test_learning_rates(rate):
    require_same_curve(
        stepping(lambda gradients: gradients, lambda parameters: nn.Momentum(parameters, rate, 0.9)),
        whole,
        BATCHES,
    )


class Triangle(nn.LearningRateSchedule):
    """A schedule with a decision of its own."""

    def construct(self, global_step):
        if global_step < 3:
            return 0.1 * (global_step + 1).astype(dyad.float32)
        return 0.3 / global_step.astype(dyad.float32)


def with_groups(parameters):
    weights, biases = parameters[::2], parameters[1::2]
    return [
        {
            "params": weights,
            "lr": nn.CosineDecayLR(0.01, 0.5, 4),
            "weight_decay": 0.1,
            "grad_centralization": True,
        },
        {"params": biases, "lr": 0.05},
        {"order_params": parameters},
    ]


@pytest.mark.parametrize(
    "optimizer_of",
    [
        lambda parameters: nn.SGD(parameters, Triangle()),
        lambda parameters: nn.Momentum(with_groups(parameters), 0.1, 0.9, weight_decay=0.01),
        lambda parameters: nn.Adam(with_groups(parameters), nn.WarmUpLR(0.1, 3), loss_scale=4.0),
        lambda parameters: nn.Lamb(parameters, 0.02, weight_decay=nn.WarmUpLR(0.1, 3)),
        lambda parameters: optim.AdamW(
            [{"params": parameters[:2], "lr": 0.1}, {"params": parameters[2:], "weight_decay": 0.2}], lr=0.01
        ),
    ],
    ids=["own schedule", "groups", "groups and loss scale", "decay by a schedule", "groups of experimental"],
)
def test_rates_and_decays_of_groups(optimizer_of):
    require_same_curve(stepping(lambda gradients: gradients, optimizer_of), whole, BATCHES)


def test_rate_written_between_steps():
    """Writes of an experimental.optim scheduler reach the existing graph."""

    def curve(form):
        dyad.set_seed(3)
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = optim.SGD(net.trainable_params(), lr=0.5)
        schedule = optim.lr_scheduler.StepLR(optimizer, 2, 0.5)
        gradients_of = dyad.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)

        def step(x, y):
            loss, gradients = gradients_of(x, y)
            optimizer(gradients)
            return loss

        run, losses = form(step), []
        for _ in range(6):
            losses.append(float(run(*BATCHES[0])))
            schedule.step()
        return losses, run

    static, compiled = curve(whole)
    assert static == curve(lambda step: step)[0]
    assert len(compiled.entries) == 1


class Sign(nn.Optimizer):
    """An optimizer of a user: a fixed way against the gradient, shrinking with the steps."""

    def __init__(self, params, learning_rate=0.05):
        super().__init__(learning_rate, params, weight_decay=0.1, loss_scale=2.0)
        self.means = self.parameters.clone(prefix="mean", init="zeros")

    def construct(self, gradients):
        gradients = self.scale_grad(self.decay_weight(self.flatten_gradients(gradients)))
        rate = self.get_lr() / (1.0 + self.global_step.astype(dyad.float32).reshape(()))
        for parameter, mean, gradient in zip(self.parameters, self.means, gradients, strict=True):
            ops.assign(mean, 0.9 * mean + 0.1 * gradient)
            ops.assign_sub(parameter, rate * ops.sign(mean))
        self.assignadd(self.global_step, self.global_step_increase_tensor)
        return True


def test_a_user_defined_optimizer_compiles_to_the_same_curve():
    truth = require_same_curve(stepping(lambda gradients: gradients, Sign), whole, BATCHES)
    assert dict(zip(truth.names, truth.left, strict=True))["global_step"] == 6


# --- Accumulation ----------------------------------------------------------------------------------------------


def accumulating(every):
    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = nn.Adam(net.trainable_params(), 0.05)
        sums = optimizer.parameters.clone(prefix="sum", init="zeros")
        counter = Parameter(Tensor(0, dyad.int32), "counter", requires_grad=False)
        gradients_of = dyad.value_and_grad(lambda x, y: loss_fn(net(x), y), None, optimizer.parameters)
        add = ops.HyperMap()

        def step(x, y):
            loss, gradients = gradients_of(x, y)
            add(ops.assign_add, sums, gradients)
            ops.assign_add(counter, Tensor(1, dyad.int32))
            if counter % every == 0:
                optimizer(tuple(total / every for total in sums))
                for total in sums:
                    ops.assign(total, ops.zeros_like(total))
            return loss

        return step, [*net.get_parameters(), *optimizer.get_parameters(), *sums, counter]

    return make


class Accumulator(nn.Cell):
    """The same as a Cell, as tutorials write it."""

    def __init__(self, optimizer, every):
        super().__init__()
        self.optimizer, self.every = optimizer, every
        self.sums = optimizer.parameters.clone(prefix="sum", init="zeros")
        self.zeros = optimizer.parameters.clone(prefix="zeros", init="zeros")
        self.counter = Parameter(Tensor(1, dyad.int32), "counter_", requires_grad=False)
        self.map = ops.HyperMap()

    def construct(self, gradients):
        self.map(ops.partial(ops.assign_add), self.sums, gradients)
        if self.counter % self.every == 0:
            self.optimizer(self.sums)
            self.map(ops.partial(ops.assign), self.sums, self.zeros)
        ops.assign_add(self.counter, Tensor(1, dyad.int32))
        return True


def accumulating_by_a_cell():
    net, loss_fn = perceptron(), nn.CrossEntropyLoss()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9)
    accumulator = Accumulator(optimizer, 2)
    gradients_of = dyad.value_and_grad(lambda x, y: loss_fn(net(x), y) / 2, None, net.trainable_params())

    def step(x, y):
        loss, gradients = gradients_of(x, y)
        accumulator(gradients)
        return loss

    return step, [*net.get_parameters(), *accumulator.get_parameters()]


@pytest.mark.parametrize("form", STATIC_FORMS)
def test_accumulated_gradients(form):
    truth = require_same_curve(accumulating(2), form, BATCHES)
    assert dict(zip(truth.names, truth.left, strict=True))["counter"] == 6


@pytest.mark.parametrize("form", STATIC_FORMS)
def test_accumulation_as_a_cell(form):
    require_same_curve(accumulating_by_a_cell, form, BATCHES)


# --- Scaled losses ---------------------------------------------------------------------------------------------


def overflowing():
    """Batches of which the second gives no finite gradient."""
    batches = classified(4)
    batches[1] = (batches[1][0] * np.inf, batches[1][1])
    return batches


def scaling(scaler_of):
    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = nn.Adam(net.trainable_params(), 0.02)
        scaler = scaler_of()

        def forward(x, y):
            logits = net(x)
            return scaler.scale(loss_fn(logits, y)), logits

        gradients_of = dyad.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

        def step(x, y):
            (loss, _), gradients = gradients_of(x, y)
            loss, gradients = scaler.unscale(loss), scaler.unscale(gradients)
            finite = amp.all_finite(gradients)
            if finite:
                optimizer(gradients)
            scaler.adjust(finite)
            return loss, finite

        state = [scaler.scale_value, *([scaler.counter] if hasattr(scaler, "counter") else [])]
        return step, [*net.get_parameters(), *optimizer.get_parameters(), *state]

    return make


@pytest.mark.parametrize("form", STATIC_FORMS)
@pytest.mark.parametrize(
    "scaler_of", [lambda: amp.StaticLossScaler(1024), lambda: amp.DynamicLossScaler(1024, 2, 2)]
)
def test_scaled_loss_with_overflow(scaler_of, form):
    truth = require_same_curve(scaling(scaler_of), form, overflowing(), 8)
    assert [bool(finite) for _, finite in truth.given] == [True, False, True, True] * 2


def test_dynamic_scale_follows_the_overflows():
    truth = require_same_curve(scaling(lambda: amp.DynamicLossScaler(1024, 2, 3)), whole, overflowing(), 8)
    assert dict(zip(truth.names, truth.left, strict=True))["scale_value"] == 512.0


def test_finite_check_written_out():
    def make():
        net, loss_fn = perceptron(), nn.CrossEntropyLoss()
        optimizer = nn.SGD(net.trainable_params(), 0.1)
        skipped = Parameter(Tensor(0.0), "skipped", requires_grad=False)
        gradients_of = dyad.value_and_grad(
            lambda x, y: loss_fn(net(x), y), None, ParameterTuple(optimizer.parameters)
        )

        def step(x, y):
            loss, gradients = gradients_of(x, y)
            finite = ops.isfinite(loss)
            for gradient in gradients:
                finite = ops.logical_and(finite, ops.isfinite(gradient).all())
            if finite:
                optimizer(gradients)
            else:
                ops.assign_add(skipped, Tensor(1.0))
            return loss

        return step, [*net.get_parameters(), skipped]

    truth = require_same_curve(make, whole, overflowing(), 8)
    assert truth.left[-1] == 2.0


def test_two_optimizers_in_one_step():
    """A generator and a judge: two gradients by different Parameters, one graph."""

    def make():
        generator, judge = nn.Dense(4, 12), nn.SequentialCell(nn.Dense(12, 8), nn.LeakyReLU(), nn.Dense(8, 1))
        first, second = nn.Adam(generator.trainable_params(), 0.01), nn.SGD(judge.trainable_params(), 0.05)
        loss_fn = nn.BCEWithLogitsLoss()

        def judged(images, wanted):
            logits = judge(images)
            return loss_fn(logits, ops.ones_like(logits) * wanted)

        def of_judge(real, noise):
            return judged(real, 1.0) + judged(ops.stop_gradient(generator(noise)), 0.0)

        def of_generator(noise):
            return judged(generator(noise), 1.0)

        judge_gradients = dyad.value_and_grad(of_judge, None, second.parameters)
        generator_gradients = dyad.value_and_grad(of_generator, None, first.parameters)

        def step(real, noise):
            judge_loss, gradients = judge_gradients(real, noise)
            second(gradients)
            generator_loss, gradients = generator_gradients(noise)
            first(gradients)
            return judge_loss, generator_loss

        return step, [*first.get_parameters(), *second.get_parameters()]

    batches = [(Tensor(numbers(i, 8, 12)), Tensor(numbers(10 + i, 8, 4))) for i in range(3)]
    require_same_curve(make, whole, batches)
