"""Programs that one graph cannot express: STRICT rejects them at every call and names the line, LAX runs them."""

import importlib
import pkgutil

import pytest
import rejected
from described import difference
from rejection import REJECTIONS
from session import (
    bytecode,
    bytecode_without_source,
    dynamic,
    graph_mode,
    graph_mode_strict,
    jit,
    kernel_by_kernel,
    run,
    strict,
)

import dyad
from dyad._core import CaptureError

for _found in pkgutil.iter_modules(rejected.__path__):
    importlib.import_module(f"rejected.{_found.name}")


@pytest.mark.parametrize("form", [jit, graph_mode, kernel_by_kernel, bytecode, bytecode_without_source])
@pytest.mark.parametrize("rejection", REJECTIONS, ids=str)
def test_lax_runs_it_as_the_dynamic_graph_does(rejection, form):
    truth = run(rejection.program(), dynamic)
    assert truth.raised[0] is None
    static = run(rejection.program(), form)
    for number, (ours, theirs) in enumerate(zip(static.outcomes, truth.outcomes, strict=True)):
        found = difference(ours, theirs, f"call {number}")
        assert found is None, f"{found}; raised {static.raised}"


@pytest.mark.parametrize("form", [strict, graph_mode_strict])
@pytest.mark.parametrize("rejection", REJECTIONS, ids=str)
def test_strict_refuses_it(rejection, form):
    compiled = form(rejection.function)
    for _ in range(2):
        with pytest.raises((CaptureError, RuntimeError, TypeError, ValueError, AttributeError)) as caught:
            compiled(*rejection.call().fresh()[0])
        text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert f'{rejection.function.__code__.co_filename}", line {rejection.line()}' in text, text
        for word in rejection.words:
            assert word in text, text


def test_strict_leaves_the_outside_as_it_was():
    """Nothing of a refused call is done, however late in the program the refusal comes."""
    done = []

    def late(x):
        done.append(1)
        return x.tolist()

    for _ in range(2):
        with pytest.raises((TypeError, AttributeError)):
            strict(late)(dyad.Tensor([1.0]))
    assert done == []
