"""Private names that packages take from training, loading, recurrent layers and devices."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops
from dyad._src.base import no_effect
from dyad.common import dtype
from dyad.train import serialization
from dyad.train._utils import _make_directory, check_value_type

ELEMENT_TYPES = {
    "Bool": ("bool_",),
    "Int": ("int8", "int16", "int32", "int64"),
    "UInt": ("uint8", "uint16", "uint32", "uint64"),
    "Float": ("float16", "float32", "float64"),
    "BFloat": ("bfloat16",),
    "Complex": ("complex64", "complex128"),
}


@pytest.mark.parametrize("kind", ELEMENT_TYPES)
def test_element_types_have_classes(kind):
    found = [entry for entry in dtype.all_types if isinstance(entry, getattr(dtype, kind))]
    assert {entry.name for entry in found} == {getattr(dyad, name).name for name in ELEMENT_TYPES[kind]}
    assert isinstance(found[0], dtype.Number) is (kind != "Bool")
    assert not hasattr(dyad, kind)


def test_element_types_are_told_apart_in_a_graph():
    from dyad._c_expression.typing import Float

    def step(x):
        return x + 1 if isinstance(x.dtype, Float) else x - 1

    for x in (Tensor([1.0]), Tensor([1])):
        assert jit(step)(x).tolist() == step(x).tolist()


def test_what_a_machine_is():
    from dyad._c_expression import MSContext

    machine = MSContext.get_instance()
    assert machine is MSContext.get_instance()
    assert machine.get_ascend_soc_version() == machine.load_plugin_error() == ""
    assert machine.is_pkg_support_device("CPU") and not machine.is_ascend_plugin_loaded()


def test_settings_of_another_device_are_checked_and_unread(monkeypatch):
    from dyad.device_context import ascend

    assert not ascend.is_available()
    with pytest.raises(RuntimeError, match="Ascend is not available"):
        ascend.device_count()
    said = []
    monkeypatch.setattr(no_effect, "_said", set())
    monkeypatch.setattr(dyad.log, "warning", lambda text, *values: said.append(text % values))
    ascend.op_debug.execute_timeout(100)
    ascend.op_debug.execute_timeout(100)
    ascend.op_tuning.op_compile(True)
    assert [line.split(" has no effect")[0] for line in said] == [
        "device_context.ascend.op_debug.execute_timeout",
        "device_context.ascend.op_tuning.op_compile",
    ]
    with pytest.raises(ValueError, match="'fast'"):
        ascend.op_precision.precision_mode("fast")
    with pytest.raises(TypeError, match="need a bool"):
        ascend.op_tuning.op_compile(1)
    with pytest.raises(ValueError, match="err_msg_mode is '2'"):
        ascend.op_debug.aclinit_config({"err_msg_mode": "2"})


def test_value_types():
    check_value_type("steps", 1, int)
    check_value_type("steps", True, [bool, int])
    for value, types in ((True, int), ("1", [int, float])):
        with pytest.raises(TypeError, match="steps is"):
            check_value_type("steps", value, types)


def test_make_directory_creates_parents_and_returns_the_path(tmp_path):
    made = _make_directory(str(tmp_path / "a" / "b"))
    assert made == str(tmp_path / "a" / "b") and (tmp_path / "a" / "b").is_dir()
    with pytest.raises(TypeError, match="path is 3"):
        _make_directory(3)


def test_one_parameter_is_loaded():
    target = Parameter(Tensor([1.0, 2.0]), name="w")
    serialization._update_param(target, Parameter(Tensor([3.0, 4.0]), name="w"), False)
    assert target.asnumpy().tolist() == [3.0, 4.0]
    with pytest.raises(RuntimeError, match="need equal shapes"):
        serialization._update_param(target, Parameter(Tensor([3.0]), name="w"), False)
    with pytest.raises(RuntimeError, match="need equal dtypes"):
        serialization._update_param(target, Parameter(Tensor([3, 4]), name="w"), False)


def test_parameters_under_a_prefix_are_loaded():
    net = nn.Dense(2, 2)
    given = {
        f"model.{name}": Parameter(value + 1, name=name) for name, value in net.parameters_dict().items()
    }
    expected = {name: value.asnumpy() + 1 for name, value in net.parameters_dict().items()}
    missing = ["weight", "bias"]
    serialization._load_dismatch_prefix_params(net, given, missing, False)
    assert missing == []
    for name, value in net.parameters_dict().items():
        np.testing.assert_array_equal(value.asnumpy(), expected[name])


@pytest.mark.parametrize("kind", ["RNNCell", "LSTMCell", "GRUCell"])
def test_steps_of_recurrent_cells_as_functions(kind):
    from dyad.nn.layer import rnn_cells

    cell = getattr(rnn_cells, kind)(3, 4)
    assert isinstance(cell, rnn_cells.RNNCellBase)
    function = {"RNNCell": "_rnn_tanh_cell", "LSTMCell": "_lstm_cell", "GRUCell": "_gru_cell"}[kind]
    x, state = ops.ones((2, 3)), ops.ones((2, 4))
    state = (state, state) if kind == "LSTMCell" else state
    weights = (cell.weight_ih, cell.weight_hh, cell.bias_ih, cell.bias_hh)
    for found in (getattr(rnn_cells, function)(x, state, *weights), cell(x, state)):
        first = found[0] if kind == "LSTMCell" else found
        assert first.shape == (2, 4)
    np.testing.assert_array_equal(
        np.asarray(getattr(rnn_cells, function)(x, state, *weights)[0].asnumpy()), cell(x, state)[0].asnumpy()
    )


def test_own_recurrent_cell():
    from dyad.nn.layer.rnn_cells import RNNCellBase

    cell = RNNCellBase(3, 4, has_bias=False, num_chunks=2)
    assert cell.weight_ih.shape == (8, 3) and cell.bias_ih is None
    before = cell.weight_hh.asnumpy().copy()
    cell.reset_parameters()
    assert not np.array_equal(before, cell.weight_hh.asnumpy())
    assert np.abs(cell.weight_hh.asnumpy()).max() <= 0.5


def test_paths_of_data():
    from dyad.dataset.audio.utils import BorderType, create_dct
    from dyad.dataset.text.utils import Vocab

    assert BorderType is dyad.dataset.audio.BorderType and Vocab is dyad.dataset.text.Vocab
    assert create_dct is dyad.dataset.audio.create_dct


def test_path_of_parameters_without_values():
    from dyad.nn.utils import no_init_parameters

    assert no_init_parameters is nn.no_init_parameters


def test_blocks_are_swapped_between_two_caches():
    from dyad._c_expression import swap_cache

    host, device = Tensor(np.zeros((4, 2))), Tensor(np.arange(6.0).reshape(3, 2))
    swap_cache(host, device, Tensor([[0, 3], [2, 1]]), True)
    assert host.asnumpy().tolist() == [[0, 0], [4, 5], [0, 0], [0, 1]]
    swap_cache(host, device, Tensor([[3, 2]]), False)
    assert device.asnumpy().tolist() == [[0, 1], [2, 3], [0, 1]]
    with pytest.raises(IndexError, match=r"block_mapping has \[3, 0\]; need blocks of 3 and 4"):
        swap_cache(host, device, Tensor([[3, 0]]), True)


def test_a_random_stream_in_tensors_of_the_caller():
    from dyad.ops.operations._inner_ops import Generator

    step, seed, get_state, set_state, manual_seed, initial_seed = range(6)
    stream, held = Generator(), (Tensor(0), Tensor(0))
    stream(manual_seed, (*held, Tensor(7)))
    assert [part.item() for part in stream(step, (*held, Tensor(12)))[:2]] == [7, 0]
    assert [part.item() for part in held] == [7, 12]
    state = stream(get_state, held)[2]
    assert stream(seed, held)[1].item() == 0 and held[0].item() != 7
    stream(set_state, (*held, state))
    assert [part.item() for part in stream(initial_seed, held)[:2]] == [7, 12]
    with pytest.raises(ValueError, match="command 0 is given 2 inputs; need seed, offset and one more"):
        stream(step, held)


def test_types_of_values_and_types_below_types():
    from dyad.ops.operations._inner_ops import CopyWithSlice, IsInstance, IsSubClass

    is_instance, is_sub_class = IsInstance(), IsSubClass()
    of_number = [is_instance(value, dyad.number) for value in (1, 1.5, True, "1", Tensor([1.0]))]
    assert of_number == [True, True, True, False, False]
    assert is_instance(1, dyad.int64) and not is_instance(1, dyad.int32) and is_instance(1.5, dyad.float32)
    assert is_instance(Tensor([1]), dyad.tensor_type) and is_instance((1,), dyad.tuple_)
    assert is_sub_class(dyad.int8, dyad.int_) and is_sub_class(dyad.bool_, dyad.number)
    assert not is_sub_class(dyad.uint8, dyad.int_) and not is_sub_class(dyad.number, dyad.int_)
    assert is_sub_class(dyad.tensor_type[dyad.int8], dyad.tensor_type)
    with pytest.raises(TypeError, match="IsInstance: type_ is of type type; need a dtype"):
        is_instance(1, int)

    def step(x):
        CopyWithSlice()(x[:, 1], x[:, 0] + 1)
        return x * 2 if IsInstance()(x, dyad.tensor_type) else x

    for call in (step, jit(step)):
        assert call(Tensor([[1.0, 5.0], [2.0, 6.0]])).tolist() == [[2, 4], [4, 6]]


def test_parts_of_one_process_come_back():
    x = Tensor([1.0, 2.0, 3.0, 4.0])
    assert ops.AlltoAllV(block_size=2)(x, [2], Tensor([2])).tolist() == x.tolist()
    assert ops.AlltoAllVC()(x, [4]).tolist() == x.tolist()
    assert dyad.grad(lambda x: (ops.AlltoAllV()(x, [4], [4]) ** 2).sum())(x).tolist() == [2, 4, 6, 8]
    with pytest.raises(ValueError, match=r"AlltoAllV: send_numel_list is \[4, 4\]; need one count"):
        ops.AlltoAllV()(x, [4, 4], [4, 4])
    with pytest.raises(ValueError, match=r"input_x is of shape \(4,\); need 4 blocks of 2 elements"):
        ops.AlltoAllV(block_size=2)(x, [4], [4])


def test_tensors_in_one_piece_of_memory():
    from dyad.hal.contiguous_tensors_handle import combine_tensor_list_contiguous

    handle = combine_tensor_list_contiguous([Tensor([[5.0, 7.0], [9.0, 1.0]]), Tensor([2.0]), Tensor(3.0)])
    assert handle[1].tolist() == [7] and handle[-1].tolist() == [3] and handle[3:5].tolist() == [1, 2]
    assert handle.slice_by_tensor_index(0, 1).tolist() == [5, 7, 9, 1]
    assert handle.slice_by_tensor_index(1).tolist() == [2, 3]
    with pytest.raises(TypeError, match="tensor_list has Tensors of Float32, Int64; need one dtype"):
        combine_tensor_list_contiguous([Tensor([1.0]), Tensor([1])])
    with pytest.raises(IndexError, match="index is 6; there are 6 elements"):
        _ = handle[6]
