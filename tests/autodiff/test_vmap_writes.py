"""Writes of a function under `vmap` to its mapped arguments are visible to the caller, as after a loop over slices."""

import pytest

import dyad
from dyad import Parameter, Tensor, jit, ops, vmap

FORMS = {
    "dynamic": lambda f: f,
    "ast": jit,
    "bytecode": lambda f: jit(f, capture_mode="bytecode"),
    "trace": lambda f: jit(f, capture_mode="trace"),
}


def method(x):
    x.add_(1)
    return x * 1


def item(x):
    x[0] = 9
    return x.sum()


def view(x):
    x[0:1].add_(5)
    return x.sum()


def constant(x):
    x.copy_(Tensor(7, dyad.int32))
    return x.sum()


def branch(x):
    if x.sum() > 5:
        x.mul_(2)
    return x.sum()


def by_slices(function, whole, axis):
    """The results and the argument after a loop, slice by slice."""
    moved = [list(slices) for slices in zip(*whole, strict=True)] if axis else whole
    parts = [Tensor(part, dyad.int32) for part in moved]
    results = [function(part).tolist() for part in parts]
    written = [part.tolist() for part in parts]
    return results, [list(row) for row in zip(*written, strict=True)] if axis else written


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("function", [method, item, view, constant, branch])
def test_written_slices_are_seen_by_the_caller(form, axis, function):
    if form == "trace" and function is branch:
        pytest.skip("a traced program has no branches on data")
    whole = [[1, 2], [3, 4], [5, 6]]
    x = Tensor(whole, dyad.int32)
    result = FORMS[form](lambda x: vmap(function, in_axes=axis)(x))(x)
    assert (result.tolist(), x.tolist()) == by_slices(function, whole, axis)


@pytest.mark.parametrize("form", FORMS)
def test_a_later_statement_reads_what_was_written(form):
    def f(p, x):
        vmap(lambda part, value: ops.assign(part, value))(p, x)
        return p + 1

    p = Parameter(Tensor([[1.0], [2.0]]), name="p")
    assert FORMS[form](f)(p, Tensor([[5.0], [6.0]])).tolist() == [[6.0], [7.0]]
    assert p.tolist() == [[5.0], [6.0]]


@pytest.mark.parametrize("form", ["dynamic", "ast", "bytecode"])
def test_writes_pass_through_nested_vmap_and_containers(form):
    def double(parts):
        parts[0].mul_(2.0)
        return parts[0].sum()

    x = Tensor([[[1.0, 2.0]], [[3.0, 4.0]]])
    result = FORMS[form](lambda x: vmap(vmap(double))((x,)))(x)
    assert result.tolist() == [[6.0], [14.0]]
    assert x.tolist() == [[[2.0, 4.0]], [[6.0, 8.0]]]


@pytest.mark.parametrize("form", ["dynamic", "ast", "bytecode"])
def test_an_argument_whose_copy_is_written_stays_as_it_was(form):
    x = Tensor([[1.0, 2.0], [3.0, 4.0]])
    result = FORMS[form](lambda x: vmap(lambda part: (part * 1).add_(1.0))(x))(x)
    assert result.tolist() == [[2.0, 3.0], [4.0, 5.0]]
    assert x.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize("form", ["dynamic", "ast", "bytecode"])
def test_an_optimizer_moves_each_slice_by_its_own_rate(form):
    def step(weight, squares, rate, gradient):
        return ops.ApplyAdagrad()(weight, squares, rate, gradient)

    def states(rows):
        return Parameter(Tensor(rows), name="weight"), Parameter(ops.ones_like(Tensor(rows)), name="squares")

    rows, gradients, rates = [[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, 0.0]], [0.1, 0.2]
    weight, squares = states(rows)
    many = FORMS[form](lambda *args: vmap(step)(*args))(weight, squares, Tensor(rates), Tensor(gradients))
    for i, row in enumerate(rows):
        one = states(row)
        step(*one, rates[i], Tensor(gradients[i]))
        assert [state[i].tolist() for state in (weight, squares)] == [state.tolist() for state in one]
    assert [result.tolist() for result in many] == [weight.tolist(), squares.tolist()]


def test_adam_moves_slices_by_powers_that_they_share():
    def step(weight, first, second, largest, gradient):
        return ops.ApplyAdamWithAmsgrad()(
            weight, first, second, largest, Tensor(0.9), Tensor(0.99), 0.1, gradient
        )

    rows, gradients = [[1.0, 2.0], [3.0, 4.0]], [[0.5, 1.0], [2.0, -1.0]]

    def states(rows):
        zeros = [ops.zeros_like(Tensor(rows)) for _ in range(3)]
        return [Parameter(value, name=str(i)) for i, value in enumerate([Tensor(rows), *zeros])]

    many = states(rows)
    vmap(step)(*many, Tensor(gradients))
    for i, row in enumerate(rows):
        one = states(row)
        step(*one, Tensor(gradients[i]))
        assert [state[i].tolist() for state in many] == [state.tolist() for state in one]


def test_a_state_that_all_slices_share_is_not_moved():
    weight, squares = Parameter(Tensor([1.0]), name="weight"), Parameter(Tensor([1.0]), name="squares")
    step = vmap(lambda w, s, g: ops.ApplyAdagrad()(w, s, 0.1, g), in_axes=(None, None, 0))
    with pytest.raises(RuntimeError, match="writes to a Parameter or a Tensor from outside"):
        step(weight, squares, Tensor([[1.0], [2.0]]))
