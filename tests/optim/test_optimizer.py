"""Behavior shared by all optimizers of `nn`: groups, rates, decays, centralizing, dtypes, state, user classes."""

import copy
import inspect
import pickle

import formulas
import numpy as np
import pytest
from walk import SHAPES, STEPS, gradients, parameters, walk

import dyad
from dyad import Parameter, Tensor, nn, ops

EVERY = {
    "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9),
    "SGD": lambda p: nn.SGD(p, 0.1, 0.9),
    "Adam": lambda p: nn.Adam(p, 0.1, use_amsgrad=True),
    "AdamWeightDecay": nn.AdamWeightDecay,
    "LazyAdam": nn.LazyAdam,
    "AdamOffload": nn.AdamOffload,
    "RMSProp": lambda p: nn.RMSProp(p, centered=True),
    "Adagrad": nn.Adagrad,
    "ProximalAdagrad": nn.ProximalAdagrad,
    "FTRL": nn.FTRL,
    "Adadelta": nn.Adadelta,
    "AdaMax": nn.AdaMax,
    "Rprop": nn.Rprop,
    "ASGD": nn.ASGD,
    "Lamb": lambda p: nn.Lamb(p, 0.1),
    "LARS": lambda p: nn.LARS(nn.Momentum(p, 0.1, 0.9)),
    "AdaFactor": nn.AdaFactor,
    "experimental.Adam": lambda p: dyad.experimental.optim.Adam(p, amsgrad=True),
    "experimental.NAdam": dyad.experimental.optim.NAdam,
}
every = pytest.mark.parametrize("name", EVERY)


def tensors(step):
    return tuple(Tensor(g) for g in gradients(step))


class Ramp(nn.Cell):
    """A schedule: the start plus a share of the step."""

    def __init__(self, start, rise):
        super().__init__()
        self.start, self.rise = start, rise

    def construct(self, global_step):
        return global_step.astype(dyad.float32) * self.rise + self.start


@every
def test_a_copy_and_a_pickle_go_on_alike(name):
    optimizer = EVERY[name](parameters())
    optimizer(tensors(0))
    others = [pickle.loads(pickle.dumps(optimizer)), copy.deepcopy(optimizer)]
    for one in [optimizer, *others]:
        one(tensors(1))
    for other in others:
        assert other.parameters[0] is not optimizer.parameters[0]
        for a, b in zip(optimizer.parameters, other.parameters, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@every
def test_state_goes_through_a_state_dict_and_a_checkpoint(name, tmp_path):
    optimizer = EVERY[name](parameters())
    for step in range(2):
        optimizer(tensors(step))
    by_dict = EVERY[name](parameters())
    by_dict.load_state_dict(optimizer.state_dict())
    path = str(tmp_path / "optimizer.ckpt")
    dyad.save_checkpoint(optimizer, path)
    by_file = EVERY[name](parameters())
    assert dyad.load_param_into_net(by_file, dyad.load_checkpoint(path)) == ([], [])
    for one in (optimizer, by_dict, by_file):
        one(tensors(2))
    for other in (by_dict, by_file):
        for a, b in zip(optimizer.parameters, other.parameters, strict=True):
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy())


@every
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float64"])
def test_other_dtypes_follow_float32(name, dtype):
    exact = EVERY[name](parameters())
    other = EVERY[name]([Parameter(p.astype(getattr(dyad, dtype)), p.name) for p in parameters()])
    for step in range(3):
        given = tensors(step)
        exact(given)
        other(tuple(g.astype(getattr(dyad, dtype)) for g in given))
    tolerance = {"float16": 2e-2, "bfloat16": 1e-1, "float64": 1e-4}[dtype]
    for a, b in zip(exact.parameters, other.parameters, strict=True):
        assert b.dtype == getattr(dyad, dtype)
        np.testing.assert_allclose(
            b.astype(dyad.float32).asnumpy(), a.asnumpy(), rtol=tolerance, atol=tolerance
        )


def test_gradients_of_another_dtype_or_layout():
    wide = {"w": (6, 8)}
    start = parameters(shapes=wide)
    expected = start[0].asnumpy() - 0.1 * np.arange(48, dtype=np.float32).reshape(8, 6).T
    nn.SGD(start, 0.1)([Tensor(np.arange(48, dtype=np.float32).reshape(8, 6)).T])
    np.testing.assert_allclose(start[0].asnumpy(), expected, rtol=1e-6)
    half = parameters(shapes=wide)
    nn.SGD(half, 0.1)([Tensor(np.full((6, 8), 0.5, np.float16))])
    np.testing.assert_allclose(
        half[0].asnumpy(), parameters(shapes=wide)[0].asnumpy() - np.float32(0.1) * 0.5, rtol=1e-6
    )


def test_an_empty_parameter():
    empty = Parameter(np.zeros((0, 3), np.float32), "empty")
    own = Parameter(np.ones(2, np.float32), "own")
    nn.Adam([empty, own])([Tensor(np.zeros((0, 3), np.float32)), Tensor(np.ones(2, np.float32))])
    np.testing.assert_allclose(own.asnumpy(), 0.999, rtol=1e-6)


LISTED = [0.1 / (1 + step) for step in range(STEPS)]


@pytest.mark.parametrize(
    ("rate", "at"),
    [
        (LISTED, LISTED.__getitem__),
        (Tensor(LISTED), LISTED.__getitem__),
        (Tensor(0.03), lambda step: 0.03),
        (np.array(0.03), lambda step: 0.03),
        (np.array(LISTED), LISTED.__getitem__),
        (1, lambda step: 1),
        (Ramp(0.01, 0.002), lambda step: 0.01 + 0.002 * step),
    ],
)
def test_forms_of_a_learning_rate(rate, at):
    optimizer = nn.Momentum(parameters(), rate, 0.5)
    assert optimizer.dynamic_lr == (
        not isinstance(rate, int) and (isinstance(rate, (list, nn.Cell)) or rate.ndim == 1)
    )
    walk(optimizer, formulas.momentum, lr=at, momentum=0.5)


@pytest.mark.parametrize("form", [lambda step: step, dyad.jit], ids=["dynamic", "static"])
def test_the_last_listed_rate_holds_for_all_later_steps(form):
    own = Parameter(np.zeros(2, np.float32), "w")
    optimizer = nn.SGD([own], [0.5, 0.25])
    step = form(lambda gradient: optimizer((gradient,)))
    one = Tensor(np.ones(2, np.float32))
    for expected in (-0.5, -0.75, -1.0, -1.25):
        step(one)
        np.testing.assert_allclose(own.asnumpy(), expected)


@pytest.mark.parametrize("form", [lambda step: step, dyad.jit], ids=["dynamic", "static"])
def test_a_listed_rate_is_read_by_step_from_either_end(form):
    optimizer = nn.SGD([Parameter(np.zeros(2, np.float32), "w")], [0.5, 0.25, 0.125])
    rate = form(lambda step: optimizer.learning_rate(step))
    read = [rate(Tensor(step)).item() for step in (0, 2, 3, 100, -1, -3)]
    assert read == [0.5, 0.125, 0.125, 0.125, 0.125, 0.5]
    with pytest.raises(IndexError, match="SGD: learning_rate has 3 entries and the step is -4"):
        rate(Tensor(-4))


def test_a_rate_that_is_written_holds_from_the_next_step_on():
    parameter = Parameter(np.zeros(2, np.float32), "w")
    optimizer = nn.SGD([parameter], 0.1)
    one = (Tensor(np.ones(2, np.float32)),)
    optimizer(one)
    ops.assign(optimizer.learning_rate, 0.5)
    optimizer(one)
    optimizer.learning_rate = Tensor(0.25)
    optimizer(one)
    np.testing.assert_allclose(parameter.asnumpy(), -0.85, rtol=1e-6)


def test_groups_in_an_order_of_their_own():
    own = parameters()
    conv, gamma, weight, bias = own
    optimizer = nn.Momentum(
        [
            {"params": [conv, bias], "lr": 0.1, "weight_decay": 0.3},
            {"params": [gamma], "weight_decay": 0.2},
            {"params": [weight], "lr": [0.5, 0.25, 0.125]},
            {"order_params": own},
        ],
        0.01,
        0.0,
        weight_decay=0.4,
        loss_scale=2.0,
    )
    assert optimizer.is_group_params_ordered
    assert not nn.Momentum([{"params": own}], 0.01, 0.0).is_group_params_ordered
    assert [p.name for p in optimizer.parameters] == list(SHAPES)
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.1, 0.01, 0.5, 0.1])
    assert [float(d) for d in optimizer.get_weight_decay()] == pytest.approx([0.6, 0.4, 0.8, 0.6])
    arrays = [p.asnumpy().copy() for p in own]
    for step, weight_rate in enumerate([0.5, 0.25, 0.125]):
        given = gradients(step)
        optimizer([Tensor(np.asarray(g * 2)) for g in given])
        rates, decays = [0.1, 0.01, weight_rate, 0.1], [0.3, 0.2, 0.4, 0.3]
        arrays = [a - r * (g + d * a) for a, r, g, d in zip(arrays, rates, given, decays, strict=True)]
    for p, array in zip(own, arrays, strict=True):
        np.testing.assert_allclose(p.asnumpy(), array, rtol=1e-5, atol=1e-6)
    assert [rate.name for rate in optimizer.get_lr_parameter([conv, gamma])] == [
        "learning_rate_group_0",
        "learning_rate",
    ]
    assert optimizer.get_lr_parameter(weight).name == "learning_rate_group_2"


def test_fixed_rates_of_groups_are_parameters():
    own = parameters()
    optimizer = nn.SGD([{"params": own[:2], "lr": 0.3}, {"params": own[2:]}], 0.1)
    assert not optimizer.dynamic_lr
    assert [float(rate) for rate in optimizer.get_lr()] == pytest.approx([0.3, 0.3, 0.1, 0.1])


def test_weight_decay_that_changes():
    start = parameters()
    optimizer = nn.SGD(start, 0.1, weight_decay=Ramp(0.1, 0.1))
    arrays = [p.asnumpy().copy() for p in start]
    for step in range(3):
        given = gradients(step)
        optimizer([Tensor(g) for g in given])
        decay = 0.1 * (step + 1)
        arrays = [
            a - 0.1 * (g + (0 if name == "norm.gamma" else decay) * a)
            for a, g, name in zip(arrays, given, SHAPES, strict=True)
        ]
    for p, array in zip(start, arrays, strict=True):
        np.testing.assert_allclose(p.asnumpy(), array, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize(
    "assigned", [Tensor(0.5, dyad.float32), 0.5, Ramp(0.3, 0.1)], ids=["Tensor", "float", "Cell"]
)
@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_a_weight_decay_that_is_assigned_counts_from_the_next_step_on(mode, assigned):
    start = parameters()
    optimizer = nn.Momentum(start, 0.1, 0.0, weight_decay=0.1)
    arrays = [p.asnumpy().copy() for p in start]
    dyad.set_context(mode=mode)
    try:
        for step in range(3):
            if step == 1:
                optimizer.weight_decay = assigned
            given = gradients(step)
            optimizer(tuple(Tensor(g) for g in given))
            decay = 0.1 if step == 0 else 0.5 if not isinstance(assigned, Ramp) else 0.3 + 0.1 * step
            arrays = [
                a - 0.1 * (g + (0 if name == "norm.gamma" else decay) * a)
                for a, g, name in zip(arrays, given, SHAPES, strict=True)
            ]
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    for p, array in zip(start, arrays, strict=True):
        np.testing.assert_allclose(p.asnumpy(), array, rtol=1e-5, atol=1e-6)


def test_weight_decays_of_groups_that_are_assigned_count():
    own = parameters()
    groups = [{"params": own[:2], "weight_decay": 0.1}, {"params": own[2:], "weight_decay": 0.2}]
    optimizer = nn.SGD(groups, 0.1)
    optimizer.weight_decay = tuple(decay * 2 for decay in optimizer.weight_decay)
    arrays, given = [p.asnumpy().copy() for p in own], gradients(0)
    optimizer([Tensor(g) for g in given])
    for p, array, gradient, decay in zip(own, arrays, given, (0.2, 0.2, 0.4, 0.4), strict=True):
        np.testing.assert_allclose(
            p.asnumpy(), array - 0.1 * (gradient + decay * array), rtol=1e-5, atol=1e-6
        )


@pytest.mark.parametrize("decay", [0.0, 0.5])
@pytest.mark.parametrize("form", ["Momentum", "AdamWeightDecay"])
def test_centralised_gradients(form, decay):
    own, plain = parameters(), parameters()
    make = {
        "Momentum": lambda p: nn.Momentum(p, 0.1, 0.9, loss_scale=4.0),
        "AdamWeightDecay": lambda p: nn.AdamWeightDecay(p, 0.1),
    }[form]
    scale = 4.0 if form == "Momentum" else 1.0
    joins = decay if form == "Momentum" else 0.0
    optimizer = make([{"params": own, "weight_decay": decay, "grad_centralization": True}])
    reference = make([{"params": plain, "weight_decay": decay - joins}])
    for step in range(3):
        given = gradients(step)
        optimizer([Tensor(np.asarray(g * scale, np.float32)) for g in given])
        prepared = []
        for g, p in zip(given, plain, strict=True):
            g = g + joins * p.asnumpy()
            if g.ndim > 1:
                g = g - g.mean(axis=tuple(range(1, g.ndim)), keepdims=True)
            prepared.append(Tensor(np.asarray(g * scale, np.float32)))
        reference(prepared)
    for a, b in zip(own, plain, strict=True):
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-4, atol=1e-5)


def test_a_user_defined_optimizer_uses_the_helpers_of_its_base():
    class Plain(nn.Optimizer):
        def __init__(self, params, learning_rate, weight_decay, loss_scale):
            super().__init__(learning_rate, params, weight_decay, loss_scale)

        def construct(self, gradients):
            gradients = self.flatten_gradients(gradients)
            gradients = self.decay_weight(gradients)
            gradients = self.gradients_centralization(gradients)
            gradients = self.scale_grad(gradients)
            rate = self.get_lr()
            self.assignadd(self.global_step, self.global_step_increase_tensor)
            moved = self.hyper_map(
                lambda p, g: ops.assign_sub(p, rate * g) is not None, self.parameters, gradients
            )
            return self.broadcast_params(moved)

    optimizer = Plain(parameters(), 0.02, 0.1, 8.0)
    walk(optimizer, formulas.sgd, lr=0.02, decay=0.1, loss_scale=8.0)
    assert int(optimizer.global_step) == 50
    assert optimizer.use_parallel is False


def test_an_optimizer_of_a_user_notes_what_it_was_made_with():
    class Noted(nn.Optimizer):
        @nn.opt_init_args_register
        def __init__(self, params, learning_rate=0.3, weight_decay=0.0, *, power=2):
            super().__init__(learning_rate, params, weight_decay)

    own = parameters()
    optimizer = Noted(own, power=3)
    assert optimizer.init_params == {"params": own}
    assert optimizer.init_learning_rate == 0.3
    assert optimizer.init_args == {"weight_decay": 0.0, "power": 3}
    assert [p.name for p in optimizer.parameters] == list(SHAPES)
    for function in (Noted.__init__, nn.opt_init_args_register(Noted.__init__)):
        assert str(inspect.signature(function)) == (
            "(self, params, learning_rate=0.3, weight_decay=0.0, *, power=2)"
        )
        found = inspect.getfullargspec(function)
        assert found.args == ["self", "params", "learning_rate", "weight_decay"]
        assert found.kwonlyargs == ["power"] and found.varargs is found.varkw is None
    assert "momentum" in inspect.getfullargspec(nn.Momentum.__init__).args


def test_parameters_keep_their_names_inside_another_cell():
    class Step(nn.Cell):
        def __init__(self, network, optimizer):
            super().__init__()
            self.network = network
            self.optimizer = optimizer

    network = nn.Dense(2, 3)
    optimizer = nn.Momentum(network.trainable_params(), 0.1, 0.9)
    step = Step(network, optimizer)
    assert [p.name for p in step.get_parameters()][:2] == ["network.weight", "network.bias"]
    assert optimizer.moments[0].name == "moments.weight"


def test_a_parameter_called_like_a_setting_is_moved_and_saved():
    own = Parameter(np.ones(2, np.float32), "momentum")
    optimizer = nn.Momentum([own], 0.1, 0.9)
    optimizer([Tensor(np.ones(2, np.float32))])
    np.testing.assert_allclose(own.asnumpy(), 0.9, rtol=1e-6)
    assert float(optimizer.momentum) == pytest.approx(0.9)
    assert any(parameter is own for parameter in optimizer.get_parameters())


def test_a_step_inside_a_transform_leaves_the_gradient_at_the_values_used():
    own = Parameter(np.array([2.0, 3.0], np.float32), "w")
    optimizer = nn.SGD([own], 0.5)

    def forward(x):
        y = (x * own).sum()
        optimizer([Tensor(np.ones(2, np.float32))])
        return y

    gradient = dyad.grad(forward)(Tensor(np.ones(2, np.float32)))
    np.testing.assert_array_equal(gradient.asnumpy(), [2.0, 3.0])
    np.testing.assert_array_equal(own.asnumpy(), [1.5, 2.5])


def test_state_does_not_ask_for_gradients():
    optimizer = nn.Adam(parameters())
    assert [p.name for p in optimizer.trainable_params()] == list(SHAPES)


@pytest.mark.parametrize("threads", [1, 2])
def test_many_elements_on_several_cores(threads):
    before = dyad._core.get_num_threads()
    dyad._core.set_num_threads(threads)
    try:
        shapes = {"a": (1000, 70), "b": (3,), "c": (50001,)}
        start = parameters(shapes=shapes)
        optimizer = nn.Lamb(start, 0.01)
        walk(optimizer, formulas.lamb, lr=0.01, decoupled=True, shapes=shapes)
    finally:
        dyad._core.set_num_threads(before)
