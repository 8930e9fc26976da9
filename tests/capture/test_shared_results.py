"""Results that are another Tensor or a view of one, depending on the path: writes of the caller reach the same."""

import numpy
import pytest

from dyad import Tensor, grad, jit, value_and_grad

FORMS = {
    "source": jit,
    "one graph": lambda function: jit(function, fullgraph=True),
    "bytecode": lambda function: jit(function, capture_mode="bytecode", fullgraph=True),
}


def read_from_a_list(a, b, c):
    chosen = [a, b] if c > 0 else [b, a]
    return chosen[0], a


def swapped_in_a_loop(a, b, c):
    held = {"first": a, "second": b}
    while c < 3:
        held["first"], held["second"] = held["second"], held["first"]
        c = c + 1
    return held["first"], held


def view_of_one_of_two(a, b, c):
    chosen = [a, b] if c > 0 else [b, a]
    return chosen[0].view(2, 1), a


def views_in_a_list(a, b, c):
    chosen = [a.view(2, 1), b.view(2, 1)] if c > 0 else [b.view(2, 1), a.view(2, 1)]
    return chosen[0], b


def view_on_one_path(a, b, c):
    return a.view(1, 2) if c > 0 else b.view(1, 2) * 2


def view_of_a_view(a, b, c):
    chosen = a.view(1, 2) if c > 0 else b.view(1, 2)
    return chosen.T


def views_of_what_is_given_back(a, b, c):
    one, other = a * 2, b * 3
    chosen = (one[:1], other[:1]) if c > 0 else (other[:1], one[:1])
    return chosen[0], one, other


def view_from_a_function(a, b, c):
    def row(t, c):
        if c > 0:
            return t[0:1]
        return t[1:2]

    return row(a, c), a


PROGRAMS = [
    read_from_a_list,
    swapped_in_a_loop,
    view_of_one_of_two,
    views_in_a_list,
    view_on_one_path,
    view_of_a_view,
    views_of_what_is_given_back,
    view_from_a_function,
]


def tensors_of(value):
    if isinstance(value, Tensor):
        return [value]
    members = value.values() if isinstance(value, dict) else value
    return [tensor for member in members for tensor in tensors_of(member)]


def reached(function, sign):
    """The values of the results, and for each which of results and arguments a write to it changes."""
    a, b = Tensor([1.0, 2.0]), Tensor([3.0, 4.0])
    results = tensors_of(function(a, b, Tensor([sign])))
    everywhere = [*results, a, b]
    values = [tensor.asnumpy().tolist() for tensor in everywhere]
    changed = []
    for result in results:
        before = [tensor.asnumpy().copy() for tensor in everywhere]
        result.add_(100.0)
        after = [tensor.asnumpy() for tensor in everywhere]
        changed.append([not numpy.array_equal(x, y) for x, y in zip(before, after, strict=True)])
    return values, changed


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.__name__)
def test_a_write_reaches_what_it_reaches_in_the_dynamic_graph(program, form):
    static = FORMS[form](program)
    for sign in (1.0, -1.0):
        assert reached(static, sign) == reached(program, sign)


def test_gradients_through_a_view_of_one_of_two():
    def loss(a, b, c):
        return (view_of_one_of_two(a, b, c)[0] * Tensor([[1.0], [10.0]])).sum()

    for sign in (1.0, -1.0):
        given = (Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([sign]))
        truth = grad(loss, (0, 1))(*given)
        for form in FORMS.values():
            for ours, theirs in zip(grad(form(loss), (0, 1))(*given), truth, strict=True):
                assert numpy.array_equal(ours.asnumpy(), theirs.asnumpy())


def test_gradients_of_a_list_whose_length_depends_on_the_path():
    """A gradient inside of the graph does not separate paths: those not taken would count too."""

    def views(v):
        first = v[0]
        if first < 0:
            return [first]
        return [first, v[1]]

    for sign in (1.0, -1.0):
        given = Tensor([sign, 2.0])
        values, slope = value_and_grad(views)(given)
        ours, our_slope = jit(value_and_grad(views))(given)
        assert [value.item() for value in ours] == [value.item() for value in values]
        assert our_slope.asnumpy().tolist() == slope.asnumpy().tolist()


def test_one_tensor_that_an_arm_made_is_two_results():
    """The rule where a graph cannot tell: memory of their own, and the values of the dynamic graph."""

    @jit(fullgraph=True)
    def made_in_an_arm(a, b, c):
        first = second = b
        if c > -5:
            second = a * 2
            if c > 0:
                first = second
        return first, second

    first, second = made_in_an_arm(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]), Tensor([1.0]))
    first.add_(1.0)
    assert first.asnumpy().tolist() == [3.0, 5.0]
    assert second.asnumpy().tolist() == [2.0, 4.0]


def test_a_program_that_a_graph_holds_only_with_tensors_not_told_apart_is_not_refused():
    @jit(fullgraph=True)
    def rows(x, n):
        row = x[0]
        for place in range(20):
            if n > place:
                row = x[place]
        return row

    x = Tensor(numpy.arange(40, dtype=numpy.float32).reshape(20, 2))
    assert rows(x, Tensor([7.0])).asnumpy().tolist() == [12.0, 13.0]
