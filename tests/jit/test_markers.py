"""Marks on functions and classes."""

import re

import pytest

import dyad
from dyad import Tensor, _core, constexpr, jit, jit_class, jit_ignore, lazy_inline, nn, no_inline
from dyad._src.jit.api.markers import JIT_CLASS, JIT_IGNORE, LAZY_INLINE, NO_INLINE, is_marked


class Plain:
    def method(self):
        return 1


def test_jit_class_is_inherited():
    @jit_class
    class Marked:
        pass

    class Derived(Marked):
        pass

    assert (
        is_marked(Marked, JIT_CLASS) and is_marked(Derived(), JIT_CLASS) and not is_marked(Plain, JIT_CLASS)
    )
    assert dyad.ms_class is jit_class


@pytest.mark.parametrize(
    ("target", "text"),
    [
        (5, "jit_class: cls is 5 of type int; need a class"),
        (len, "jit_class: cls is <built-in function len> of type builtin_function_or_method; need a class"),
        (nn.Dense, "jit_class: Dense is a Cell, which is compiled as it is; need a plain class"),
    ],
)
def test_what_jit_class_refuses(target, text):
    with pytest.raises(TypeError, match=re.escape(text)):
        jit_class(target)


def test_marks_leave_functions_as_they_are():
    @jit_ignore
    def ignored(x):
        return x + 1

    @no_inline
    def kept(x):
        return x + 2

    @no_inline()
    def kept_too(x):
        return x + 3

    assert (ignored(1), kept(1), kept_too(1)) == (2, 3, 4)
    assert is_marked(ignored, JIT_IGNORE) and is_marked(kept, NO_INLINE) and is_marked(kept_too, NO_INLINE)
    assert not is_marked(kept, JIT_IGNORE)


def test_marks_on_methods():
    jit_ignore(Plain().method)
    assert is_marked(Plain.method, JIT_IGNORE) and is_marked(Plain().method, JIT_IGNORE)


def test_a_mark_on_a_jitted_function(compilations):
    compiled = jit(lambda x: x)
    assert no_inline(compiled) is compiled and is_marked(compiled, NO_INLINE)


@pytest.mark.parametrize("mark", [jit_ignore, no_inline, lazy_inline], ids=lambda mark: mark.__name__)
def test_marks_need_a_function(mark):
    with pytest.raises(TypeError, match=f"{mark.__name__}: fn is 5 of type int; need a function or a method"):
        mark(5)


def test_lazy_inline_of_a_cell():
    class Block(nn.Cell):
        @lazy_inline(attrs="size", policy="front")
        def __init__(self, size):
            super().__init__()
            self.size = size

        def construct(self, x):
            return x + self.size

    assert Block(2)(1) == 3
    assert getattr(Block.__init__, LAZY_INLINE) == {"attrs": ("size",), "policy": "front"}


@pytest.mark.parametrize(
    ("given", "error", "text"),
    [
        ({"policy": "back"}, ValueError, "lazy_inline: policy is 'back'; need None or 'front'"),
        ({"attrs": 3}, TypeError, "lazy_inline: attrs is 3; need the names of attributes"),
        ({}, ValueError, "lazy_inline: got Plain.method; need the __init__ of a Cell"),
    ],
)
def test_wrong_uses_of_lazy_inline(given, error, text):
    with pytest.raises(error, match=re.escape(text)):
        lazy_inline(**given)(Plain.method)


def test_constexpr_is_the_function_in_the_dynamic_graph():
    class Local:
        @constexpr
        def twice(self, a):
            """Doubles."""
            return 2 * a

    @constexpr(reuse_result=False)
    def triple(a, b=0):
        return 3 * a + b

    assert triple(2, b=1) == 7 and Local().twice(4) == 8
    assert (triple.__name__, Local.twice.__doc__) == ("triple", "Doubles.")
    assert constexpr(len, get_instance=False, name="Count")()([1, 2]) == 2
    with pytest.raises(TypeError, match="constexpr: fn is of type int; need a function"):
        constexpr(5)


@pytest.mark.parametrize("wrapped", [lambda x: x, lambda x: [x], lambda x: {"a": (x,)}])
def test_constexpr_refuses_what_is_known_later(wrapped):
    count = constexpr(lambda values, times=1: 5, name="count")
    graph = _core.Graph("test")
    stand_in = graph.add_input(Tensor([1.0]))
    assert count(wrapped(Tensor([1.0]))) == 5
    for args, kwargs, place in (
        ((wrapped(stand_in),), {}, "0"),
        ((1,), {"times": wrapped(stand_in)}, "'times'"),
    ):
        with pytest.raises(TypeError, match=f"count: argument {place} is known only when the graph runs"):
            count(*args, **kwargs)
    graph.discard()
