"""Errors of Python's own operations in a static graph: Python's words, then those that a graph's users search for."""

import pytest
from session import graph_mode, jit, strict

from dyad import Tensor
from dyad import jit as dyad_jit

X = Tensor([2.0, 3.0])


def undefined_name(x):
    return x + undefined  # noqa: F821


def wrong_slice(x):
    return x[1.2:]


def wrong_slice_of_a_tuple(x):
    return (1, 2, 3)["a" : x.sum().astype("int32")]  # noqa: RUF016


def slice_without_steps(x):
    return (1, 2, 3)[::0]


def class_in_a_list(x):
    return isinstance(x, [int])


def length_of_a_scalar(x):
    return len(x[0])


def operands_that_do_not_fit(x):
    x -= None
    return x


def shifted_float(x):
    return x + (10.0 >> 1)


def shifted_by_less_than_nothing(x):
    return x + (16 >> -2)


def popped_behind_the_end(x):
    held = [1]
    held.pop(4)
    return held


def popped_from_nothing(x):
    held = []
    held.pop()
    return held


def not_in_a_tuple(x):
    return (1, 2).index(5)


def divided_by_zero(x):
    return x + 5 / 0


def divided_as_integers_by_zero(x):
    return x + 5 // 0


def remainder_by_zero(x):
    return x + 5 % 0


def range_without_steps(x):
    return [x + i for i in range(1, 2, 0)]


def range_of_a_float(x):
    return [x + i for i in range(0, 0.2)]


def enumerated_from_a_float(x):
    return list(enumerate((x, x), start=1.2))


def enumerated_number(x):
    return list(enumerate(5))


def mapped_nothing(x):
    return list(map(abs))


def mapped_number(x):
    return list(map(abs, 3))


def unknown_keyword(x):
    return x.clamp(min=1, max_value=10)


def too_many_arguments(x):
    return x.abs(1)


def truth_of_two(x):
    return 1 if x > 0 else 2


RAISED = [
    (undefined_name, NameError, "The name 'undefined' is not defined."),
    (wrong_slice, TypeError, "Slice indices must be integers or bool."),
    (wrong_slice_of_a_tuple, TypeError, "Slice indices must be integers or bool."),
    (slice_without_steps, ValueError, "Slice step cannot be zero."),
    (class_in_a_list, TypeError, "isinstance() arg 2 must be a type or tuple of types."),
    (length_of_a_scalar, TypeError, "Not support len of a 0-D tensor."),
    (operands_that_do_not_fit, TypeError, "Failed calling sub with (Tensor, NoneType)."),
    (shifted_float, TypeError, "For '>>', only integer types are supported, but got float and int."),
    (shifted_by_less_than_nothing, ValueError, "The shift count must be a non-negative integer."),
    (popped_behind_the_end, IndexError, "The pop index out of range."),
    (popped_from_nothing, IndexError, "The pop index out of range."),
    (not_in_a_tuple, ValueError, "What is looked for is not in the tuple."),
    (divided_by_zero, ZeroDivisionError, "The divisor could not be zero."),
    (divided_as_integers_by_zero, ZeroDivisionError, "The divisor could not be zero."),
    (remainder_by_zero, ZeroDivisionError, "Cannot perform modulo operation on zero."),
    (range_without_steps, ValueError, "For 'range', the argument 'step' could not be 0."),
    (range_of_a_float, TypeError, "For 'range', the 1th input should be a int scalar but got float."),
    (enumerated_from_a_float, TypeError, "the 'start' should be a const int number, but got 1.2."),
    (enumerated_number, TypeError, "should be tuple or list or tensor, but got <class 'int'>."),
    (mapped_nothing, TypeError, "The Map operator must have at least two arguments."),
    (mapped_number, TypeError, "Map can only be applied to list, tuple, not to int."),
    (unknown_keyword, TypeError, "match failed because incorrect keyword name: max_value."),
    (too_many_arguments, TypeError, "abs() takes 0 positional arguments but 1 was given."),
    (truth_of_two, ValueError, "can be converted to bool, but got tensor shape is (2,)."),
]


@pytest.mark.parametrize("form", [jit, strict, graph_mode])
@pytest.mark.parametrize(
    ("function", "kind", "words"), RAISED, ids=lambda value: getattr(value, "__name__", "")
)
def test_words_behind_those_of_python(function, kind, words, form):
    with pytest.raises(kind) as dynamic:
        function(X)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(kind) as caught:
            compiled(X)
        first, added, place, *lines = str(caught.value).split("\n")
        assert caught.type is dynamic.type
        assert first == str(dynamic.value)
        assert words in added
        assert place.startswith(f"    {__file__}:")
        assert place.endswith(f", in {function.__name__}")
        assert lines


def caught_inside(x):
    try:
        held = [1]
        held.pop(4)
    except IndexError as error:
        return str(error)


def raised_by_the_program(x):
    raise NameError("name 'a' is not defined")


def test_the_program_itself_sees_the_words_of_python():
    assert dyad_jit(caught_inside)(X) == "pop index out of range"
    with pytest.raises(NameError) as caught:
        dyad_jit(raised_by_the_program)(X)
    assert str(caught.value) == "name 'a' is not defined"
    with pytest.raises(IndexError) as caught:
        dyad_jit(popped_behind_the_end, capture_mode="bytecode")(X)
    assert str(caught.value) == "pop index out of range"
