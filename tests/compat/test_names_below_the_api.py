"""Names that the reference does not document and that packages import all the same."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, _checkparam, amp, log, mint, nn
from dyad.parallel import _cost_model_context as costs
from dyad.parallel import _ps_context


def test_a_function_warns_once_for_its_key(caplog):
    class Layer:
        @log._LogActionOnce(logger=log, key="Layer")
        def __init__(self):
            log.warning("made")

    class Quiet:
        @log._LogActionOnce(logger=log, key="Quiet", no_warning=True)
        def __init__(self):
            log.warning("made quietly")

    log._get_logger().addHandler(caplog.handler)
    speaking = log.warning
    try:
        Layer(), Layer(), Quiet()
    finally:
        log._get_logger().removeHandler(caplog.handler)
    assert [record.message for record in caplog.records] == ["made"]
    assert log.warning is speaking


def test_the_costs_of_strategies_are_kept():
    assert costs.get_cost_model_context("costmodel_beta") == 400.0
    costs.set_cost_model_context(costmodel_beta=2.0, run_phase=1)
    costs._set_multi_subgraphs()
    try:
        assert costs.get_cost_model_context("costmodel_beta") == 2.0
        assert costs._get_multi_subgraphs() and not costs._get_algo_single_loop()
        with pytest.raises(ValueError, match="set_cost_model_context: unknown key 'beta'"):
            costs.set_cost_model_context(beta=1.0)
        with pytest.raises(TypeError, match=r"run_phase is 0.5"):
            costs.set_cost_model_context(run_phase=0.5)
    finally:
        costs.reset_cost_model_context()
    assert not costs._get_multi_subgraphs()


def test_a_process_is_not_part_of_parameter_servers():
    assert not (_ps_context._is_role_sched() or _ps_context._is_role_worker() or _ps_context._is_ps_mode())
    with pytest.raises(RuntimeError, match="_clone_hash_table: there are no parameter servers"):
        _ps_context._clone_hash_table("a", 0, "b", 1)


def test_wrappers_of_several_processes_are_found_beside_those_of_one():
    from dyad.nn.wrap.cell_wrapper import GradAccumulationCell, _MicroBatch, _VirtualDatasetCell

    x = Tensor(np.arange(8.0, dtype=np.float32).reshape(4, 2))
    np.testing.assert_array_equal(_MicroBatch(2)(1, x)[0].asnumpy(), x.asnumpy()[2:])
    with pytest.raises(ValueError, match="first dimension that 3 divides"):
        _MicroBatch(3)(0, x)
    np.testing.assert_array_equal(_VirtualDatasetCell(nn.ReLU())(-x).asnumpy(), np.zeros((4, 2)))
    assert GradAccumulationCell is nn.wrap.distributed.GradAccumulation
    with pytest.raises(AttributeError, match=r"nearest is dyad.nn.wrap.cell_wrapper.PipelineCell"):
        _ = nn.wrap.cell_wrapper.PipelineCel


def test_the_loss_of_a_lowered_network_is_float32():
    class Kind(nn.Cell):
        def construct(self, output, label):
            return output.astype(dyad.float32) + (1.0 if output.dtype == dyad.float32 else 2.0) + label

    network = nn.SequentialCell(nn.Dense(2, 2), nn.BatchNorm1d(2)).to_float(dyad.float16)
    amp._do_keep_batchnorm_fp32(network)
    assert [cell._compute_dtype for cell in network.cells()] == [dyad.float16, dyad.float32]
    zero = nn.Flatten().to_float(dyad.float16)
    for dtype, expected in ((dyad.float16, 1.0), (dyad.float32, 2.0)):
        loss = amp._add_loss_network(zero, Kind(), dtype)(Tensor([[0.0]]), Tensor([[0.0]]))
        assert loss.asnumpy() == expected
    assert (
        amp._config_level["O2"]["keep_batchnorm_fp32"]
        and amp._config_level["O3"]["loss_scale_manager"] is None
    )


def test_one_image_without_a_transform():
    from dyad.dataset.vision import py_transforms_util as pictures

    array = np.arange(24, dtype=np.uint8).reshape(2, 4, 3)
    image = pictures.to_pil(array)
    assert pictures.is_pil(image) and pictures.is_numpy(array) and not pictures.is_pil(array)
    np.testing.assert_array_equal(pictures.hwc_to_chw(array), array.transpose(2, 0, 1))
    np.testing.assert_array_equal(np.asarray(pictures.crop(image, 0, 1, 2, 2)), array[:, 1:3])


def test_names_of_mint_are_found_where_programs_look():
    assert mint.functional is mint.nn.functional
    assert nn.Linear is mint.nn.Linear and dyad.ops.Tensor is mint.Tensor is Tensor
    layer = nn.Linear(3, 2, False)
    assert layer.bias is None and layer.weight.shape == (2, 3)


def test_a_value_among_several():
    from dyad import _checkparam

    assert _checkparam.check("mode", 1, "", [1, 2], _checkparam.IN) == 1
    with pytest.raises(ValueError, match="mode is 3"):
        _checkparam.check("mode", 3, "the modes", [1, 2], _checkparam.IN)


def test_entries_of_a_checkpoint_one_by_one(tmp_path):
    from dyad.train import serialization

    path = str(tmp_path / "net.ckpt")
    weights = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    serialization._exec_save(
        path, {"w": [[2, 3], "Float32", weights.ravel()], "n": [[], "Int32", np.array(3)]}
    )
    np.testing.assert_array_equal(dyad.load_checkpoint(path)["w"].asnumpy(), weights)
    first, second = serialization._parse_ckpt_proto(path, None, None).value
    assert (first.tag, first.tensor.dims, first.tensor.tensor_type) == ("w", [2, 3], "Float32")
    read = np.frombuffer(first.tensor.tensor_content, serialization.tensor_to_np_type["Float32"])
    np.testing.assert_array_equal(read.reshape(2, 3), weights)
    assert serialization.tensor_to_ms_type[second.tensor.tensor_type] == dyad.int32
    assert serialization.tensor_to_np_type.get("nothing") is None
    assert serialization.tensor_to_np_type("Int32") is np.int32
    with pytest.raises(TypeError, match="w is of type 'Int5'"):
        serialization._exec_save(path, {"w": [[1], "Int5", weights]})
    assert serialization._get_merged_param_data(None, {}, "w", weights, True) is weights


def test_an_operator_of_another_device_can_be_constructed():
    from dyad.ops.auto_generate import PagedAttention

    attention = PagedAttention(8, 0.5, kv_head_num=2)
    with pytest.raises(RuntimeError, match=r"PagedAttention: .* use ops\.flash_attention_score"):
        attention(Tensor([1.0]))


@pytest.mark.parametrize(
    ("check", "taken", "refused"),
    [
        (_checkparam.check_positive_float, 0.5, 0.0),
        (_checkparam.check_non_negative_float, 0.0, -0.5),
        (_checkparam.check_negative_int, -1, 0),
        (_checkparam.check_non_positive_int, 0, 1),
    ],
)
def test_numbers_are_checked_by_their_sign(check, taken, refused):
    assert check(taken, "rate", "Layer") == taken
    with pytest.raises(ValueError, match=rf"Layer.*rate.*{refused}"):
        check(refused, "rate", "Layer")
    with pytest.raises(TypeError, match=r"Layer.*rate"):
        check("1", "rate", "Layer")


def test_ranges_and_element_types_are_checked():
    inside = _checkparam.INC_LEFT
    assert _checkparam.check_int_range(2, 2, 4, inside, "k", "Layer") == 2
    with pytest.raises(ValueError, match=r"Layer.*k.*4"):
        _checkparam.check_int_range(4, 2, 4, inside, "k", "Layer")
    floats = (dyad.float16, dyad.float32)
    _checkparam.check_tensor_dtype_valid("x", dyad.float32, floats, "Layer")
    with pytest.raises(TypeError, match=r"Layer.*x"):
        _checkparam.check_tensor_dtype_valid("x", dyad.int32, floats, "Layer")
    _checkparam.check_scalar_or_tensor_types_same({"a": dyad.float32, "b": dyad.float32}, floats, "Layer")
    with pytest.raises(TypeError, match="Layer"):
        _checkparam.check_scalar_or_tensor_types_same({"a": dyad.float32, "b": dyad.float16}, floats, "Layer")
    assert not _checkparam.is_stub_tensor(Tensor(1.0))


def test_a_loss_scaler_of_a_programs_own():
    loss, gradients = Tensor([1.0, 2.0]), (Tensor([4.0]), Tensor([6.0], dyad.float16))
    assert amp._grad_scale_map(Tensor(2.0), loss).asnumpy().tolist() == [2.0, 4.0]
    halves = amp._grad_unscale_map(2, gradients)
    assert [each.asnumpy().tolist() for each in halves] == [[2.0], [3.0]]
    assert [each.dtype for each in halves] == [dyad.float32, dyad.float16]


@pytest.mark.parametrize(
    "name", ["Generator", "Symbol", "enable_dynamic", "from_numpy", "manual_seed", "set_dump"]
)
def test_common_has_what_the_package_has(name):
    assert getattr(dyad.common, name) is getattr(dyad, name)


def test_device_manager_is_a_module():
    from dyad.device_manager import get_current_device, set_device

    assert (get_current_device, set_device) == (dyad.get_current_device, dyad.set_device)
