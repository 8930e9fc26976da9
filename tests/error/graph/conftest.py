import pytest

import dyad


@pytest.fixture(autouse=True)
def restore_context():
    keys = ("mode", "max_call_depth", "jit_syntax_level")
    before = {key: dyad.get_context(key) for key in keys}
    yield
    dyad.set_context(**before)
