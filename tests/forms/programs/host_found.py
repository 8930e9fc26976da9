"""Programs in which generated programs with host code once differed, each made small."""

from contextlib import contextmanager

import numpy as np
from hosting import LOG, hosted, hosted_scene, log, total
from program import Scene

from dyad import Tensor

X = Tensor([1.0, -2.0, 3.0])
S = Tensor(2.0)


class Box:
    def __init__(self):
        self.v = Tensor([1.0, 2.0, 3.0])


class Thing:
    def __init__(self, n, v):
        self.n, self.v = n, v * 2


class Parts:
    def __init__(self, v):
        self.first, *self.others = v * 2


@contextmanager
def lent(v, number):
    log("lent", number)
    try:
        yield v
    finally:
        log("given back", number)


def rows_of(v):
    yield v
    yield v * 2


@hosted_scene(X)
def callee_that_returns_a_host_expression():
    box = Box()

    def program(x):
        number = 3
        total(box.v + x)
        return number

    return program


@hosted_scene(X, then=[(Tensor([5, 5, 5]),)])
def parts_that_come_and_go_as_statements_are_cut():
    box = Box()

    def program(x):
        taken, numbers = [box, 1]
        del numbers
        taken = int(np.argmax(x.asnumpy()))
        y = x * 2
        for row in rows_of(y):
            y = row + taken
            numbers = total(y)
            y = y * numbers - 1
            if numbers > 4:
                held = y + 1
            else:
                LOG.append(numbers)
        y = y + x * taken
        try:
            y = held * 2 + y
        except NameError as error:
            LOG.append(str(error))
        return y, numbers

    return program


@hosted(X, S)
def object_made_on_a_path_of_data(x, s):
    if s > 0:
        thing = Thing(1, x)
    else:
        thing = Thing(2, x + 1)
    return thing


@hosted(X, S)
def object_bound_on_a_path_of_data(x, s):
    if s > 0:
        thing = Thing(1, x)
    return thing


@hosted(X, S)
def object_returned_where_data_might_raise(x, s):
    thing = Thing(1, x)
    if s < 0:
        raise KeyError("negative")
    return thing


@hosted(X, S)
def object_of_parts_returned_where_data_might_raise(x, s):
    thing = Parts(x)
    if s < 0:
        raise KeyError("negative")
    return thing


@hosted(X)
def manager_over_a_constant_behind_a_host_statement(x):
    number = total(x)
    with lent(Tensor(-2.0), 5) as v:
        y = v * x
    return y + number


@hosted_scene(X)
def manager_over_a_constant_behind_a_kept_function():
    box = Box()

    def program(x):
        def inner():
            pass

        box.kept = inner
        with lent(Tensor(-2.0), 5) as v:
            pass
        return v

    return Scene(program, watch=lambda: callable(vars(box).get("kept")))
