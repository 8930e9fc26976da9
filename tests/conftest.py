"""Every graph that a test compiles is checked after each stage. `pytest --jit-level O0` compiles every static graph at
that level where its test does not name one. `pytest --every 4` runs a quarter of the cases of parametrized tests, the
same ones each time, `--share 2/8` the second of eight shares of all tests. `pytest --device GPU` runs them on that
device, all but those that are marked `cpu("why")`. `pytest.raises(RuntimeError)` does not take a refusal to capture for
the RuntimeError of a program.
"""

import os
import signal
import subprocess
import zlib
from pathlib import Path

import pytest

os.environ.setdefault(
    "DYAD_VERIFY", "1"
)  # before the library is loaded; processes that a test starts inherit it

_raises = pytest.raises


def raises(expected_exception, *args, **kwargs):
    """`pytest.raises`, for which a CaptureError is a RuntimeError only where it is asked for by its own name."""
    if args:
        return _raises(expected_exception, *args, **kwargs)
    expected = expected_exception if isinstance(expected_exception, tuple) else (expected_exception,)
    if RuntimeError not in expected:
        return Waiting(_raises(expected_exception, **kwargs))
    asked = kwargs.pop("check", None)

    def check(error):
        from dyad._core import CaptureError

        is_refusal = isinstance(error, CaptureError) and not any(
            issubclass(kind, CaptureError) for kind in expected
        )
        return not is_refusal and (asked is None or asked(error))

    return Waiting(_raises(expected_exception, check=check, **kwargs))


class Waiting:
    """Waits for the device where a block ends, so that what its kernels have found is raised in it."""

    is_needed = False  # with --device

    def __init__(self, context):
        self._context = context

    def __enter__(self):
        return self._context.__enter__()

    def __exit__(self, kind, error, traceback):
        if Waiting.is_needed and error is None:
            from dyad import runtime

            try:
                runtime.synchronize()
            except Exception as late:
                if not self._context.__exit__(type(late), late, late.__traceback__):
                    raise
                return True
        return self._context.__exit__(kind, error, traceback)


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
    parser.addoption("--share", default="1/1", help="K/N: one of N shares of the tests, by their names")
    parser.addoption("--device", help="device of every test, such as GPU or GPU:1")


def pytest_configure(config):
    config.addinivalue_line("markers", "cpu(why): what is tested is the CPU, or the device of the process")
    device = config.getoption("--device")
    if device is None:
        return
    import dyad

    Waiting.is_needed = True
    target, _, number = device.partition(":")
    dyad.set_device(target, int(number or 0))  # before the tests are read: some make Tensors as they are
    config.addinivalue_line("filterwarnings", "ignore:.* is computed on the CPU, with a copy there and back")


def pytest_collection_modifyitems(config, items):
    every = config.getoption("--every")
    if every < 1:
        raise pytest.UsageError(f"--every is {every}; need a whole number from 1 on")
    share, shares = map(int, config.getoption("--share").split("/"))
    if not 1 <= share <= shares:
        raise pytest.UsageError(f"--share is {share}/{shares}; need K/N with K from 1 to N")
    keep(config, items, lambda name: is_chosen(name, every))
    keep(config, items, lambda name: zlib.crc32(name.encode()[::-1]) % shares == share - 1)
    if config.getoption("--device") not in (None, "CPU"):
        for item in items:
            for mark in item.iter_markers("cpu"):
                item.add_marker(pytest.mark.skip(reason=mark.args[0]))


def keep(config, items, chosen):
    """Leaves the tests whose names are chosen."""
    left_out = [item for item in items if not chosen(item.nodeid)]
    if left_out:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if chosen(item.nodeid)]


def is_chosen(name, every):
    """True if a case is one in `every`: decided by its name alone, so that another case does not change it. A test
    without cases is always run."""
    return "[" not in name or zlib.crc32(name.encode()) % every == 0


ROOT = Path(__file__).resolve().parents[1]


def files_at_the_root():
    """Names of the root folder, without those that git ignores; none where the tree has no git."""
    if not (ROOT / ".git").exists():
        return set()
    names = {path.name for path in ROOT.iterdir()}
    command = ["git", "check-ignore", "--stdin"]
    ignored = subprocess.run(command, cwd=ROOT, input="\n".join(names), capture_output=True, text=True)
    return names - set(ignored.stdout.split("\n"))


@pytest.fixture(scope="session", autouse=True)
def nothing_left_at_the_root():
    """Tests write into temporary folders: a run that leaves a new file or folder in the root of the tree fails."""
    before = files_at_the_root()
    yield
    left = files_at_the_root() - before
    assert not left, f"a test has left {', '.join(sorted(left))} in {ROOT}; let it write below tmp_path"


@pytest.fixture(scope="session", autouse=True)
def level_of_graphs(request):
    level = request.config.getoption("--jit-level")
    if level is None:
        yield
        return
    from dyad._src.jit.options.options import JitOptions

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(JitOptions, "optimises", property(lambda self: (self.jit_level or level) != "O0"))
        yield


@pytest.fixture(autouse=True)
def nothing_left_to_find(request):
    """Raises late errors of a test's kernels in that test."""
    yield
    if Waiting.is_needed:
        from dyad import runtime

        runtime.synchronize()


@pytest.fixture(autouse=True, scope="session")
def no_report_of_long_compilations():
    """A busy machine makes any compilation last long; tests compare what is logged and written."""
    from dyad._src.capture import progress

    progress.LONG = 600.0
