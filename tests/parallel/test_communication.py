"""`dyad.communication`, `mint.distributed` and the collective operators: one process, rank 0 of 1."""

import pickle

import numpy as np
import pytest

import dyad
from dyad import Tensor, communication, grad, jit, mint, nn, ops
from dyad.communication import comm_func, management

dist = mint.distributed

FORMS = ("dynamic", "ast", "bytecode", "trace")


def in_form(function, form):
    return function if form == "dynamic" else jit(function, capture_mode=form)


@pytest.fixture
def initialized(monkeypatch):
    for name in ("RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE"):
        monkeypatch.delenv(name, raising=False)
    communication.init()
    yield
    if communication.GlobalComm.INITED:
        communication.release()


def test_rank_and_size_need_no_init():
    assert not communication.GlobalComm.INITED
    assert (communication.get_rank(), communication.get_group_size()) == (0, 1)
    assert (communication.get_local_rank(), communication.get_local_rank_size()) == (0, 1)
    assert communication.get_process_group_ranks() == [0]


@pytest.mark.parametrize("backend", [None, "hccl", "nccl", "mccl"])
def test_init_and_release(backend, initialized):
    communication.init(backend)
    assert communication.GlobalComm.INITED
    assert communication.get_rank(communication.GlobalComm.WORLD_COMM_GROUP) == 0
    communication.release()
    assert not communication.GlobalComm.INITED
    with pytest.raises(RuntimeError, match="release: communication is not initialized"):
        communication.release()


def test_init_refuses_other_backends():
    with pytest.raises(TypeError, match="init: backend_name is 3"):
        communication.init(3)
    with pytest.raises(RuntimeError, match="init: backend_name is 'gloo'"):
        communication.init("gloo")


@pytest.mark.parametrize("variable", ["RANK_SIZE", "MS_WORKER_NUM", "OMPI_COMM_WORLD_SIZE"])
def test_init_refuses_several_processes(variable, monkeypatch):
    monkeypatch.setenv(variable, "8")
    with pytest.raises(RuntimeError, match=f"{variable} is 8; need 1"):
        communication.init()
    assert not communication.GlobalComm.INITED


def test_a_group_of_rank_0_can_be_created(initialized):
    communication.create_group("mine", [0])
    assert communication.get_group_size("mine") == 1
    assert communication.get_world_rank_from_group_rank("mine", 0) == 0
    assert communication.get_group_rank_from_world_rank(0, "mine") == 0
    assert communication.get_comm_name("mine") == "mine"
    communication.destroy_group("mine")
    with pytest.raises(ValueError, match="get_rank: group is 'mine'"):
        communication.get_rank("mine")
    with pytest.raises(ValueError, match="destroy_group: group is 'mccl_world_group'"):
        communication.destroy_group("mccl_world_group")
    with pytest.raises(ValueError, match=r"rank_ids is \[0, 1\]; need \[0\]"):
        communication.create_group("more", [0, 1])
    with pytest.raises(TypeError, match="rank_ids is 0"):
        communication.create_group("more", 0)
    with pytest.raises(TypeError, match="get_rank: group is 1"):
        communication.get_rank(1)


def test_groups_need_init():
    with pytest.raises(RuntimeError, match="create_group: communication is not initialized"):
        communication.create_group("mine", [0])


def test_paths_of_the_reference():
    from dyad.communication._comm_helper import GlobalComm

    assert GlobalComm is communication.GlobalComm is management.GlobalComm
    assert dyad.ops.operations.comm_ops.AllReduce is ops.AllReduce


OPERATORS = [
    ops.AllReduce(),
    ops.AllReduce(ops.ReduceOp.MAX),
    ops.AllGather(),
    ops.ReduceScatter(),
    ops.Reduce(0),
    ops.CollectiveGather(0),
    ops.CollectiveScatter(0),
    ops.AlltoAll(1, 0, 1),
]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("operator", OPERATORS, ids=lambda operator: operator.name)
def test_operators_give_their_input_and_its_gradient(operator, form):
    x = Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))

    def loss(x):
        return (operator(x) ** 2).sum()

    np.testing.assert_array_equal(in_form(lambda x: operator(x), form)(x).asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(in_form(grad(loss), form)(x).asnumpy(), 2 * x.asnumpy())


@pytest.mark.parametrize("form", FORMS)
def test_broadcast_takes_a_tuple(form):
    x, y = Tensor([1.0]), Tensor([[2]])
    first, second = in_form(lambda x, y: ops.Broadcast(0)((x, y)), form)(x, y)
    assert first.tolist() == [1.0] and second.tolist() == [[2]]


def test_operators_in_a_cell(initialized):
    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.all_reduce = ops.AllReduce(ops.ReduceOp.SUM)
            self.dense = nn.Dense(3, 2)

        def construct(self, x):
            return self.all_reduce(self.dense(x)) / communication.get_group_size()

    net, x = Net(), Tensor(np.ones((4, 3), np.float32))
    expected = net.dense(x).asnumpy()
    np.testing.assert_allclose(net(x).asnumpy(), expected, rtol=1e-6)
    np.testing.assert_allclose(jit(net)(x).asnumpy(), expected, rtol=1e-6)


def test_operators_can_be_pickled():
    operator = pickle.loads(pickle.dumps(ops.AlltoAll(1, 0, 2)))
    assert (operator.split_dim, operator.concat_dim) == (0, 2)
    assert operator(Tensor([3.0])).tolist() == [3.0]


def test_operators_refuse_what_one_process_has_not():
    with pytest.raises(ValueError, match="AllReduce: op is 'mean'; need one of sum"):
        ops.AllReduce("mean")
    with pytest.raises(TypeError, match="AllReduce: op is 1"):
        ops.AllReduce(1)
    with pytest.raises(ValueError, match="Broadcast: root_rank is 1; need 0"):
        ops.Broadcast(1)
    with pytest.raises(ValueError, match="AlltoAll: split_count is 2; need 1"):
        ops.AlltoAll(2, 0, 0)
    with pytest.raises(TypeError, match="AllGather: input_x is a list; need a Tensor"):
        ops.AllGather()([1.0])
    with pytest.raises(ValueError, match="AllGather: group is 'nowhere'"):
        ops.AllGather("nowhere")


def test_functions_that_give_new_tensors():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for function in (comm_func.all_reduce, comm_func.all_gather_into_tensor, comm_func.reduce_scatter_tensor):
        result, handle = function(x)
        assert result.tolist() == x.tolist() and handle is None
        function(x, async_op=True)[1].wait()
    for function in (comm_func.scatter_tensor, comm_func.gather_into_tensor, comm_func.broadcast):
        assert function(x).tolist() == x.tolist()
    assert comm_func.reduce(x, 0).tolist() == x.tolist()
    assert comm_func.barrier() is None
    (sent,), _ = comm_func.all_to_all_with_output_shape([(2, 2)], [x])
    assert sent.tolist() == x.tolist()
    assert comm_func.all_to_all_single_with_output_shape((2, 2), x, [2], [2])[0].tolist() == x.tolist()
    with pytest.raises(ValueError, match=r"output has shape \(4,\); need \(2, 2\)"):
        comm_func.all_to_all_single_with_output_shape((4,), x)
    with pytest.raises(TypeError, match="broadcast: tensor is an int"):
        comm_func.broadcast(3)


@pytest.mark.parametrize("module", [comm_func, dist])
@pytest.mark.parametrize(
    "name, argument", [("send", "dst"), ("recv", "src"), ("isend", "dst"), ("irecv", "src")]
)
def test_there_is_no_other_process(module, name, argument):
    with pytest.raises(ValueError, match=f"{name}: {argument} is 1; need another process, and there is one"):
        getattr(module, name)(Tensor([1.0]), 1)


@pytest.mark.parametrize("name, argument", [("send_object_list", "dst"), ("recv_object_list", "src")])
def test_there_is_no_other_process_for_objects(name, argument):
    with pytest.raises(ValueError, match=f"{name}: {argument} is 1; need another process"):
        getattr(dist, name)([{}], 1)


def test_messages_in_batches_have_no_receiver():
    with pytest.raises(ValueError, match="P2POp: peer is 1"):
        dist.P2POp("isend", Tensor([1.0]), 1)
    with pytest.raises(TypeError, match="batch_isend_irecv: p2p_op_list has an int"):
        dist.batch_isend_irecv([1])


@pytest.fixture
def process_group(initialized):
    dist.init_process_group(backend="mccl", world_size=1, rank=0)


def test_process_group_of_mint(process_group):
    assert dist.is_available() and dist.is_initialized()
    assert (dist.get_rank(), dist.get_world_size(), dist.get_backend()) == (0, 1, "mccl")
    group = dist.new_group([0])
    assert dist.get_process_group_ranks(group) == [0]
    assert dist.get_global_rank(group, 0) == dist.get_group_rank(group, 0) == 0
    dist.destroy_process_group(group)
    dist.destroy_process_group()
    assert not dist.is_initialized()
    with pytest.raises(ValueError, match="world_size is 2; need 1"):
        dist.init_process_group(world_size=2)


@pytest.mark.parametrize("form", ("dynamic", "ast"))
def test_results_are_written_into_what_is_given(form):
    x = Tensor([[1.0, 2.0]])

    def exchange(x):
        outputs = [ops.zeros_like(x) for _ in range(8)]
        dist.all_gather_into_tensor(outputs[0], x)
        dist.reduce_scatter_tensor(outputs[1], x)
        dist.all_gather([outputs[2]], x)
        dist.reduce_scatter(outputs[3], [x])
        dist.gather(x, [outputs[4]])
        dist.scatter(outputs[5], [x])
        dist.all_to_all([outputs[6]], [x])
        dist.all_to_all_single(outputs[7], x)
        dist.all_reduce(x)
        dist.broadcast(x, 0)
        dist.reduce(x, 0)
        dist.barrier()
        return outputs

    for output in in_form(exchange, form)(x):
        assert output.tolist() == x.tolist()


def test_uneven_parts_are_the_whole():
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    for function in (dist.all_gather_into_tensor_uneven, dist.reduce_scatter_tensor_uneven):
        output = mint.zeros_like(x)
        function(output, x, [2])
        assert output.tolist() == x.tolist()
        with pytest.raises(ValueError, match=r"split_sizes is \[1, 1\]; need \[2\]"):
            function(output, x, [1, 1])


def test_what_is_written_must_fit():
    x = Tensor([1.0, 2.0])
    with pytest.raises(ValueError, match=r"all_gather_into_tensor: the output has shape \(3,\); need \(2,\)"):
        dist.all_gather_into_tensor(mint.zeros(3), x)
    with pytest.raises(ValueError, match="all_gather: tensor_list has 2 entries; need 1"):
        dist.all_gather([mint.zeros(2), mint.zeros(2)], x)
    with pytest.raises(TypeError, match="all_gather_into_tensor: the output is of Int32; need Float32"):
        dist.all_gather_into_tensor(mint.zeros(2, dtype=dyad.int32), x)


def test_objects_are_copied():
    given, gathered = {"a": [1]}, [None]
    dist.all_gather_object(gathered, given)
    assert gathered == [given] and gathered[0] is not given
    collected, scattered, known = [None], [None], [given]
    dist.gather_object(given, collected)
    dist.scatter_object_list(scattered, [given])
    dist.broadcast_object_list(known, 0)
    assert collected == scattered == known == [given]
    with pytest.raises(ValueError, match="object_list has 2 entries; need 1"):
        dist.all_gather_object([None, None], given)


def test_results_are_written_or_handed_out():
    from dyad.ops import communication

    sent, written = Tensor([1.0, 2.0]), Tensor([0.0, 0.0])
    assert communication.gather_into_tensor(written, sent) is None
    assert written.tolist() == [1.0, 2.0]
    communication.all_to_all_v_c(written, sent * 3, [2])
    assert written.tolist() == [3.0, 6.0]
    with pytest.raises(ValueError, match=r"send_count_matrix is \[1\]; need \[2\]"):
        communication.all_to_all_v_c(written, sent, [1])
    communication.set_comm_ops_inplace(False, ["all_gather_into_tensor"])
    try:
        result, handle = communication.all_gather_into_tensor(written, sent, async_op=True)
        handle.wait()
        assert result.tolist() == [1.0, 2.0]
        assert written.tolist() == [3.0, 6.0]
        assert communication.all_reduce(sent) is None
    finally:
        communication.set_comm_ops_inplace(True)
    assert communication.all_gather_into_tensor(written, sent) is None
    with pytest.raises(ValueError, match="func_list has 'barrier'; need names out of all_gather_into_tensor"):
        communication.set_comm_ops_inplace(True, ["barrier"])
