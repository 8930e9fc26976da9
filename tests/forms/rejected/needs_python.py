"""Programs that need the Python interpreter while the graph runs."""

import json
import math

import numpy as np
from rejection import rejected

from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)


@rejected(X, words="asnumpy")
def numpy_of_a_tensor(x):
    s = np.sin(x.asnumpy())  # here
    return x + Tensor(s)


@rejected(X, words="asnumpy")
def numpy_of_a_tensor_inside_a_callee(x):
    def largest(v):
        return v.asnumpy().max()  # here

    return x * float(largest(x * 2))


@rejected(X, words="tolist")
def list_of_a_tensor(x):
    return x.tolist()  # here


@rejected(X, words="numpy")
def numpy_function_on_a_tensor(x):
    return np.add(x, 1)  # here


@rejected(S, words="sqrt")
def library_call_on_a_run_time_number(x):
    return math.sqrt(x.item())  # here


@rejected(S, words="dumps")
def library_call_on_a_container(x):
    return json.dumps({"value": x.item()})  # here


@rejected(N, words="dict")
def dict_by_a_run_time_key(n):
    table = {1: "one", 3: "three"}
    return table[int(n)]  # here


@rejected(N, words="dict")
def dict_written_at_a_run_time_key(n):
    table = {}
    table[int(n)] = 1  # here
    return table


@rejected(N, words="set")
def set_of_run_time_numbers(n):
    return {int(n), 2}  # here


@rejected(N, words="chr")
def character_of_a_run_time_number(n):
    return chr(int(n))  # here


@rejected(N, words="insert")
def insertion_at_a_run_time_place(n):
    items = [1, 2, 3, 4]
    items.insert(int(n), 9)  # here
    return items


@rejected(N, words="pop")
def removal_at_a_run_time_place(n):
    items = [1, 2, 3, 4]
    items.pop(int(n))  # here
    return items


@rejected(X, words="Yield")
def own_generator(x):
    def rows(v):
        for k in range(3):
            yield v * k

    total = x
    for row in rows(x):  # here
        total = total + row
    return total


@rejected(S, words="sorted")
def numbers_sorted_by_run_time_values(x):
    return sorted([x.item(), 1.0])  # here


@rejected(X, words="class")
def class_defined_inside(x):
    class Pair:  # here
        def __init__(self, a):
            self.a = a

        def double(self):
            return self.a * 2

    return Pair(3).double() * x


@rejected(N, words="list")
def list_that_grows_in_a_tensor_loop(n):
    found = []
    i = 0
    while i < n:  # here
        found.append(i)
        i += 1
    return found


@rejected(S, words="two names hold one container on one path and two on another")
def two_names_of_one_list_or_of_two(x):
    if x > 0:  # here
        first = [x]
        second = first
    else:
        first, second = [x], [x]
    return first, second
