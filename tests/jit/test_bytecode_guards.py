"""Bytecode capture: of all that a program was given, exactly what it depends on is looked at again.

Every row changes one thing between two calls and says whether a graph must be made. After both calls the result is
that of Python.
"""

import collections
import functools
import gc
import weakref

import numpy as np
import pytest
from guard_rows import (
    NEW,
    SAME,
    Box,
    OtherBox,
    Scale2,
    Scale3,
    Settings,
    Slotted,
    X,
    added,
    all_entries,
    all_items,
    attribute,
    bytecode,
    called,
    chosen,
    converted,
    first_item,
    graphs,
    in_set,
    known_length,
    made_by,
    make_adder,
    make_closure,
    make_plain,
    named_item,
    or_nothing,
    require_graphs,
    require_rows,
    scaled,
    sliced,
    tensor,
    unused,
    with_array,
)

import dyad
from dyad import Parameter, Tensor, mutable, ops

VALUES = {
    # name: (function, the arguments after x of the first call, those of the second, what is expected)
    "Tensor, other data": (added, tensor(2, 3), X + 1, SAME),
    "Tensor, dtype": (added, X, tensor(2, 3, dtype=np.int32), NEW),
    "Tensor, shape": (added, X, tensor(1, 3), NEW),
    "Tensor, rank": (added, X, tensor(3), NEW),
    "Parameter for a Tensor": (added, X, Parameter(X), NEW),
    "Parameter, another one": (added, Parameter(X), Parameter(X + 1), SAME),
    "Parameter, requires_grad": (added, Parameter(X), Parameter(X, requires_grad=False), NEW),
    "constant Tensor": (added, Tensor([1.0, 2, 3], const_arg=True), Tensor([1.0, 2, 4], const_arg=True), NEW),
    "Tensor for a constant one": (added, Tensor([1.0, 2, 3], const_arg=True), Tensor([1.0, 2, 3]), NEW),
    "int": (scaled, 2, 3, NEW),
    "int for bool": (scaled, True, 1, NEW),
    "float for int": (scaled, 1, 1.0, NEW),
    "minus zero": (scaled, 0.0, -0.0, NEW),
    "nan again": (scaled, float("nan") * 0, float("nan"), SAME),
    "str": (chosen, "double", "none", NEW),
    "equal str": (chosen, "double", "".join(["dou", "ble"]), SAME),
    "None": (or_nothing, None, 3, NEW),
    "only compared with None": (or_nothing, 3, 4, SAME),
    "int that is not read": (unused, 2, 3, SAME),
    "str that is not read": (unused, "a", "b", SAME),
    "type of what is not read": (unused, 2, "a", NEW),
    "list that is not read": (unused, [1, 2], [3], SAME),
    "mutable number": (scaled, mutable(2), mutable(3), SAME),
    "type of a mutable number": (scaled, mutable(2), mutable(2.0), NEW),
    "mutable list": (all_items, mutable([1, 2]), mutable([3, 4]), SAME),
    "length of a mutable list": (all_items, mutable([1, 2]), mutable([3]), NEW),
    "item that is read": (first_item, [2, 1], [3, 1], NEW),
    "item that is not read": (first_item, [2, 1], [2, 5], SAME),
    "items that are not there": (first_item, [2, 1], [2], SAME),
    "tuple for list": (first_item, [2, 1], (2, 1), NEW),
    "item of a tuple that is not read": (first_item, (2, 1), (2, 5), SAME),
    "any item of what is walked": (all_items, [1, 2], [1, 3], NEW),
    "length of what is walked": (all_items, [1, 2], [1, 2, 3], NEW),
    "length alone": (known_length, [1, 2], [1, 2, 3], NEW),
    "entry that is read": (named_item, {"a": 2}, {"a": 3}, NEW),
    "entry that is not read": (named_item, {"a": 2, "b": 1}, {"a": 2, "b": 5}, SAME),
    "further keys that are not read": (named_item, {"a": 2}, {"a": 2, "b": 5}, SAME),
    "order of keys that is not read": (named_item, {"a": 2, "b": 1}, {"b": 1, "a": 2}, SAME),
    "order of keys": (all_entries, {"a": 2, "b": 3}, {"b": 3, "a": 2}, NEW),
    "further keys": (all_entries, {"a": 2}, {"a": 2, "b": 5}, NEW),
    "OrderedDict for dict": (named_item, {"a": 2}, collections.OrderedDict(a=2), NEW),
    "equal set": (in_set, {1, 2}, {2, 1}, SAME),
    "other set": (in_set, {1, 2}, {2, 3}, NEW),
    "frozenset for set": (in_set, {1, 2}, frozenset((1, 2)), NEW),
    "set of equal numbers": (in_set, {1, 2}, {True, 2}, NEW),
    "function": (called, make_plain(), lambda x: x + 4, NEW),
    "function made again": (called, make_plain(), make_plain(), SAME),
    "another closure": (called, make_closure(1), make_closure(2), NEW),
    "other defaults": (called, make_adder(1), make_adder(2), NEW),
    "partial": (called, functools.partial(scaled, k=2), functools.partial(scaled, k=3), NEW),
    "class": (made_by, Scale2, Scale3, NEW),
    "dtype": (converted, dyad.float16, dyad.int32, NEW),
    "equal dtype": (converted, dyad.float16, dyad.float16, SAME),
    "Primitive made again": (lambda x, p: p(x, x), ops.Add(), ops.Add(), SAME),
    "another Primitive": (lambda x, p: p(x, x), ops.Add(), ops.Mul(), NEW),
    "attribute of a Primitive": (lambda x, p: p(x, 0), ops.ReduceSum(True), ops.ReduceSum(False), NEW),
    "equal array": (with_array, np.ones(3, np.float32), np.ones(3, np.float32), SAME),
    "array, contents": (with_array, np.ones(3, np.float32), np.zeros(3, np.float32), NEW),
    "array, dtype": (with_array, np.ones(3, np.float32), np.ones(3, np.int32), NEW),
    "equal slice": (sliced, slice(0, 1), slice(0, 1), SAME),
    "bound of a slice": (sliced, slice(0, 1), slice(0, 2), NEW),
    "another object": (attribute, Box(2), Box(2), SAME),
    "attribute that is read": (attribute, Box(2), Box(3), NEW),
    "attribute that is not read": (attribute, Box(2), Box(2, other=4), SAME),
    "class of an object": (attribute, Box(2), OtherBox(2), NEW),
    "slot that is read": (attribute, Slotted(2, 1), Slotted(3, 1), NEW),
    "slot that is not read": (attribute, Slotted(2, 1), Slotted(2, 5), SAME),
    "field of a dataclass": (attribute, Settings(2.0), Settings(2.0, "b"), SAME),
    "equal range": (all_items, range(3), range(3), SAME),
    "other range": (all_items, range(3), range(4), NEW),
    "equal deque": (all_items, collections.deque([1, 2]), collections.deque([1, 2]), SAME),
    "other deque": (all_items, collections.deque([1, 2]), collections.deque([1, 3]), NEW),
    "two Tensors become one": (added, tensor(2, 3), X, SAME),
    "one Tensor becomes two": (added, X, tensor(2, 3), SAME),
}


@pytest.mark.parametrize("row", VALUES)
def test_a_change_of_an_argument(row):
    function, first, second, expected = VALUES[row]
    require_rows(function, (X, first), (X, second), expected)


class Doubling:
    def __init__(self, factor):
        self.factor = factor

    def double(self, x):
        return x * self.factor


class TestMethods:
    def test_a_method_read_again_is_the_same(self):
        owner = Doubling(2)
        require_rows(called, (X, owner.double), (X, owner.double), SAME)

    def test_methods_of_two_objects(self):
        require_rows(called, (X, Doubling(2).double), (X, Doubling(3).double), NEW)

    def test_a_method_that_is_captured(self):
        owner, compiled = Doubling(2), bytecode(Doubling.double)
        require_graphs(compiled, Doubling.double, 1, owner, X)
        require_graphs(compiled, Doubling.double, 0, Doubling(2), X)
        owner.factor = 5
        require_graphs(compiled, Doubling.double, 1, owner, X)

    def test_a_function_that_is_given_another_body(self):
        def target(x):
            return x + 1

        compiled = bytecode(called)
        require_graphs(compiled, called, 1, X, target)
        target.__code__ = (lambda x: x + 2).__code__
        require_graphs(compiled, called, 1, X, target)
        target.__defaults__ = (X,)
        require_graphs(compiled, called, 1, X, target)

    def test_what_a_closure_holds(self):
        target = make_closure(1)
        compiled = bytecode(called)
        require_graphs(compiled, called, 1, X, target)
        target.__closure__[0].cell_contents = 2
        require_graphs(compiled, called, 1, X, target)

    def test_a_function_that_dies_leaves_its_graph(self):
        compiled = bytecode(called)
        function = make_plain()
        gone = weakref.ref(function)
        compiled(X, function)
        del function
        gc.collect()
        assert gone() is None
        require_graphs(compiled, called, 0, X, make_plain())


class TestKeys:
    @pytest.mark.parametrize(
        ("function", "first", "second"),
        [(first_item, [2, 1], [2, 5]), (named_item, {"a": 2}, {"a": 2, "b": 1}), (unused, [1], [2])],
    )
    def test_specialize_container_compares_all_items(self, function, first, second):
        require_rows(function, (X, first), (X, second), SAME)
        require_rows(function, (X, first), (X, second), NEW, specialize_container=True)

    def test_specialize_tensor_compares_identity(self):
        require_rows(added, (X, X + 1), (X, X + 1), SAME)
        require_rows(added, (X, X + 1), (X, X + 1), NEW, specialize_tensor=True)

    def test_specialize_scalar_off_compares_the_type(self):
        require_rows(scaled, (X, 2), (X, 3), SAME, specialize_scalar=False)
        require_rows(scaled, (X, 2), (X, 2.0), NEW, specialize_scalar=False)


ITEMS, BOX = [1, 2], Box(2)


class TestAliases:
    def test_a_comparison_depends_on_it(self):
        def compare(x, y):
            return x + 1 if x is y else x * y

        require_rows(compare, (X, X), (X, X + 1), NEW)
        require_rows(compare, (X, X + 1), (X, X), NEW)

    def test_writing_depends_on_it(self):
        def write(x, y):
            x[0] = 5.0
            return x + y

        def fresh():
            return tensor(2, 3)

        compiled = bytecode(write)
        one, other = fresh(), fresh()
        np.testing.assert_array_equal(compiled(one, other).asnumpy(), write(fresh(), fresh()).asnumpy())
        same, expected = fresh(), fresh()
        np.testing.assert_array_equal(compiled(same, same).asnumpy(), write(expected, expected).asnumpy())
        assert graphs(compiled) == 2

    def test_an_argument_that_is_a_global_too(self, monkeypatch):
        """Reads through one name are guarded through the other."""
        shared = [2, 3]
        monkeypatch.setitem(globals(), "ITEMS", shared)

        def both(x, items):
            ITEMS[0] = 10
            return x * items[0]

        compiled = bytecode(both)
        assert compiled(X, shared).asnumpy().tolist() == (X * 10).asnumpy().tolist()
        assert shared == [10, 3]
        assert compiled(X, [4, 3]).asnumpy().tolist() == (X * 4).asnumpy().tolist()
        assert compiled(X, shared).asnumpy().tolist() == (X * 10).asnumpy().tolist()

    def test_an_object_given_twice(self):
        def write(x, one, other):
            return x * one.scale * other.scale

        compiled = bytecode(write)
        box = Box(2)
        require_graphs(compiled, write, 1, X, box, box)
        require_graphs(compiled, write, 1, X, box, Box(5))
        require_graphs(compiled, write, 0, X, Box(2), Box(5))

    def test_an_item_that_is_an_argument_too(self):
        def both(x, box, boxes):
            return x * box.scale * boxes[0].scale

        compiled = bytecode(both)
        box = Box(2)
        require_graphs(compiled, both, 1, X, box, [box])
        require_graphs(compiled, both, 1, X, Box(3), [box])
        require_graphs(compiled, both, 0, X, Box(3), [box])

    def test_what_is_given_back_is_what_was_given(self):
        def give_back(x, items, box):
            return x + 1, items, box

        compiled = bytecode(give_back)
        for _ in range(2):
            items, box = [1], BOX
            result = compiled(X, items, box)
            assert result[1] is items and result[2] is box


class Watched:
    """Counts every way of running its code."""

    calls = 0

    def __init__(self, scale):
        self.__dict__["scale"] = scale

    def __eq__(self, other):
        Watched.calls += 1
        return self is other

    def __hash__(self):
        Watched.calls += 1
        return 1

    def __getattr__(self, name):
        Watched.calls += 1
        raise AttributeError(name)

    def __len__(self):
        Watched.calls += 1
        return 3

    def __bool__(self):
        Watched.calls += 1
        return True


def entry_of(x, table, key):
    return x * table["k"]


WATCHED = {
    "an attribute": lambda: (attribute, Watched(2)),
    "an argument that is not read": lambda: (unused, Watched(2)),
    "a member of a list": lambda: (first_item, [2, Watched(1)]),
    "a member of a list that is walked": lambda: (lambda x, items: x * len(list(items)), [1, Watched(1)]),
    "a value of a dict": lambda: (lambda x, table: x * len(table), {"a": Watched(1)}),
    "a key of a dict": lambda: (lambda x, table: x * len(table), {Watched(1): 1}),
    "a member of a set": lambda: (lambda x, members: x * len(members), {Watched(1), 2}),
    "compared with None": lambda: (or_nothing, Watched(1)),
}


@pytest.mark.parametrize("row", WATCHED)
def test_guards_run_no_code_of_the_program(row):
    function, argument = WATCHED[row]()
    compiled = bytecode(function)
    compiled(X, argument)
    assert compiled.python_form is None
    hits, Watched.calls = compiled.hits, 0
    for _ in range(3):
        compiled(X, argument)
    assert (compiled.hits, Watched.calls) == (hits + 3, 0)
