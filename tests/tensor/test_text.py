"""`str` is NumPy's text of the data; `repr` names shape, dtype and values."""

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor


@pytest.mark.parametrize(
    ("tensor", "expected"),
    [
        (Tensor([1.0, 2.0]), "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+00,  2.00000000e+00])"),
        (Tensor(3), "Tensor(shape=[], dtype=Int64, value= 3)"),
        (Tensor(3.0), "Tensor(shape=[], dtype=Float32, value= 3)"),
        (Tensor(1 + 2j), "Tensor(shape=[], dtype=Complex128, value= 1+2j)"),
        (Tensor([[1, -20], [3, 4]]), "Tensor(shape=[2, 2], dtype=Int64, value=\n[[  1, -20],\n [  3,   4]])"),
        (Tensor([1.0], dyad.float16), "Tensor(shape=[1], dtype=Float16, value= [ 1.0000e+00])"),
        (Tensor([1.5, 2.0], dyad.bfloat16), "Tensor(shape=[2], dtype=BFloat16, value= [1.5,   2])"),
        (Tensor([True, False]), "Tensor(shape=[2], dtype=Bool, value= [ True, False])"),
        (Tensor([True]), "Tensor(shape=[1], dtype=Bool, value= [ True])"),
        (
            Tensor([1e10, np.nan]),
            "Tensor(shape=[2], dtype=Float32, value= [ 1.00000000e+10,             nan])",
        ),
        (Tensor([]), "Tensor(shape=[0], dtype=Float32, value= )"),
        (Tensor(np.zeros((0, 2), np.int32)), "Tensor(shape=[0, 2], dtype=Int32, value=\n)"),
        (
            Tensor(np.arange(2000)),
            "Tensor(shape=[2000], dtype=Int64, value= [   0,    1,    2 ... 1997, 1998, 1999])",
        ),
        (Tensor(np.arange(7)), "Tensor(shape=[7], dtype=Int64, value= [0, 1, 2, 3, 4, 5, 6])"),
        (
            Tensor(np.arange(14).reshape(2, 7)),
            "Tensor(shape=[2, 7], dtype=Int64, value=\n[[ 0,  1,  2 ...  4,  5,  6],\n [ 7,  8,  9 ... 11, 12, 13]])",
        ),
    ],
)
def test_repr_has_shape_dtype_and_values(tensor, expected):
    assert repr(tensor) == expected


def test_repr_elides_long_dimensions_of_large_tensors():
    lines = repr(Tensor(np.ones((50, 50), np.int32))).splitlines()
    assert lines[1] == "[[1, 1, 1 ... 1, 1, 1],"
    assert lines[4] == " ..."
    assert len(lines) == 8


@pytest.mark.parametrize(
    "array", [np.arange(3.0), np.eye(2, dtype=np.int32), np.array(2.5), np.ones((50, 50))]
)
def test_str_is_numpys(array):
    assert str(Tensor(array)) == str(array)
    assert f"{Tensor(array)}" == str(array)


def test_containers_print_reprs():
    assert str([Tensor(3)]) == "[Tensor(shape=[], dtype=Int64, value= 3)]"


def test_tensors_without_values():
    template = Tensor(shape=(2, None), dtype=dyad.float32)
    assert repr(template) == "Tensor(shape=[2, -1], dtype=Float32, value=\n<uninitialized>)"
    assert str(template) == repr(template)


def test_format_of_one_element():
    assert f"{Tensor(2.5):.3f}" == "2.500"
    assert f"{Tensor([3]):04d}" == "0003"
    with pytest.raises(TypeError, match=r"the format '.2f' is for one number, the tensor has shape \(2,\)"):
        f"{Tensor([1.0, 2.0]):.2f}"


def test_str_and_repr_of_dtypes():
    assert str(dyad.float32) == "Float32"
    assert repr(dyad.float32) == "dyad.float32"


def test_a_notebook_shows_a_matrix_as_a_table():
    text = Tensor([[1.5, 2.0], [3.0, -4.0]])._repr_html_()
    assert text.count("<tr>") == 2 and text.count("<td") == 4
    assert ">1.5<" in text and ">-4<" in text and "Tensor: Float32, shape (2, 2)" in text


def test_a_notebook_shows_the_ends_of_a_long_vector():
    text = Tensor(np.arange(100))._repr_html_()
    assert text.count("<td") == 13 and ">...<" in text and ">99<" in text and ">50<" not in text


@pytest.mark.parametrize("shape", [(), (0, 3), (2, 2, 2)])
def test_a_notebook_shows_other_shapes_as_text(shape):
    values = Tensor(np.ones(shape, np.float32))
    assert f"<pre>{values}</pre>" in values._repr_html_()


def test_a_notebook_names_a_parameter():
    assert "Parameter a&lt;b: " in Parameter(Tensor([1.0]), name="a<b")._repr_html_()
