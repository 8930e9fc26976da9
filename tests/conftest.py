"""Every graph that a test compiles is checked after each stage. `pytest --jit-level O0` compiles every static graph at
that level where its test does not name one. `pytest --every 4` runs a quarter of the cases of parametrized tests, the
same ones each time. `pytest.raises(RuntimeError)` does not take a refusal to capture for the RuntimeError of a program.
"""

import os
import signal
import zlib

import pytest

os.environ.setdefault(
    "DYAD_VERIFY", "1"
)  # before the library is loaded; processes that a test starts inherit it

_raises = pytest.raises


def raises(expected_exception, *args, **kwargs):
    """`pytest.raises`, for which a CaptureError is a RuntimeError only where it is asked for by its own name."""
    expected = expected_exception if isinstance(expected_exception, tuple) else (expected_exception,)
    if args or RuntimeError not in expected:
        return _raises(expected_exception, *args, **kwargs)
    asked = kwargs.pop("check", None)

    def check(error):
        from dyad._core import CaptureError

        is_refusal = isinstance(error, CaptureError) and not any(
            issubclass(kind, CaptureError) for kind in expected
        )
        return not is_refusal and (asked is None or asked(error))

    return _raises(expected_exception, check=check, **kwargs)


pytest.raises = raises


@pytest.fixture
def hears_interrupts():
    """SIGINT is heard here and in processes that the test starts, even if a shell has started the tests deaf to it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def pytest_addoption(parser):
    parser.addoption("--jit-level", choices=["O0", "O1"], help="level of graphs whose test names none")
    parser.addoption("--every", type=int, default=1, help="run one in so many cases of parametrized tests")


def pytest_collection_modifyitems(config, items):
    every = config.getoption("--every")
    if every < 1:
        raise pytest.UsageError(f"--every is {every}; need a whole number from 1 on")
    left_out = [item for item in items if not is_chosen(item.nodeid, every)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_chosen(item.nodeid, every)]


def is_chosen(name, every):
    """Whether a case is among one in `every`: by its name alone, so that another case does not change it. A test
    without cases is always run."""
    return "[" not in name or zlib.crc32(name.encode()) % every == 0


@pytest.fixture(scope="session", autouse=True)
def level_of_graphs(request):
    level = request.config.getoption("--jit-level")
    if level is None:
        yield
        return
    from dyad._src.jit.options import JitOptions

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JitOptions, "optimises", property(lambda self: (self.jit_level or level) != "O0"))
        yield
