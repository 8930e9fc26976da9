"""Every graph that a test compiles is checked after each stage. `pytest --jit-level O0` compiles every static graph at
that level where its test does not name one."""

import os

import pytest

os.environ.setdefault(
    "DYAD_VERIFY", "1"
)  # before the library is loaded; processes that a test starts inherit it


def pytest_addoption(parser):
    parser.addoption("--jit-level", choices=["O0", "O1"], help="level of graphs whose test names none")


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
