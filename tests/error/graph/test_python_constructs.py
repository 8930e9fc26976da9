"""Statements and expressions of Python that a static graph has no place for: LAX leaves them to Python."""

import dataclasses
import enum
import io
import sys

import pytest
from wrong_graph import Refused

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
refused = Refused()


class Meta(type):
    pass


@pytest.fixture(autouse=True)
def answers(monkeypatch):
    """A user at the terminal, and a debugger that only says that it was called."""
    monkeypatch.setattr(sys, "stdin", io.StringIO("3\n" * 9))
    monkeypatch.setattr(sys, "breakpointhook", lambda: print("breakpoint"))


@refused(X, says="Unsupported expression 'Yield': rows is a generator function", marked="rows(x)")
def generator_called(x):
    def rows(v):
        for k in range(3):
            yield v * k

    return sum(rows(x))  # here


def rows_outside(v):
    yield v
    yield v + 1


@refused(
    X, says="Unsupported expression 'Yield': rows_outside is a generator function", marked="rows_outside(x)"
)
def generator_from_outside(x):
    return sum(rows_outside(x))  # here


@refused(X, says="Unsupported expression 'Yield': rows is a generator function", marked="rows(x)")
def generator_that_delegates(x):
    def rows(v):
        yield from [v, v]

    return sum(rows(x))  # here


@refused(X, says="Unsupported statement 'AsyncFunctionDef'")
def async_function_inside(x):
    async def later(v):  # here
        return v

    return x


async def waits(v):
    return v


@refused(X, says="Unsupported expression 'Await': waits is a coroutine function", marked="waits(x)")
def coroutine_called(x):
    later = waits(x)  # here
    later.close()
    return x


@refused(X, says="Unsupported statement 'ClassDef'")
def class_inside(x):
    class Pair:  # here
        pass

    return x


@refused(X, says="Unsupported statement 'ClassDef'")
def class_with_a_metaclass(x):
    class Pair(metaclass=Meta):  # here
        pass

    return x


@refused(X, says="Unsupported statement 'ClassDef'")
def dataclass_inside(x):
    @dataclasses.dataclass
    class Point:  # here
        a: int

    return x


@refused(X, says="Unsupported statement 'ClassDef'")
def enumeration_inside(x):
    class Colour(enum.Enum):  # here
        RED = 1

    return x


@refused(S, says="set: a member is known only when the graph runs", marked="{int(x), 2}")
def set_of_tensors(x):
    return {int(x), 2}  # here


@refused(S, says="set: a member is known only when the graph runs", marked="int(x) + k")
def set_comprehension_of_run_time_numbers(x):
    return {int(x) + k for k in range(3)}  # here


@refused(X, says="exec: it needs the Python interpreter when the graph runs", marked='exec("y = 1")')
def exec_of_text(x):
    exec("y = 1")  # here
    return x


@refused(X, says="eval: it needs the Python interpreter when the graph runs", marked='eval("x + 1")')
def eval_of_a_run_time_name(x):
    return eval("x + 1")  # here


@refused(X, says="compile: it needs the Python interpreter when the graph runs")
def compile_of_text(x):
    compile("1", "<text>", "eval")  # here
    return x


@refused(X, says="open: it needs the Python interpreter when the graph runs", marked='open("somewhere")')
def open_of_a_file(x):
    with open("somewhere") as file:  # here
        return x * len(file.read())


@refused(X, says="input: it needs the Python interpreter when the graph runs", marked="input()")
def input_from_the_user(x):
    return x * int(input())  # here


@refused(X, says="breakpoint: it needs the Python interpreter when the graph runs", marked="breakpoint()")
def breakpoint_inside(x):
    breakpoint()  # here
    return x


@refused(X, says="hash: it is called with a value that is known only when the graph runs", strict=ValueError)
def hash_of_a_tensor(x):
    return hash(x.sum().item())  # here


@refused(
    X, says="id: the identity of an object as a number changes from call to call", marked="id(x)", told=type
)
def id_of_a_tensor(x):
    return id(x)  # here


@refused(N, says="chr: it is called with a value that is known only when the graph runs", strict=ValueError)
def character_of_a_run_time_number(n):
    return chr(int(n))  # here


@refused(N, says="dict: a key is known only when the graph runs")
def dict_read_at_a_run_time_key(n):
    return {1: "one", 3: "three"}[int(n)]  # here


@refused(N, says="dict: a key is known only when the graph runs")
def dict_written_at_a_run_time_key(n):
    table = {}
    table[int(n)] = 1  # here
    return table


@refused(N, says="dict: a key is known only when the graph runs")
def dict_comprehension_with_run_time_keys(n):
    return {int(n) + k: k for k in range(2)}  # here


@refused.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@refused.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)
