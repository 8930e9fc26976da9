"""Static knowledge of a sequence while a graph is compiled, as `ops.functional` reports it."""

import pytest

from dyad import Tensor, jit, mutable
from dyad.ops import functional as F

VARYING = [(Tensor([1]), Tensor([2])), [1, 2, 3]]


def knowledge(sequence):
    return F.is_sequence_value_unknown(sequence), F.is_sequence_shape_unknown(sequence)


@pytest.fixture(params=["ast", "bytecode"])
def graph(request):
    return lambda function: jit(function, capture_mode=request.param)


@pytest.mark.parametrize("sequence", VARYING)
def test_arguments_of_any_length_and_of_a_known_one(graph, sequence):
    def asked(x):
        return F.is_sequence_value_unknown(x), F.is_sequence_shape_unknown(x)

    compiled = graph(asked)
    assert compiled(mutable(sequence, True)) == (True, True)
    assert compiled(mutable(sequence)) == (True, False)


def test_a_sequence_of_constants_is_known(graph):
    assert graph(lambda x: (knowledge((1, 2)), knowledge([])))(Tensor(1)) == ((False, False), (False, False))


def test_a_sequence_with_a_tensor_of_the_graph_has_a_known_length(graph):
    assert graph(lambda x: knowledge([x, x + 1] * 2))(Tensor(1)) == (True, False)


def test_what_is_made_of_a_sequence_of_any_length_has_any_length(graph):
    def made():
        a = mutable([1, 2, 3], True)
        plain = [7, 8, 9]
        plain[0:2] = a
        grown = [0]
        grown += a
        a[0] = 5
        a.append(4)
        several = (a + [1], [1] + a, a * 2, a[1:], tuple(a), list(a), plain, grown, a)
        return [F.is_sequence_shape_unknown(each) for each in several], F.is_sequence_shape_unknown([1] + [2])

    assert graph(made)() == ([True] * 9, False)


def test_a_length_that_depends_on_data_is_unknown(graph):
    @graph
    def appended(x):
        items = [1]
        if x > 0:
            items.append(2)
        return F.is_sequence_shape_unknown(items)

    assert appended(Tensor(1.0)) is True


def test_whether_the_type_of_elements_is_known(graph):
    @graph
    def grows():
        items = mutable([], True)
        before = F.is_dynamic_sequence_element_unknown(items)
        items.append(Tensor([1]))
        return before, F.is_dynamic_sequence_element_unknown(items)

    assert grows() == (True, False)


@pytest.mark.parametrize("form", [lambda function: function, jit])
def test_wrong_values_are_refused(form):
    with pytest.raises(TypeError, match="should be variable length sequence"):
        form(lambda: F.is_dynamic_sequence_element_unknown([1]))()
    with pytest.raises(TypeError, match="is_sequence_shape_unknown: x is a str"):
        form(lambda: F.is_sequence_shape_unknown("a"))()


def test_outside_of_a_graph_everything_is_known():
    assert knowledge(mutable([1, 2], True)) == (False, False)


def test_numbers_marked_inside_are_not_constants(graph):
    def marked():
        n, pair = mutable(2), mutable((1, [2.5, True]))
        return F.isconstant(n), F.isconstant(n % 3), F.isconstant(pair[1][0]), F.isconstant(pair[1][1])

    assert graph(marked)() == (False, False, False, False)


def test_a_marked_bool_is_a_bool():
    flag = mutable(True)
    assert isinstance(flag, bool) and flag
    assert (flag & False) is False and (mutable(False) | True) is True and (flag ^ True) is False
    assert jit(lambda x: (x, not x))(flag) == (True, False)
