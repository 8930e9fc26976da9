"""Values marked as variables."""

import pytest
from values import floats, read

import dyad
from dyad import mutable


@pytest.mark.parametrize("value", [3, 2.5, (1, 2.0), [1, [2]], {"a": 1, "b": (True,)}])
def test_it_is_equal_to_what_it_was_made_from(value):
    marked = mutable(value)
    assert marked == value
    assert isinstance(marked, type(value))
    assert str(marked) == str(value)


def test_a_bool_stays_one_in_use():
    marked = mutable(True)
    assert marked == True  # noqa: E712
    assert (str(marked), repr(marked)) == ("True", "True")
    assert not mutable(False)


def test_a_tensor_is_itself():
    x = floats(1.0)
    assert mutable(x) is x
    assert read(mutable((x, 2))) == ([1.0], 2)


def test_dynamic_len_is_noted():
    assert mutable((1, 2), dynamic_len=True).dynamic_len
    assert not mutable([1, 2]).dynamic_len


def test_it_is_found_where_programs_look():
    assert dyad.common.mutable is dyad.common.api.mutable is mutable


@pytest.mark.parametrize("value", [1, 2.5, (1, 2), [1], {"a": 1}])
def test_a_marked_value_knows_what_it_was_made_from(value):
    assert mutable(value).__ms_origin_object__ is value


def test_a_constant_tensor_becomes_a_variable():
    compiled = dyad.jit(lambda x: (x * 2, dyad.ops.isconstant(x)))
    constant = dyad.Tensor([1.0, 2.0], const_arg=True)
    assert compiled(constant)[1] is True
    marked = mutable(constant)
    doubled, is_constant = compiled(marked)
    assert is_constant is False and doubled.tolist() == [2.0, 4.0]
    assert marked.__ms_origin_object__ is constant and constant.const_arg


@pytest.mark.parametrize("form", [lambda function: function, dyad.jit])
def test_a_marked_number_is_the_gradient_of_an_output(form):
    transform = dyad.ops.GradOperation(get_all=True, sens_param=True)
    square = form(lambda x, sens: transform(lambda x: x * x)(x, sens))
    assert square(mutable(3.0), mutable(2.0)) == (12.0,)
    largest = form(lambda x, sens: transform(max)(x, sens))
    assert largest(mutable((1.0, 5.0, 3.0)), mutable(2.0)) == ((0.0, 2.0, 0.0),)
