"""Endless recursion, calls with wrong arguments, and results that are not values of a graph."""

import pytest
from wrong_graph import (
    LAX_FORMS,
    STRICT_FORMS,
    Refused,
    graph_mode,
    jit,
    message_of,
    strict,
    the_next_graph_works,
)

import dyad
from dyad import Tensor, nn, ops
from dyad._core import CaptureError

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
FORMS = pytest.mark.parametrize("form", [jit, strict, graph_mode])
LAX = pytest.mark.parametrize("form", LAX_FORMS)
STRICT = pytest.mark.parametrize("form", STRICT_FORMS)
refused = Refused()
endless = Refused()


def called(function):
    """A function that was given back, by what it is called and what it gives."""
    return function.__qualname__, function(X)


def forever(x):
    return forever(x + 1)


@endless(S, says="recursion: every path calls the function again, so it never ends", error=RecursionError)
def recursion_without_an_end(x):
    return forever(x)  # here


TOTAL = [0]


def adds_up(n):
    TOTAL[0] = TOTAL[0] + 1
    if n > 0:
        return adds_up(n - 1)
    return n


def from_nothing():
    TOTAL[0] = 0


@refused(
    N,
    says="list: one from outside of the graph is changed",
    error=TypeError,
    before=from_nothing,
    watch=lambda: TOTAL,
)
def recursion_that_changes_a_global(n):
    return adds_up(n)  # here


@refused(X, says="return: the function inner is made inside the graph and cannot be given back", told=called)
def function_returned(x):
    def inner(v):  # here
        return v + x

    return inner


@refused(
    X, says="return: the function <lambda> is made inside the graph", marked="lambda v: v + x", told=called
)
def lambda_returned(x):
    return lambda v: v + x  # here


@refused(
    X,
    says="return: the function <lambda> is made inside the graph",
    marked="lambda v: v + x",
    told=lambda made: called(made["f"]),
)
def lambda_inside_a_dict_returned(x):
    return {"f": lambda v: v + x}  # here


@endless.at_strict
def test_endless_recursion_raises_at_strict(program, form):
    program.check(form)


@refused.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@refused.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)


def ping(x):
    return pong(x - 1)


def pong(x):
    return ping(x + 1)


def count_down(x, n=2000):
    return x if n == 0 else count_down(x, n - 1)


@STRICT
@pytest.mark.parametrize("function", [ping, count_down])
def test_too_deep(function, form):
    with pytest.raises(RuntimeError) as caught:
        form(function)(S)
    text = message_of(caught.value)
    assert text.startswith("Exceed function call depth limit 1000: "), text
    assert "set_recursion_limit() raises the limit" in text
    assert f'File "{__file__}"' in text
    assert the_next_graph_works()


@LAX
@pytest.mark.parametrize("function", [ping, count_down, recursion_without_an_end])
def test_too_deep_at_lax(function, form):
    with pytest.raises(RecursionError):
        function(S)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(RecursionError) as caught:
            compiled(S)
        assert f'File "{__file__}"' in message_of(caught.value)
    assert the_next_graph_works()


@STRICT
def test_the_limit_is_the_one_that_was_set(form):
    dyad.set_recursion_limit(20)
    with pytest.raises(
        RuntimeError, match="Exceed function call depth limit 20: count_down is called too deeply"
    ):
        form(count_down)(S)


@LAX
def test_beyond_the_limit_python_calls(form):
    dyad.set_recursion_limit(20)
    compiled = form(count_down)
    for _ in range(2):
        assert compiled(S, 60).asnumpy() == 5.0


def test_a_container_that_contains_itself():
    def around(x):
        items = [x]
        items.append(items)
        return items

    with pytest.raises(CaptureError) as caught:
        dyad.jit(around, fullgraph=True)(X)
    text = message_of(caught.value)
    assert text.startswith("return: a container that contains itself is not a result of a static graph"), text
    assert "    return items\n    ^^^^^^^^^^^^" in text
    compiled = dyad.jit(around)
    for _ in range(2):
        items = compiled(X)
        assert items[0] is X and items[1] is items


def two(a, b, *, c=1):
    return a + b * c


def calls_with_too_few(x):
    return two(x)


def calls_with_too_many(x):
    return two(x, x, x)


def calls_with_an_unknown_keyword(x):
    return two(x, x, d=2)


def calls_with_a_value_twice(x):
    return two(x, x, a=x)


def calls_a_number(x):
    three = 3
    return three(x)


def calls_a_tensor(x):
    return x(1)


def calls_a_layer_with_too_many(x):
    return LAYER(x, x, x)


def unpacks_too_many(x):
    a, b, c = x, x
    return a + b + c


def unpacks_a_number(x):
    a, b = 3
    return a + b


def reads_an_undefined_name(x):
    return x + undefined_name  # noqa: F821


def reads_a_missing_attribute(x):
    return LAYER.missing_member(x)


def reads_a_missing_method(x):
    return x.no_such_method()


def reads_before_assignment(x):
    y = z + x  # noqa: F821, F841
    z = 1
    return z


def imports_a_missing_module(x):
    import no_such_module_anywhere

    return no_such_module_anywhere.f(x)


def opens_a_tensor_as_context(x):
    with x:
        return x


def iterates_over_a_number(x):
    for _ in 3:
        x = x + 1
    return x


def indexes_out_of_range(x):
    return [x, x][5]


def reads_a_missing_key(x):
    return {"a": x}["b"]


def raises_a_number(x):
    raise 3  # noqa: B016


LAYER = nn.ReLU()


@FORMS
@pytest.mark.parametrize(
    "function",
    [
        calls_with_too_few,
        calls_with_too_many,
        calls_with_an_unknown_keyword,
        calls_with_a_value_twice,
        calls_a_number,
        calls_a_tensor,
        calls_a_layer_with_too_many,
        unpacks_too_many,
        unpacks_a_number,
        reads_an_undefined_name,
        reads_a_missing_attribute,
        reads_a_missing_method,
        reads_before_assignment,
        opens_a_tensor_as_context,
        iterates_over_a_number,
        indexes_out_of_range,
        reads_a_missing_key,
        raises_a_number,
    ],
)
def test_wrong_as_in_the_dynamic_graph(function, form):
    """The exception of the dynamic graph, word for word, with the line it comes from."""
    with pytest.raises(Exception) as dynamic:  # whatever Python or the framework raises there
        function(X)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(type(dynamic.value)) as static:
            compiled(X)
        assert str(static.value) == str(dynamic.value)
        assert f'  File "{__file__}", line ' in message_of(static.value)
        first = function.__code__.co_firstlineno
        assert any(f'"{__file__}", line {first + i}' in message_of(static.value) for i in (1, 2, 3))
    assert the_next_graph_works()


def test_python_looks_for_a_module_that_is_not_loaded():
    for _ in range(2):
        with pytest.raises(ModuleNotFoundError, match="No module named 'no_such_module_anywhere'"):
            dyad.jit(imports_a_missing_module)(X)
        with pytest.raises(CaptureError, match="no_such_module_anywhere: it is not loaded yet"):
            dyad.jit(imports_a_missing_module, fullgraph=True)(X)


def sums(x, y):
    return x + y


def matrix_product(x, y):
    return ops.matmul(x, y)


def reshaped(x, y):
    return x.reshape(7) + y


def joined(x, y):
    return ops.concat((x, y), 4)


def stacked(x, y):
    return ops.stack([x, y])


def written(x, y):
    x[:] = y
    return x


def cast_down(x, y):
    x += y.astype(dyad.complex64)
    return x


def truth_of_many(x, y):
    return x if x > 0 else y


def number_of_many(x, y):
    return float(x)


def index_outside(x, y):
    return x[9]


def too_many_indices(x, y):
    return x[0, 0, 0]


def axis_outside(x, y):
    return x.sum(axis=3)


def layer_of_another_size(x, y):
    return DENSE(x)


DENSE = nn.Dense(7, 2)


@FORMS
@pytest.mark.parametrize(
    "function",
    [
        sums,
        matrix_product,
        reshaped,
        joined,
        stacked,
        written,
        cast_down,
        truth_of_many,
        number_of_many,
        index_outside,
        too_many_indices,
        axis_outside,
        layer_of_another_size,
    ],
)
def test_shapes_and_dtypes_that_do_not_fit(function, form):
    arguments = Tensor([[1.0, 2.0], [3.0, 4.0]]), Tensor([1.0, 2.0, 3.0])
    with pytest.raises(Exception) as dynamic:  # whatever the operator raises in the dynamic graph
        function(*arguments)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(type(dynamic.value)) as static:
            compiled(*arguments)
        assert str(static.value) == str(dynamic.value)
        assert f'  File "{__file__}", line ' in message_of(static.value)
    assert the_next_graph_works()
