"""Numbers that `mutable` marks, given to graphs and given back by them."""

import pytest

from dyad import GRAPH_MODE, PYNATIVE_MODE, Tensor, grad, jit, mutable, nn, set_context

FORMS = [jit, lambda f: jit(f, capture_mode="bytecode")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [True, False])
def test_a_marked_bool_is_a_bool_in_a_graph(form, value):
    parts = form(lambda flag: [flag == value, not flag, isinstance(flag, bool)])(mutable(value))
    assert [type(part) for part in parts] == [bool] * 3
    assert parts == [True, not value, True]


@pytest.mark.parametrize("form", FORMS)
def test_one_graph_serves_both_marked_bools(form):
    f = form(lambda x, flag: (x if flag else -x, f"{flag}"))
    for value in (True, False, True):
        result, text = f(Tensor([1.0]), mutable(value))
        assert result.tolist() == [1.0 if value else -1.0]
        assert text == str(value)


def graph_mode(function):
    class Net(nn.Cell):
        def construct(self, *args):
            return function(*args)

    net = Net()

    def call(*args):
        set_context(mode=GRAPH_MODE)
        try:
            return net(*args)
        finally:
            set_context(mode=PYNATIVE_MODE)

    return call


EVERY_FORM = [lambda f: f, *FORMS, graph_mode]
VALUES = [3, 2.5, True, (1, 2.0), [1, 2], {"a": 1}]


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("value", VALUES)
def test_a_marked_value_has_the_class_of_the_mark_in_every_form(form, value):
    def program(given):
        inside = mutable(value)
        is_plain = type(given) is type(value), type(inside) is type(value)
        return is_plain, type(given).__name__, isinstance(given, type(value))

    marked = mutable(value)
    assert form(program)(marked) == ((False, False), type(marked).__name__, True)
    assert form(lambda given: (isinstance(given, type(given)), isinstance(given, str)))(marked) == (
        True,
        False,
    )


@pytest.mark.parametrize("form", EVERY_FORM)
@pytest.mark.parametrize("value", VALUES)
def test_a_marked_value_that_is_returned_is_the_one_given(form, value):
    marked = mutable(value)
    alone, held = form(lambda given: (given, [given]))(marked)
    assert alone is marked
    assert held[0] is marked


@pytest.mark.parametrize("form", EVERY_FORM)
def test_a_number_computed_from_a_marked_one_is_plain(form):
    def program(n, r, b):
        return int(n), float(r), bool(b), n + 1, n * 1.0, -r, not b, abs(n)

    results = form(program)(mutable(3), mutable(2.5), mutable(True))
    assert results == (3, 2.5, True, 4, 3.0, -2.5, False, 3)
    assert [type(result) for result in results] == [int, float, bool, int, float, float, bool, int]


@pytest.mark.parametrize("form", EVERY_FORM)
def test_identity_of_marked_numbers_is_that_of_objects(form):
    called = form(lambda a, b: (a is b, a is True, b is not a, a == b))
    first, second = mutable(True), mutable(True)
    assert called(first, second) == (False, False, True, True)
    assert called(first, first) == (True, False, False, True)
    assert called(first, second) == (False, False, True, True)


@pytest.mark.parametrize("form", EVERY_FORM)
def test_the_gradient_by_a_marked_bool_is_an_int(form):
    def loss(x, flag):
        return (x * 2).sum() if flag else x.sum()

    by_x, by_flag = form(grad(loss, (0, 1)))(Tensor([1.0, 2.0]), mutable(True))
    assert by_x.tolist() == [2.0, 2.0]
    assert (type(by_flag), by_flag) == (int, 0)
