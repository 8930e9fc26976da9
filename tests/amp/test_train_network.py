"""`build_train_network`, and whole steps with a scaled loss."""

import numpy as np
import pytest
from precision_forms import FORMS, STATIC_FORMS, numbers, trace

import dyad
import dyad.log
from dyad import Tensor, amp, nn, ops
from dyad._src.base import no_effect

SMALL = amp.DynamicLossScaleManager(1024)  # gradients do not overflow


def network():
    dyad.set_seed(4)
    return nn.SequentialCell(nn.Dense(6, 16), nn.BatchNorm1d(16), nn.ReLU(), nn.Dense(16, 3))


def batch():
    return numbers(1, 8, 6), Tensor(np.arange(8) % 3, dyad.int32)


def built(level="O0", **settings):
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.05, 0.9)
    return amp.build_train_network(net, optimizer, nn.CrossEntropyLoss(), level, **settings), net


def losses(step, count=6):
    results = [step(*batch()) for _ in range(count)]
    return [float(result[0] if isinstance(result, tuple) else result) for result in results]


@pytest.mark.parametrize(
    ("level", "kind"),
    [
        ("O0", nn.TrainOneStepCell),
        ("O1", nn.TrainOneStepCell),
        ("O2", nn.TrainOneStepWithLossScaleCell),
        ("O3", nn.TrainOneStepCell),
        ("auto", nn.TrainOneStepCell),
    ],
)
def test_a_level_trains_as_float32_does(level, kind):
    step, net = built(level, **({"loss_scale_manager": SMALL} if level == "O2" else {}))
    assert type(step) is kind and step.training
    found, expected = losses(step), losses(built()[0])
    np.testing.assert_allclose(found, expected, rtol=5e-2)
    assert found[-1] < 0.8 * found[0]
    assert (found != expected) == (level != "O0")
    assert {p.dtype for p in net.get_parameters()} == {dyad.float32}


@pytest.mark.parametrize("form", STATIC_FORMS)
@pytest.mark.parametrize("level", ["O1", "O2", "auto"])
def test_forms_train_alike(form, level):
    np.testing.assert_allclose(losses(form(built(level)[0]), 3), losses(built(level)[0], 3), rtol=2e-2)


def test_o2_scales_dynamically():
    step, _ = built("O2")
    _, overflowed, scale = step(*batch())
    assert bool(overflowed) and float(scale) == 2**24
    scales = [float(step(*batch())[2]) for _ in range(12)]
    assert scales[0] == 2**23 and scales[-1] == scales[-2] < 2**20


def test_settings_take_the_place_of_the_level():
    step, net = built("O2", loss_scale_manager=None)
    assert type(step) is nn.TrainOneStepCell
    step, net = built("O2", cast_model_type=dyad.float32, loss_scale_manager=None)
    assert losses(step) == losses(built()[0])
    step, net = built("O3", keep_batchnorm_fp32=True)
    assert net[1](numbers(1, 8, 16)).dtype == dyad.float16
    assert net[1]._compute_dtype == dyad.float32
    step, net = built("O2", keep_batchnorm_fp32=False)
    assert net[1]._compute_dtype == dyad.float16
    step, net = built("O0", cast_model_type=dyad.float16)
    assert net[3](numbers(1, 8, 16)).dtype == dyad.float16
    fixed = amp.FixedLossScaleManager(8.0, drop_overflow_update=False)
    assert type(built(loss_scale_manager=fixed)[0]) is nn.TrainOneStepCell


def test_a_boost_level_is_said_to_have_no_effect(monkeypatch):
    said = []
    monkeypatch.setattr(no_effect, "_said", set())
    monkeypatch.setattr(dyad.log, "warning", lambda message, *parts: said.append(message % parts))
    assert losses(built("O0", boost_level="O1")[0]) == losses(built()[0])
    assert said == [
        "build_train_network: boost_level 'O1' has no effect: "
        "a step is optimized as a whole already, and its mathematics stays"
    ]


def test_a_network_with_its_loss_inside():
    net = nn.WithLossCell(network(), nn.CrossEntropyLoss())
    step = amp.build_train_network(net, nn.SGD(net.trainable_params(), 0.1), level="O2")
    loss, _, _ = step(*batch())
    assert loss.dtype == dyad.float32 and np.isfinite(float(loss))


def one_step(net, scaler, optimizer):
    """The functional style: scaled loss, gradients, all in one function."""
    loss_fn = nn.CrossEntropyLoss()

    def forward(x, y):
        loss = loss_fn(net(x), y)
        return scaler.scale(loss), loss

    gradients_of = dyad.value_and_grad(forward, None, optimizer.parameters, has_aux=True)

    def step(x, y):
        (_, loss), gradients = gradients_of(x, y)
        gradients = scaler.unscale(gradients)
        finite = amp.all_finite(gradients)
        if finite:
            optimizer(gradients)
        scaler.adjust(finite)
        return loss, finite

    return step


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("dtype", [dyad.float16, dyad.bfloat16])
@pytest.mark.parametrize("level", ["O2", "auto"])
def test_a_scaled_step_is_one_graph(level, dtype, form):
    scale = 2.0**10 if form is trace else 2.0**20  # what is traced takes one way

    def trained(form):
        net = amp.auto_mixed_precision(network(), level, dtype).set_train()
        scaler = amp.DynamicLossScaler(scale, 2, 3)
        step = form(one_step(net, scaler, nn.Momentum(net.trainable_params(), 0.05, 0.9)))
        given = [step(*batch()) for _ in range(10)]
        return [float(loss) for loss, _ in given], [bool(finite) for _, finite in given], scaler

    found, finite, scaler = trained(form)
    expected, expected_finite, expected_scaler = trained(lambda step: step)
    np.testing.assert_allclose(found, expected, rtol=6e-2 if dtype == dyad.bfloat16 else 1e-2)
    assert finite == expected_finite and all(finite) == (dtype == dyad.bfloat16 or form is trace)
    assert float(scaler.scale_value) == float(expected_scaler.scale_value)
    assert found[-1] < found[0]


@pytest.mark.parametrize("form", FORMS)
def test_gradients_of_half_precision_arrive_in_float32(form):
    net = amp.auto_mixed_precision(network(), "O2")
    x, y = batch()
    weights = net.trainable_params()

    def loss(x):
        return ops.cross_entropy(net(x), y)

    by_input, gradients = form(dyad.grad(loss, 0, weights))(x)
    assert {g.dtype for g in (by_input, *gradients)} == {dyad.float32}


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"optimizer": 3}, TypeError, "optimizer is of type int; need an Optimizer"),
        ({"network": 3}, TypeError, "network is of type int; need a Cell"),
        ({"loss_fn": abs}, TypeError, "loss_fn is of type builtin_function_or_method; need a Cell"),
        ({"level": 2}, TypeError, "level is 2 of type int; need a str"),
        ({"level": "O4"}, ValueError, "level is 'O4'; need one of O0, O1, O2, O3, auto"),
        ({"boost_level": "O3"}, ValueError, "boost_level is 'O3'; need one of O0, O1, O2"),
        ({"keep_bn": True}, ValueError, "there is no setting 'keep_bn'; need one of cast_model_type"),
        (
            {"cast_model_type": dyad.int32},
            TypeError,
            "cast_model_type is dyad.int32; need float16 or float32",
        ),
        ({"keep_batchnorm_fp32": 1}, TypeError, "keep_batchnorm_fp32 is 1 of type int; need a bool"),
        (
            {"loss_scale_manager": 8},
            TypeError,
            "loss_scale_manager is of type int; need a LossScaleManager or None",
        ),
    ],
)
def test_what_is_refused(arguments, error, message):
    net = network()
    given = {"network": net, "optimizer": nn.SGD(net.trainable_params()), **arguments}
    with pytest.raises(error, match=f"build_train_network: {message}"):
        amp.build_train_network(**given)
