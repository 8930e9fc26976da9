import pytest

from dyad import get_context, set_context

_RESTORED = (
    "mode",
    "deterministic",
    "jit_syntax_level",
    "save_graphs",
    "max_call_depth",
    "jit_config",
    "check_bprop",
)


@pytest.fixture(autouse=True)
def restore_context():
    before = {key: get_context(key) for key in _RESTORED}
    yield
    set_context(**before)
