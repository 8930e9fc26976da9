"""Operators that a program brings itself."""

import pickle
import subprocess

import numpy as np
import pytest

import dyad
from dyad import Tensor, grad, nn, ops


def double_and_add(x, y):
    return 2 * x + y


def test_a_python_function_over_arrays():
    custom = ops.Custom(double_and_add, lambda x, _: x, lambda x, _: x, "pyfunc")
    result = custom(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert result.tolist() == [5.0, 8.0] and result.dtype == dyad.float32
    assert pickle.loads(pickle.dumps(ops.Custom(double_and_add)))(Tensor([1.0]), Tensor([1.0])).tolist() == [
        3.0
    ]


def test_several_results_in_the_types_that_were_promised():
    custom = ops.Custom(
        lambda x: (x.sum(), np.sort(x)), out_shape=((), (3,)), out_dtype=(dyad.float64, dyad.float32)
    )
    total, ordered = custom(Tensor([3.0, 1.0, 2.0]))
    assert total.item() == 6 and total.dtype == dyad.float64
    assert ordered.tolist() == [1, 2, 3] and ordered.dtype == dyad.float32


def test_gradients_come_from_bprop():
    def bprop(x, y, out, dout):
        return dout * 2, dout

    custom = ops.Custom(double_and_add, lambda x, _: x, lambda x, _: x, bprop=bprop)
    by_x, by_y = grad(lambda x, y: (custom(x, y) ** 2).sum(), (0, 1))(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))
    assert by_x.tolist() == [20.0, 32.0] and by_y.tolist() == [10.0, 16.0]


def test_a_result_of_another_shape_is_an_error():
    with pytest.raises(
        ValueError, match=r"Custom: func returned shapes \[\(2,\)\]; out_shape says \[\(3,\)\]"
    ):
        ops.Custom(lambda x: x, out_shape=(3,))(Tensor([1.0, 2.0]))


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"func": 3}, TypeError, "Custom: func is of type int"),
        (
            {"func": print, "func_type": "hybrid"},
            ValueError,
            "Custom: func_type is 'hybrid'; need 'pyfunc' or 'aot'",
        ),
        ({"func": print, "bprop": 3}, TypeError, "Custom: bprop is of type int"),
        ({"func": "nothing", "func_type": "aot"}, ValueError, "need 'library.so:name'"),
        ({"func": "nothing.so:name", "func_type": "aot"}, ValueError, "there is no file 'nothing.so'"),
    ],
)
def test_wrong_construction(arguments, error, message):
    with pytest.raises(error, match=message):
        ops.Custom(**arguments)


SOURCE = """
#include <stdint.h>
#include <string.h>
int scaled_sum(int count, void** data, int* ranks, int64_t** shapes, const char** dtypes, void* stream, void* extra) {
  if (count != 3 || ranks[2] != 2 || strcmp(dtypes[0], "float32") != 0) return 7;
  const float *x = (const float*)data[0], *y = (const float*)data[1];
  float* out = (float*)data[2];
  for (int64_t i = 0; i < shapes[2][0] * shapes[2][1]; ++i) out[i] = x[i] + 10 * y[i];
  return 0;
}
"""


def test_a_function_of_a_shared_library(tmp_path):
    (tmp_path / "kernel.c").write_text(SOURCE)
    library = tmp_path / "kernel.so"
    subprocess.run(["cc", "-shared", "-fPIC", "-o", library, tmp_path / "kernel.c"], check=True)
    custom = ops.Custom(f"{library}:scaled_sum", lambda x, _: x, lambda x, _: x, "aot")
    x, y = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([[1.0, 1.0], [2.0, 2.0]])
    assert custom(x, y.T).tolist() == [[11.0, 22.0], [13.0, 24.0]]
    with pytest.raises(RuntimeError, match="returned 7; 0 means that all went well"):
        custom(x.astype(dyad.float64), y.astype(dyad.float64))
    with pytest.raises(ValueError, match="has no function 'other'"):
        ops.Custom(f"{library}:other", (1,), dyad.float32, "aot")
    with pytest.raises(ValueError, match="out_shape or out_dtype is None"):
        ops.Custom(f"{library}:scaled_sum", func_type="aot")


def test_registration_collects_what_it_is_told():
    entry = (
        ops.CustomRegOp("scale")
        .input(0, "x")
        .output(0, "y")
        .attr("factor", "required", "all", default_value=2)
        .dtype_format(ops.DataType.F32_Default, ops.DataType.F32_Default)
        .target("CPU")
        .get_op_info()
    )
    assert entry["op_name"] == "scale" and entry["inputs"][0]["name"] == "x" and entry["target"] == "CPU"
    assert entry["dtype_format"] == [(("float32", "DefaultFormat"), ("float32", "DefaultFormat"))]
    assert ops.DataType.None_Default == ("", "DefaultFormat")
    with pytest.raises(ValueError, match="1 element types are given for 2 inputs and outputs"):
        ops.CustomRegOp("scale").input(0, "x").output(0, "y").dtype_format(ops.DataType.I32_None)


@pytest.mark.parametrize("mode", [dyad.PYNATIVE_MODE, dyad.GRAPH_MODE])
def test_a_function_as_an_operator(mode):
    class Net(nn.Cell):
        def __init__(self, bprop=None):
            super().__init__()
            self.times = ops.Morph(lambda x: x * 100, lambda x: x, lambda x: x, bprop)

        def construct(self, x):
            return self.times(x * 2)

    dyad.set_context(mode=mode)
    try:
        x = Tensor([3.0, 4.0])
        assert Net()(x).tolist() == [600.0, 800.0]
        assert ops.grad(Net())(x).tolist() == [200.0, 200.0]
        assert ops.grad(Net(lambda x, out, dout: (dout * 7,)))(x).tolist() == [14.0, 14.0]
    finally:
        dyad.set_context(mode=dyad.PYNATIVE_MODE)
    with pytest.raises(TypeError, match="Morph: infer_dtype is of type int; need a function"):
        ops.Morph(lambda x: x, lambda x: x, 3)
