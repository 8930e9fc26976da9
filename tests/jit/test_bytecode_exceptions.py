"""Bytecode capture: exceptions of the user's code have the type, text and traceback lines that they have in Python."""

import contextlib
import traceback

import pytest

from dyad import Tensor, jit

CALLS = 6


def argument():
    return Tensor([1.0, 2.0])


def host():
    with open("/dev/null") as opened:
        return opened.name


class Refused(Exception):
    def __init__(self, code, **more):
        super().__init__(code)
        self.code, self.more = code, more


def lines_of(error):
    """(file, line, function) of each frame of the user's code, outermost first; the test's own frame is left out."""
    frames = traceback.extract_tb(error.__traceback__)
    return [(f.filename, f.lineno, f.name) for f in frames if f.filename == __file__ and f.name != "told"]


def told(function, *args, **kwargs):
    """Exception of a call: type, message, attributes, lines, and the same of its causes."""
    try:
        function(*args, **kwargs)
    except Exception as error:
        return described(error)
    raise AssertionError("nothing was raised")


def described(error):
    if error is None:
        return None
    behind = described(error.__cause__), described(error.__context__), error.__suppress_context__
    held = {name: value for name, value in vars(error).items() if name != "__notes__"}
    return type(error), str(error), error.args, held, lines_of(error), behind


RAISING = []


def raising(function):
    RAISING.append(function)
    return function


@raising
def at_once(x):
    raise ValueError("at once")


@raising
def behind_a_graph(x):
    y = x * 2
    raise Refused(3, shape=y.shape)


@raising
def in_one_of_two_lines(x):
    error = ValueError("either")
    try:
        if x.sum() > 5:
            raise error
        raise error
    except ValueError as caught:
        raise KeyError("both") from caught


@raising
def in_a_callee_or_here(x):
    error = ValueError("either")

    def callee():
        raise error

    try:
        if x.sum() > 5:
            raise error
        callee()
    except ValueError:
        raise


@raising
def on_a_path_of_data(x):
    y = x * 2
    if y.sum() > 0:
        raise ValueError("the sum is positive")
    return y


@raising
def with_a_value_of_the_run(x):
    if x.sum() > 0:
        raise ValueError(f"the sum is {x.sum()}")
    return x


def inner(x):
    raise KeyError("inner", x.shape)


@raising
def in_a_callee(x):
    y = x * 2
    return inner(y) + 1


@raising
def in_a_nested_function(x):
    def nested(y):
        return [1, 2][y.shape[0]]

    return x * nested(x)


@raising
def in_a_comprehension(x):
    return [x * {"a": 1}[key] for key in ("a", "b")]


@raising
def of_an_operator(x):
    y = x + 1
    return y + Tensor([1.0, 2.0, 3.0])


@raising
def of_python_s_own(x):
    n = x.shape[0]
    return x * (n / (n - 2))


@raising
def missing_name(x):
    return x * missing  # noqa: F821


@raising
def missing_attribute(x):
    y = x * 2
    return y.missing


@raising
def unbound_local(x):
    if x.shape[0] > 5:
        y = x
    return y


@raising
def wrong_arguments(x):
    return inner(x, x, x)


@raising
def unpacked_wrongly(x):
    a, b, c = 1, *x.shape
    return a * b * c


@raising
def asserted(x):
    assert x.shape[0] > 5, f"only {x.shape[0]}"
    return x


@raising
def before_a_break(x):
    y = x * 2
    {}["before"]
    host()
    return y


@raising
def behind_a_break(x):
    y = x * 2
    host()
    y = y + 1
    raise Refused("behind", name=host())


@raising
def in_host_code(x):
    y = x * 2
    open("/nowhere/at/all").close()
    return y


def breaks_and_raises(x):
    z = x * 3
    host()
    return z * int("no number")


@raising
def in_a_callee_that_breaks(x):
    y = x * 2
    z = breaks_and_raises(y)
    return z + 1


@raising
def in_a_loop_with_a_break(x):
    for at in range(3):
        x = x + 1
        host()
        if at == 1:
            raise IndexError(at)
    return x


@raising
def in_with_and_a_break(x):
    with contextlib.nullcontext():
        y = x * 2
        host()
        raise ValueError("inside")
    return y


@raising
def chained_in_a_handler(x):
    try:
        host()
        {}["first"]
    except KeyError as error:
        raise ValueError("second") from error


@raising
def raised_while_handling(x):
    try:
        host()
        {}["first"]
    except KeyError:
        x = x * 2
        return x[0].missing


@raising
def chained_without_a_break(x):
    try:
        {}["first"]
    except KeyError as error:
        raise ValueError("second") from error


def first_raises(table):
    return table["first"]


@raising
def handled_in_the_caller(x):
    y = x * 2
    try:
        y = y * first_raises({})
    except KeyError as error:
        raise ValueError("second") from error


def handles(table):
    try:
        return first_raises(table)
    except KeyError as error:
        raise ValueError("second") from error


@raising
def handled_in_the_callee(x):
    return x * handles({})


@raising
def chained_twice(x):
    try:
        handles({})
    except ValueError:
        raise TypeError("third")  # noqa: B904


@raising
def handled_and_raised_again(x):
    try:
        first_raises({})
    except KeyError:
        x = x * 2
        raise


@raising
def handled_and_raised_by_name(x):
    try:
        handles({})
    except ValueError as error:
        kept = error
    raise kept


@raising
def in_a_part_behind_others(x):
    y = x * 2
    host()
    y = y + 1
    z = y * 3
    if z.shape[0] == 2:
        z = z - 1
        first_raises({})
    return z


@raising
def in_a_part_that_handles(x):
    host()
    y = x * 2 + 1
    y = y * 3
    try:
        first_raises({})
    except KeyError as error:
        raise ValueError("second") from error


@raising
def suppressed(x):
    try:
        {}["first"]
    except KeyError:
        raise ValueError("second") from None


@raising
def raised_again(x):
    y = x * 2
    try:
        host()
        int("no number")
    except ValueError:
        y = y + 1
        raise
    return y


@raising
def through_finally(x):
    try:
        host()
        int("no number")
    finally:
        x = x * 2
        host()
    return x


@raising
def by_recursion(x, n=2):
    if n == 0:
        raise ValueError("deep")
    return by_recursion(x + 1, n - 1)


# The call of a part stands in its first line, which the traceback has besides the line that raised.
_FURTHER_LINES = ("in_a_part_behind_others",)


def _cases():
    waits = pytest.mark.xfail(
        strict=True, reason="a limit of docs/static-graph.md: the line that a part begins at"
    )
    for function in RAISING:
        marks = [waits] if function.__name__ in _FURTHER_LINES else []
        yield pytest.param(function, id=function.__name__, marks=marks)


@pytest.mark.parametrize("function", list(_cases()))
def test_same_type_text_and_lines(function):
    expected = told(function, argument())
    compiled = jit(function, capture_mode="bytecode")
    for number in range(CALLS):
        assert told(compiled, argument()) == expected, f"call {number}"


@pytest.mark.parametrize("with_a_break", [False, True])
def test_effects_up_to_the_exception_are_done(with_a_break):
    def program(x, items, fail):
        items.append(x * 2)
        if with_a_break:
            host()
        items.append("before")
        if fail:
            raise ValueError("here")
        items.append("behind")
        return x + len(items)

    compiled = jit(program, capture_mode="bytecode")
    for _ in range(CALLS):
        for fail in (True, False):
            items = []
            with pytest.raises(ValueError, match="here") if fail else contextlib.nullcontext():
                compiled(argument(), items, fail)
            assert items[0].asnumpy().tolist() == [2.0, 4.0]
            assert items[1:] == (["before"] if fail else ["before", "behind"])


def test_a_call_that_does_not_fit_the_signature():
    def program(x, *, k=1):
        return x * k

    compiled = jit(program, capture_mode="bytecode")
    compiled(argument())
    for args, kwargs in ((), {}), ((1, 2), {}), ((argument(),), {"q": 1}):
        assert told(compiled, *args, **kwargs)[:2] == told(program, *args, **kwargs)[:2]


@pytest.mark.parametrize("function", [in_one_of_two_lines, in_a_callee_or_here])
def test_a_line_that_depends_on_the_path_is_not_a_fault_of_capture(function):
    compiled = jit(function, capture_mode="bytecode", jit_config={"compile_with_try": False})
    for value in argument(), argument() * 10, argument():
        assert told(compiled, value) == told(function, value)
