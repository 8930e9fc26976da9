"""Cells of programs for many devices, in one process."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, boost, jit, nn, ops, parallel
from dyad.parallel import Layout
from dyad.parallel.auto_parallel import AutoParallel


def rows(*shape):
    return Tensor(np.random.default_rng(0).standard_normal(shape).astype(np.float32))


def test_gradients_of_one_process_are_the_sum():
    net = nn.Dense(3, 2)
    gradients = (rows(2, 3), rows(2))
    reduced = nn.DistributedGradReducer(net.trainable_params())(gradients)
    assert all((a.asnumpy() == b.asnumpy()).all() for a, b in zip(reduced, gradients, strict=True))


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
def test_mean_divides_by_the_degree(compile):
    reducer = compile(nn.DistributedGradReducer([], mean=True, degree=4))
    (half,) = reducer((Tensor([4.0, 8.0], dyad.float16),))
    assert half.tolist() == [1.0, 2.0] and half.dtype == dyad.float16
    with pytest.raises(ValueError, match="degree is 0; need an int of at least 1"):
        nn.DistributedGradReducer([], degree=0)


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
@pytest.mark.parametrize("wrapper", [nn.PipelineCell, nn.MicroBatchInterleaved, parallel.nn.GradAccumulation])
def test_a_batch_in_parts(wrapper, compile):
    loss = nn.WithLossCell(nn.Dense(3, 2), nn.MSELoss())
    x, y = rows(6, 3), rows(6, 2)
    expected = loss(x[:3], y[:3]) + loss(x[3:], y[3:])
    np.testing.assert_allclose(compile(wrapper(loss, 2))(x, y).asnumpy(), expected.asnumpy(), rtol=1e-5)


def test_parts_must_fit():
    with pytest.raises(ValueError, match=r"PipelineCell: an input has shape \(3, 3\)"):
        nn.PipelineCell(nn.Dense(3, 2), 2)(rows(3, 3))
    with pytest.raises(TypeError, match="PipelineCell: network is of type int"):
        nn.PipelineCell(3, 2)
    with pytest.raises(KeyError, match="'nothing' is no Cell of the network"):
        nn.PipelineCell(nn.SequentialCell(nn.Dense(3, 2)), 2, stage_config={"nothing": 0})


def test_gradients_of_a_pipeline_are_unscaled():
    net = nn.Dense(3, 2)
    reducer = parallel.nn.PipelineGradReducer(dyad.ParameterTuple(net.trainable_params()), scale_sense=2.0)
    assert reducer((Tensor([4.0]),))[0].tolist() == [2.0]


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
def test_auto_parallel_runs_its_network(compile):
    net, x = nn.Dense(3, 2), rows(4, 3)
    spread = AutoParallel(net)
    spread.hsdp()
    spread.dataset_strategy("full_batch")
    spread.pipeline(stages=1)
    spread.enable_gradients_mean()
    np.testing.assert_allclose(compile(spread)(x).asnumpy(), net(x).asnumpy(), rtol=1e-5)
    assert [parameter.name for parameter in spread.trainable_params()] == ["weight", "bias"]
    with pytest.raises(ValueError, match="stages is 2; need 1, there is one process"):
        spread.pipeline(stages=2)
    with pytest.raises(ValueError, match="parallel_mode is 'both'"):
        AutoParallel(net, "both")


def test_strategies_of_one_device():
    function = ops.matmul
    assert parallel.shard(function, ((1, 1), (1, 1))) is function
    assert dyad.shard(function, None, out_strategy=((1,),)) is function
    net = nn.Dense(3, 2)
    assert net.shard(((1, 1),)) is net
    for give in (lambda: parallel.shard(function, ((2, 1),)), lambda: net.shard(((2, 1),))):
        with pytest.raises(
            ValueError, match=r"in_strategy is \(\(2, 1\),\); need ones, there is one process"
        ):
            give()
    with pytest.raises(ValueError, match="need ones"):
        parallel.shard(function, (Layout((2,), ("dp",))("dp"),))


def test_layout_says_which_axis_splits_which_dimension():
    layout = Layout((2, 4, 1), ("dp", "mp", "interleaved_parallel"))
    assert layout(("dp", "interleaved_parallel"), "None", "mp").to_dict() == {
        "device_matrix": (2, 4, 1),
        "tensor_map": ((2, 0), -1, 1),
        "interleaved_parallel": True,
        "alias_name": ("dp", "mp", "interleaved_parallel"),
        "rank_list": list(range(8)),
    }
    with pytest.raises(ValueError, match="an axis is 'dp'"):
        layout("dp", "dp")
    with pytest.raises(ValueError, match="it has no tensor_map"):
        layout.to_dict()
    with pytest.raises(ValueError, match="need different names"):
        Layout((2, 2), ("dp", "dp"))
    with pytest.raises(TypeError, match="device_matrix is 2"):
        Layout(2, ("dp",))


def test_stages_and_messages_are_noted():
    net = nn.SequentialCell(nn.Dense(3, 2))
    assert net.pipeline_stage == -1
    assert net[0].weight.comm_fusion == 1 and not net[0].weight.cache_enable
    net.pipeline_stage = 1
    net.set_comm_fusion(3)
    assert net.pipeline_stage == 1 and net[0].weight.comm_fusion == 3
    with pytest.raises(ValueError, match="value is -2"):
        net.pipeline_stage = -2


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
def test_gradients_of_several_batches_make_one_step(compile):
    net = nn.Dense(3, 2, weight_init="ones", bias_init="zeros")
    optimizer = nn.SGD(net.trainable_params(), 0.1)
    accumulate = compile(boost.GradientAccumulation(2, optimizer))
    first, second = (rows(2, 3), Tensor([1.0, 2.0])), (rows(2, 3) * 3, Tensor([3.0, 4.0]))
    loss = Tensor(7.0)
    assert accumulate(loss, first).item() == 7.0
    assert (net.weight.asnumpy() == 1).all()
    accumulate(loss, second)
    np.testing.assert_allclose(net.weight.asnumpy(), 1 - 0.2 * first[0].asnumpy(), rtol=1e-5)
    np.testing.assert_allclose(net.bias.asnumpy(), [-0.2, -0.3], rtol=1e-5)
    accumulate(loss, first)
    np.testing.assert_allclose(net.bias.asnumpy(), [-0.2, -0.3], rtol=1e-5)


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
@pytest.mark.parametrize("shape", [(4, 3), (4, 3, 5, 5)])
def test_synchronized_normalization_is_that_of_the_batch(shape, compile):
    x = rows(*shape)
    layer = nn.SyncBatchNorm(3).set_train()
    plain = (nn.BatchNorm1d(3) if len(shape) == 2 else nn.BatchNorm2d(3)).set_train()
    np.testing.assert_allclose(compile(layer)(x).asnumpy(), plain(x).asnumpy(), rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(layer.moving_variance.asnumpy(), plain.moving_variance.asnumpy(), rtol=1e-6)
    assert not isinstance(layer, nn.BatchNorm2d)


def test_synchronized_normalization_has_ranks_of_one_process():
    assert nn.SyncBatchNorm(3, process_groups=[[0]]).process_groups == [[0]]
    with pytest.raises(ValueError, match="process_groups is 1; need 0"):
        nn.SyncBatchNorm(3, process_groups=[[0, 1]])
    with pytest.raises(TypeError, match="need a list of lists"):
        nn.SyncBatchNorm(3, process_groups=[0])
    with pytest.raises(ValueError, match=r"SyncBatchNorm: x has shape \(2, 3, 4\); need 2 or 4 dimensions"):
        nn.SyncBatchNorm(3)(rows(2, 3, 4))


def test_parameters_of_one_process_are_equal_already():
    net = nn.Dense(3, 2)
    before = net.weight.asnumpy().copy()
    parallel.parameter_broadcast(net, {"weight": None})
    parallel.sync_pipeline_shared_parameters(net)
    assert (net.weight.asnumpy() == before).all()
    with pytest.raises(ValueError, match="cur_rank is 1; need 0, the rank of this process"):
        parallel.parameter_broadcast(net, {}, cur_rank=1)
    with pytest.raises(ValueError, match="layout names 'kernel', which is no Parameter of the network"):
        parallel.parameter_broadcast(net, {"kernel": None})
    with pytest.raises(TypeError, match="sync_pipeline_shared_parameters: net is of type int; need a Cell"):
        parallel.sync_pipeline_shared_parameters(5)


def test_strategies_of_operators_are_checked():
    parallel.set_op_strategy_config("LOAD", "/tmp/strategies.json")
    with pytest.raises(KeyError, match="need 'SAVE' or 'LOAD'"):
        parallel.set_op_strategy_config("KEEP", "/tmp/strategies.json")
    with pytest.raises(KeyError, match=r"need an absolute path that ends in \.json"):
        parallel.set_op_strategy_config("SAVE", "strategies.json")


def test_functions_are_spread_as_networks_are():
    gradient = dyad.value_and_grad(lambda x: (x * x).sum())
    value, slope = AutoParallel(gradient)(Tensor([3.0]))
    assert (float(value), slope.asnumpy().tolist()) == (9.0, [6.0])
    with pytest.raises(TypeError, match="AutoParallel: network is of type int; need a Cell or a function"):
        AutoParallel(3)


def test_operators_note_where_they_run():
    relu = ops.ReLU().set_stage(0).recompute().place("MS_WORKER", 0)
    assert relu(Tensor([-1.0, 2.0])).asnumpy().tolist() == [0, 2]
    with pytest.raises(ValueError, match="rank_id of place is 1; need 0"):
        relu.place("MS_WORKER", 1)
