"""What a static graph cannot express yet is refused at every call, by a message that names the line."""

import importlib
import pkgutil

import pytest
import rejected
from rejection import REJECTIONS

import dyad
from dyad._core import CaptureError

for _found in pkgutil.iter_modules(rejected.__path__):
    importlib.import_module(f"rejected.{_found.name}")


@pytest.mark.parametrize("rejection", REJECTIONS, ids=str)
def test_the_dynamic_graph_runs_it(rejection):
    rejection.function(*rejection.fresh())


@pytest.mark.parametrize("fullgraph", [False, True])
@pytest.mark.parametrize("rejection", REJECTIONS, ids=str)
def test_the_static_graph_refuses_it(rejection, fullgraph):
    compiled = dyad.jit(rejection.function, fullgraph=fullgraph)
    for _ in range(2):
        with pytest.raises((CaptureError, RuntimeError, TypeError, ValueError, AttributeError)) as caught:
            compiled(*rejection.fresh())
        text = "\n".join([str(caught.value), *getattr(caught.value, "__notes__", ())])
        assert f'{rejection.function.__code__.co_filename}", line {rejection.line()}' in text, text
        for word in rejection.words:
            assert word in text, text
