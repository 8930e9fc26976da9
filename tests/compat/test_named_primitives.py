"""Primitives that a program declares by name, and Primitives of windows, shifts and device registers."""

import numpy as np
import pytest

import dyad
from dyad import Tensor, nn, ops
from dyad.ops.signature import make_sig, sig_dtype, sig_rw

IMAGES = np.random.default_rng(3).standard_normal((2, 3, 5, 6)).astype(np.float32)


class Net(nn.Cell):
    def __init__(self, operator, *rest):
        super().__init__()
        self.operator = operator
        self.rest = rest

    def construct(self, x):
        return self.operator(x, *self.rest)


@pytest.fixture(params=[dyad.PYNATIVE_MODE, dyad.GRAPH_MODE], ids=["dynamic", "static"])
def mode(request):
    before = dyad.get_context("mode")
    dyad.set_context(mode=request.param)
    yield
    dyad.set_context(mode=before)


class ReduceSum(ops.PrimitiveWithInfer):
    __mindspore_signature__ = (make_sig("x", sig_rw.RW_READ, dtype=sig_dtype.T), make_sig("axis"))

    @ops.prim_attr_register
    def __init__(self, keep_dims=False):
        self.init_prim_io_names(inputs=["x", "axis"], outputs=["y"])


def test_a_primitive_without_a_call_is_the_operator_of_its_name(mode):
    x = Tensor(IMAGES)
    np.testing.assert_allclose(Net(ReduceSum(True), 1)(x), IMAGES.sum(1, keepdims=True), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(Net(ReduceSum(), 1)(x), IMAGES.sum(1), rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(dyad.grad(Net(ReduceSum(), 1))(x), np.ones_like(IMAGES))
    np.testing.assert_allclose(Net(ops.Primitive("Abs"))(x), abs(IMAGES))


def test_a_primitive_that_names_nothing_says_so():
    with pytest.raises(TypeError, match="Nonesuch: a Primitive of this name has no operator"):
        ops.Primitive("Nonesuch")(Tensor([1.0]))


def test_notes_of_a_primitive():
    primitive = ReduceSum()
    assert (primitive.input_names, primitive.output_names) == (["x", "axis"], ["y"])
    assert not hasattr(primitive.add_prim_attr("colour", 1).del_prim_attr("colour"), "colour")
    with pytest.raises(TypeError, match="inputs of init_prim_io_names is 'x'"):
        primitive.init_prim_io_names("x", ["y"])


@pytest.mark.parametrize("axis", [0, -1])
@pytest.mark.parametrize("periods", [0, 1, -2, 9, -9])
def test_shift_moves_elements_along_an_axis_and_fills_the_rest(mode, periods, axis):
    x = np.arange(12, dtype=np.int32).reshape(3, 4)
    expected = np.full_like(x, 7)
    size = x.shape[axis]
    kept = np.moveaxis(expected, axis, 0), np.moveaxis(x, axis, 0)
    for place in range(size):
        if 0 <= place - periods < size:
            kept[0][place] = kept[1][place - periods]
    np.testing.assert_array_equal(Net(ops.Shift(periods, axis), 7)(Tensor(x)), expected)


def windows(images, kernel, stride, pad_mode):
    """Largest elements and their numbers within one sample, by the definition."""
    n, c, h, w = images.shape
    same = pad_mode == "same"
    sizes = [-(-s // stride) if same else (s - kernel) // stride + 1 for s in (h, w)]
    before = [
        max((o - 1) * stride + kernel - s, 0) // 2 if same else 0 for o, s in zip(sizes, (h, w), strict=True)
    ]
    numbers = np.arange(c * h * w).reshape(c, h, w)
    values, places = np.empty((n, c, *sizes), np.float32), np.empty((n, c, *sizes), np.int32)
    for index in np.ndindex(values.shape):
        sample, channel, *cell = index
        spans = [
            slice(max(i * stride - b, 0), i * stride - b + kernel) for i, b in zip(cell, before, strict=True)
        ]
        window = images[(sample, channel, *spans)].reshape(-1)
        values[index] = window.max()
        places[index] = numbers[(channel, *spans)].reshape(-1)[window.argmax()]
    return values, places


@pytest.mark.parametrize("pad_mode", ["valid", "same", "SAME"])
@pytest.mark.parametrize(("kernel", "stride"), [(2, 1), (3, 2), (1, 1)])
def test_max_pool_with_argmax(mode, kernel, stride, pad_mode):
    values, places = Net(ops.MaxPoolWithArgmax(kernel, stride, pad_mode))(Tensor(IMAGES))
    expected = windows(IMAGES, kernel, stride, pad_mode.lower())
    np.testing.assert_array_equal(values, expected[0])
    np.testing.assert_array_equal(places, expected[1])
    assert places.dtype == dyad.int32


def test_depthwise_convolution_has_filters_for_each_channel(mode):
    weight = np.random.default_rng(4).standard_normal((2, 3, 3, 3)).astype(np.float32)
    result = Net(ops.DepthwiseConv2dNative(2, 3), Tensor(weight))(Tensor(IMAGES)).asnumpy()
    seen = np.lib.stride_tricks.sliding_window_view(IMAGES, (3, 3), (2, 3))
    expected = np.einsum("nchwij,mcij->ncmhw", seen, weight).reshape(2, 6, 3, 4)
    np.testing.assert_allclose(result, expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (lambda: ops.Shift(1.0), TypeError, "Shift: periods is 1.0"),
        (lambda: ops.Shift(1, 2)(Tensor([1]), 0), ValueError, "Shift: axis is 2"),
        (lambda: ops.MaxPoolWithArgmax(2)(5.0), TypeError, "MaxPoolWithArgmax: x is of type float"),
        (lambda: ops.MaxPoolWithArgmax(2)(Tensor([1.0])), ValueError, "MaxPoolWithArgmax: x has shape"),
        (lambda: ops.MaxPoolWithArgmax(9)(Tensor(IMAGES)), ValueError, "does not fit"),
        (lambda: ops.MaxPoolWithArgmax(0), ValueError, "kernel_size is 0"),
        (lambda: ops.MaxPoolWithArgmax(1, 1, "full"), ValueError, "pad_mode is 'full'"),
        (lambda: ops.DepthwiseConv2dNative(0, 3), ValueError, "channel_multiplier is 0"),
        (
            lambda: ops.DepthwiseConv2dNative(1, 3)(Tensor(IMAGES), ops.ones((1, 2, 3, 3))),
            ValueError,
            "weight",
        ),
        (lambda: ops.NPUGetFloatStatus()(5.0), TypeError, "NPUGetFloatStatus: input_x is of type float"),
        (lambda: ops.NPUGetFloatStatus()(Tensor([1])), TypeError, "NPUGetFloatStatus: input_x is of Int64"),
        (lambda: ops.NPUClearFloatStatus()(Tensor([1.0])), ValueError, r"has shape \(1,\)"),
        (lambda: ops.NPUClearFloatStatus()(ops.zeros(8)), RuntimeError, "no device here has a register"),
        (lambda: ops.NPUAllocFloatStatus()(), RuntimeError, "no device here has a register"),
    ],
)
def test_wrong_arguments_are_rejected(call, error, message):
    with pytest.raises(error, match=message):
        call()


@pytest.mark.parametrize(
    ("operator", "shape"), [(ops.Dropout2D, (40, 5, 2, 3)), (ops.Dropout3D, (40, 5, 2, 2, 3))]
)
@pytest.mark.parametrize("dtype", [np.float32, np.int32])
@pytest.mark.parametrize("keep_prob", [0.0, 0.4, 1.0])
def test_dropout_of_channels(mode, operator, shape, dtype, keep_prob):
    dyad.set_seed(1)
    x = np.arange(1, np.prod(shape) + 1, dtype=dtype).reshape(shape)
    result, mask = (part.asnumpy() for part in Net(operator(keep_prob))(Tensor(x)))
    assert (result.dtype, mask.dtype) == (dtype, bool)
    by_channel = mask.reshape(200, -1)
    assert (by_channel == by_channel[:, :1]).all()
    assert abs(by_channel.mean() - keep_prob) < 0.15
    expected = np.where(mask, (x / np.float32(keep_prob or 1)).astype(dtype), 0)
    np.testing.assert_allclose(result, expected, rtol=1e-5, atol=1)


def test_dropout_of_channels_refuses():
    with pytest.raises(ValueError, match="Dropout2D: keep_prob is"):
        ops.Dropout2D(1.5)
    with pytest.raises(ValueError, match=r"Dropout3D: x has shape \(2,\)"):
        ops.Dropout3D()(ops.ones(2))


def test_modules_of_functions_are_attributes():
    assert ops.function.array_func.expand_dims is ops.expand_dims


def test_older_spellings_are_attributes():
    assert ops.ReluGrad is ops.auto_generate.ReluGrad
    assert ops.TensorToTuple()(Tensor([1, 2])) == (1, 2)
    np.testing.assert_array_equal(ops.sub_ext(Tensor([3]), Tensor([1]), alpha=2), [1])
    np.testing.assert_array_equal(ops.expand_dims_op(Tensor([3]), 0), [[3]])
    with pytest.raises(AttributeError, match=r"dyad\.ops has no 'nonesuch_ext'"):
        ops.nonesuch_ext  # noqa: B018


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
def test_scaled_sums(form):
    x, y = Tensor([3.0, 4.0]), Tensor([[1.0], [2.0]])
    add, sub = (form(lambda x, y, f=f: f(x, y, alpha=2)) for f in (dyad.mint.add, dyad.mint.sub))
    np.testing.assert_array_equal(add(x, y), x.asnumpy() + 2 * y.asnumpy())
    np.testing.assert_array_equal(sub(x, y), x.asnumpy() - 2 * y.asnumpy())
    np.testing.assert_array_equal(dyad.mint.add(x, 1), [4.0, 5.0])
    with pytest.raises(TypeError, match="add: alpha is '2'"):
        dyad.mint.add(x, y, alpha="2")


def test_flags_are_noted(mode):
    class Doubled(nn.Cell):
        @ops.core(loop_can_unroll=True)
        def construct(self, x):
            return 2 * x

    assert Doubled.construct._func_graph_flags == {"core": True, "loop_can_unroll": True}
    np.testing.assert_array_equal(Doubled()(Tensor([1.0])), [2.0])


def test_an_element_on_a_boundary_is_in_the_bucket_above():
    assert ops.Bucketize([1.0, 3.0, 5.0])(Tensor([3, 4, 5])).asnumpy().tolist() == [2, 2, 3]
