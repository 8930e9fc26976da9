"""Numbers that `mutable` marks, given to graphs and given back by them."""

import pytest

from dyad import Tensor, jit, mutable

FORMS = [jit, lambda f: jit(f, capture_mode="bytecode")]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("value", [True, False])
def test_a_marked_bool_is_a_bool_in_a_graph(form, value):
    whole, parts = form(lambda flag: (flag, [flag, not flag, isinstance(flag, bool)]))(mutable(value))
    assert whole is value
    assert [type(part) for part in parts] == [bool] * 3
    assert parts == [value, not value, True]


@pytest.mark.parametrize("form", FORMS)
def test_one_graph_serves_both_marked_bools(form):
    f = form(lambda x, flag: (x if flag else -x, f"{flag}"))
    for value in (True, False, True):
        result, text = f(Tensor([1.0]), mutable(value))
        assert result.tolist() == [1.0 if value else -1.0]
        assert text == str(value)
