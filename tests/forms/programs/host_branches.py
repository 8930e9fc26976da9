"""Branches on host values and on Tensors with host statements in their arms, and `match`."""

import dataclasses

import numpy as np
from hosting import LOG, hosted, log, passed, total

from dyad import Tensor, ops

X = Tensor([1.0, 2.0])
S = Tensor(3.0)
ALSO = [(Tensor([9.0, 2.0]),), (Tensor([0.0, 0.0]),), (Tensor([60, 1]),)]


@hosted(X, then=ALSO)
def host_statement_in_one_arm(x):
    y = x * 2
    if x.sum() > 5:
        k = total(y)
        y = y + k
    else:
        y = y - 1
    return y * 2


@hosted(X, then=ALSO)
def host_statements_in_both_arms(x):
    if x.sum() > 2:
        LOG.append("big")
        a = x.asnumpy() * 2
        LOG.append(float(a[0]))
    else:
        LOG.append("small")
        a = np.zeros(3)
    return Tensor(a) + 1, a.shape


@hosted(X, then=ALSO)
def arms_that_give_different_types(x):
    if x.sum() > 5:
        y = total(x)
    elif x.sum() > 2:
        y = x.asnumpy().tolist()
    elif x.sum() == 0:
        y = None
    else:
        y = x * 2
    return y, type(y).__name__, y is None


@hosted(X, then=ALSO)
def return_out_of_an_arm_with_a_host_statement(x):
    if x.sum() > 2:
        k = total(x)
        if k > 10:
            return "large", k
        x = x * k
    LOG.append("behind")
    return x


@hosted(X, then=ALSO)
def name_bound_in_one_arm_only(x):
    if x.sum() > 2:
        k = total(x)
    y = x * 2
    try:
        return y + k
    except UnboundLocalError as error:
        return y, str(error)


@hosted(X, then=ALSO)
def name_bound_in_one_arm_and_not_caught(x):
    LOG.append("start")
    if total(x) > 2:
        k = x * 2
    LOG.append("behind")
    return k


@hosted(X, then=ALSO)
def name_deleted_in_one_arm(x):
    k = total(x)
    if x.sum() > 2:
        del k
    try:
        y = x * k
    except NameError as error:
        return type(error).__name__, x
    return y


@hosted(X, then=ALSO)
def nested_branches_with_host_conditions(x):
    a = x.asnumpy()
    if a[0] > 0:
        if x.sum() > 5:
            y = x * float(a.max())
            if a.max() > 50:
                y = y - total(y)
        else:
            y = x + 1
    else:
        y = x * 0 if not a.any() else ops.abs(x)
    return y


@hosted(X, then=ALSO)
def conditions_are_asked_once(x):
    def asked(name, value):
        LOG.append(name)
        return value

    if asked("first", x.sum() > 100):
        x = x * 2
    elif asked("second", total(x) > 5):
        x = x * 3
    elif asked("third", x[0] > 0):
        x = x * 5
    elif asked("fourth", None):
        x = x * 7
    return x


class Asked:
    def __init__(self, value):
        self.value = value

    def __bool__(self):
        LOG.append("asked")
        return bool(self.value.asnumpy().sum() > 2)


@hosted(X, then=ALSO)
def object_decides(x):
    y = x if Asked(x) else x * 2
    if Asked(y) and not Asked(-y):
        y = y + 1
    return y


@hosted(X, then=ALSO)
def container_decides(x):
    found = [v for v in x.asnumpy().tolist() if v > 1.5]
    if found:
        x = x * found[0]
    if not {k: 1 for k in found}:
        x = x - 1
    return x, len(found)


@hosted(X, then=ALSO)
def assertion_on_host_values(x):
    y = x * 2
    LOG.append("before")
    assert total(y) < 15, f"too large: {total(y)}"
    LOG.append("behind")
    return y


@hosted(X, then=ALSO)
def assertion_with_a_message_made_only_when_needed(x):
    def message():
        LOG.append("made")
        return x * 2

    try:
        assert total(x) > 2, message()
    except AssertionError as error:
        return error.args
    return x


@hosted(X, then=ALSO)
def match_on_host_values(x):
    match x.asnumpy().tolist():
        case [a, b] if a > b:
            y = x * a
        case [0.0, 0.0] | [0, 0]:
            y = "zeros"
        case [a, *rest]:
            y = x + a, rest
    return y, a if y != "zeros" else None


@hosted(X, then=ALSO)
def match_with_guards_in_order(x):
    def guard(name, value):
        LOG.append(name)
        return value

    match total(x):
        case k if guard("one", k > 50):
            x = x * k
        case k if guard("two", k > 5):
            x = x + k
        case 0.0:
            x = x - 1
        case k:
            x = -x
    return x, k


@dataclasses.dataclass
class Point:
    a: float
    b: object = None


@hosted(X, then=ALSO)
def match_on_objects(x):
    def told(value):
        match value:
            case Point(a=0.0):
                return "origin"
            case Point(a, b=Point()) if a > 2:
                return "inner", a
            case {"k": [first, *_], **rest}:
                return first, rest
            case None | bool():
                return "nothing"
            case str() as text:
                return text.upper()
            case _:
                return total(x)

    k = total(x)
    values = [Point(k), Point(k, Point(1)), {"k": [k, 1], "z": 2}, None, "a", 5, True]
    return [told(value) for value in values], x * 2


@hosted(X, then=ALSO)
def match_with_returns_and_host_arms(x):
    match int(x.asnumpy()[0]):
        case 1:
            return x * total(x)
        case 9 | 60 as k:
            log(k)
            if x.sum() > 20:
                return "return"
        case _:
            LOG.append("default")
    return x


@hosted(X, then=ALSO)
def arm_changes_an_object_of_the_outside(x):
    held = {"list": [1.0]}
    if x.sum() > 2:
        held["list"].append(total(x))
        held["k"] = x
    n = len(held["list"])
    if n > 1:
        held["list"][0] = x * n
    return held


@hosted(S, then=[(Tensor(-1.0),), (Tensor(7),)])
def conditional_expressions_with_host_arms(x):
    y = total(x) if x > 0 else x.asnumpy().tolist() if x < -2 else None
    z = (x * 2 if total(x) > 5 else "small") if y else passed("falsy", "z")
    return y, z


@hosted(X, then=ALSO)
def alternatives_choose_functions(x):
    f = (lambda v: v * total(v)) if total(x) > 5 else ops.neg if x.sum() > 0 else str
    y = f(x.sum() if f is not str else total(x))
    return y, f is ops.neg


@hosted(X, then=[(Tensor([9.0, 2.0]),), (Tensor([0.0, 0.0]),)])
def a_view_of_a_size_that_only_its_arm_knows(x):
    n = int(x.sum())
    y = x[: n - 2] if n > 2 else None
    k = total(x)
    return x * k if y is None else y + k
