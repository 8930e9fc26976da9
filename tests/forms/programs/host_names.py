"""Names across host statements: unbound, deleted, rebound, global, imported, with other types at every call."""

import importlib
import sys

import numpy as np
from hosting import LOG, hosted, hosted_scene, passed, total
from program import Raises, Scene

from dyad import Tensor

X = Tensor([1.0, 2.0])
NUMBER = 2.0
ITEMS = []


@hosted(X)
def deleted_and_bound_again(x):
    y = x * 2
    k = total(y)
    del y
    try:
        y
    except UnboundLocalError as error:
        LOG.append(str(error))
    y = x * k
    return y


@hosted(X)
def rebound_to_other_types(x):
    y = x
    y = total(y)
    y = [y, x]
    y = y[1] * y[0]
    y = y.asnumpy()
    y = Tensor(y * 2) + x
    return y


@hosted(X, expect=Raises(UnboundLocalError))
def read_before_it_is_bound(x):
    LOG.append(total(x))
    y = x * later
    later = total(y)
    return y


@hosted(X, expect=Raises(NameError, "no_such_name"))
def name_that_nobody_binds(x):
    y = x * total(x)
    LOG.append("before")
    return y + no_such_name


@hosted(X)
def names_swap_across_a_cut(x):
    a, b = x, x * 2
    k = total(a)
    a, b = b, a
    m = total(a)
    a, b, k, m = k, m, a, b
    return a, b, k, m, m is x


@hosted(X)
def argument_is_deleted(x):
    y = x * 1
    k = total(x)
    del x
    return y * k


@hosted_scene(X)
def global_bound_by_host_code():
    globals().pop("MADE", None)

    def f(x):
        known = "MADE" in globals()
        globals()["MADE"] = total(x)
        return x * MADE, known

    return Scene(f, lambda: globals().pop("MADE"))


@hosted_scene(X)
def global_deleted():
    globals()["PASSING"] = 3.0

    def f(x):
        global PASSING
        y = x * PASSING
        del PASSING
        k = total(y)
        PASSING = k
        return y + PASSING

    return Scene(f, watch=lambda: globals().get("PASSING"))


@hosted_scene(X)
def global_changed_by_a_callee_between():
    global NUMBER
    NUMBER = 2.0

    def bump(x):
        global NUMBER
        NUMBER = NUMBER + float(x.asnumpy()[0])

    def f(x):
        a = x * NUMBER
        bump(x)
        b = x * NUMBER
        bump(x)
        return a + b * NUMBER

    return Scene(f, watch=lambda: NUMBER)


@hosted_scene(X)
def global_list_replaced_between():
    global ITEMS
    ITEMS = [1.0]

    def f(x):
        global ITEMS
        old = ITEMS
        ITEMS = [*ITEMS, total(x)]
        old.append("old")
        return x * len(ITEMS), old is ITEMS

    return Scene(f, watch=lambda: ITEMS)


@hosted(X)
def imports_inside(x):
    import math
    import os.path as path
    from collections import OrderedDict as Ordered

    y = x * math.floor(total(x) + 0.5)
    import json
    import string

    return y, path.join("a", "b"), Ordered(a=1), json.dumps([total(x)]), string.digits[:2]


@hosted(X)
def import_that_fails(x):
    y = x
    try:
        y = x * total(x)
        import no_such_module

        y = y * 2
    except ImportError as error:
        return y, error.name
    return y


@hosted(X)
def import_in_an_arm(x):
    if x.sum() > 0:
        import math as m
    else:
        import cmath as m
    return x * abs(m.sqrt(4)), m.__name__


@hosted(X)
def star_names_and_dunder_names(x):
    __private = total(x)
    _ = x * __private
    _, __, *_ = passed([1, 2, _, 4], "star")
    return _, __, __name__.rsplit(".", 1)[-1]


@hosted(X)
def annotated_names(x):
    k: float = total(x)
    later: "no_such_type"
    items: list[float] = [k]
    try:
        later
    except UnboundLocalError as error:
        LOG.append(type(error).__name__)
    later = x * k
    return later, items


@hosted_scene(X)
def type_of_a_name_changes_at_every_call():
    values = iter([2.0, 3, X, [1.0, 2.0], np.float32(4), True, None, "a"])

    def f(x):
        k = next(values)
        y = x * 2
        try:
            return y * k, type(k).__name__
        except TypeError as error:
            return y, type(error).__name__

    return f


@hosted_scene(X)
def many_types_behind_one_cut():
    calls = []

    def f(x):
        calls.append(1)
        n = len(calls)
        k = passed([n, float(n), str(n), (n,), [n], {n: n}, None, x][n % 8], n)
        if isinstance(k, (int, float)):
            return x * k
        if isinstance(k, str):
            return k + "!"
        return k, x + n

    return f


@hosted(X)
def many_live_names(x):
    a, b, c, d = 1, "two", [3.0], {"four": x}
    e = f = (a, b)
    g = total(x)
    c.append(g)
    d["five"] = c
    h = total(x * 2)
    return a, b, c, d, e is f, g, h, x * g, d["five"] is c


@hosted(X)
def keywords_as_names_of_arguments(x):
    def f(self, cls, args, kwargs=None):
        return self * cls + total(args), kwargs

    return f(x, 2, args=x, kwargs=total(x))


@hosted(X)
def frame_and_code_of_the_program(x):
    here = sys._getframe()
    k = total(x)
    return x * k, here.f_code.co_name, "x" in here.f_code.co_varnames


@hosted(X)
def module_reloaded_by_name(x):
    module = importlib.import_module("json.decoder")
    return x * total(x), module.__name__, sys.modules["json.decoder"] is module


@hosted(X)
def a_local_of_the_name_of_a_global_is_unbound(x):
    k = total(x)
    try:
        if k > 0:
            x = x + NUMBER
    except UnboundLocalError as error:
        LOG.append(str(error))
    NUMBER = 4.0
    return x * NUMBER


@hosted(X, expect=Raises(UnboundLocalError))
def a_local_that_is_bound_at_the_end_is_unbound_before(x):
    k = total(x)
    if k > 0:
        y = NUMBER
    NUMBER = 4.0
    return x
