"""Values that are known only when the graph runs, given to code that needs them while compiling: LAX runs it later."""

import datetime
import itertools
import json
import math
import operator
import os
import pathlib
import pickle
import random
import time
import uuid

import numpy as np
from wrong_graph import Refused

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
refused = Refused()
COUNTER = itertools.count(1)
ITERATOR = iter([1, 2, 3])


def begin_again():
    """The random numbers and iterators of a new process."""
    global COUNTER, ITERATOR
    COUNTER, ITERATOR = itertools.count(1), iter([1, 2, 3])
    random.seed(3)
    np.random.seed(3)


@refused(
    X,
    says="asnumpy: the data of a Tensor is needed in Python, but is known only when the graph runs",
    marked="x.asnumpy",
    strict=AttributeError,
)
def asnumpy_of_an_argument(x):
    return Tensor(np.sin(x.asnumpy()))  # here


@refused(
    X,
    says="tolist: the data of a Tensor is needed in Python, but is known only when the graph runs",
    marked="(x * 2).tolist",
    strict=AttributeError,
)
def tolist_of_a_result(x):
    return (x * 2).tolist()  # here


@refused(
    X,
    says="numpy: the data of a Tensor is needed in Python, but is known only when the graph runs",
    strict=AttributeError,
)
def numpy_of_a_tensor(x):
    return x.numpy()  # here


@refused(
    X,
    says="data_ptr: the data of a Tensor is needed in Python, but is known only when the graph runs",
    strict=AttributeError,
    told=type,
)
def address_of_a_tensor(x):
    return x.data_ptr()  # here


@refused(
    X,
    says="asnumpy: the data of a Tensor is needed in Python, but is known only when the graph runs",
    strict=AttributeError,
)
def asnumpy_inside_a_callee(x):
    def largest(v):
        return float(v.asnumpy().max())  # here

    return x * largest(x)


@refused(
    X,
    says="numpy.add: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def numpy_function_on_a_tensor(x):
    return np.add(x, 1)  # here


@refused(
    X,
    says="numpy.array: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def numpy_array_of_a_tensor(x):
    return np.array(x)  # here


@refused(
    X,
    np.ones(2, np.float32),
    says="asnumpy: the value of a Tensor is known only when the graph runs",
    strict=ValueError,
)
def tensor_plus_numpy_array(x, a):
    return a + x  # here


@refused(
    S,
    says="math.sqrt: it is called with a value that is known only when the graph runs",
    strict=ValueError,
    marked="math.sqrt(x.item())",
)
def library_call_on_a_number(x):
    return math.sqrt(x.item())  # here


@refused(
    S,
    says="json.dumps: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def library_call_on_a_container(x):
    return json.dumps({"value": x.item()})  # here


@refused(
    X,
    says="_pickle.dumps: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def tensor_pickled(x):
    return pickle.dumps(x)  # here


@refused(
    N,
    says="itertools.repeat: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def itertools_on_a_run_time_number(n):
    return list(itertools.repeat(1, int(n)))  # here


@refused(
    N,
    says="_operator.index: it is called with a value that is known only when the graph runs",
    strict=ValueError,
)
def operator_module_on_a_run_time_number(n):
    return operator.index(int(n))  # here


@refused(
    X,
    says="Random.random: each call may give another value, so it cannot be done once while compiling",
    marked="random.random()",
    before=begin_again,
)
def random_number(x):
    return x * random.random()  # here


@refused(
    X,
    says="time.time: each call may give another value, so it cannot be done once while compiling",
    marked="time.time()",
    told=type,
)
def clock_read(x):
    return x * time.time()  # here


@refused(X, says="uuid.uuid4: each call may give another value, so it cannot be done once while compiling")
def identifier_made(x):
    return x * len(str(uuid.uuid4()))  # here


@refused(
    X,
    says="numpy.random.RandomState.rand: each call may give another value, so it cannot be done once while compiling",
    before=begin_again,
)
def numpy_random_numbers(x):
    return x * float(np.random.rand())  # here


@refused(
    X,
    says="numpy.random.default_rng: each call may give another value, so it cannot be done once while compiling",
)
def numpy_generator_made(x):
    return x * np.random.default_rng(1).random()  # here


@refused(X, says="datetime.now: each call may give another value")
def date_read(x):
    return x * datetime.datetime.now().year  # here


@refused(X, says="getpid: each call may give another value")
def process_asked(x):
    return x * os.getpid()  # here


@refused(X, says="_Environ: what this object from outside of the graph holds may change from call to call")
def environment_listed(x):
    return x * len(os.environ)  # here


@refused(X, says="read_text: each call may give another value")
def file_read(x):
    return x * len(pathlib.Path("somewhere").read_text())  # here


@refused(
    X,
    says="iter: a count from outside of the graph gives other elements at each call",
    marked="next(COUNTER)",
    before=begin_again,
)
def iterator_from_outside_advanced(x):
    return x * next(COUNTER)  # here


@refused(
    X,
    says="iter: a list_iterator from outside of the graph gives other elements at each call",
    before=begin_again,
)
def iterator_from_outside_consumed(x):
    for k in ITERATOR:  # here
        x = x * k
    return x


@refused(N, says="list.insert: the place is known only when the graph runs")
def insertion_at_a_run_time_place(n):
    items = [1, 2, 3, 4]
    items.insert(int(n), 9)  # here
    return items


@refused(N, says="list.pop: the place is known only when the graph runs")
def removal_at_a_run_time_place(n):
    items = [1, 2, 3, 4]
    items.pop(int(n))  # here
    return items


@refused(N, says="slice: the bounds of a slice of a list are known only when the graph runs")
def list_sliced_by_a_run_time_bound(n):
    return [1, 2, 3, 4][: int(n)]  # here


@refused(N, says="list: how often it is repeated is known only when the graph runs", marked="[1, 2] * int(n)")
def list_repeated_a_run_time_number_of_times(n):
    return [1, 2] * int(n)  # here


@refused(N, says="range: its length is known only when the graph runs")
def list_of_a_run_time_range(n):
    return list(range(int(n)))  # here


@refused(S, says="sorted: the order depends on values that are known only when the graph runs")
def sorted_by_run_time_values(x):
    return sorted([x.item(), 1.0])  # here


@refused(S, says="sorted: the order depends on values that are known only when the graph runs")
def list_sorted_in_place_by_run_time_values(x):
    values = [x.item(), 1.0]
    values.sort()  # here
    return values


@refused(S, says="list.remove: whether a member is equal is known only when the graph runs")
def removal_of_a_run_time_value(x):
    return [1.0, 5.0].remove(x.item())  # here


@refused(S, says="hex: it needs the value of a number that is known only when the graph runs")
def method_of_a_run_time_number(x):
    return x.item().hex()  # here


@refused(S, says="comparison: a text that is known only when the graph runs is compared")
def condition_on_a_run_time_text(x):
    if f"{x.item()}" == "5.0":  # here
        return x
    return -x


@refused(S, says="getattr: the name of the attribute is known only when the graph runs")
def attribute_by_a_run_time_name(x):
    return getattr(ops, f"re{x.item()}")(x)  # here


@refused(N, says="Tensor: it is given a text that is known only when the graph runs", strict=ValueError)
def tensor_of_a_run_time_text(n):
    return Tensor(f"{int(n)}")  # here


@refused.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@refused.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)
