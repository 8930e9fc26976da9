"""Types of Python values and back."""

import pytest

import dyad
from dyad import Tensor
from dyad.common.dtype import dtype_to_pytype, get_py_obj_dtype


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (True, dyad.bool_),
        (3, dyad.int64),
        (1.5, dyad.float64),
        (2j, dyad.complex128),
        ([1], dyad.list_),
        ((1, 2), dyad.tuple_),
        ("s", dyad.string),
    ],
)
def test_a_value_and_its_class_have_one_type(value, expected):
    assert get_py_obj_dtype(type(value)) == expected
    assert get_py_obj_dtype(value) == expected
    assert dtype_to_pytype(expected) is type(value)


def test_other_types():
    assert dtype_to_pytype(dyad.type_none) is type(None)
    assert dtype_to_pytype(dyad.float16) is float
    assert get_py_obj_dtype(Tensor([1.0])) == dyad.tensor_type[dyad.float32]
    with pytest.raises(TypeError, match="dtype_to_pytype: got 'float32'; need an element type"):
        dtype_to_pytype("float32")
    for kind in (object, type):
        with pytest.raises(NotImplementedError, match="pytype_to_dtype: there is no element type for <class"):
            get_py_obj_dtype(kind)
    with pytest.raises(TypeError, match="there is no element type for <class 'object'>"):
        dyad.numpy.ones(2, dtype=object)


def test_data_is_where_it_belongs():
    assert dyad.Parameter(1)._load() is None and Tensor([1.0])._load() is None


def test_float8_types_have_mindspore_names():
    marks = dyad.float8_e4m3fn, dyad.float8_e5m2, dyad.hifloat8
    assert [str(mark) for mark in marks] == ["Float8E4M3FN", "Float8E5M2", "HiFloat8"]
    assert [repr(mark) for mark in marks] == [
        "dyad.float8_e4m3fn",
        "dyad.float8_e5m2",
        "dyad.hifloat8",
    ]
