"""Errors that only the running graph meets: in arms, in loops, in hooks and while printing."""

import threading

import numpy as np
import pytest
from wrong_graph import (
    LAX_FORMS,
    STRICT_FORMS,
    asserted_in_an_arm,
    graph_mode,
    jit,
    message_of,
    strict,
    the_next_graph_works,
)

import dyad
from dyad import Parameter, Tensor, nn, ops

FORMS = pytest.mark.parametrize("form", [jit, strict, graph_mode])
LAX = pytest.mark.parametrize("form", LAX_FORMS)
STRICT = pytest.mark.parametrize("form", STRICT_FORMS)
S = Tensor(5.0)


def raised_in_an_arm(x):
    if x > 0:
        raise ValueError("positive")  # here
    return x


def raised_in_the_other_arm(x):
    if x < 0:
        y = x
    else:
        raise KeyError("not negative", 3)  # here
    return y


def raised_in_a_loop(x):
    i = 0
    while i < x:
        i += 1
        if i * 2 > x:
            raise IndexError("half way")  # here
    return i


def raised_in_a_callee(x):
    def check(v):
        if v > 0:
            raise TypeError("bad sign")  # here
        return v

    return check(x) + 1


def divided_by_zero(x):
    return 1 // int(x - 5)  # here


def remainder_of_zero(x):
    if x > 0:
        return 3 % int(x - 5)  # here
    return 1


def list_index_of_a_run_time_number(x):
    return [1, 2, 3][int(x)]  # here


def reshaped_to_a_run_time_size(x):
    return (ops.zeros((6,), dyad.float32) + x).reshape(int(x), 2)  # here


def unbound_on_one_path(x):
    if x < 0:
        y = x
    return y + 1  # here


RAISING = [
    raised_in_an_arm,
    raised_in_the_other_arm,
    raised_in_a_loop,
    raised_in_a_callee,
    asserted_in_an_arm,
    divided_by_zero,
    remainder_of_zero,
    list_index_of_a_run_time_number,
    reshaped_to_a_run_time_size,
    unbound_on_one_path,
]


def line_of(function):
    with open(function.__code__.co_filename) as file:
        lines = file.read().split("\n")
    first = function.__code__.co_firstlineno
    return next(first + i for i, line in enumerate(lines[first - 1 :]) if "# here" in line)


@FORMS
@pytest.mark.parametrize("function", RAISING)
def test_raised_while_running(function, form):
    """The exception of the dynamic graph, with the line; the graph stays in use."""
    with pytest.raises(Exception) as dynamic:  # whatever the dynamic graph raises
        function(S)
    compiled = form(function)
    for _ in range(3):
        with pytest.raises(type(dynamic.value)) as static:
            compiled(S)
        assert static.type is dynamic.type
        assert static.value.args == dynamic.value.args
        assert f'File "{function.__code__.co_filename}", line {line_of(function)}' in message_of(static.value)
    assert the_next_graph_works()


@FORMS
def test_the_call_after_a_failing_call(form):
    compiled = form(raised_in_an_arm)
    for _ in range(3):
        with pytest.raises(ValueError, match="positive"):
            compiled(S)
        assert compiled(Tensor(-2.0)).asnumpy() == -2.0


def halves(x, n):
    return x.tolist() if n == 1 else x / 2


@STRICT
def test_the_call_after_a_refused_call(form):
    compiled = form(halves)
    for _ in range(2):
        with pytest.raises(AttributeError, match="tolist"):
            compiled(S, 1)
        assert compiled(S, 2).asnumpy() == 2.5


@LAX
def test_the_call_after_a_call_with_python(form):
    compiled = form(halves)
    for _ in range(2):
        assert compiled(S, 1) == 5.0
        assert compiled(S, 2).asnumpy() == 2.5


class Adder(nn.Cell):
    def __init__(self):
        super().__init__()
        self.total = Parameter(Tensor([0.0]), name="total")

    def construct(self, x):
        self.total += 1
        if x > 0:
            raise ValueError("after the first write")
        self.total += 10
        return self.total * x


@FORMS
def test_parameters_keep_what_was_written_before_the_exception(form):
    cell = Adder()
    compiled = form(cell)
    for written in (1.0, 2.0):
        with pytest.raises(ValueError, match="after the first write"):
            compiled(S)
        assert cell.total.asnumpy().tolist() == [written]
    compiled(Tensor(-1.0))
    assert cell.total.asnumpy().tolist() == [13.0]


def printing_before_it_fails(x):
    print("first", x)
    if x > 0:
        print("second")
        raise ValueError("third")
    return x


@FORMS
def test_prints_come_before_the_exception(form, capsys):
    compiled = form(printing_before_it_fails)
    for _ in range(2):
        with pytest.raises(ValueError, match="third"):
            compiled(S)
        assert capsys.readouterr().out == "first 5.0\nsecond\n"


class Broken:
    def __str__(self):
        raise OSError("no text")


BROKEN = Broken()


def prints_what_has_no_text(x):
    print(BROKEN)
    return x


@FORMS
def test_an_exception_of_a_printed_object(form):
    with pytest.raises(OSError, match="no text"):
        form(prints_what_has_no_text)(S)
    assert the_next_graph_works()


class Stream:
    def write(self, text):
        raise OSError("the stream is closed")

    def flush(self):
        raise OSError("the stream is closed")


def prints_to_a_broken_stream(x):
    print(x, file=STREAM)
    return x


STREAM = Stream()


@LAX
def test_an_exception_of_a_stream(form):
    compiled = form(prints_to_a_broken_stream)
    for _ in range(2):
        with pytest.raises(OSError, match="the stream is closed"):
            compiled(S)
    assert the_next_graph_works()


@FORMS
def test_an_exception_of_a_hook(form):
    cell = nn.ReLU()

    def refuse(cell, inputs):
        raise ValueError("the hook says no")

    handle = cell.register_forward_pre_hook(refuse)
    compiled = form(cell)
    with pytest.raises(ValueError, match="the hook says no"):
        compiled(S)
    handle.remove()
    assert compiled(S).asnumpy() == 5.0


def test_an_error_in_one_thread_does_not_reach_another():
    compiled = dyad.jit(raised_in_an_arm)
    outcomes = {}

    def work(number):
        x = Tensor(5.0 if number % 2 else -5.0)
        found = []
        for _ in range(20):
            try:
                found.append(float(compiled(x)))
            except ValueError as error:
                found.append(str(error))
        outcomes[number] = found

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: ["positive"] * 20 if n % 2 else [-5.0] * 20 for n in range(4)}
    assert the_next_graph_works()


def test_a_refusal_in_one_thread_leaves_the_others_compiling():
    def refused(x):
        return np.sin(x.asnumpy())

    def taken(x):
        return x * 2

    outcomes = {}

    def work(number):
        compiled = dyad.jit(refused if number % 2 else taken, fullgraph=True)
        found = []
        for _ in range(5):
            try:
                found.append(float(compiled(S)))
            except AttributeError as error:
                found.append("asnumpy" in str(error))
        outcomes[number] = found

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: [True] * 5 if n % 2 else [10.0] * 5 for n in range(4)}


def test_threads_share_a_function_that_needs_python():
    @dyad.jit
    def shared(x, n):
        y = x * 2
        k = int(y.asnumpy().sum()) % 3
        if n % 2:
            raise ValueError(f"{n} of {k}")
        return y + k

    outcomes = {}

    def work(number):
        found = []
        for _ in range(10):
            try:
                found.append(float(shared(S, number)))
            except ValueError as error:
                found.append(str(error))
        outcomes[number] = found

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert outcomes == {n: [f"{n} of 1"] * 10 if n % 2 else [11.0] * 10 for n in range(4)}
