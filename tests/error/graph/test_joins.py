"""Branches and loops whose paths do not fit together."""

# ruff: noqa: SIM108  (the arms are to stand on lines of their own)

import pytest
from wrong_graph import Refused, strict

import dyad
from dyad import Tensor

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
refused = Refused()
joined_at_lax = Refused()


@joined_at_lax(
    S,
    says="the result is a Tensor of dtype Float32 and shape () on one path and 'negative' of type str on the other",
    error=TypeError,
)
def tensor_or_text(x):
    if x > 0:  # here
        return x
    return "negative"


@joined_at_lax(
    S,
    says="y is a Tensor of dtype Float32 and shape () on one path and 1 of type int on the other; they differ in type",
    error=TypeError,
)
def tensor_or_number(x):
    y = 1
    if x > 0:  # here
        y = x
    return y


@joined_at_lax(
    S,
    says="y is 1 of type int on one path and 2.5 of type float on the other; they differ in type",
    error=TypeError,
)
def int_or_float(x):
    if x > 0:  # here
        y = 1
    else:
        y = 2.5
    return y


@joined_at_lax(
    S,
    says="a Tensor of dtype Int32 and shape () on the other; their dtypes differ",
    error=TypeError,
)
def two_dtypes(x):
    if x > 0:  # here
        y = x.astype(dyad.float16)
    else:
        y = x.astype(dyad.int32)
    return y


@joined_at_lax(
    S,
    says="'negative' of type str on the other; which str it is cannot be held by a graph",
    error=TypeError,
)
def two_texts(x):
    return "positive" if x > 0 else "negative"  # here


@joined_at_lax(
    S,
    says="the result is a tuple of length 2 on one path and a list of length 2 on the other; they differ in type",
    error=TypeError,
)
def tuple_or_list(x):
    if x > 0:  # here
        return (x, x)
    return [x, x]


@joined_at_lax(
    S,
    says="the result is a tuple of length 2 on one path and a tuple of length 1 on the other; they differ in length",
    error=TypeError,
)
def two_lengths(x):
    if x > 0:  # here
        return (x, x)
    return (x,)


@joined_at_lax(
    S,
    says="a dict with the keys ['b'] on the other; they differ in their keys",
    error=TypeError,
)
def dicts_with_different_keys(x):
    if x > 0:  # here
        return {"a": x}
    return {"b": x}


@joined_at_lax(
    S,
    says="nothing_or_a_tensor returns a value on one path and ends without return on another",
    error=TypeError,
)
def nothing_or_a_tensor(x):
    if x > 0:  # here
        return x


@joined_at_lax(
    S,
    says="the result is 1 of type int on one path and a Tensor of dtype Float32 and shape () on the other",
    error=TypeError,
)
def and_of_a_tensor_and_a_number(x):
    return x and 1  # here


@joined_at_lax(
    N,
    says="a Tensor of dtype Float32 and shape () after it; their dtypes differ",
    error=TypeError,
)
def loop_variable_that_changes_its_dtype(n):
    y = n
    while n > 0:  # here
        y = y * 1.5
        n = n - 1
    return y


@joined_at_lax(
    N,
    says="total is 0 of type int before a turn of the loop and a Tensor of dtype Int64 and shape () after it",
    error=TypeError,
)
def loop_variable_that_becomes_a_tensor(n):
    total = 0
    while n > 0:  # here
        total = total + n
        n = n - 1
    return total


@refused(N, says="while: a list changes its length")
def list_that_grows_in_a_tensor_loop(n):
    found = []
    i = 0
    while i < n:  # here
        found.append(i)
        i += 1
    return found


@refused(N, says="while: a set changes its length from 1 to 0")
def set_that_changes_in_a_tensor_loop(n):
    found = {1}
    i = 0
    while i < n:  # here
        found.discard(1)
        i += 1
    return found


@refused(N, says="while: a list changes its length")
def list_that_shrinks_in_a_tensor_loop(n):
    items = [1, 2, 3, 4]
    while n > 0:  # here
        items.pop()
        n = n - 1
    return items


@joined_at_lax(
    N,
    says="t is '' of type str before a turn of the loop and 'a' of type str after it; which str it is cannot be held",
    error=TypeError,
)
def text_that_grows_in_a_tensor_loop(n):
    t = ""
    while n > 0:  # here
        t = t + "a"
        n = n - 1
    return t


@refused(N, says="more than 16 different kinds of value")
def rank_that_grows_in_a_tensor_loop(n):
    y = n
    while n > 0:  # here
        y = y[None]
        n = n - 1
    return y


@refused.at_strict
def test_refused_by_strict(program, form):
    program.check(form)


@refused.at_lax
def test_runs_at_lax(program, form):
    program.check_runs(form)


@joined_at_lax.at_strict
def test_joins_refused_by_strict(program, form):
    program.check(form)


@joined_at_lax.at_lax
def test_joins_at_lax(program, form):
    program.check_runs(form)


@joined_at_lax.in_forms(strict)
def test_both_arms_are_shown(program, form):
    """The refusal shows the condition and the lines where the two paths end."""
    with pytest.raises(TypeError, match="Cannot join the return values of different branches") as caught:
        form(program.function)(*program.arguments)
    text = str(caught.value)
    assert text.count("  File ") == (3 if "one path ends at" in text else 1), text


def test_the_lines_of_both_arms():
    with pytest.raises(TypeError) as caught:
        strict(int_or_float)(S)
    lines = [line.strip() for line in str(caught.value).split("\n")]
    shown = [lines[i + 1 :][:2] for i, line in enumerate(lines) if line.startswith("File ")]
    assert [text for text, _ in shown] == ["if x > 0:  # here", "y = 1", "y = 2.5"]
    assert [mark for _, mark in shown] == ["^^^^^", "^^^^^", "^^^^^^^"]
