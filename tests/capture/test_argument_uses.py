"""Uses of a function's parameters, derived from its instructions; "anything" in doubt."""

import pytest

from dyad._src.capture.argument_uses import argument_uses


def use_of(function, name="p"):
    """Use of the function's parameter, as a word with its details; None if it is unknown."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    use = argument_uses(function, tuple(names), {}).get((names.index(name),))
    if use is None or use.otherwise:
        return None
    told = {"items": use.items, "attributes": use.attributes, "called": use.called}
    return {word: what for word, what in told.items() if what}


def rebound(x, p):
    p = x  # noqa: F841
    return x


def both(x, p):
    return p["a"] + p["b"] * x


def item_and_length(x, p):
    return p["a"] * len(p)


def in_a_comprehension(x, p):
    return [p for _ in x]


def in_a_closure(x, p):
    return lambda: p


def by_locals(x, p):
    return locals()


def generator(x, p):
    yield x


def called_with_itself(x, p):
    return p(p)


def by_default(x, p):
    return (lambda f=p: f)(x)


def in_a_tuple(x, p):
    return (p, x)[0](x)


def called_twice(x, p):
    return p(p(x, k=2), x.sum(1), [1, x[0]])


def method_called(x, p):
    return p.method(x)


def compared(x, p):
    return x if p is None else x + 1


def written(x, p):
    p.name = x


def item_written(x, p):
    p["a"] = x


def last_item(x, p):
    return p[-1]


def sliced(x, p):
    return p[1:]


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, p: x, {}),
        (rebound, {}),
        (compared, {}),
        (lambda x, p: p["a"] * x, {"items": {"a"}}),
        (lambda x, p: p[1] * x, {"items": {1}}),
        (both, {"items": {"a", "b"}}),
        (last_item, {"items": {-1}}),
        (lambda x, p: p.a * p.b, {"attributes": {"a", "b"}}),
        (lambda x, p: p.a.b, {"attributes": {"a"}}),
        (lambda x, p: p(x), {"called": True}),
        (called_twice, {"called": True}),
    ],
)
def test_what_is_known(function, expected):
    assert use_of(function) == expected


@pytest.mark.parametrize(
    "function",
    [
        *(lambda x, p: p, lambda x, p: x * p, lambda x, p: p[x], lambda x, p: (p, 1), lambda x, p: len(p)),
        *(
            lambda x, p: [*p],
            lambda x, p: p is x,
            lambda x, p: p == 1,
            lambda x, p: x(*p),
            lambda x, p: f"{p}",
        ),
        *(
            item_and_length,
            in_a_comprehension,
            in_a_closure,
            by_locals,
            generator,
            called_with_itself,
            by_default,
        ),
        *(in_a_tuple, method_called, written, item_written, sliced),
    ],
)
def test_what_may_be_anything(function):
    assert use_of(function) is None


def test_the_receiver_of_super():
    class Derived(dict):
        def method(self, x):
            return super().get(x)

    assert use_of(Derived.method, "self") is None


def test_places_of_a_call():
    def function(a, b, /, c, *rest, d, **more):
        return a, rest, more

    found = argument_uses(function, (1, 2, 3, 4), {"d": 5, "e": 6})
    assert set(found) == {(0,), (1,), (2,), ("d",)}
    assert not found[0,].is_nothing and found[1,].is_nothing
    assert ("c",) in argument_uses(function, (1, 2), {"c": 3, "d": 4})
    assert ("b",) not in argument_uses(function, (1,), {"b": 3, "d": 4})
