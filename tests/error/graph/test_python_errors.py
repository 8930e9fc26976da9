"""Python's own operations raise the same exceptions in a static graph as in the dynamic graph."""

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
    undefined_name,
    wrong_slice,
    wrong_slice_of_a_tuple,
    slice_without_steps,
    class_in_a_list,
    length_of_a_scalar,
    operands_that_do_not_fit,
    shifted_float,
    shifted_by_less_than_nothing,
    popped_behind_the_end,
    popped_from_nothing,
    not_in_a_tuple,
    divided_by_zero,
    divided_as_integers_by_zero,
    remainder_by_zero,
    range_without_steps,
    range_of_a_float,
    enumerated_from_a_float,
    enumerated_number,
    mapped_nothing,
    mapped_number,
    unknown_keyword,
    too_many_arguments,
    truth_of_two,
]


@pytest.mark.parametrize("form", [jit, strict, graph_mode])
@pytest.mark.parametrize("function", RAISED, ids=lambda function: function.__name__)
def test_classes_and_words_are_those_of_the_dynamic_graph(function, form):
    with pytest.raises(Exception) as dynamic:  # whatever Python raises
        function(X)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(dynamic.type) as caught:
            compiled(X)
        assert (caught.type, str(caught.value)) == (dynamic.type, str(dynamic.value))


def caught_inside(x):
    try:
        held = [1]
        held.pop(4)
    except IndexError as error:
        return str(error)


def raised_by_the_program(x):
    raise NameError("name 'a' is not defined")


def test_the_program_itself_sees_them_too():
    assert dyad_jit(caught_inside)(X) == "pop index out of range"
    with pytest.raises(NameError) as caught:
        dyad_jit(raised_by_the_program)(X)
    assert str(caught.value) == "name 'a' is not defined"
    with pytest.raises(IndexError) as caught:
        dyad_jit(popped_behind_the_end, capture_mode="bytecode")(X)
    assert str(caught.value) == "pop index out of range"
