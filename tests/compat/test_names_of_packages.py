"""Names below the public ones that packages take: each does what the package means by it."""

import subprocess
import sys
import textwrap

import numpy as np
import pytest

import dyad
from dyad import Tensor, context, grad, jit, nn, ops
from dyad import _checkparam as check
from dyad.common import initializer as init
from dyad.common.api import _pynative_executor


def run_as_mindspore(code):
    program = "import dyad; dyad.install_as_mindspore()\n" + textwrap.dedent(code)
    subprocess.run([sys.executable, "-c", program], check=True)


def test_version_is_that_of_the_interface():
    run_as_mindspore("""
        import mindspore
        assert mindspore.__version__ >= "2.3" and mindspore.__version__.count(".") == 2
    """)
    assert dyad.__version__ == dyad._core.__version__


def test_the_alias_is_an_installed_package():
    run_as_mindspore("""
        from importlib import metadata
        import mindspore
        assert metadata.version("mindspore") == mindspore.__version__
        assert metadata.metadata("mindspore")["Name"] == "mindspore"
        assert not metadata.requires("mindspore") and not metadata.files("mindspore")
        assert "mindspore" in {found.name for found in metadata.distributions()}
        try:
            metadata.version("mindspore-lite")
        except metadata.PackageNotFoundError:
            pass
        else:
            raise AssertionError
    """)


def test_stand_ins_for_tensors_are_none():
    from dyad.common._stub_tensor import StubTensor, _convert_stub

    x = Tensor([1.0])
    StubTensor.doubled = lambda self: 2 * self
    assert not isinstance(x, StubTensor) and not hasattr(x, "doubled")
    assert _convert_stub(x) is x


def test_primitives_by_their_arguments():
    from dyad.ops._primitive_cache import _get_cache_prim

    def total(x):
        return _get_cache_prim(ops.ReduceSum)(keep_dims=True)(x, 1)

    x = Tensor(np.ones((2, 3), np.float32))
    assert total(x).tolist() == jit(total)(x).tolist() == [[3.0], [3.0]]


def test_functions_of_known_values_are_captured():
    from dyad.ops.primitive import _primexpr, _run_op

    @_primexpr
    def half(size):
        return size // 2

    @_primexpr(get_instance=False)
    def twice(size):
        return size * 2

    def cut(x):
        return _run_op(ops.ReLU(), "ReLU", (x[: half(x.shape[0])],)) * twice(1)

    x = Tensor([-1.0, 2.0, 3.0, 4.0])
    assert cut(x).tolist() == jit(cut)(x).tolist() == [0.0, 4.0]


def test_tensor_and_dtypes_from_below():
    from dyad import _c_expression

    assert _c_expression.Tensor is _c_expression.TensorPy is dyad.Tensor
    assert isinstance(dyad.float32, _c_expression.typing.Type)


@pytest.mark.parametrize("draw, low, high", [("_random_uniform", -2, 3), ("_truncated_normal", -1, 1)])
def test_draws_into_an_array(draw, low, high):
    from dyad import _c_expression

    first, second = np.empty((40, 50), np.float32), np.empty((40, 50), np.float32)
    arguments = (low, high) if draw == "_random_uniform" else (low, high, 0.0, 1.0)
    for array in (first, second):
        getattr(_c_expression, draw)(7, array, *arguments)
    assert (first == second).all() and low <= first.min() < first.max() <= high
    _c_expression._random_normal(7, first, 5.0, 0.5)
    assert first.mean() == pytest.approx(5.0, abs=0.1) and first.std() == pytest.approx(0.5, abs=0.05)


def test_recording_is_switched():
    x = Tensor([3.0])
    square = lambda x: (x * x).sum()  # noqa: E731
    _pynative_executor.set_enable_grad(False)
    try:
        assert not _pynative_executor.enable_grad()
        with pytest.raises(RuntimeError, match="In no_grad context"):
            grad(square)(x)
    finally:
        _pynative_executor.set_enable_grad(True)
    assert _pynative_executor.enable_grad()
    assert grad(square)(x).tolist() == [6.0]
    with pytest.raises(TypeError, match="set_enable_grad: flag is 1"):
        _pynative_executor.set_enable_grad(1)


def test_views_may_be_written_whatever_they_are_called():
    from dyad._c_expression import CreationType

    def square_of_more(x):
        view = x * 1
        _pynative_executor.set_creation_type(view[0], CreationType.DEFAULT)
        view[0].add_(1.0)
        return (view * view).sum()

    assert grad(square_of_more)(Tensor([[1.0], [2.0]])).tolist() == [[4.0], [4.0]]


def test_what_is_computed_with_recording_off_is_constant():
    def loss(x):
        _pynative_executor.set_enable_grad(False)
        factor = x * 2
        _pynative_executor.set_enable_grad(True)
        return (factor * x).sum()

    assert grad(loss)(Tensor([3.0])).tolist() == [6.0]


def test_settings_as_an_object():
    assert context.K_CONTEXT.get_mode() == context._context().get_mode() == context._get_mode() == 1
    context.K_CONTEXT.set_backend_policy("ms")
    with pytest.raises(ValueError, match="policy is 'x'"):
        context.K_CONTEXT.set_backend_policy("x")


def test_helpers_of_initializers_compute_fans_gains_and_values():
    assert init._calculate_fan_in_and_fan_out((4, 3, 5, 5)) == (75, 100)
    assert init._calculate_in_and_out(np.zeros((4, 3))) == (3, 4)
    assert init._calculate_correct_fan((4, 3), "fan_out") == 4
    assert init._calculate_gain("leaky_relu", 0) == pytest.approx(2**0.5)
    array = np.zeros((2, 3))
    assert init._assignment(array, np.arange(6)) is array and array[1, 2] == 5

    @init._register("all_sevens")
    class Sevens(init.Initializer):
        def _initialize(self, arr):
            init._assignment(arr, 7)

    assert init.initializer("all_sevens", (2,)).asnumpy().tolist() == [7, 7]
    dyad.set_seed(3)
    assert init._init_random_normal(0.0, 0.0, (2, 2)).tolist() == [[0, 0], [0, 0]]
    assert init._init_random_uniform(1.0, 2.0, (9,)).min() >= 1
    with pytest.raises(ValueError, match="mode is 'both'"):
        init._calculate_correct_fan((4, 3), "both")


class Along(nn.layer.conv._Conv):
    """A convolution along a sequence, as a package writes its own."""

    def __init__(self, channels, outputs, size):
        super().__init__(channels, outputs, (size,), (1, 1), "valid", 0, (1, 1), 1, True, None, None)
        self.conv2d = ops.Conv2D(outputs, (1, size), 1, "valid")

    def construct(self, x):
        y = self.conv2d(x.expand_dims(2), self.weight.expand_dims(2))
        return ops.bias_add(y, self.bias).squeeze(2)


@pytest.mark.parametrize("compile", [lambda cell: cell, jit])
def test_base_of_convolutions(compile):
    x = Tensor(np.random.default_rng(0).standard_normal((2, 3, 8)).astype(np.float32))
    layer = Along(3, 4, 3)
    expected = ops.conv1d(x, layer.weight, layer.bias)
    np.testing.assert_allclose(compile(layer)(x).asnumpy(), expected.asnumpy(), rtol=1e-4, atol=1e-5)
    assert layer.weight.shape == (4, 3, 3) and "kernel_size=(3,)" in repr(layer)


def test_weights_of_convolutions():
    base = nn.layer.conv._Conv
    sizes = ((3, 3), (1, 1), "same", 0, (1, 1))
    assert base(4, 6, *sizes, 2, False, None, None, transposed=True).weight.shape == (4, 3, 3, 3)
    assert base(4, 6, *sizes, 2, False, None, None, data_format="NHWC").weight.shape == (6, 3, 3, 2)
    with pytest.raises(ValueError, match="group is 4, in_channels 4 and out_channels 6"):
        base(4, 6, *sizes, 4, False, None, None)


@pytest.mark.parametrize("mode, length", [("valid", 12), ("same", 10), ("pad", 10)])
def test_length_of_a_transposed_convolution(mode, length):
    flags = (mode == "valid", mode == "same", mode == "pad")
    assert nn.layer.conv._deconv_output_length(*flags, 5, 4, 2, 1, 2) == length


def test_transforms_of_text_written_by_programs():
    from dyad import dataset
    from dyad.dataset.text.transforms import Implementation, TextTensorOperation
    from dyad.dataset.transforms.transforms import PyTensorOperation

    class Padded(TextTensorOperation, PyTensorOperation):
        def __init__(self, length):
            super().__init__()
            self.length = length
            self.implementation = Implementation.PY

        def execute_py(self, row):
            return np.pad(row, (0, self.length - len(row)))

    assert Padded(4)(np.array([1, 2])).tolist() == [1, 2, 0, 0]
    rows = dataset.NumpySlicesDataset([[1, 2], [3, 4]], "x", shuffle=False).map(Padded(3), "x")
    assert [row.tolist() for (row,) in rows.create_tuple_iterator(output_numpy=True)] == [
        [1, 2, 0],
        [3, 4, 0],
    ]
    assert isinstance(rows, dataset.TextBaseDataset)


def test_element_types_of_the_pipeline():
    from dyad.dataset.core.datatypes import mstype_to_detype, nptype_to_detype

    assert mstype_to_detype(dyad.int32) == nptype_to_detype("int32") == np.int32
    assert mstype_to_detype(None) is None


@pytest.mark.parametrize(
    "call, expected",
    [
        (lambda: check.check_and_canonicalize_axes((-1, 0), 3), (2, 0)),
        (lambda: check.check_axis_valid(None, 3), (0, 1, 2)),
        (lambda: check.check_axis_in_range(-1, 4), 3),
        (lambda: check.check_transpose_axis((), 3), (2, 1, 0)),
        (lambda: check.check_transpose_axis(((1, 0),), 2), (1, 0)),
        (lambda: check.check_swapaxes_axis((-1, 0), 3), (2, 0)),
        (lambda: check.check_reshape_shp(((2, 3),)), (2, 3)),
        (lambda: check.prepare_shape_for_squeeze((1, 2, 1), None), (2,)),
        (lambda: check.prepare_shape_for_squeeze((1, 2, 1), -1), (1, 2)),
        (lambda: check.expanded_shape(3, 5, 1), (1, 5, 1)),
        (lambda: check.infer_out_shape((2, 1), (3,)), (2, 3)),
        (lambda: check.check_axis_type([1, 2]), True),
        (lambda: check.twice(3), (3, 3)),
        (lambda: check._check_3d_int_or_tuple("k", 2, "P", ret_five=True), (1, 1, 2, 2, 2)),
        (lambda: check.check_equal_int(3, 3), 3),
        (lambda: check.check_number_range(0.5, 0, 1, check.INC_NEITHER, float), 0.5),
        (lambda: check.check_positive_int_sequence((1, 2)), (1, 2)),
        (lambda: check.check_type_name("x", dyad.int8, (dyad.int8,), "P"), dyad.int8),
        (lambda: check.check_str_by_regular("a_b"), True),
        (lambda: check.check_str_by_regular("block.0.weight"), True),
        (lambda: check.check_file_name_by_regular("a/b-c.ckpt"), True),
        (lambda: check.check_element_type_of_iterable("x", [1, 2], int, "P"), [1, 2]),
        (lambda: check.check_element_type_of_dict("x", {"a": 1}, (str,), (int,), "P"), {"a": 1}),
        (lambda: check.check_size_and_element_type_of_tuple("x", (1, 2), 2, int, "P"), (1, 2)),
    ],
)  # fmt: skip
def test_checks_give_the_value(call, expected):
    assert call() == expected


@pytest.mark.parametrize(
    "call, kind, message",
    [
        (lambda: check.check_and_canonicalize_axes(3, 3), ValueError, "axis is 3; need an int from -3 to 2"),
        (lambda: check.check_and_canonicalize_axes((0, -3), 3), ValueError, "need different ones"),
        (lambda: check.check_axis_type("a"), TypeError, "axis is 'a' of type str"),
        (lambda: check.prepare_shape_for_squeeze((2,), 0), ValueError, "has size 2; need 1"),
        (lambda: check.infer_out_shape((2,), (3,)), ValueError, "cannot be broadcast"),
        (lambda: check.check_flatten_order("A"), ValueError, "order is 'A'"),
        (lambda: check.check_equal_int(3, 4, "x", "P"), ValueError, "P: x is 3"),
        (
            lambda: check.check("a", 3, "b", 4, check.GE, "P"),
            ValueError,
            "P: a is 3 of type int; need >= b, 4",
        ),
        (
            lambda: check.check_subclass("x", dyad.int8, (dyad.float32,), "P"),
            TypeError,
            "P: x is Int8; need Float32",
        ),
        (
            lambda: check.check_types_same_and_valid(
                {"a": dyad.int8, "b": dyad.int32}, (dyad.int8, dyad.int32), "P"
            ),
            TypeError,
            "need the same dtype",
        ),
        (lambda: check._check_3d_int_or_tuple("k", (1, 2), "P"), ValueError, "P: k is"),
        (lambda: check.check_valid_input("x", None, "P"), ValueError, "P: x is None"),
        (lambda: check.check_str_by_regular("a b"), ValueError, "does not match"),
        (lambda: check.check_str_by_regular(".weight"), ValueError, "does not match"),
        (lambda: check.check_element_type_of_iterable("x", ["a"], (int,), "P"), TypeError, "P: x has 'a'"),
        (lambda: check.check_hook_fn(3), TypeError, "the hook is 3"),
    ],
)
def test_checks_refuse(call, kind, message):
    with pytest.raises(kind, match=message):
        call()


def test_names_of_mindspore_1_that_programs_still_import():
    run_as_mindspore("""
        import mindspore as ms
        from mindspore import nn
        from mindspore._checkparam import Rel, Validator
        from mindspore.common.api import ms_function
        from mindspore.dataset import context as of_dataset
        from mindspore.nn.metrics.metric import Metric, rearrange_inputs
        from mindspore.profiler.profiling import Profiler
        from mindspore.train.serialization import Tensor, context

        assert Metric is ms.train.Metric and Profiler is ms.Profiler and Tensor is ms.Tensor
        assert context.set_context is of_dataset.set_context is ms.set_context
        assert ms_function(lambda x: x + 1)(Tensor([1.0])).asnumpy() == 2
        assert Validator.check_int_range(4, 0, 4, Rel.INC_BOTH, "size") == 4
        assert Validator().check_value_type("net", 3, [int]) == 3
        for refused in (
            lambda: Validator.check_positive_int(0, "size", "Net"),
            lambda: Validator.check_int_range(4, 0, 4, Rel.INC_LEFT, "size"),
        ):
            try:
                refused()
            except ValueError as error:
                assert "size" in str(error)
            else:
                raise AssertionError
    """)


def test_activations_are_listed_by_name():
    from dyad.nn.layer.activation import _activation

    assert _activation["relu"] is nn.ReLU and _activation["threshold"] is nn.Threshold


@pytest.mark.parametrize("static", [False, True])
def test_an_accumulated_gradient_is_unscaled_and_starts_again(static):
    from dyad.nn.wrap.loss_scale import grad_scale, shard_grad_scale

    accumulated = dyad.Parameter(Tensor([4.0, 8.0]), name="accumulated")

    def unscale(scale, gradients):
        plain = ops.HyperMap()(ops.partial(grad_scale, scale), gradients)
        return plain, ops.HyperMap()(ops.partial(shard_grad_scale, scale), gradients, (accumulated,))

    plain, whole = (jit(unscale) if static else unscale)(Tensor(4.0), (Tensor([2.0, 2.0]),))
    assert plain[0].asnumpy().tolist() == [0.5, 0.5]
    assert whole[0].asnumpy().tolist() == [1.0, 2.0] and accumulated.asnumpy().tolist() == [0.0, 0.0]


def test_parts_of_numpy_functions():
    from dyad.numpy.utils import _to_tensor
    from dyad.numpy.utils_const import _raise_type_error, _raise_value_error

    assert _to_tensor(1.5).dtype == dyad.float32 and _to_tensor([1, 2]).asnumpy().tolist() == [1, 2]
    x = Tensor([1.0])
    first, second = _to_tensor(x, 2)
    assert first is x and second.dtype == dyad.int32
    with pytest.raises(ValueError, match="size is 3"):
        _raise_value_error("size is ", 3)
    with pytest.raises(TypeError, match="need a Tensor"):
        _raise_type_error("need a Tensor")


def test_the_data_that_is_trained_on_can_be_asked_for():
    from dyad.dataset.engine.datasets import _get_training_dataset, _set_training_dataset

    data = dyad.dataset.NumpySlicesDataset([1, 2])
    _set_training_dataset(data)
    assert _get_training_dataset() is data


@pytest.mark.parametrize("static", [False, True])
def test_log_softmax_of_packages(static):
    from dyad.ops.function.nn_func import _get_cache_prim, _innner_log_softmax

    def negated(x):
        return _get_cache_prim(ops.Neg)()(_innner_log_softmax(x, 1))

    x = Tensor(np.array([[1.0, 2.0, 4.0]], np.float32))
    expected = -(x.asnumpy() - np.log(np.exp(x.asnumpy()).sum(1, keepdims=True)))
    assert np.allclose((jit(negated) if static else negated)(x).asnumpy(), expected, atol=1e-6)


@pytest.mark.parametrize("static", [False, True])
def test_overloads_by_the_element_type_of_a_number(static):
    chosen = ops.MultitypeFuncGraph("chosen")
    chosen.register("Tensor", "Int32")(lambda x, shift: x * 0)
    chosen.register("Tensor", "Float32")(lambda x, shift: x + shift)
    chosen.register("Tensor", "Int64")(lambda x, shift: x - shift)

    def both(x):
        return chosen(x, 0.5), chosen(x, 2)

    plus, minus = (jit(both) if static else both)(Tensor([4.0]))
    assert (plus.asnumpy(), minus.asnumpy()) == (4.5, 2.0)
