"""Paths under which programs import operators, settings and devices."""

import importlib

import numpy as np
import pytest

import dyad
from dyad import Tensor, ops
from dyad._src.primitive.primitive import Primitive


@pytest.fixture
def generated():
    return importlib.import_module("dyad.ops.auto_generate")


def test_every_operator_is_there(generated):
    for name in ops.__all__:
        assert getattr(generated, name) is getattr(ops, name)


def test_classes_functions_and_objects_of_one_operator(generated):
    x = Tensor([1.0, 2.0])
    assert isinstance(generated.add_op, ops.Add) and generated.add_op is generated.add_op
    assert isinstance(generated.sum_ext_op, Primitive)
    assert generated.sum_ext(x).item() == generated.SumExt()(x).item() == 3
    assert generated.AvgPool2D()(Tensor(np.ones((1, 1, 4, 4), np.float32)), 2).shape == (1, 1, 3, 3)
    assert generated.mul_scalar is ops.mul
    y = generated.inplace_mul(x, 3.0)
    assert y is x and x.asnumpy().tolist() == [3.0, 6.0]


def test_a_slice_shares_the_memory(generated):
    x = Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])
    generated.slice_ext_view_op(x, 1, 1, 3).add_(10.0)
    assert x.asnumpy().tolist() == [[1, 12, 13], [4, 15, 16]]
    assert generated.slice_ext(x, -2, 1, 2, 1).asnumpy().tolist() == [[4, 15, 16]]


def test_views_of_parts_share_the_memory(generated):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    generated.select_ext_view_op(x, 1, 0).add_(10.0)
    generated.expand_dims_view_op(x, 0).mul_(2.0)
    first, second = generated.split_tensor_view_op(x, 1, 0)
    generated.inplace_copy_op(second, first)
    assert x.asnumpy().tolist() == [[22, 4], [22, 4]]


def test_ext_names_take_the_arguments_of_mint(generated):
    x = Tensor([[1.0, 5.0], [4.0, 2.0]])
    assert [part.asnumpy().tolist() for part in generated.max_ext(x, 1)] == [[5, 4], [1, 0]]
    assert [part.asnumpy().tolist() for part in generated.min_ext(x, dim=0)] == [[1, 2], [0, 1]]
    assert generated.add_ext(x, x, alpha=2).asnumpy().tolist() == [[3, 15], [12, 6]]
    assert generated.add_ext(x, x, 2).asnumpy().tolist() == [[3, 15], [12, 6]]
    with pytest.raises(TypeError, match="add: 4 arguments were given; need at most 3"):
        generated.add_ext(x, x, 2, 2)
    assert generated.gather_ext(x, 1, Tensor([[1], [0]])).asnumpy().tolist() == [[5], [4]]
    assert [part.shape for part in generated.split_ext(x, 1, 1)] == [(2, 1), (2, 1)]
    np.testing.assert_array_equal(generated.bmm_ext(x[None], x[None])[0], generated.matmul_ext(x, x))
    assert generated.interpolate_ext(x[None, None], size=(4, 2)).asnumpy()[0, 0, :, 0].tolist() == [
        1,
        1,
        4,
        4,
    ]


def test_all_functions_of_mint_have_their_ext_name(generated):
    missing = [
        name
        for name in dyad.mint.__all__
        if callable(getattr(dyad.mint, name)) and not hasattr(generated, f"{name}_ext")
    ]
    missing = [name for name in missing if not isinstance(getattr(dyad.mint, name), type)]
    assert missing == []


def test_a_missing_operator_names_the_nearest(generated):
    with pytest.raises(AttributeError, match=r"dyad\.ops has no 'reluu'; nearest is dyad\.ops\.relu"):
        _ = generated.reluu
    with pytest.raises(AttributeError):
        _ = generated.nothing_like_it_op


@pytest.mark.parametrize("topic", ["array_func", "math_func", "nn_func"])
def test_functions_by_topic(topic):
    module = importlib.import_module(f"dyad.ops.function.{topic}")
    assert module.relu is ops.relu and module.sum_ext(Tensor([1.0, 2.0])).item() == 3


def test_modules_as_attributes():
    assert ops.auto_generate.Add is ops.Add
    from dyad.ops.auto_generate import gen_ops_prim
    from dyad.ops.auto_generate.gen_ops_def import add

    assert gen_ops_prim.Add is ops.Add and add is ops.add


def test_settings_from_common():
    from dyad.common import JitConfig, jit, jit_class
    from dyad.common.api import JitConfig as same

    assert JitConfig is same is dyad.JitConfig and jit is dyad.jit and jit_class is dyad.jit_class


def test_hal_reports_the_cpu_as_the_only_device():
    from dyad import hal

    assert hal.device_count() == 1 and hal.is_available("CPU") and hal.is_initialized("CPU")
    assert not hal.is_available("Ascend") and hal.device_count("Ascend") == 0
    assert (
        hal.get_device_name() == "CPU" and hal.get_device_capability() is None and hal.get_arch_list() is None
    )
    assert hal.get_device_properties()["name"] == "CPU"
    assert hal.memory_allocated() == dyad.runtime.memory_allocated()
    with pytest.raises(
        ValueError, match="is_available: device_target is 'Abacus'; need one of CPU, GPU, Ascend"
    ):
        hal.is_available("Abacus")
    with pytest.raises(ValueError, match="get_device_name: device_id is 3; need 0, there is one CPU"):
        hal.get_device_name(3)
    with pytest.raises(RuntimeError, match="get_device_name: there is no Ascend here; there is CPU"):
        hal.get_device_name(0, "Ascend")
    with pytest.raises(
        AttributeError, match=r"dyad\.hal has no 'device_cont'; nearest is dyad\.hal\.device_count"
    ):
        _ = hal.device_cont


def test_streams_and_events():
    from dyad.hal import Event, Stream, StreamCtx, current_stream, default_stream, set_cur_stream

    stream = Stream()
    first, last = Event(enable_timing=True), Event(enable_timing=True)
    with StreamCtx(stream):
        first.record()
        ops.ones((8, 8)).sum()
        stream.record_event(last)
    stream.wait_event(first)
    last.synchronize()
    set_cur_stream(stream)
    assert last.query() and stream.query() and first.elapsed_time(last) >= 0
    assert current_stream() == default_stream() == stream and "CPU" in repr(stream)
    with pytest.raises(
        RuntimeError, match=r"Event\.elapsed_time: .* has no time; need Event\(enable_timing=True\)"
    ):
        Event().elapsed_time(last)
    with pytest.raises(TypeError, match="StreamCtx: stream is of type int; need a Stream or None"):
        StreamCtx(3)
    with pytest.raises(TypeError, match="Event: blocking is 1 of type int; need a bool"):
        Event(blocking=1)


def test_checks_that_programs_borrow():
    from dyad import _checkparam as checks

    assert checks.check_positive_int(3) == 3 and checks.check_bool(True) and checks.check_is_int(2) == 2
    assert checks.check_float_range(0.5, 0.0, 1.0, checks.INC_NEITHER, "p") == 0.5
    assert checks.check_value_type("x", 3, [int, float]) == 3 and checks._expand_tuple(2)(5) == (5, 5)
    assert (
        checks.check_string("NCHW", ("NCHW", "NHWC")) == "NCHW"
        and checks.check_input_format("NCHW") == "NCHW"
    )
    for wrong, kind, text in (
        (
            lambda: checks.check_is_int(True, "n", "Net"),
            TypeError,
            "Net: n is True of type bool; need an int",
        ),
        (lambda: checks.check_positive_int(0, "n"), ValueError, "n is 0 of type int; need an int > 0"),
        (
            lambda: checks.check_float_range(1.0, 0.0, 1.0, checks.INC_LEFT),
            ValueError,
            r"need a float in \[0.0, 1.0\)",
        ),
        (lambda: checks.check_value_type("x", True, int), TypeError, "x is True of type bool; need an int"),
        (lambda: checks.check_string("NHWC", ("NCHW",), "format"), ValueError, "format is 'NHWC'"),
        (lambda: checks._expand_tuple(2)((1, 2.0)), TypeError, "need an int or a tuple of 2 ints"),
    ):
        with pytest.raises(kind, match=text):
            wrong()

    @checks.args_type_check(name=str, size=int)
    def made(name, size=3):
        return name * size

    assert made("a") == "aaa"
    with pytest.raises(TypeError, match="made: size is 'b' of type str; need an int"):
        made("a", "b")


def test_the_level_of_the_context_is_obeyed():
    from dyad._src.context import environment

    assert environment.jit_level("") == "" and environment.jit_level("O1") == "O1"
    dyad.set_context(jit_level="O0")
    try:
        assert dyad.get_context("jit_level") == "O0" and dyad.get_context("jit_config") == {"jit_level": "O0"}
        assert environment.jit_level("") == "O0" and environment.jit_level("O1") == "O1"
        compiled = dyad.jit(lambda x: ops.exp(x * 2.0 + 1.0) - x)
        compiled(Tensor(np.ones(100, np.float32)))
        with pytest.raises(
            ValueError, match="set_context: jit_config\\['jit_level'\\] is 'O7'; need one of O0, O1, O2"
        ):
            dyad.set_context(jit_level="O7")
    finally:
        dyad.set_context(jit_config={})
    assert dyad.get_context("jit_level") == ""


def test_a_device_for_a_block():
    before = dyad.get_current_device()
    with dyad.DeviceCtx("CPU") as outer, dyad.DeviceCtx("CPU", 0):
        assert outer.name == "CPU" and ops.ones((2,), dyad.float32).device == "CPU"
    assert dyad.get_current_device() == before
    with pytest.raises(ValueError, match="DeviceCtx: name is 'Abacus'; need one of 'CPU', 'GPU', 'Ascend'"):
        dyad.DeviceCtx("Abacus")
    with pytest.raises(RuntimeError, match="DeviceCtx: device target Ascend is not available"):
        dyad.DeviceCtx("Ascend").__enter__()
    assert dyad.get_current_device() == before


def test_memory_and_graphs_are_given_back():
    function = dyad.jit(lambda x: x + 1)
    function(Tensor([1.0]))
    assert function.entries
    (Tensor(np.ones(1 << 22, np.float32)) + 1).asnumpy()  # 16 MiB that are free again
    assert dyad.memory_reserved() - dyad.memory_allocated() >= 16 << 20
    dyad.ms_memory_recycle()
    assert not function.entries and dyad.memory_reserved() - dyad.memory_allocated() < 1 << 20


def test_what_one_process_has_not():
    from dyad.common.file_system import mindio_preload
    from dyad.ops._grad_experimental.grad_comm_ops import get_squared_device_local_norm_param
    from dyad.parallel.shard import Layout, _DistributedTensorInfo
    from dyad.parallel.strategy import get_strategy_metadata
    from dyad.utils import stress_detect

    assert get_strategy_metadata(dyad.nn.Dense(2, 2)) is None and mindio_preload("net.ckpt") is False
    with pytest.raises(
        RuntimeError, match=r"flops_collection: no graph has the phase 'train'.*dyad\.summary"
    ):
        dyad.flops_collection()
    with pytest.raises(RuntimeError, match="stress_detect: only an accelerator of another kind"):
        stress_detect()
    with pytest.raises(ValueError, match="one process computes whole gradients"):
        get_squared_device_local_norm_param()
    split = Layout((2, 3, 4), ("a", "b", "c"))
    assert _DistributedTensorInfo(split(("a", "c"), "None", "b")).sharding_strategy == [8, 1, 3]


def test_what_transforms_of_programs_derive_from():
    from dyad.dataset import Implementation
    from dyad.dataset.vision.transforms import PyTensorOperation

    class Halved(PyTensorOperation):
        implementation = Implementation.PY

        def _execute_py(self, image):
            return image / 2

    assert Halved()(np.array([2.0, 4.0])).tolist() == [1, 2]


def test_sizes_and_names_of_element_types():
    assert [dyad.dtype.type_size_in_bytes(t) for t in (dyad.bool_, dyad.bfloat16, dyad.complex128)] == [
        1,
        2,
        16,
    ]
    assert (dyad.dtype.bool, dyad.dtype.int, dyad.dtype.float) == (dyad.bool_, dyad.int32, dyad.float32)
    assert dyad.dtype.dtype_to_pytype(dyad.bool_) is bool


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
def test_an_operator_as_an_object_takes_its_settings_behind_its_inputs_or_leaves_them_out(form):
    from dyad.ops.function.array_func import arg_max_with_value_

    x = Tensor([[1.0, 4.0, 3.0]])
    for settings, shape in (((), (3,)), ((1,), (1,)), ((1, True), (1, 1))):
        index, value = form(lambda x, settings=settings: arg_max_with_value_(x, *settings))(x)
        assert index.shape == value.shape == shape
