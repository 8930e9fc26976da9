"""Wrong programs at LAX: where Python runs a part, the exception is that of the dynamic graph, with the user's line.

The line that raises ends with `# here`. Each program needs Python before, at or behind that line. It is called twice,
and where there are arguments with which it works, with those and then once more with the first.
"""

import asyncio
import collections
import contextlib
import dataclasses
import functools
import io
import itertools
import json
import re
import sys
import threading
import traceback
import warnings

import numpy as np
import pytest
from described import difference
from program import Call, Program, Scene
from session import dynamic, run
from wrong_graph import (
    LAX_FORMS,
    asserted_behind_a_cut,
    graph_mode,
    jit,
    line_marked,
    message_of,
    strict,
    the_next_graph_works,
)

import dyad
from dyad import Parameter, Tensor, nn, ops
from dyad._core import CaptureError

X = Tensor([1.0, 2.0])
ROW = Tensor([[1.0, 2.0, 3.0]])
FINE = Tensor([-1.0, 2.0])
LOG: list = []
LOCK = threading.Lock()
LAX = pytest.mark.parametrize("form", LAX_FORMS)
PROGRAMS: list = []


def raises(*arguments, error, says="", fine=None):
    """Declares a program that ends with this exception; `fine` are arguments with which it does not."""

    def declare(function):
        calls = [Call(*arguments), Call(*arguments), *([Call(*fine)] if fine else [])]
        PROGRAMS.append((function, calls, error, says))
        return function

    return declare


def total(x):
    """A number that only Python knows."""
    return float(x.asnumpy().sum())


def note(what):
    LOG.append(what)


# ------------------------------------------------------------------------------------------ host code that raises


@raises(X, error=ValueError, says="the sum is 3.0", fine=(FINE,))
def raised_with_a_run_time_value(x):
    y = x * 2
    s = total(x)
    if s > 2:
        raise ValueError(f"the sum is {s}")  # here
    return y


@raises(X, error=KeyError, says="3")
def key_missing(x):
    table = {1: "one"}
    return table[int(total(x))]  # here


@raises(X, error=ZeroDivisionError, fine=(FINE,))
def division_by_zero_in_python(x):
    return 1 / (total(x) - 3)  # here


@raises(X, error=json.JSONDecodeError, says="Expecting value")
def text_that_is_no_json(x):
    return json.loads(f"[{total(x)}, ")  # here


@raises(X, error=np.linalg.LinAlgError, says="Singular matrix")
def singular_matrix(x):
    matrix = np.outer(x.asnumpy(), x.asnumpy())
    return Tensor(np.linalg.inv(matrix))  # here


@raises(X, error=ValueError, says="cannot reshape array of size 2 into shape (3,)")
def array_of_another_size(x):
    y = x + 1
    return Tensor(y.asnumpy().reshape(3))  # here


@raises(X, error=FileNotFoundError, says="nowhere")
def file_that_is_not_there(x):
    y = x * 2
    with open("nowhere") as file:  # here
        return y * len(file.read())


@raises(X, error=ValueError, says="invalid literal for int()")
def text_that_is_no_number(x):
    return x * int(f"{x.asnumpy()}")  # here


@raises(X, error=ValueError)
def member_not_there(x):
    items = [1.0, 2.0]
    items.remove(items[0])
    return items.index(total(x))  # here


@raises(X, error=IndexError, says="pop from an empty deque")
def empty_deque(x):
    waiting = collections.deque([x])
    y = waiting.popleft() * 2
    waiting.pop()  # here
    return y


@raises(X, error=StopIteration)
def iterator_at_its_end(x):
    elements = itertools.repeat(x, 1)
    y = next(elements) + 1
    note("first")
    return y + next(elements)  # here


class Unfit(Exception):
    def __init__(self, value, reason):
        super().__init__(f"{value}: {reason}")
        self.value, self.reason = value, reason


@raises(X, error=Unfit, says="3.0: too large", fine=(FINE,))
def own_exception_with_attributes(x):
    s = total(x)
    if s > 2:
        raise Unfit(s, "too large")  # here
    return x * s


def inner_check(x):
    s = total(x)
    note(s)
    if s > 2:
        raise Unfit(s, "in a callee")  # here
    return s


@raises(X, error=Unfit, says="3.0: in a callee", fine=(FINE,))
def raised_in_a_callee(x):
    y = x * 2
    return y * inner_check(x)  # calls


@raises(X, error=TypeError, says="exceptions must derive from BaseException")
def raised_what_is_no_exception(x):
    raise total(x)  # here


@raises(X, error=RuntimeError, says="No active exception to reraise")
def raised_again_without_any(x):
    note(total(x))
    raise  # here


# ---------------------------------------------------------------------------------------- try, with and loops


@raises(X, error=RuntimeError, says="wrapped")
def raised_from_another(x):
    try:
        return x * {}[total(x)]
    except KeyError as error:
        raise RuntimeError("wrapped") from error  # here


@raises(X, error=AttributeError, says="'float' object has no attribute 'nothing'")
def raised_in_a_handler(x):
    s = total(x)
    try:
        raise ValueError("first")
    except ValueError:
        return x * s.nothing  # here


@raises(X, error=KeyError, says="second")
def raised_in_finally(x):
    try:
        note("try")
        raise ValueError(total(x))
    finally:
        note("finally")
        raise KeyError("second")  # here


@raises(X, error=IndexError, says="list index out of range", fine=(FINE,))
def handler_of_another_class(x):
    try:
        items = [x, x + 1]
        return items[int(total(x))]  # here
    except (KeyError, ValueError):
        return x
    finally:
        note("left")


@raises(X, error=ZeroDivisionError)
def caught_and_raised_again(x):
    y = x * 2
    try:
        y = y / (1 // int(total(x) - 3))  # here
    except ZeroDivisionError as error:
        note((str(error), y))
        raise
    return y


@raises(X, error=ValueError, says="else")
def raised_in_else(x):
    try:
        s = total(x)
    except TypeError:
        note("not here")
    else:
        note("else")
        raise ValueError("else", s)  # here
    finally:
        note("finally")
    return x


@raises(X, error=ExceptionGroup, says="several (2 sub-exceptions)")
def group_of_which_some_are_caught(x):
    try:
        note(total(x))
        raise ExceptionGroup("several", [ValueError(1), TypeError(2), KeyError(3)])  # here
    except* ValueError as caught:
        note(len(caught.exceptions))


class Manager:
    def __init__(self, name, at_enter=None, at_exit=None):
        self.name, self.at_enter, self.at_exit = name, at_enter, at_exit

    def __enter__(self):
        note(f"enter {self.name}")
        if self.at_enter is not None:
            raise self.at_enter  # here
        return self

    def __exit__(self, kind, error, trace):
        note((f"exit {self.name}", kind and kind.__name__, str(error)))
        if self.at_exit is not None:
            raise self.at_exit  # here


@raises(X, error=Unfit, says="3.0: inside", fine=(FINE,))
def raised_inside_of_managers(x):
    with Manager("outer"), Manager("inner"):
        y = x * 2
        s = total(y) / 2
        if s > 2:
            raise Unfit(s, "inside")  # here
        return y


@raises(X, error=OSError, says="no entry")
def manager_that_cannot_be_entered(x):
    s = total(x)
    with Manager("outer"), Manager("inner", at_enter=OSError("no entry")):  # calls
        return x * s


@raises(X, error=OSError, says="no exit")
def manager_that_cannot_be_left(x):
    with Manager("outer", at_exit=OSError("no exit")):  # calls
        return x * total(x)


@raises(X, error=ValueError, says="with the lock held")
def raised_with_a_lock_held(x):
    with LOCK:
        note(LOCK.locked())
        raise ValueError("with the lock held", total(x))  # here


@contextlib.contextmanager
def announced(x):
    note("before")
    yield x * 2
    note("never")


@raises(X, error=ValueError, says="behind the yield")
def raised_inside_of_a_generator_manager(x):
    with announced(x) as y:
        note(total(y))
        raise ValueError("behind the yield")  # here


@raises(X, error=ZeroDivisionError)
def other_exception_than_is_suppressed(x):
    with contextlib.suppress(KeyError, IndexError):
        y = x + 1
        return y * (1 / (total(x) - 3))  # here


@raises(X, error=ValueError, says="turn 2")
def raised_in_the_third_turn(x):
    y = x
    for k in range(5):
        y = y * 2
        note(total(y))
        if k == 2:
            raise ValueError(f"turn {k}")  # here
    return y


@raises(X, error=ValueError, says="the end")
def raised_in_the_else_of_a_loop(x):
    while total(x) < 20:
        x = x * 2
    else:
        raise ValueError("the end", total(x))  # here


@raises(X, error=TypeError, says="'float' object is not iterable")
def loop_over_a_number(x):
    for part in total(x):  # here
        x = x + part
    return x


@raises(X, error=ZeroDivisionError)
def raised_in_a_comprehension(x):
    s = total(x)
    return [x * (1 / (s - k)) for k in range(5)]  # here


def halves(x):
    yield x / 2
    note(total(x))
    raise LookupError("no more halves")  # here


@raises(X, error=LookupError, says="no more halves")
def raised_in_a_generator(x):
    found = x
    for half in halves(x):  # calls
        found = found + half
    return found


@raises(X, error=ValueError, says="in a case")
def raised_in_a_case(x):
    match {"sum": total(x), "x": x}:
        case {"sum": s} if s < 0:
            return x
        case {"sum": s, "x": y}:
            note(y)
            raise ValueError("in a case", s)  # here


async def waits(x):
    await asyncio.sleep(0)
    raise TimeoutError(f"waited for {total(x)}")  # here


@raises(X, error=TimeoutError, says="waited for 3.0")
def raised_in_a_coroutine(x):
    y = x * 2
    return y + asyncio.run(waits(x))  # calls


# -------------------------------------------------------------------------------------------- calls and names


def two(a, b, *, c=1):
    return a + b * c


@raises(X, error=TypeError, says="two() missing 1 required positional argument: 'b'")
def too_few_arguments(x):
    note(total(x))
    return two(x)  # here


@raises(X, error=TypeError, says="two() takes 2 positional arguments but 3 positional arguments")
def too_many_arguments(x):
    s = total(x)
    return two(x, s, s, c=2)  # here


@raises(X, error=TypeError, says="two() got an unexpected keyword argument 'd'")
def unknown_keyword(x):
    return two(x, x, d=total(x))  # here


@raises(X, error=TypeError, says="two() got multiple values for argument 'a'")
def argument_given_twice(x):
    given = {"a": total(x)}
    return two(x, x, **given)  # here


@raises(X, error=TypeError, says="'float' object is not callable")
def number_called(x):
    return total(x)(x)  # here


@raises(X, error=NameError, says="name 'undefined_name' is not defined")
def undefined_name_read(x):
    s = total(x)
    return x * s + undefined_name  # here  # noqa: F821


@raises(X, error=UnboundLocalError, says="cannot access local variable 'y'", fine=(FINE,))
def name_bound_on_one_path(x):
    if total(x) < 2:
        y = x * 2
    return y + 1  # here


@raises(X, error=UnboundLocalError, says="cannot access local variable 'y'")
def name_deleted(x):
    y = total(x)
    z = x * y
    del y
    return z + y  # here  # noqa: F821


@raises(X, error=ValueError, says="not enough values to unpack (expected 3, got 2)")
def unpacked_into_too_many(x):
    a, b, c = x.asnumpy().tolist()  # here
    return x * a * b * c


@raises(X, error=ModuleNotFoundError, says="No module named 'no_such_module_anywhere'")
def module_that_is_not_there(x):
    note(total(x))
    import no_such_module_anywhere  # here

    return no_such_module_anywhere.f(x)


class Slotted:
    __slots__ = ("a",)


@raises(X, error=AttributeError, says="'Slotted' object has no attribute 'b'")
def attribute_without_a_slot(x):
    held = Slotted()
    held.a = x * 2
    held.b = total(x)  # here
    return held


@dataclasses.dataclass(frozen=True)
class Frozen:
    value: object


@raises(X, error=dataclasses.FrozenInstanceError, says="cannot assign to field 'value'")
def field_that_is_frozen(x):
    held = Frozen(total(x))
    held.value = x  # here
    return held


class Careful:
    @property
    def size(self):
        note("asked")
        raise LookupError("no size yet")  # here


@raises(X, error=LookupError, says="no size yet")
def property_that_raises(x):
    note(total(x))
    return x * Careful().size  # calls


def checked(function):
    @functools.wraps(function)
    def wrapper(x):
        y = function(x)
        if total(y) > 4:
            raise OverflowError("too much")  # here
        return y

    return wrapper


@checked
def doubled(x):
    return x * 2


@raises(X, error=OverflowError, says="too much", fine=(FINE,))
def decorator_that_raises(x):
    return doubled(x) + 1  # calls


@dyad.jit
def jitted_check(x):
    y = x + 1
    if total(y) > 4:
        raise OverflowError("in a jitted function", y.shape)  # here
    return y


@raises(X, error=OverflowError, says="in a jitted function", fine=(FINE,))
def jitted_function_that_raises(x):
    note(total(x))
    return jitted_check(x) * 2  # calls


@raises(X, error=SyntaxError, says="invalid syntax")
def text_that_is_no_python(x):
    y = x * 2
    return y * eval("1 +* 2")  # here


# ------------------------------------------------------------------------------------- operators behind a cut


@raises(ROW, error=ValueError, says="matmul: ")
def product_of_unlike_shapes(x):
    y = Tensor(np.sin(x.asnumpy()))
    return ops.matmul(y, y)  # here


@raises(ROW, error=ValueError, says="reshape: ")
def reshaped_to_another_size(x):
    y = Tensor(x.asnumpy() + 1)
    z = y * 2
    return z.reshape(7)  # here


@raises(ROW, error=ValueError, says="concat: ")
def joined_along_a_missing_axis(x):
    y = Tensor(x.asnumpy())
    return ops.concat((x, y), 4)  # here


@raises(X, error=ValueError, says="add: ")
def shapes_that_do_not_fit(x):
    y = Tensor(np.ones(int(total(x)), np.float32))
    return x + y  # here


@raises(X, error=TypeError, says="bitwise_and: ")
def type_that_came_from_numpy(x):
    y = Tensor(x.asnumpy() / 2)
    return ops.bitwise_and(y, y)  # here


@raises(X, error=IndexError, says="gather: index 3 is out of range", fine=(FINE,))
def index_that_came_from_numpy(x):
    places = Tensor(np.array([int(total(x))]))
    y = x * 2
    return ops.gather(y, places, 0)  # here


LAYER = nn.Dense(7, 2)


@raises(ROW, error=ValueError, says="Dense: ")
def layer_of_another_size(x):
    y = Tensor(x.asnumpy())
    note("before")
    return LAYER(y)  # here


@raises(X, error=ValueError, says="Use any() or all() of the tensor of shape (2,)")
def truth_of_many(x):
    y = Tensor(x.asnumpy())
    if y > 0:  # here
        return x
    return y


@raises(X, error=ValueError, says="2 elements")
def number_of_many(x):
    s = total(x)
    return s + float(x * s)  # here


@raises(ROW, error=IndexError, says="", fine=(Tensor(np.ones((9, 9), np.float32)),))
def index_outside(x):
    y = x * total(x)
    return y[int(total(x) - total(x)) + 5]  # here


@raises(X, error=ValueError)
def written_with_another_shape(x):
    y = x + total(x)
    y[:] = Tensor(np.ones(3, np.float32))  # here
    return y


@raises(X, error=RuntimeError, says="behind an operator", fine=(FINE,))
def raised_in_an_arm_behind_a_cut(x):
    y = Tensor(x.asnumpy())
    if y.sum() > 2:
        raise RuntimeError("behind an operator")  # here
    return y * 2


@raises(X, error=IndexError, says="gather: index 3 is out of range")
def operator_inside_of_blocks(x):
    with Manager("around"):
        for k in range(4):
            try:
                note(k)
                places = Tensor(np.array([k % 2]))
                x = x + ops.gather(x, places, 0) * 0
            except KeyError:
                note("never")
            finally:
                note(f"left {k}")
            if k == 2:
                return ops.gather(x, places + 3, 0)  # here
    return x


@raises(X, error=IndexError, says="gather: index 2 is out of range")
def operator_in_the_third_turn(x):
    for k in range(4):
        places = Tensor(np.array([k]))
        note(total(x))
        x = x + ops.gather(x, places, 0)  # here
    return x


# --------------------------------------------------------------------------------------------------- transforms


@raises(X, error=Unfit, says="3.0: inside of grad", fine=(FINE,))
def raised_inside_of_grad(x):
    def loss(v):
        s = total(v)
        if s > 2:
            raise Unfit(s, "inside of grad")  # here
        return (v * v).sum() * s

    return dyad.grad(loss)(x)


@raises(X, error=ValueError, says="matmul: ")
def operator_inside_of_grad(x):
    def loss(v):
        w = v * total(v)
        return ops.matmul(w[None], w[None]).sum()  # here

    return dyad.grad(loss)(x)


@raises(X, error=ValueError, says="value_and_grad: with has_aux the function returned Tensor")
def auxiliary_output_forgotten(x):
    def loss(v):
        return v * total(v)

    return dyad.value_and_grad(loss, has_aux=True)(x)  # here


@raises(X, error=IndexError, says="grad: grad_position is 3")
def gradient_of_a_missing_argument(x):
    def loss(v):
        return v * total(v)

    return dyad.grad(loss, 3)(x)  # here


@raises(X, error=ValueError, says="jvp: tangent 0 has shape (1,); need that of its input, (2,)")
def tangent_of_another_shape(x):
    def loss(v):
        return v * total(v)

    return dyad.jvp(loss, (x,), (Tensor(x.asnumpy()[:1]),))  # here


@raises(X, error=ValueError, says="vjp: an output gradient has shape (1,); need that of the output, (2,)")
def output_gradient_of_another_shape(x):
    def loss(v):
        return v * total(v)

    _, pull = dyad.vjp(loss, x)
    return pull(Tensor(x.asnumpy()[:1]))  # here


@raises(X, error=ZeroDivisionError)
def hook_that_raises(x):
    def hook(gradient):
        return gradient * (1 / (total(x) - 3))  # here

    def loss(v):
        w = v * 2
        w.register_hook(hook)
        return w.sum() * total(v)

    return dyad.grad(loss)(x)


@raises(X, error=ValueError, says="in the second order")
def raised_inside_of_grad_of_grad(x):
    def inner(v):
        if total(v) > 2:
            raise ValueError("in the second order")  # here
        return (v**3).sum()

    return dyad.grad(lambda u: dyad.grad(inner)(u).sum())(x)


# ------------------------------------------------------------------------------ what surrounds an exception


@raises(X, error=ValueError, says="matmul: ")
def operator_in_a_handler(x):
    try:
        raise KeyError(total(x))
    except KeyError:
        y = x * 2
        return ops.matmul(y[None], y[None])  # here


@raises(X, error=IndexError, says="gather: index 3 is out of range")
def operator_of_the_running_graph_in_a_handler(x):
    places = Tensor(np.array([3]))
    try:
        raise KeyError(total(x))
    except KeyError as error:
        note(error)
        return ops.gather(x, places, 0)  # here


@raises(X, error=UnboundLocalError, says="cannot access local variable 'error'")
def name_of_a_handler_behind_it(x):
    try:
        raise KeyError(total(x))
    except KeyError as error:
        note(error)
    return x * len(error.args)  # here  # noqa: F821


def raised_again():
    raise  # here


@raises(X, error=KeyError, says="3.0")
def raised_again_by_a_callee(x):
    try:
        raise KeyError(total(x))  # here
    except KeyError:
        note(sys.exc_info()[0].__name__)
        raised_again()


@raises(X, error=RuntimeError, says="none is handled")
def exception_info_behind_a_handler(x):
    try:
        raise KeyError(total(x))
    except KeyError:
        y = x * 2
    if sys.exc_info()[0] is None:
        raise RuntimeError("none is handled", y.shape)  # here
    return y


@raises(X, error=ValueError, says="outer")
def exceptions_in_a_chain(x):
    try:
        try:
            return x * {}[total(x)]
        except KeyError as error:
            note(error)
            raise TypeError("inner") from error
    except TypeError:
        y = x + 1
        note(total(y))
        raise ValueError("outer") from None  # here


@raises(X, error=ZeroDivisionError)
def returned_then_raised_in_finally(x):
    try:
        y = x * total(x)
        return y
    finally:
        note("finally")
        note(1 % (total(x) - 3))  # here


@raises(X, error=ValueError, says="after break")
def broken_out_of_with_and_finally(x):
    for k in range(4):
        with Manager(k):
            try:
                x = x * 2
                if total(x) > 10:
                    break
            finally:
                note(f"finally {k}")
    raise ValueError("after break", k)  # here


@raises(X, error=UserWarning, says="a warning of 3.0")
def warning_that_is_an_error(x):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        y = x * 2
        warnings.warn(f"a warning of {total(x)}", stacklevel=1)  # here
    return y


@raises(X, error=ValueError, says="I/O operation on closed file")
def printed_to_a_closed_file(x):
    text = io.StringIO()
    print(x, file=text)
    note(text.getvalue())
    text.close()
    print(x * 2, file=text)  # here
    return x


def closing(x):
    try:
        yield x * 2  # here
        yield x * total(x)
    except GeneratorExit:
        note("closed")
        raise
    finally:
        note("end")


@raises(X, error=LookupError, says="thrown")
def thrown_into_a_generator(x):
    turns = closing(x)
    note(next(turns))
    other = closing(x)
    next(other)
    other.close()
    turns.throw(LookupError("thrown"))  # calls
    return x


@raises(X, error=RuntimeError, says="generator raised StopIteration")
def stop_inside_of_a_generator(x):
    def numbers():
        yield total(x)
        yield next(iter(()))

    found = x
    for number in numbers():  # here
        found = found * number
    return found


@raises(X, error=ValueError, says="counted 3")
def shared_name_written_before(x):
    count = 0

    def counts(v):
        nonlocal count
        count += int(total(v))
        return v * count

    y = counts(x)
    if count > 2:
        note(y)
        raise ValueError(f"counted {count}")  # here
    return y


@raises(X, error=TypeError, says="unhashable type: 'list'")
def list_as_a_key(x):
    table = {}
    table[x.tolist()] = x  # here
    return table


@raises(X, error=TypeError, says="unsupported operand type(s) for +: 'float' and 'str'")
def number_plus_text(x):
    return total(x) + "a"  # here


@raises(X, error=TypeError, says="'<' not supported between instances of")
def unlike_things_sorted(x):
    return sorted([total(x), "a"])  # here


@raises(X, error=AttributeError, says="'NoneType' object has no attribute 'group'")
def result_that_is_none(x):
    return re.match("a", f"{total(x)}").group()  # here


@raises(X, [1, 2], error=IndexError, says="list assignment index out of range")
def argument_changed_before(x, items):
    items.append(total(x))
    items[0] = x * 2
    items[7] = x  # here
    return items


# ------------------------------------------------------------ effects before an error of the running graph


class Box:
    count = 0


BOX = Box()
THREE = Tensor([3])


@raises(X, THREE, error=IndexError, says="gather: index 3 is out of range")
def writes_before_it(x, places):
    note("before")
    BOX.count += 1
    y = ops.gather(x, places, 0)  # here
    note("never")
    return y


@raises(X, THREE, error=IndexError, says="gather: index 3 is out of range")
def writes_between_a_cut_and_it(x, places):
    BOX.last = x * total(x)
    note(BOX.last)
    BOX.count += 1
    return ops.gather(BOX.last, places, 0)  # here


@raises(X, THREE, error=IndexError, says="gather: index 3 is out of range")
def prints_and_writes_before_it(x, places):
    print("first", x)
    note("second")
    print("third", x.sum())
    return ops.gather(x, places, 0)  # here


@raises(X, Tensor([0]), error=IndexError, says="gather: index 2 is out of range")
def writes_in_the_turns_before_it(x, places):
    for k in range(4):
        note(k)
        BOX.count += 1
        x = x + ops.gather(x, places + k, 0)  # here
    return x


@raises(X, THREE, [1], {"a": 1}, error=IndexError, says="gather: index 3 is out of range")
def arguments_changed_before_it(x, places, items, table):
    items.append(x * 2)
    table["b"] = total(x)
    items.insert(0, table)
    x += 1
    y = ops.gather(x, places, 0)  # here
    items.clear()
    return y


@raises(X, THREE, error=IndexError, says="gather: index 3 is out of range")
def caught_and_counted(x, places):
    try:
        BOX.count += 1
        ops.gather(x, places, 0)
    except IndexError as error:
        note((str(error), BOX.count))
        BOX.count += 1
    y = x * total(x)
    BOX.count += 1
    return ops.gather(y, places, 0)  # here


@raises(X, THREE, error=IndexError, says="gather: index 3 is out of range")
def shared_name_written_before_it(x, places):
    count = 0

    def counts():
        nonlocal count
        count += 1
        note(f"counted {count}")

    try:
        counts()
        total(x)
        counts()
        return ops.gather(x, places, 0)  # here
    finally:
        note(count)


@raises(X, error=ExceptionGroup, says="several")
def group_raised(x):
    y = x * 2
    raise ExceptionGroup("several", [ValueError(1), TypeError(y.shape)])  # here


# -------------------------------------------------------------------------------------------------- comparisons


def _lines_shown(error, filename):
    """The lines of a file in the traceback of an exception; behind them those that its notes name."""
    lines = [
        frame.lineno for frame in traceback.extract_tb(error.__traceback__) if frame.filename == filename
    ]
    for text in getattr(error, "__notes__", ()):
        _, found, rest = text.partition(f'File "{filename}", line ')
        lines += [int(rest.split(",")[0].split("\n")[0])] if found else []
    return lines


def _ran(function, calls, form):
    def build():
        LOG.clear()
        BOX.__dict__.clear()
        return Scene(function, watch=lambda: (list(LOG), BOX, LOCK.locked()))

    return run(Program(function.__name__, build, calls), form)


@LAX
@pytest.mark.parametrize(
    ("function", "calls", "error", "says"), PROGRAMS, ids=[row[0].__name__ for row in PROGRAMS]
)
def test_the_exception_of_the_dynamic_graph(function, calls, error, says, form):
    truth, ran = _ran(function, calls, dynamic), _ran(function, calls, form)
    assert type(truth.raised[0]) in (error, dyad._core.IndexError)
    assert says in str(truth.raised[0])
    for number, (ours, theirs) in enumerate(zip(ran.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        assert found is None, f"{found}; raised {ran.raised}"
    filename = function.__code__.co_filename
    for ours, theirs in zip(ran.raised, truth.raised, strict=True):
        if theirs is not None:
            assert _lines_shown(ours, filename)[-1] == _lines_shown(theirs, filename)[-1], message_of(ours)
    assert the_next_graph_works()


@pytest.mark.parametrize("function", [row[0] for row in PROGRAMS], ids=lambda function: function.__name__)
def test_the_line_is_the_one_that_is_marked(function):
    """In the dynamic graph, to which the others are compared."""
    calls = next(row[1] for row in PROGRAMS if row[0] is function)
    with pytest.raises(Exception) as caught:  # its class is compared above
        function(*calls[0].fresh()[0])
    lines = _lines_shown(caught.value, __file__)
    number = line_marked(function)
    if number is not None:
        assert lines[-1] == number
    else:  # it is raised by what the program calls
        with open(__file__) as file:
            assert "# here" in file.read().split("\n")[lines[-1] - 1]


@LAX
def test_an_assertion_with_a_message(form):
    truth, ran = (
        _ran(asserted_behind_a_cut, [Call(X), Call(X), Call(FINE)], each) for each in (dynamic, form)
    )
    assert str(truth.raised[0]) == "the sum is 3.0"
    assert all(
        difference(ours, theirs) is None for ours, theirs in zip(ran.outcomes, truth.outcomes, strict=True)
    )
    filename = asserted_behind_a_cut.__code__.co_filename
    assert _lines_shown(ran.raised[0], filename)[-1] == line_marked(asserted_behind_a_cut)


def count_up(x, depth=0):
    note(total(x))
    return count_up(x, depth + 1)  # here


@LAX
def test_recursion_without_an_end(form):
    compiled = form(count_up)
    for _ in range(2):
        with pytest.raises(RecursionError) as caught:
            compiled(X)
        assert line_marked(count_up) in _lines_shown(caught.value, __file__)
    assert the_next_graph_works()


class Interrupt(BaseException):
    """An exception with which programs stop a thread, for example."""


@LAX
@pytest.mark.parametrize("kind", [Interrupt, KeyboardInterrupt, SystemExit, GeneratorExit])
def test_what_is_not_an_exception_passes(form, kind):
    def stopped(x):
        y = x * 2
        with Manager("around"):
            try:
                note(total(y))
                raise kind("stop")
            except Exception:
                note("never")

    compiled = form(stopped)
    for _ in range(2):
        LOG.clear()
        with pytest.raises(kind, match="stop"):
            compiled(X)
        assert ["enter around", 6.0, ("exit around", kind.__name__, "stop")] == LOG
    assert the_next_graph_works()


class Counter(nn.Cell):
    def __init__(self):
        super().__init__()
        self.calls = 0
        self.seen = []
        self.total = Parameter(Tensor([0.0, 0.0]), name="total")

    def construct(self, x):
        self.calls += 1
        self.total += x
        s = total(x)
        self.seen.append(s)
        if s > 2:
            raise ValueError("after the first writes")
        self.total += 10
        self.last = s
        return self.total * s


@LAX
def test_a_cell_keeps_what_was_written_before_the_exception(form):
    truth, cell = Counter(), Counter()
    compiled = form(cell)
    for given in (X, X, FINE, X):
        for each in (truth, compiled):
            with contextlib.ExitStack() as stack:
                if given is X:
                    stack.enter_context(pytest.raises(ValueError, match="after the first writes"))
                each(given)
        assert (cell.calls, cell.seen) == (truth.calls, truth.seen)
        assert cell.total.asnumpy().tolist() == truth.total.asnumpy().tolist()
        assert getattr(cell, "last", None) == getattr(truth, "last", None)


@LAX
def test_wrong_arguments_of_the_compiled_function(form):
    def add(a, b):
        return a + b * total(a)

    compiled = form(add)
    assert compiled(X, X).asnumpy().tolist() == [4.0, 8.0]
    for arguments, keywords in (((X,), {}), ((X, X, X), {}), ((X,), {"c": X}), ((X, X), {"a": X})):
        with pytest.raises(TypeError) as expected:
            add(*arguments, **keywords)
        for _ in range(2):
            with pytest.raises(TypeError) as caught:
                compiled(*arguments, **keywords)
            assert str(caught.value) == str(expected.value)
    assert compiled(X, X).asnumpy().tolist() == [4.0, 8.0]


@LAX
def test_the_tape_after_an_exception_inside_of_grad(form):
    compiled = form(raised_inside_of_grad)
    for _ in range(2):
        with pytest.raises(Unfit):
            compiled(X)
        assert dyad._core.tape_depth() == 0
        assert dyad._core.grad_enabled()
    assert compiled(FINE).asnumpy().tolist() == dyad.grad(lambda v: (v * v).sum())(FINE).asnumpy().tolist()


@LAX
def test_an_exception_holds_nothing_of_the_framework_alive(form):
    """The frames between those of the user are of the framework; none holds another exception."""
    with pytest.raises(Unfit) as caught:
        form(raised_in_a_callee)(X)
    assert caught.value.__context__ is None
    assert caught.value.__cause__ is None


# ------------------------------------------------------------------------------------------- cuts in transforms


def read(x):
    return x * float(x.asnumpy()[0])


@pytest.mark.parametrize("form", [jit, graph_mode, dynamic])
def test_a_cut_inside_of_vmap(form):
    """Slices of one operator have no values of their own for Python."""

    def program(x):
        return dyad.vmap(read)(x)

    compiled = form(program)
    for _ in range(2):
        with pytest.raises((CaptureError, RuntimeError)) as caught:
            compiled(ROW.T)
        text = message_of(caught.value)
        assert "asnumpy" in text.split("\n")[0], text
        assert f'File "{__file__}", line {read.__code__.co_firstlineno + 1}' in text, text
    assert the_next_graph_works()


@LAX
def test_a_function_of_a_graph_only_takes_no_cut(form):
    """`constexpr` functions take constants, at LAX too."""

    @ops.constexpr
    def doubled(n):
        return n * 2

    def program(x):
        return x * doubled(x.sum())

    with pytest.raises(TypeError, match="doubled: argument 0 is known only when the graph runs"):
        form(program)(X)


# -------------------------------------------------------------------------------------------------- annotations


def annotated_with_another_dtype(x):
    y = Tensor(np.sin(x.asnumpy()))  # @jit.typing: () -> tensor_type[int32]
    return y + 1


def annotated_as_a_number(x):
    y = Tensor(x.asnumpy())  # @jit.typing: () -> float
    return y + 1


def annotated_as_a_tensor(x):
    k = total(x)  # @jit.typing: () -> tensor_type[float32]
    return x * k


def annotated_with_another_length(x):
    pair = (Tensor(x.asnumpy()), x)  # @jit.typing: () -> tuple_type[tensor_type[float32]]
    return pair[0] + pair[1]


def annotated_with_another_member(x):
    items = [Tensor(x.asnumpy()), 3]  # @jit.typing: () -> list_type[tensor_type[float32], float]
    return items[0] * items[1]


def annotated_with_a_name(x):
    kind = dyad.int32  # noqa: F841
    y = Tensor(x.asnumpy())  # @jit.typing: () -> tensor_type[{kind}]
    return y * 2


@LAX
@pytest.mark.parametrize(
    ("function", "stated", "came"),
    [
        (annotated_with_another_dtype, "tensor_type[int32]", "a Tensor of Float32"),
        (annotated_as_a_number, "float", "a Tensor of Float32"),
        (annotated_as_a_tensor, "tensor_type[float32]", "of type float"),
        (annotated_with_another_length, "tuple_type[tensor_type[float32]]", "a tuple of (a Tensor"),
        (annotated_with_another_member, "list_type[tensor_type[float32], float]", "a list of (a Tensor"),
        (annotated_with_a_name, "tensor_type[{kind}]", "a Tensor of Float32"),
    ],
)
def test_an_annotation_that_is_not_true(function, stated, came, form):
    """The dynamic graph does not look at it."""
    function(X)
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(TypeError) as caught:
            compiled(X)
        text = message_of(caught.value)
        assert stated in text.split("\n")[0] and came in text.split("\n")[0], text
        line = next(
            function.__code__.co_firstlineno + offset
            for offset, line in enumerate(_source(function))
            if "@jit.typing" in line
        )
        assert f'File "{__file__}", line {line}' in text, text
    assert the_next_graph_works()


def annotated_without_an_arrow(x):
    y = Tensor(x.asnumpy())  # @jit.typing: tensor_type[float32]
    return y * 2


def annotated_with_a_call(x):
    y = Tensor(x.asnumpy())  # @jit.typing: () -> tensor_type(float32)
    return y * 2


def annotated_with_an_unknown_container(x):
    y = Tensor(x.asnumpy())  # @jit.typing: () -> set_type[int32]
    return y * 2


@LAX
@pytest.mark.parametrize(
    "function",
    [annotated_without_an_arrow, annotated_with_a_call, annotated_with_an_unknown_container],
)
def test_an_annotation_that_is_none(function, form):
    compiled = form(function)
    for _ in range(2):
        with pytest.raises(RuntimeError, match=r"# @jit.typing: .* is no type of a result; need") as caught:
            compiled(X)
        assert f'File "{__file__}", line {function.__code__.co_firstlineno + 1}' in message_of(caught.value)


def test_an_annotation_does_not_help_at_strict():
    def annotated(x):
        y = Tensor(np.sin(x.asnumpy()))  # @jit.typing: () -> tensor_type[float32]
        return y + 1

    with pytest.raises(AttributeError, match="asnumpy: the data of a Tensor is needed in Python"):
        strict(annotated)(X)


def _source(function):
    with open(__file__) as file:
        return file.read().split("\n")[function.__code__.co_firstlineno - 1 :]


def test_there_are_many():
    assert len(PROGRAMS) >= 60
