"""Functions whose source cannot be read, and kinds of functions that cannot be compiled."""

import importlib.util
import linecache

import pytest
from wrong_graph import message_of, the_next_graph_works

import dyad
from dyad import Tensor

X = Tensor([1.0, 2.0])


def made_by_exec(text, name="<made by exec>"):
    namespace = {}
    exec(compile(text, name, "exec"), namespace)
    return namespace["f"]


def test_text_that_was_never_in_a_file():
    with pytest.raises(OSError) as caught:
        dyad.jit(made_by_exec("def f(x):\n    return x + 1\n"))(X)
    text = message_of(caught.value)
    assert "source: " in text, text
    assert "file" in text, text
    assert the_next_graph_works()


def test_a_callee_that_was_never_in_a_file():
    add_one = made_by_exec("def f(x):\n    return x + 1\n")

    def calls(x):
        return add_one(x)

    with pytest.raises(OSError) as caught:
        dyad.jit(calls)(X)
    text = message_of(caught.value)
    assert "    return add_one(x)\n           ^^^^^^^^^^" in text, text


def module_from(path, text):
    path.write_text(text)
    linecache.checkcache(str(path))
    spec = importlib.util.spec_from_file_location("written_program", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_text_that_changed_since_it_was_loaded(tmp_path):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.write_text("# another program altogether, with other lines\n\n\n\nVALUE = 3\n")
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="the text has changed since it was loaded, load it again") as caught:
        dyad.jit(module.f)(X)
    assert "source: f is not found in line 1 of" in str(caught.value)


def test_a_file_that_is_gone(tmp_path):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.unlink()
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="source: "):
        dyad.jit(module.f)(X)


def test_a_file_that_no_longer_parses(tmp_path):
    path = tmp_path / "program.py"
    module = module_from(path, "def f(x):\n    return x + 1\n")
    path.write_text("def f(x:\n")
    linecache.checkcache(str(path))
    with pytest.raises(OSError, match="can no longer be parsed"):
        dyad.jit(module.f)(X)


def test_a_generator_function():
    def numbers(x):
        yield x

    with pytest.raises(
        RuntimeError, match="is a generator function; a graph has no yield, return a list instead"
    ):
        dyad.jit(numbers)(X)


def test_a_coroutine_function():
    async def later(x):
        return x

    with pytest.raises(
        TypeError, match="is an async function; a graph runs from start to end, take async off"
    ):
        dyad.jit(later)(X)


def test_an_asynchronous_generator():
    async def later(x):
        yield x

    with pytest.raises(RuntimeError, match="is a generator function; a graph has no yield"):
        dyad.jit(later)(X)


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
