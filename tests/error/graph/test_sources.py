"""Functions whose source cannot be read, and kinds of functions that cannot be compiled: LAX runs them as Python."""

import asyncio
import importlib.util
import linecache

import pytest
from wrong_graph import LAX_FORMS, STRICT_FORMS, message_of, strict, the_next_graph_works

import dyad
from dyad import Tensor

X = Tensor([1.0, 2.0])
STRICT = pytest.mark.parametrize("form", STRICT_FORMS)


def runs_as_python(function, expected=(2.0, 3.0)):
    """At LAX the function gives what it gives in the dynamic graph, call after call."""
    for form in LAX_FORMS:
        compiled = form(function)
        for _ in range(2):
            assert tuple(compiled(X).asnumpy().tolist()) == expected
    assert the_next_graph_works()


def made_by_exec(text, name="<made by exec>"):
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


@STRICT
def test_text_that_was_never_in_a_file(form):
    add_one = made_by_exec("def f(x):\n    return x + 1\n")
    with pytest.raises(OSError) as caught:
        form(add_one)(X)
    text = message_of(caught.value)
    assert "source: " in text, text
    assert "file" in text, text
    assert the_next_graph_works()
    runs_as_python(add_one)


@STRICT
def test_a_callee_that_was_never_in_a_file(form):
    add_one = made_by_exec("def f(x):\n    return x + 1\n")

    def calls(x):
        return add_one(x)

    with pytest.raises(OSError) as caught:
        form(calls)(X)
    text = message_of(caught.value)
    assert "    return add_one(x)\n           ^^^^^^^^^^" in text, text
    runs_as_python(calls)


def module_from(path, text):
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location("written_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@STRICT
def test_text_that_changed_since_it_was_loaded(tmp_path, form):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.write_text("# another program altogether, with other lines\n\n\n\nVALUE = 3\n")
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="the text has changed since it was loaded, load it again") as caught:
        form(module.f)(X)
    assert "source: f is not found in line 1 of" in str(caught.value)
    runs_as_python(module.f)


@STRICT
def test_a_file_that_is_gone(tmp_path, form):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.unlink()
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="source: "):
        form(module.f)(X)
    runs_as_python(module.f)


@STRICT
def test_a_file_that_no_longer_parses(tmp_path, form):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.write_text("def f(x:\n")
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="can no longer be parsed"):
        form(module.f)(X)
    runs_as_python(module.f)


def test_a_generator_function():
    def numbers(x):
        got = yield x + 1
        yield x * got

    with pytest.raises(
        RuntimeError, match="is a generator function; a graph has no yield, return a list instead"
    ):
        strict(numbers)(X)
    for form in LAX_FORMS:
        compiled = form(numbers)
        for factor in (3, 5):
            turns = compiled(X)
            assert next(turns).asnumpy().tolist() == [2.0, 3.0]
            assert turns.send(factor).asnumpy().tolist() == [factor, 2.0 * factor]
            assert list(turns) == []


def test_a_coroutine_function():
    async def later(x):
        await asyncio.sleep(0)
        return x + 1

    with pytest.raises(
        TypeError, match="is an async function; a graph runs from start to end, take async off"
    ):
        strict(later)(X)
    for form in LAX_FORMS:
        compiled = form(later)
        for _ in range(2):
            assert asyncio.run(compiled(X)).asnumpy().tolist() == [2.0, 3.0]


def test_an_asynchronous_generator():
    async def later(x):
        yield x + 1
        await asyncio.sleep(0)
        yield x + 2

    async def collected(turns):
        return [float(each.sum()) async for each in turns]

    with pytest.raises(RuntimeError, match="is a generator function; a graph has no yield"):
        strict(later)(X)
    for form in LAX_FORMS:
        compiled = form(later)
        for _ in range(2):
            assert asyncio.run(collected(compiled(X))) == [5.0, 7.0]


def test_a_wrong_number_of_arguments():
    def add(a, b):
        return a + b

    compiled = dyad.jit(add)
    for arguments, keywords, text in (
        ((X,), {}, "missing 1 required positional argument: 'b'"),
        ((X, X, X), {}, "takes 2 positional arguments but 3 were given"),
        ((X,), {"c": X}, "unexpected keyword argument 'c'"),
        ((X, X), {"a": X}, "multiple values for argument 'a'"),
    ):
        with pytest.raises(TypeError, match=text):
            compiled(*arguments, **keywords)
    assert compiled(X, X).asnumpy().tolist() == [2.0, 4.0]
