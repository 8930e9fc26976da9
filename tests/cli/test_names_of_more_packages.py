"""Private names that packages take from training, loading, recurrent layers and devices."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, jit, nn, ops
from dyad._src import no_effect
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


def test_directories(tmp_path):
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
