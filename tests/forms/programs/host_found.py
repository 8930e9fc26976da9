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


def changed(thing, s):
    thing.n = 5
    return thing


@hosted(X, S)
def object_changed_behind_what_data_might_raise(x, s):
    thing = Thing(4, x)
    if s < 0:
        raise KeyError("negative")
    thing.n += 1
    thing.v = 7
    return thing


@hosted(X, S)
def object_changed_by_a_function_behind_what_data_might_return(x, s):
    thing = Thing(4, x)
    if s < 0:
        return thing
    return changed(thing, s), thing


@hosted(X, S)
def attribute_made_behind_what_data_might_raise(x, s):
    thing = Thing(4, x)
    if s < 0:
        raise KeyError("negative")
    thing.extra = [1, x]
    return thing


@hosted(X, S)
def attribute_deleted_behind_what_data_might_raise(x, s):
    thing = Thing(4, x)
    if s < 0:
        raise KeyError("negative")
    del thing.v
    return thing


@hosted(X, S)
def object_in_a_list_changed_behind_what_data_might_return(x, s):
    things = [Thing(4, x)]
    if s < 0:
        return None
    things[0].n = x + 1
    things[0].v = [5]
    return things[0]


@hosted(X, S)
def object_changed_through_the_exception_that_has_it(x, s):
    thing = Thing(1, x)
    try:
        if s > 0:
            raise ValueError(thing)
        thing.n = 3
    except ValueError as error:
        error.args[0].n = 9
    return thing


@hosted_scene(X, S)
def object_kept_and_returned_where_data_might_return():
    box = Box()

    def program(x, s):
        thing = Thing(2, x)
        box.thing = thing
        if s < 0:
            return None
        return thing

    return Scene(program, watch=lambda: vars(box))


@hosted(X)
def name_rebound_by_a_call_in_the_expression_that_reads_it(x):
    number = 4

    def change(a):
        nonlocal number
        number = number + 1
        return a * 2

    y = change(x + 1) * number + total(x)
    log(total(change(x + 1) * number - 1))
    return y, number


@hosted(X, Tensor(9.0), 1, {"a": 4}, then=[(X, Tensor(0.0), 1, {"a": 4})])
def key_added_by_a_loop_without_turns(x, bound, k, table):
    turns = 0
    while turns < 3 and x.sum() > bound:
        turns += 1
        table["c"] = k
    return x, table
