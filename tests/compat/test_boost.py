"""Steps of training that leave out or change parts: dyad.boost."""

import itertools

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, boost, nn, ops
from dyad.boost.less_batch_normalization import CommonHeadLastFN
from dyad.train import Model

X = np.random.default_rng(0).normal(size=(8, 4)).astype(np.float32)
Y = X[:, :2] - X[:, 2:]


def network():
    dyad.set_seed(3)
    return nn.SequentialCell(nn.Dense(4, 6), nn.Tanh(), nn.Dense(6, 5), nn.Dense(5, 2))


def with_loss(net):
    return nn.WithLossCell(net, nn.MSELoss())


def values(parameters):
    return [parameter.asnumpy().copy() for parameter in parameters]


def changed(parameters, before):
    return [not np.array_equal(p.asnumpy(), old) for p, old in zip(parameters, before, strict=True)]


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield request.param
    dyad.set_context(mode=before)


def test_optimizers_note_what_they_are_made_with():
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, momentum=0.7)
    assert optimizer.init_learning_rate == 0.1 and optimizer.init_args["momentum"] == 0.7
    assert optimizer.init_params["params"] == net.trainable_params()


def test_gradients_of_weights_are_centered():
    net = network()
    optimizer = nn.Momentum(net.trainable_params(), 0.1, 0.9, weight_decay=0.1)
    process = boost.OptimizerProcess(optimizer)
    process.add_grad_centralization(net)
    made = process.generate_new_optimizer()
    assert type(made) is nn.Momentum and made is not optimizer
    assert list(made.parameters) == net.trainable_params()
    assert made.grad_centralization_flags == (True, False) * 3
    assert made.init_args["momentum"] == 0.9 and made.init_args["weight_decay"] == 0.1
    holders = process.build_params_dict(net)
    assert holders[id(net[0].weight)] is net[0]


def test_groups_keep_their_settings():
    net = network()
    first, rest = net.trainable_params()[:2], net.trainable_params()[2:]
    order = net.trainable_params()
    groups = [{"params": first, "lr": 0.5}, {"params": rest}, {"order_params": order}]
    gc = boost.OptimizerProcess.build_gc_params_group(boost.OptimizerProcess.build_params_dict(net), groups)
    assert gc[0] == {"params": first[:1], "lr": 0.5, "grad_centralization": True}
    assert gc[1] == {"params": first[1:], "lr": 0.5} and gc[-1] == {"order_params": order}
    made = boost.ParameterProcess.generate_group_params(order[:3], groups)
    assert made == [{"params": first, "lr": 0.5}, {"params": rest[:1]}, {"order_params": order[:3]}]
    assert boost.ParameterProcess.generate_group_params(order[:1], order) == order[:1]
    assigned = boost.ParameterProcess().assign_parameter_group(order, [1, 3])
    assert [parameter.comm_fusion for parameter in assigned] == [1, 1, 2, 2, 3, 3]


def test_groups_of_frozen_layers():
    freeze = boost.GradientFreeze(3, 1, 0.5, 20)
    net = nn.SequentialCell(*[nn.Dense(2, 2) for _ in range(12)])
    assert [len(group) for group in freeze.split_parameters_groups(net, 3)] == [24, 16, 8]
    cycle = freeze.generate_freeze_index_sequence(3, 0, 0.7, 40)
    assert cycle[:6] == [0, 0, 0, 0, 1, 2] and len(cycle) == 42
    steps = freeze.generate_freeze_index_sequence(3, 1, 0.7, 1000)
    assert len(steps) == 1000 and set(steps) == {0, 1, 2} and abs(steps.count(0) / 1000 - 0.7) < 0.01
    assert freeze.generate_freeze_index_sequence(3, 0, 1.0, 4) == [0, 0, 0, 0]
    with pytest.raises(ValueError, match=r"freeze_p is 1.5; need a number from 0 to 1"):
        boost.GradientFreeze(3, 1, 1.5, 20)


def test_a_step_trains_the_group_whose_turn_it_is(mode):
    net = network()
    trained = net.trainable_params()
    optimizer = boost.FreezeOpt(nn.SGD(trained, 0.1), [trained, trained[2:], trained[4:]], [2, 1, 0])
    step = boost.BoostTrainOneStepCell(with_loss(net), optimizer)
    seen = []
    for _ in range(4):
        before = values(trained)
        loss = step(Tensor(X), Tensor(Y))
        seen.append(changed(trained, before)[::2])
        assert loss.shape == ()
    assert seen == [[False, False, True], [False, True, True], [True, True, True], [False, False, True]]


def test_a_step_without_changes_is_that_of_a_plain_cell(mode):
    losses = []
    for kind in (nn.TrainOneStepCell, boost.BoostTrainOneStepCell):
        net = network()
        step = kind(with_loss(net), nn.Momentum(net.trainable_params(), 0.1, 0.9))
        losses.append([float(step(Tensor(X), Tensor(Y)).asnumpy()) for _ in range(3)])
    assert losses[0] == losses[1]


def test_freeze_cell_gives_a_step_for_each_group(mode):
    net = network()
    trained = net.trainable_params()
    optimizer = boost.FreezeOpt(nn.SGD(trained, 0.1), [trained, trained[4:]])
    grad = ops.GradOperation(get_by_list=True, sens_param=True)
    steps = boost.freeze_cell(False, with_loss(net), optimizer, 1.0, grad, False)
    before = values(trained)
    steps[1](Tensor(X), Tensor(Y))
    assert changed(trained, before) == [False, False, False, False, True, True]


def test_the_last_layer_becomes_a_normalizing_head(mode):
    net = network()
    plain = net[3].weight
    less = boost.LessBN(net, fn_flag=True)
    head = net[3]
    assert isinstance(head, CommonHeadLastFN) and head.weight is plain
    x = np.float32([[1, 2, 3, 4, 5], [0, 0, 0, 0, 0]])
    weight = plain.asnumpy()
    cosines = x[0] @ (weight / np.linalg.norm(weight, axis=1, keepdims=True)).T / np.linalg.norm(x[0])
    np.testing.assert_allclose(head(Tensor(x)).asnumpy(), [cosines, [0, 0]], rtol=1e-5)
    assert less(Tensor(X)).shape == (8, 2)
    np.testing.assert_array_equal(
        boost.LessBN(network())(Tensor(X)).asnumpy(), network()(Tensor(X)).asnumpy()
    )


def test_levels_and_modes():
    def on(*arguments):
        return [name for name, flag in boost.AutoBoost(*arguments).boost_config.items() if flag]

    assert on() == [] and on("O1") == ["less_bn", "grad_freeze"] and on("O2")[-1] == "adasum"
    assert on("O1", {"boost": {"mode": "manual", "adasum": True}}) == ["adasum"]
    assert len(on("O0", {"boost": {"mode": "enable_all"}})) == 6
    assert on("O2", {"boost": {"mode": "disable_all"}}) == []
    with pytest.raises(ValueError, match="mode is 'some'; need one of auto, manual, enable_all, disable_all"):
        boost.AutoBoost("O1", {"boost": {"mode": "some"}})
    with pytest.raises(ValueError, match="boost has 'less_bm'"):
        boost.AutoBoost("O1", {"boost": {"mode": "manual", "less_bm": True}})


def made_by(config):
    net = network()
    made, optimizer = boost.AutoBoost("O1", config).network_auto_process_train(
        net, nn.SGD(net.trainable_params(), 0.1)
    )
    return net, optimizer, boost.BoostTrainOneStepCell(with_loss(made), optimizer)


def test_the_optimizer_follows_a_network_that_is_changed(mode):
    _net, optimizer, step = made_by({"boost": {"mode": "manual", "less_bn": True}})
    names = [parameter.name for parameter in optimizer.parameters]
    assert names[-2:] == ["network.3.weight", "network.3.multiplier"]
    assert optimizer.grad_centralization_flags == (True, False) * 3
    losses = [float(step(Tensor(X), Tensor(Y)).asnumpy()) for _ in range(5)]
    assert losses[-1] < losses[0]


def test_gradients_are_accumulated(mode):
    net, _, step = made_by(
        {
            "boost": {"mode": "manual", "grad_accumulation": True},
            "grad_accumulation": {"grad_accumulation_step": 2},
        }
    )
    before = values(net.trainable_params())
    step(Tensor(X), Tensor(Y))
    assert not any(changed(net.trainable_params(), before))
    step(Tensor(X), Tensor(Y))
    assert all(changed(net.trainable_params(), before))


def test_the_sum_over_one_device_is_its_own_step(mode):
    net, _, step = made_by({"boost": {"mode": "manual", "adasum": True}})
    assert step.check_adasum_enable() and not step.check_dim_reduce_enable()
    plain = network()
    reference = nn.TrainOneStepCell(with_loss(plain), nn.SGD(plain.trainable_params(), 0.1))
    for _ in range(2):
        assert float(step(Tensor(X), Tensor(Y)).asnumpy()) == float(reference(Tensor(X), Tensor(Y)).asnumpy())
    with pytest.raises(
        RuntimeError, match="device_number 8; need 0 and 1, this package computes in one process"
    ):
        boost.AdaSum(0, 8, 1, tuple(net.trainable_params()))


def quadratic(start):
    class Bowl(nn.Cell):
        def __init__(self):
            super().__init__()
            self.w = Parameter(Tensor(np.float32(start)), name="w")

        def construct(self, scales):
            return (scales * ops.square(self.w)).sum() / 2

    return Bowl()


def test_a_search_in_all_directions_finds_the_bottom(mode):
    bowl = quadratic([3.0, -2.0])
    weights = bowl.trainable_params()
    clone = dyad.ParameterTuple(weights).clone("clone")
    reduce = boost.DimReduce(
        bowl, nn.SGD(weights, 1.0), tuple(weights), np.eye(2), 2, 0.55, 0.9, 0.001, 0.4, 0, 1
    )
    scales = Tensor(np.float32([1.0, 4.0]))
    losses = []
    for _ in range(8):
        loss = bowl(scales)
        gradient = Tensor(np.float32([1.0, 4.0]) * bowl.w.asnumpy())
        losses.append(float(reduce(loss, (gradient,), 1.0, tuple(weights), clone, scales).asnumpy()))
    assert losses[0] == 12.5 and losses[-1] < 1e-3
    assert all(after < before for before, after in itertools.pairwise(losses))
    with pytest.raises(ValueError, match=r"need \(3, 2\), n_components by the number of weights"):
        boost.DimReduce(bowl, None, tuple(weights), np.eye(2), 3, 0.55, 0.9, 0.001, 0.4, 0, 1)


def test_directions_are_those_in_which_saved_weights_differ(tmp_path):
    net = nn.Dense(2, 1, has_bias=False)
    for number, value in enumerate([[0.0, 0.0], [3.0, 0.0], [6.0, 0.0]]):
        net.weight.set_data(Tensor(np.float32([value])))
        dyad.save_checkpoint(net, str(tmp_path / f"{number}.ckpt"))
    config = {
        "boost": {"mode": "manual", "dim_reduce": True},
        "dim_reduce": {"weight_load_dir": str(tmp_path), "n_components": 1},
    }
    directions = boost.AutoBoost("O1", config).directions(net.trainable_params())
    np.testing.assert_allclose(np.abs(directions), [[1.0, 0.0]], atol=1e-6)


class Scaled(nn.Cell):
    def __init__(self, manager):
        super().__init__()
        dyad.set_seed(5)
        self.first, self.second, self.manager = nn.Dense(4, 3), nn.Dense(3, 2), manager

    def construct(self, x):
        x = self.first(self.manager(x, 0, 1))
        return self.manager(self.second(self.manager(x, 1, 2)), 2, 3)


def scaled_step(scale=4.0):
    manager = boost.GroupLossScaleManager(scale, [])
    net = Scaled(manager)
    manager.loss_scale_groups = [net.first.trainable_params(), net.second.trainable_params()]
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    return net, manager, boost.BoostTrainOneStepWithLossScaleCell(with_loss(net), optimizer, manager)


def test_groups_of_layers_have_scales_of_their_own(mode):
    net, _manager, step = scaled_step()
    plain = Scaled(lambda x, *_: x)
    reference = nn.TrainOneStepCell(with_loss(plain), nn.SGD(plain.trainable_params(), 0.1))
    scales = []
    for _ in range(3):
        loss, overflow, scale = step(Tensor(X), Tensor(Y))
        np.testing.assert_allclose(loss.asnumpy(), reference(Tensor(X), Tensor(Y)).asnumpy(), rtol=1e-6)
        assert not overflow
        scales.append(float(scale.asnumpy()))
    assert scales == [4.0, 8.0, 16.0]
    for parameter, other in zip(net.trainable_params(), plain.trainable_params(), strict=True):
        np.testing.assert_allclose(parameter.asnumpy(), other.asnumpy(), rtol=1e-5, atol=1e-7)


def test_a_group_that_overflows_is_scaled_less(mode):
    net, manager, step = scaled_step()
    before = values(net.trainable_params())
    step(Tensor(X), Tensor(Y * np.inf))
    assert not any(changed(net.trainable_params(), before))
    assert [float(scale.asnumpy()) for scale in manager.dynamic_loss_scale] == [1.0, 2.0, 2.0, 1.0]
    assert manager.update_loss_scale_status(1, 8.0) == 16.0 and manager.get_loss_scale() == 4.0


def test_a_model_trains_as_its_dict_says():
    dataset = dyad.dataset.NumpySlicesDataset((X, Y), ["x", "y"], shuffle=False).batch(4)
    net = network()
    trained = net.trainable_params()
    config = {
        "boost": {"mode": "manual", "grad_freeze": True},
        "grad_freeze": {"param_groups": 3, "freeze_type": 0, "freeze_p": 0.5, "total_steps": 4},
    }
    model = Model(
        net, nn.MSELoss(), nn.SGD(trained, 0.1), boost_level="O1", boost_config_dict=config, metrics={"mse"}
    )
    assert isinstance(model.train_network, boost.BoostTrainOneStepCell)
    before = model.eval(dataset)["mse"]
    model.train(6, dataset)
    assert model.eval(dataset)["mse"] < before


def test_a_loss_scaled_step_of_one_scale_is_that_of_a_plain_cell(mode):
    outcomes = []
    for kind in (nn.TrainOneStepWithLossScaleCell, boost.BoostTrainOneStepWithLossScaleCell):
        net = network()
        step = kind(with_loss(net), nn.SGD(net.trainable_params(), 0.1), Tensor([8.0]))
        outcomes.append([float(part.asnumpy()) for part in step(Tensor(X), Tensor(Y))])
    assert outcomes[0] == outcomes[1]


def test_the_functions_of_gradient_accumulation_add_a_share_and_clear(mode):
    from dyad.boost.grad_accumulation import gradient_accumulation_op, gradient_clear_op

    total = Parameter(Tensor([1.0, 2.0]), name="total")
    gradient_accumulation_op(4, total, Tensor([8.0, 4.0]))
    assert total.asnumpy().tolist() == [3.0, 3.0]
    gradient_clear_op(total)
    assert total.asnumpy().tolist() == [0.0, 0.0]
