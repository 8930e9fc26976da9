"""`has_key` of a dict, which graphs read from source have besides the methods of Python."""

import pytest

from dyad import Tensor, jit, mutable


@jit
def found(table):
    own = {"a": 1, "b": [2, 3]}
    return own.has_key("a"), own.has_key("c"), table.has_key("x"), table.has_key(1)


def test_of_dicts_made_in_the_graph_and_given():
    assert found({"x": 1}) == (True, False, True, False)
    assert found({1: "x"}) == (True, False, False, True)
    assert found(mutable({"x": Tensor([1.0])})) == (True, False, True, False)


def test_a_dict_of_another_class_has_only_its_own_methods():
    class Table(dict):
        def has_key(self, key):
            return "asked for " + key

    assert jit(lambda: Table(a=1).has_key("b"))() == "asked for b"
    with pytest.raises(AttributeError, match="has_key"):
        jit(lambda values: values.has_key(1))([1])
