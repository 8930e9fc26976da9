"""Names beside operators and layers that programs import: storage, logs, processors, kinds of values, one process."""

import json
import os

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, nn, ops, runtime


def test_tensors_are_swapped():
    x, y = Tensor([1.0, 2.0]), Tensor([[3]], dyad.int32)
    x.note = "of x"
    dyad.swap_tensors(x, y)
    assert x.shape == (1, 1) and x.dtype == dyad.int32 and y.tolist() == [1.0, 2.0]
    assert y.note == "of x" and not hasattr(x, "note")
    weight, value = Parameter(Tensor([1.0]), name="w"), Tensor([5.0, 6.0])
    dyad.swap_tensors(weight, value)
    assert type(weight) is Tensor and type(value) is Parameter and value.name == "w"
    assert weight.tolist() == [5.0, 6.0] and value.asnumpy().tolist() == [1.0]
    with pytest.raises(TypeError, match="swap_tensors: t2 is a list; need a Tensor"):
        dyad.swap_tensors(x, [1])


def test_how_messages_are_written(monkeypatch):
    monkeypatch.setenv("GLOG_log_dir", "/var/log")
    found = dyad.get_log_config()
    assert found["GLOG_v"] == dyad.get_level() and found["GLOG_log_dir"] == "/var/log"


@pytest.fixture
def processors():
    before = os.sched_getaffinity(0)
    yield sorted(before)
    runtime.set_cpu_affinity(False)
    assert os.sched_getaffinity(0) == before


def test_the_process_is_bound_to_processors(processors, tmp_path):
    first = processors[0]
    runtime.set_cpu_affinity(True, [f"{first}-{first}"])
    assert os.sched_getaffinity(0) == {first}
    runtime.set_cpu_affinity(True, module_to_cpu_dict={"main": [processors[-1]]})
    assert os.sched_getaffinity(0) == {processors[-1]}
    file = tmp_path / "bind.json"
    file.write_text(json.dumps({"bind_cpu": {"device0": {"main": str(first)}}}))
    runtime.set_cpu_affinity(True, bind_file=str(file))
    assert os.sched_getaffinity(0) == {first}


@pytest.mark.parametrize(
    ("arguments", "error", "text"),
    [
        ((1.5,), TypeError, "enable_affinity is 1.5"),
        ((True, "0-3"), TypeError, "affinity_cpu_list is '0-3'"),
        ((True, ["a-b"]), ValueError, "has 'a-b'; need a range such as '0-3'"),
        ((True, ["99999-100000"]), RuntimeError, r"processors \[99999, 100000\] are not there"),
        ((True, None, {"main": [-1]}), ValueError, "-1"),
    ],
)
def test_processors_that_are_not_there(arguments, error, text, processors):
    with pytest.raises(error, match=text):
        runtime.set_cpu_affinity(*arguments)


def test_kinds_of_values_have_classes():
    from dyad.common import dtype

    for mark, kind, text in [
        (dtype.list_, dtype.List, "List"),
        (dtype.tuple_, dtype.Tuple, "Tuple"),
        (dtype.string, dtype.String, "String"),
        (dtype.type_none, dtype.NoneType, "None"),
        (dtype.function, dtype.FunctionType, "Func"),
    ]:
        assert type(mark) is kind and str(kind()) == text
    assert str(dtype.Dict()) == "Dictionary" and dtype.Slice().matches(slice(2))


def test_the_older_name_of_a_sparse_tensor():
    made = dyad.SparseTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 3))
    assert isinstance(made, dyad.COOTensor) and made.to_dense().tolist() == [[0, 2, 0]]


def test_messages_in_one_process():
    x = Tensor([1.0, 2.0])
    np.testing.assert_array_equal(ops.AllGatherV()(x, [2]).asnumpy(), [1, 2])
    np.testing.assert_array_equal(ops.ReduceScatterV("max")(x, Tensor([2])).asnumpy(), [1, 2])
    with pytest.raises(ValueError, match=r"AllGatherV: input_x is of shape \(2,\); need 3 blocks"):
        ops.AllGatherV()(x, [3])
    for action, text in [
        (lambda: ops.Send(0, 1), "Send: dest_rank is 1; need another process, and there is one"),
        (lambda: ops.Receive(0, 1, [2], dyad.float32), "Receive: src_rank is 1; need another process"),
        (lambda: ops.NeighborExchange([1], [], (), (), dyad.float32), "send_rank_ids is 1"),
        (lambda: ops.BatchISendIRecv(["isend"], [1]), "remote_ranks is 1; need another process"),
        (lambda: ops.BatchISendIRecv(["isend"], []), "1 op_types and 0 remote_ranks; need as many"),
    ]:
        with pytest.raises(ValueError, match=text):
            action()


@pytest.mark.parametrize("form", [lambda cell: cell, dyad.jit], ids=["dynamic", "static"])
def test_wrappers_of_networks(form):
    class Sum(nn.Cell):
        def construct(self, a, b, c):
            return a + b + c

    x = Tensor([1.0])
    assert form(nn.VirtualDatasetCellTriple(Sum()))(x, x, x).tolist() == [3.0]
    assert nn.GradAccumulationCell is nn.GradAccumulation
    with pytest.raises(TypeError, match="backbone is of type function"):
        nn.VirtualDatasetCellTriple(lambda a, b, c: a)


def test_layers_that_keep_second_moments():
    dyad.set_seed(2)
    net = nn.SequentialCell(nn.Conv2dThor(1, 2, 3), nn.Flatten(), nn.DenseThor(2 * 16, 3))
    rates = Tensor(np.full(4, 1e-3, np.float32))
    optimizer = nn.thor(net, rates, Tensor(np.full(4, 0.03, np.float32)), 0.9)
    step = nn.TrainOneStepCell(nn.WithLossCell(net, nn.MSELoss()), optimizer)
    step.set_train()
    x = Tensor(np.random.RandomState(0).randn(4, 1, 4, 4).astype(np.float32))
    y = Tensor(np.zeros((4, 3), np.float32))
    losses = [float(step(x, y).asnumpy()) for _ in range(4)]
    assert losses[-1] < losses[0] and np.abs(net[2].matrix_a.asnumpy()).sum() > 0
    with pytest.raises(ValueError, match="Conv2dThor: group is 2; need 1"):
        nn.Conv2dThor(2, 2, 3, group=2)


def test_tools_are_found_in_the_package():
    assert dyad.FileWriter is dyad.mindrecord.FileWriter and dyad.SUCCESS == dyad.mindrecord.SUCCESS
    assert dyad.ConvertNetUtils is dyad.train.ConvertNetUtils
