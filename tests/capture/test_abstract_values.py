"""Abstract values: what two paths give is joined, flattened into leaves and unflattened again."""

import pytest

from dyad._src.capture.semantics.abstract.abstraction import AbstractChoice, abstraction_of
from dyad._src.capture.semantics.abstract.errors import CannotJoin, TooManyKinds
from dyad._src.capture.semantics.abstract.join import Joiner
from dyad._src.capture.semantics.abstract.leaves import LeafReader, Leaves
from dyad._src.capture.semantics.abstract.values import AbstractNumber, Constant
from dyad._src.capture.semantics.abstract.widening import common_aval
from dyad._src.capture.semantics.values import OneOf, Returned


def nothing_fixed(container):
    return False


def joined(a, b, strict=False):
    return Joiner(nothing_fixed, strict).join(a, b)


def leaves_of(aval, value):
    leaves = Leaves()
    aval.flatten(value, leaves)
    return list(leaves)


def unflattened(aval, leaves):
    return aval.unflatten(LeafReader(leaves))


@pytest.mark.parametrize("value", [3, "text", None, 1.5, (1, "a"), range(3)])
def test_what_is_the_same_on_both_paths_has_no_leaves(value):
    aval = joined(value, value)
    assert leaves_of(aval, value) == []
    assert unflattened(aval, []) == value


def test_numbers_that_differ_are_one_leaf():
    aval = joined((1, "a"), (2, "a"))
    assert leaves_of(aval, (1, "a")) == [1]
    assert unflattened(aval, [7]) == (7, "a")


def test_numbers_of_two_kinds_are_a_choice():
    aval = joined(1, 2.5)
    assert leaves_of(aval, 1) == [0]
    assert leaves_of(aval, 2.5) == [1]


def test_an_alternative_that_is_not_taken_has_leaves_all_the_same():
    aval = common_aval(joined((1, "a"), (2, "a")), joined((1, "a"), (3, "a")))
    choice = AbstractChoice([aval, Constant(None)], nothing_fixed)
    assert leaves_of(choice, (5, "a")) == [0, 5]
    assert leaves_of(choice, None) == [1, 0]


def test_dicts_are_joined_by_key():
    aval = joined({"a": 1, "b": [1, 2]}, {"a": 1, "b": [1, 5]})
    assert leaves_of(aval, {"a": 1, "b": [1, 5]}) == [5]
    assert unflattened(aval, [9]) == {"a": 1, "b": [1, 9]}


def test_a_list_under_two_names_is_one_list_afterwards():
    first, second = [1], [2]
    aval = joined({"a": first, "b": first}, {"a": second, "b": second})
    assert leaves_of(aval, {"a": second, "b": second}) == [2]
    built = unflattened(aval, [3])
    assert built["a"] is built["b"]
    assert built["a"] == [3]


def test_one_list_on_one_path_and_two_on_the_other_have_no_join():
    first, second, third = [1], [2], [3]
    joiner = Joiner(nothing_fixed)
    aval = joiner.join({"a": first, "b": first}, {"a": second, "b": third})
    leaves_of(aval, {"a": second, "b": third})
    with pytest.raises(CannotJoin, match="one container on one path and two on another"):
        leaves_of(aval, {"a": first, "b": first})


def test_what_no_leaf_holds_is_one_of_several():
    aval = joined(None, "text")
    assert isinstance(aval, AbstractChoice)
    assert leaves_of(aval, None) == [0]
    assert leaves_of(aval, "text") == [1]
    built = unflattened(aval, [1])
    assert isinstance(built, OneOf)
    assert list(built.alternatives.values()) == [None, "text"]


def test_a_choice_takes_a_choice_by_its_own_numbers():
    aval = joined("b", "a")
    assert leaves_of(aval, OneOf(1, {0: "b", 1: "a"})) == [1]


def test_strict_refuses_a_choice_of_values():
    with pytest.raises(CannotJoin, match="they differ in type"):
        joined(None, "text", strict=True)
    joined(Returned((1,)), None, strict=True)


def test_a_choice_has_a_limit():
    aval = joined("0", "1")
    with pytest.raises(TooManyKinds, match="more than 16 different kinds of value"):
        for number in range(2, 20):
            aval = common_aval(aval, joined(str(number), f"{number}!"))


def test_an_abstract_value_includes_what_it_was_widened_from():
    number = AbstractNumber(int)
    assert number.includes(Constant(3))
    assert not number.includes(Constant(3.0))
    wider = common_aval(abstraction_of((1, "a")), abstraction_of((2, "a")))
    assert wider.includes(abstraction_of((5, "a")))
    assert not wider.includes(abstraction_of((5, "b")))
    assert wider.equals(common_aval(wider, abstraction_of((3, "a"))))
