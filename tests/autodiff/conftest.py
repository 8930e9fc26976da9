import pytest

from dyad import _core, get_context, set_context, set_seed


@pytest.fixture(autouse=True)
def everything_in_order():
    """Each test starts from the same seed and leaves neither a transform nor a switched recording behind."""
    set_seed(7)
    check_bprop = get_context("check_bprop")
    yield
    set_context(check_bprop=check_bprop)
    assert _core.tape_depth() == 0
    assert _core.grad_enabled()
