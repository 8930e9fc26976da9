"""GuardTree: the values that a captured program read, and the check that they have not changed."""

import collections
import enum
import gc
import random
import signal
import sys
import types
import weakref

import numpy as np
import pytest

import dyad
from dyad import Parameter, Tensor, _core


def tree_of(*checks):
    """A tree whose argument 0 is asked about: each check is (method, arguments)."""
    tree = _core.GuardTree()
    node = tree.argument(0, "x")
    for name, *arguments in checks:
        getattr(tree, name)(node, *arguments)
    return tree


def accepts(tree, *args):
    return tree.matches(args)


class Explosive:
    """Every way of running its code fails the test."""

    def __getattr__(self, name):
        raise AssertionError(f"__getattr__({name!r}) was called")

    def __eq__(self, other):
        raise AssertionError("__eq__ was called")

    def __hash__(self):
        raise AssertionError("__hash__ was called")

    def __len__(self):
        raise AssertionError("__len__ was called")

    def __repr__(self):
        raise AssertionError("__repr__ was called")

    @property
    def value(self):
        raise AssertionError("the property was read")


class TestLookUps:
    def test_equal_requests_give_the_same_node(self):
        tree = _core.GuardTree()
        a = tree.argument(0)
        assert tree.argument(0) == a
        assert tree.attribute(a, "n") == tree.attribute(a, "n")
        assert tree.attribute(a, "n") != tree.class_attribute(a, "n")
        assert tree.item(a, "n") == tree.item(a, "n") != tree.item(a, "m")
        assert tree.element(a, 1) == tree.element(a, 1)
        assert tree.object(tree_of) == tree.object(tree_of)

    @pytest.mark.parametrize("seed", range(20))
    def test_what_earlier_look_ups_found_counts_only_while_the_dict_is_as_it_was(self, seed):
        class Box:
            pass

        def tree():
            tree = _core.GuardTree()
            box, table = tree.argument(0), tree.argument(1)
            tree.check_equal(tree.attribute(box, "a"), 1)
            tree.missing_attribute(box, "b")
            tree.check_equal(tree.item(table, "a"), 1)
            tree.missing_item(table, "b")
            return tree

        box, table = Box(), {"a": 1}
        box.__dict__.update(a=1, c=1)  # with a dict of its own, not only values
        draw = random.Random(seed)
        changes = [
            lambda: setattr(box, draw.choice("abc"), draw.choice([1, 1, 2])),
            lambda: box.__dict__.pop(draw.choice("abc"), None),
            lambda: box.__dict__.clear(),
            lambda: box.__dict__.update(a=1),
            lambda: setattr(box, "__dict__", {"a": 1}),
            lambda: setattr(box, "__dict__", dict(box.__dict__)),
            lambda: table.__setitem__(draw.choice("abc"), draw.choice([1, 1, 2])),
            lambda: table.pop(draw.choice("abc"), None),
            lambda: table.update(a=1),
            lambda: table.setdefault("a", 1),
            lambda: table.popitem() if table else None,
            lambda: table.clear(),
        ]
        asked = tree()
        for _ in range(300):
            draw.choice(changes)()
            expected = vars(box).get("a") == table.get("a") == 1 and "b" not in vars(box) and "b" not in table
            assert [accepts(each, box, table) for each in (asked, asked, tree())] == [expected] * 3
            if draw.random() < 0.1:
                table = dict(table)

    def test_attribute_is_the_instances_own(self):
        class Box:
            shared = 1

        tree = _core.GuardTree()
        tree.check_equal(tree.attribute(tree.argument(0), "own"), 3)
        box = Box()
        assert not accepts(tree, box)
        box.own = 3
        assert accepts(tree, box)
        box.own = 4
        assert not accepts(tree, box)
        tree = _core.GuardTree()
        tree.attribute(tree.argument(0), "shared")
        assert not accepts(tree, box)
        box.shared = 1
        assert accepts(tree, box)

    def test_attribute_without_a_dict(self):
        tree = _core.GuardTree()
        tree.attribute(tree.argument(0), "real")
        assert not accepts(tree, object())
        assert not accepts(tree, "text")

    def test_attribute_in_slots(self):
        class Slotted:
            __slots__ = ("n",)

        tree = _core.GuardTree()
        tree.check_equal(tree.attribute(tree.argument(0), "n"), 3)
        slotted = Slotted()
        assert not accepts(tree, slotted)
        slotted.n = 3
        assert accepts(tree, slotted)
        slotted.n = 4
        assert tree.failure((slotted,))[:3] == ("argument 0.n", "3", "4")

    def test_attribute_behind_a_property(self):
        tree = _core.GuardTree()
        tree.check_equal(tree.attribute(tree.argument(0), "value"), 1)
        explosive = Explosive()
        assert not accepts(tree, explosive)
        explosive.__dict__["value"] = 1
        assert accepts(tree, explosive)

    def test_attribute_is_looked_up_in_the_class_as_it_is_by_then(self):
        class Slotted:
            __slots__ = ("value",)

        class Base:
            pass

        class Derived(Base):
            pass

        tree = tree_of(("missing_attribute", "absent"))
        tree.check_equal(tree.attribute(0, "value"), 3)
        given = Derived()
        given.__dict__["value"] = 3
        for _ in range(3):
            assert accepts(tree, given)
        given.value = 4
        assert not accepts(tree, given)
        given.__dict__["value"] = 3
        Base.value = property(lambda self: 5)  # the instance holds 3 all the same
        assert accepts(tree, given)
        Base.value = Slotted.__dict__["value"]  # of another class: there is no such field in `given`
        assert not accepts(tree, given)
        del Base.value
        assert accepts(tree, given)
        given.absent = None
        assert not accepts(tree, given)

    def test_attribute_of_modules_and_classes(self):
        class Base:
            n = 1

        class Derived(Base):
            m = 2

        tree = _core.GuardTree()
        module = tree.attribute(tree.object(np), "pi")
        tree.check_equal(module, np.pi)
        tree.check_equal(tree.attribute(tree.argument(0), "m"), 2)
        assert accepts(tree, Derived)
        tree = _core.GuardTree()
        tree.attribute(tree.argument(0), "n")
        assert accepts(tree, Base)
        assert not accepts(tree, Derived)

    def test_class_attribute_follows_the_method_resolution_order(self):
        class Meta(type):
            n = "of the metaclass"

        class Base(metaclass=Meta):
            n = 1

        class Derived(Base):
            pass

        tree = _core.GuardTree()
        tree.check_equal(tree.class_attribute(tree.argument(0), "n"), 1)
        assert accepts(tree, Derived)
        assert accepts(tree, Derived())
        Derived.n = 2
        assert not accepts(tree, Derived)
        assert not accepts(tree, Derived())
        of_meta = _core.GuardTree()
        of_meta.check_equal(of_meta.class_attribute(of_meta.object(Meta), "n"), "of the metaclass")
        assert accepts(of_meta)

    def test_fields_of_functions_and_methods(self):
        def function(a, b=2, *, c=3):
            return a

        tree = _core.GuardTree()
        f = tree.argument(0)
        tree.check_equal(tree.attribute(f, "__defaults__"), (2,))
        tree.check_equal(tree.attribute(f, "__kwdefaults__"), {"c": 3})
        tree.check_identity(tree.attribute(f, "__code__"), function.__code__)
        tree.check_identity(tree.attribute(f, "__globals__"), globals())
        assert accepts(tree, function)
        function.__kwdefaults__["c"] = 4
        assert tree.failure((function,))[:3] == ("argument 0.__kwdefaults__", "{'c': 3}", "{'c': 4}")
        function.__kwdefaults__ = None
        assert not accepts(tree, function)
        none = _core.GuardTree()
        none.check_equal(none.attribute(none.argument(0), "__kwdefaults__"), None)
        assert accepts(none, function)

        class Box:
            def method(self):
                pass

        box = Box()
        bound = _core.GuardTree()
        bound.check_identity(bound.attribute(bound.argument(0), "__self__"), box)
        bound.check_identity(bound.attribute(bound.argument(0), "__func__"), Box.method)
        assert accepts(bound, box.method)
        assert not accepts(bound, Box().method)

    def test_dict_of_an_instance(self):
        class Box:
            pass

        box = Box()
        box.n = 1
        tree = _core.GuardTree()
        tree.check_keys(tree.attribute(tree.argument(0), "__dict__"), ("n",))
        assert accepts(tree, box)
        box.m = 1
        assert not accepts(tree, box)

    def test_missing_attribute_rejects_an_object_that_has_it(self):
        class Box:
            def method(self):
                pass

        tree = tree_of(("missing_attribute", "method"))
        box = Box()
        assert accepts(tree, box)
        box.method = 1
        assert not accepts(tree, box)
        assert tree.failure((box,))[:3] == ("x", "no attribute method", "1")
        tree = tree_of(("missing_class_attribute", "later"))
        assert accepts(tree, box)
        Box.later = 2
        assert tree.failure((box,))[:3] == ("x", "no attribute later of the class", "2")

    def test_items_are_compared_and_a_missing_item_must_stay_missing(self):
        tree = _core.GuardTree()
        d = tree.argument(0)
        tree.check_equal(tree.item(d, "a"), 1)
        tree.check_equal(tree.item(d, (1, "b")), 2)
        tree.missing_item(d, "c")
        good = {"a": 1, (1, "b"): 2}
        assert accepts(tree, good)
        assert not accepts(tree, {"a": 1})
        assert not accepts(tree, good | {"c": 0})
        assert not accepts(tree, [1])

    def test_items_do_not_call_missing(self):
        tree = _core.GuardTree()
        tree.item(tree.argument(0), "a")
        default = collections.defaultdict(int)
        assert not accepts(tree, default)
        assert "a" not in default

    def test_items_under_keys_with_their_own_equality(self):
        class Key:
            def __init__(self):
                self.calls = 0

            def __hash__(self):
                self.calls += 1
                return 1

            def __eq__(self, other):
                self.calls += 1
                return True

        key = Key()
        d = {key: 1}
        tree = _core.GuardTree()
        tree.check_equal(tree.item(tree.argument(0), key), 1)
        calls = key.calls
        assert accepts(tree, d)
        assert not accepts(tree, {1: 1})
        assert key.calls == calls

    def test_a_key_that_changes_the_dict_during_the_check(self):
        armed = False

        class Key:
            def __hash__(self):
                return hash("a")

            def __eq__(self, other):
                if armed:
                    d.clear()
                return False

        d = {Key(): 0, "a": [1, 2]}
        tree = _core.GuardTree()
        node = tree.item(tree.argument(0), "a")
        tree.check_type(node, list)
        tree.check_length(node, 2)
        armed = True
        accepts(tree, d)
        assert d == {}
        assert not accepts(tree, d)

    def test_elements_and_cells(self):
        def outer(n):
            return lambda: n

        function = outer(3)
        tree = _core.GuardTree()
        cell = function.__closure__[0]
        tree.check_equal(tree.cell_contents(tree.object(cell)), 3)
        tree.check_equal(tree.element(tree.argument(0), 1), 5)
        assert accepts(tree, (4, 5))
        assert accepts(tree, [4, 5])
        assert not accepts(tree, (4,))
        assert not accepts(tree, {1: 5})
        cell.cell_contents = 4
        assert not accepts(tree, (4, 5))
        del cell.cell_contents
        assert not accepts(tree, (4, 5))

    def test_too_few_arguments(self):
        tree = _core.GuardTree()
        tree.argument(2, "z")
        assert not accepts(tree, 1, 2)
        assert tree.failure((1, 2))[:3] == ("z", "to be there", "only 2 arguments")
        assert tree.failure((1,), {"y": 2, "z": 3}) is None

    def test_a_node_that_the_tree_lacks_is_rejected(self):
        tree = _core.GuardTree()
        with pytest.raises(IndexError, match="there is no node 7; the tree has 0 nodes"):
            tree.check_length(7, 1)
        with pytest.raises(IndexError, match="element -1 was asked for"):
            tree.element(tree.argument(0), -1)


class Color(enum.IntEnum):
    RED = 1
    CRIMSON = 1
    GREEN = 2


class Plain(enum.Enum):
    A = 1
    B = 2


class Whole(int):
    pass


class Name(str):
    __slots__ = ("extra",)


Point = collections.namedtuple("Point", "x y")


VALUES = [
    None,
    ...,
    True,
    0,
    1,
    10**30,
    0.0,
    -0.0,
    1.5,
    2j,
    "text",
    b"bytes",
    (),
    (1, (2.0, "a")),
    slice(1, None, 2),
    range(0, 3, 2),
    range(0, 4, 2),
    [1, [2]],
    {"a": [1]},
    {1, 2},
    frozenset({1}),
    dyad.float32,
    dyad.float16,
    int,
    Color.RED,
    Color.GREEN,
    Plain.A,
    Plain.B,
    Whole(1),
    Point(1, 2),
    np.float32(1),
    np.float64(1),
    np.int64(1),
    np.bool_(True),
    np.dtype("float32"),
    len,
    (True, 1),
    (1, True),
    [0.0],
    [-0.0],
    bytearray,
    "1",
]


class TestEquality:
    @pytest.mark.parametrize("i", range(len(VALUES)), ids=lambda i: repr(VALUES[i])[:20])
    def test_every_value_is_only_itself(self, i):
        tree = tree_of(("check_equal", VALUES[i]))
        for j, other in enumerate(VALUES):
            assert accepts(tree, other) == (i == j), other

    def test_equal_values_created_again_are_accepted(self):
        def values():
            return [
                int("1000000"),
                float("2.5"),
                "".join(["a", "b"]),
                (int("1000000"), [2]),
                {"k": {"l": 1.0}},
                Whole(int("70000")),
                Point(float("1.5"), 2),
                np.float32(3),
                slice(int("1000000"), None),
                Name("n"),
            ]

        for before, now in zip(values(), values(), strict=True):
            assert before is not now
            assert accepts(tree_of(("check_equal", before)), now) == (type(now) is not Name)

    def test_nan_is_nan(self):
        assert accepts(tree_of(("check_equal", float("nan"))), float("nan"))
        assert accepts(tree_of(("check_equal", (1, float("nan")))), (1, -float("nan")))
        assert not accepts(tree_of(("check_equal", float("nan"))), 0.0)

    def test_containers_are_copied(self):
        numbers = [1, 2]
        tree = tree_of(("check_equal", (numbers,)))
        argument = (numbers,)
        assert accepts(tree, argument)
        numbers.append(3)
        assert not accepts(tree, argument)

    def test_check_equal_compares_the_order_of_a_dict(self):
        tree = tree_of(("check_equal", {"a": 1, "b": 2}))
        assert accepts(tree, {"a": 1, "b": 2})
        assert not accepts(tree, {"b": 2, "a": 1})
        ordered = collections.OrderedDict(a=1, b=2)
        tree = tree_of(("check_equal", ordered), ("check_keys", ("a", "b")))
        assert accepts(tree, ordered)
        ordered.move_to_end("a")
        assert not accepts(tree, ordered)

    def test_attributes_of_a_subclass(self):
        tree = tree_of(("check_equal", Whole(70000)))
        marked = Whole(70000)
        marked.unit = "m"
        assert not accepts(tree, marked)
        assert accepts(tree_of(("check_equal", marked)), marked)
        assert not accepts(tree_of(("check_equal", marked)), Whole(70000))

    def test_subclass_of_a_dict(self):
        class Table(dict):
            def __getitem__(self, key):
                raise AssertionError("__getitem__ was called")

            def keys(self):
                raise AssertionError("keys was called")

        tree = tree_of(("check_equal", Table(a=1)), ("check_keys", ("a",)))
        assert accepts(tree, Table(a=1))
        assert not accepts(tree, Table(a=2))
        assert not accepts(tree, {"a": 1})

    def test_subclasses_that_lie(self):
        class Liar(int):
            def __eq__(self, other):
                return True

            __hash__ = int.__hash__

        tree = tree_of(("check_equal", Liar(70000)))
        assert accepts(tree, Liar(70000))
        assert not accepts(tree, Liar(70001))
        assert not accepts(tree_of(("check_equal", 70000)), Liar(70000))

    def test_check_equal_compares_a_huge_tuple_by_value(self):
        huge = tuple(range(100_000))
        tree = tree_of(("check_equal", huge))
        assert accepts(tree, huge)
        assert accepts(tree, tuple(range(100_000)))
        assert not accepts(tree, (*range(99_999), 0))

    def test_what_cannot_be_compared(self):
        class Value:
            def __eq__(self, other):
                return True

        with pytest.raises(TypeError, match="an object of type Value cannot be compared without calling"):
            tree_of(("check_equal", Value()))
        with pytest.raises(TypeError, match="defaultdict cannot be compared"):
            tree_of(("check_equal", collections.defaultdict(int)))
        endless = []
        endless.append(endless)
        with pytest.raises(RecursionError):
            tree_of(("check_equal", endless))

    def test_objects_compare_by_identity(self):
        marker = object()
        tree = tree_of(("check_equal", (marker, 1)))
        assert accepts(tree, (marker, 1))
        assert not accepts(tree, (object(), 1))


class TestChecks:
    def test_type_is_exact(self):
        assert accepts(tree_of(("check_type", int)), 1)
        assert not accepts(tree_of(("check_type", int)), True)
        assert not accepts(tree_of(("check_type", int)), Whole(1))
        with pytest.raises(TypeError, match="type is 3; need a class"):
            tree_of(("check_type", 3))

    def test_check_identity_rejects_an_equal_list(self):
        numbers = [1]
        tree = tree_of(("check_identity", numbers))
        assert accepts(tree, numbers)
        assert not accepts(tree, [1])
        assert tree.failure(([1],))[:3] == ("x", "the same object, [1]", "another object, [1]")

    def test_same_does_not_keep_alive(self):
        net = dyad.nn.Dense(2, 2)
        gone = weakref.ref(net)
        tree = tree_of(("check_identity", net))
        assert accepts(tree, net)
        assert tree.alive
        del net
        gc.collect()
        assert gone() is None
        assert not tree.alive
        assert not accepts(tree, dyad.nn.Dense(2, 2))
        assert not accepts(tree, None)
        assert tree.failure((None,))[:3] == ("x", "an object that is gone", "another object, None")

    def test_a_weak_object_is_not_kept_alive(self):
        class Box:
            pass

        box = Box()
        box.n = 1
        tree = _core.GuardTree()
        node = tree.object(box, weak=True, name="box")
        tree.check_equal(tree.attribute(node, "n"), 1)
        assert accepts(tree)
        del box
        gc.collect()
        assert not accepts(tree)
        assert tree.failure(())[0] == "box"

    def test_check_length_compares_the_length_of_builtin_containers(self):
        for value in [(1, 2), [1, 2], {1: 1, 2: 2}, {1, 2}, "ab", b"ab"]:
            assert accepts(tree_of(("check_length", 2)), value)
            assert not accepts(tree_of(("check_length", 3)), value)
        assert not accepts(tree_of(("check_length", 2)), Explosive())
        assert tree_of(("check_length", 2)).failure(([1],))[:3] == ("x", "length 2", "length 1")

    def test_check_keys_compares_keys_and_their_order(self):
        tree = tree_of(("check_keys", ("a", "b")))
        assert accepts(tree, {"a": 1, "b": 2})
        assert accepts(tree, collections.OrderedDict(a=1, b=2))
        assert not accepts(tree, {"b": 1, "a": 2})
        assert not accepts(tree, {"a": 1, "b": 2, "c": 3})
        assert not accepts(tree, ["a", "b"])
        assert tree.failure(({"a": 1},))[:3] == ("x", "keys ('a', 'b')", "keys ('a',)")

    def test_check_tensor_compares_dtype_shape_strides_and_type(self):
        tree = tree_of(("check_tensor", dyad.float32, (2, 3), True, Tensor))
        good = Tensor(np.ones((2, 3), np.float32))
        assert accepts(tree, good)
        assert not accepts(tree, Tensor(np.ones((2, 3), np.float64)))
        assert not accepts(tree, Tensor(np.ones((3, 2), np.float32)))
        assert not accepts(tree, Tensor(np.ones((2, 3, 1), np.float32)))
        assert not accepts(tree, Tensor(np.ones((3, 2), np.float32)).T)
        assert not accepts(tree, Parameter(good, name="p"))
        assert not accepts(tree, np.ones((2, 3), np.float32))
        assert tree.failure((Tensor(np.ones((3, 2), np.float32)).T,))[:3] == (
            "x",
            "contiguous Float32 Tensor of shape (2, 3)",
            "non-contiguous Float32 Tensor of shape (2, 3)",
        )

    def test_tensor_with_symbolic_dims(self):
        tree = tree_of(("check_tensor", dyad.float32, (None, 3), None, None))
        assert accepts(tree, dyad.ops.ones((5, 3)))
        assert accepts(tree, Parameter(dyad.ops.ones((0, 3)), name="p"))
        assert not accepts(tree, dyad.ops.ones((5, 4)))
        assert tree.describe() == ["x: Float32 tensor of shape (any, 3)"]

    def test_pending_parameter_stays_pending(self):
        calls = []

        class Counting(dyad.common.initializer.Initializer):
            def _initialize(self, array):
                calls.append(1)
                array[:] = 1

        pending = dyad.common.initializer.initializer(Counting(), (2, 3), dyad.float32)
        tree = tree_of(("check_tensor", dyad.float32, (2, 3), True, type(pending)))
        assert accepts(tree, pending)
        assert tree.failure((pending,)) is None
        assert calls == []
        assert not accepts(tree_of(("check_tensor", dyad.float32, (2, 4), None, None)), pending)

    def test_check_array_compares_dtype_shape_type_and_values(self):
        array = np.arange(6, dtype=np.float32).reshape(2, 3)
        tree = tree_of(("check_array", array))
        assert accepts(tree, array)
        assert accepts(tree, array.copy())
        assert accepts(tree, np.asfortranarray(array))
        assert not accepts(tree, array.astype(np.float64))
        assert not accepts(tree, array.reshape(3, 2))
        assert not accepts(tree, array.view(np.matrix))
        assert not accepts(tree, Tensor(array))
        array[1, 2] = 9
        assert not accepts(tree, array)
        assert tree.failure((array,))[2] == "other values"

    def test_scalar_as_an_array(self):
        tree = tree_of(("check_array", np.asarray(np.float32(3))))
        assert accepts(tree, np.float32(3))
        assert not accepts(tree, np.float32(4))
        assert not accepts(tree, np.float64(3))
        assert not accepts(tree, 3.0)
        assert not accepts(tree, Tensor(np.float32(3)))

    def test_array_that_is_not_contiguous(self):
        array = np.arange(12.0).reshape(3, 4)[::2, ::-1]
        tree = tree_of(("check_array", array))
        assert accepts(tree, array)
        assert accepts(tree, array.copy())
        assert not accepts(tree, array[::-1])

    def test_arrays_that_cannot_be_read(self):
        for array in (np.array([object()]), np.array(["2020"], "M8[D]"), 3):
            with pytest.raises(TypeError, match="check_array: "):
                tree_of(("check_array", array))

    def test_check_alias_accepts_only_the_same_object(self):
        tree = _core.GuardTree()
        tree.check_alias(tree.argument(0), tree.argument(1))
        x = Tensor([1.0])
        assert accepts(tree, x, x)
        assert not accepts(tree, x, Tensor([1.0]))
        assert tree.failure((1, x))[1] == "the same object as argument 1"

    def test_check_size_compares_range_divisor_and_remainder(self):
        tree = _core.GuardTree()
        tree.check_size(tree.argument(0), 1, 2, high=9, divisor=3, remainder=1)
        sizes = [size for size in range(12) if accepts(tree, Tensor(np.zeros((2, size))))]
        assert sizes == [4, 7]
        expected = "a size of at least 2 and at most 9, 1 more than a multiple of 3 at axis 1"
        assert tree.failure((Tensor(np.zeros((2, 5))),))[:3] == ("argument 0", expected, "5")
        assert tree.failure((Tensor([1.0]),))[:3] == ("argument 0", expected, "no such axis")
        assert not accepts(tree, 4)
        with pytest.raises(ValueError, match="check_size: divisor is 0; need an int of at least 1"):
            tree.check_size(tree.argument(0), 0, 2, divisor=0)

    def test_check_same_size_compares_the_sizes_of_two_axes(self):
        tree = _core.GuardTree()
        tree.check_same_size(tree.argument(0), 0, tree.argument(1), 1)
        assert accepts(tree, Tensor(np.zeros(3)), Tensor(np.zeros((5, 3))))
        args = Tensor(np.zeros(3)), Tensor(np.zeros((3, 5)))
        assert tree.failure(args)[:3] == (
            "argument 0",
            "at axis 0 the size of argument 1 at axis 1",
            "3 and 5",
        )
        assert not accepts(tree, Tensor(np.zeros(3)), Tensor(np.zeros(3)))
        assert not accepts(tree, 3, 3)

    def test_check_disjoint_memory_rejects_overlapping_tensors(self):
        tree = _core.GuardTree()
        tree.check_disjoint_memory([tree.argument(i) for i in range(3)])
        base = Tensor(np.arange(12.0))
        a, b, c = (Tensor([1.0]) for _ in range(3))
        assert accepts(tree, a, b, c)
        assert not accepts(tree, a, b, a)
        assert not accepts(tree, base, a, base[2:3])
        assert accepts(tree, base[0:4], base[4:8], base[8:])
        assert not accepts(tree, base[0:5], base[4:8], c)
        assert not accepts(tree, base[::-1], base[0:2], c)
        array = np.zeros(4, np.float32)
        assert not accepts(tree, dyad.from_numpy(array), dyad.from_numpy(array), c)
        assert accepts(tree, base[3:3], base, c)
        assert _core.memory_overlaps(base[0:5], base[4:8])
        assert not _core.memory_overlaps(base[0:4], base[4:8])

    def test_distinct_among_many(self):
        tree = _core.GuardTree()
        tree.check_disjoint_memory([tree.argument(i) for i in range(200)])
        tensors = [Tensor([1.0, 2.0]) for _ in range(200)]
        assert accepts(tree, *tensors)
        tensors[150] = tensors[20][1:]
        assert not accepts(tree, *tensors)

    def test_failure_tells_arguments_from_other_objects(self):
        x, held = Tensor([1.0, 2.0]), Tensor([1.0, 2.0])
        box = types.SimpleNamespace(held=held)
        tree = _core.GuardTree()
        tree.check_disjoint_memory([tree.argument(0), tree.argument(1)])
        assert tree.failure((x, x[1:]))[3:] == ("memory", "", True)
        assert tree.demands() == [("memory", "argument 0, argument 1", tree.failure((x, x))[1])]
        tree = _core.GuardTree()
        tree.check_distinct_objects([tree.argument(0), tree.attribute(tree.argument(1), "held")])
        assert tree.failure((held, box))[3:] == ("objects", "", False)

    def test_check_state_compares_process_state(self):
        tree = _core.GuardTree()
        tree.check_state("mode", _core.state("mode"))
        tree.check_state("grad_enabled", True)
        tree.check_state("compute_dtype", None)
        assert accepts(tree)
        before = _core.set_grad_enabled(False)
        try:
            assert tree.failure(())[:3] == ("grad_enabled", "True", "False")
        finally:
            _core.set_grad_enabled(before)
        mode = _core.get_mode()
        _core.set_mode(1 - mode)
        try:
            assert tree.failure(())[:3] == ("mode", str(mode), str(1 - mode))
        finally:
            _core.set_mode(mode)
        former = _core.set_compute_dtype(dyad.float16)
        try:
            assert tree.failure(())[:3] == ("compute_dtype", "None", "Float16")
            assert _core.state("compute_dtype") is dyad.float16
        finally:
            _core.set_compute_dtype(former)
        with pytest.raises(ValueError, match="there is no state 'weather'; known are mode, "):
            tree.check_state("weather", 1)

    def test_check_call_compares_the_result_of_a_function(self):
        tree = tree_of(("check_call", lambda x: x * 2, 6))
        assert accepts(tree, 3)
        assert not accepts(tree, 4)
        assert not accepts(tree, None)
        assert tree.failure((4,))[2].endswith("gives 8")
        assert tree.failure((None,))[2].endswith("raises")

    def test_nothing_runs_user_code(self):
        explosive = Explosive()
        tree = _core.GuardTree()
        x = tree.argument(0)
        tree.check_type(x, Explosive)
        tree.check_identity(x, explosive)
        tree.missing_attribute(x, "value")
        tree.missing_attribute(x, "anything")
        tree.class_attribute(x, "value")
        tree.check_alias(x, tree.argument(1))
        assert accepts(tree, explosive, explosive)
        for check in [
            ("check_equal", 1),
            ("check_keys", ("a",)),
            ("check_length", 1),
            ("check_array", np.ones(2)),
            ("check_tensor", dyad.float32, (1,), None, None),
            ("missing_item", "a"),
        ]:
            assert not accepts(tree_of(check), explosive)
            assert "an object of type Explosive" in tree_of(check).failure((explosive,))[2]


class TestTree:
    def test_guards_are_described_by_the_path_of_the_value(self):
        class Net:
            pass

        net = Net()
        net.scale = 2
        tree = _core.GuardTree()
        root = tree.argument(0, "self")
        tree.check_equal(tree.attribute(root, "scale"), 2)
        tree.check_length(tree.item(tree.object({"layers": [1, 2]}), "layers"), 2)
        tree.check_type(tree.element(tree.argument(1), 0), int)
        assert tree.describe() == ["self.scale: 2", "globals['layers']: length 2", "argument 1[0]: type int"]
        assert tree.size == 3
        assert tree.failure((net, (1,))) is None
        net.scale = 3
        assert tree.failure((net, (1,)))[:3] == ("self.scale", "2", "3")
        del net.scale
        assert tree.failure((net, (1,)))[:3] == ("self.scale", "to be there", "it is not there")

    def test_names_of_globals_and_class_attributes(self):
        tree = _core.GuardTree()
        tree.check_equal(tree.item(tree.object(globals()), "Point"), Point)
        tree.check_equal(tree.class_attribute(tree.object(Color), "RED"), Color.RED)
        tree.check_type(tree.class_attribute(tree.argument(0, "x"), "n"), int)
        assert [line.partition(":")[0] for line in tree.describe()] == [
            "global Point",
            "Color.RED",
            "type(x).n",
        ]

    def test_interrupt_in_a_call_is_not_lost(self):
        def interrupted(x):
            raise KeyboardInterrupt

        tree = tree_of(("check_call", interrupted, 1))
        # A shell lets what it runs in the background ignore interrupts.
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            with pytest.raises(KeyboardInterrupt):
                assert not accepts(tree, 1)
                for _ in range(1000):
                    pass
        finally:
            signal.signal(signal.SIGINT, before)

    def test_checks_keep_no_reference(self):
        class Box:
            def method(self):
                pass

        box = Box()
        box.n = [3]
        box.table = {"a": object()}
        array = np.arange(6.0)[::2]
        tree = _core.GuardTree()
        x = tree.argument(0)
        tree.check_type(x, Box)
        tree.check_equal(tree.attribute(x, "n"), [3])
        tree.missing_attribute(x, "method")
        tree.class_attribute(x, "method")
        tree.item(tree.attribute(x, "table"), "a")
        tree.check_keys(tree.attribute(x, "__dict__"), ("n", "table"))
        tree.check_identity(tree.object(box, weak=True), box)
        tree.check_array(tree.argument(1), array)
        tree.check_equal(tree.argument(2), None)
        objects = [box, box.n, box.table, box.table["a"], Box, Box.method, array]
        before = [sys.getrefcount(each) for each in objects]
        for _ in range(1000):
            assert tree.matches((box, array, None))
            assert not tree.matches((box, array, 1))
            assert tree.failure((box, array[::-1], None)) is not None
        assert [sys.getrefcount(each) for each in objects] == before

    def test_cycle_through_a_tree_is_collected(self):
        class Net:
            pass

        for hold in (
            lambda tree, net: tree.object(net),
            lambda tree, net: tree.check_equal(tree.argument(0), (net,)),
            lambda tree, net: tree.check_identity(tree.argument(0), net, weak=False),
            lambda tree, net: tree.check_call(tree.argument(0), print, net),
            lambda tree, net: tree.check_keys(tree.argument(0), (net,)),
            lambda tree, net: tree.item(tree.argument(0), net),
        ):
            net = Net()
            net.tree = _core.GuardTree()
            hold(net.tree, net)
            gone = weakref.ref(net)
            del net
            gc.collect()
            assert gone() is None


def test_a_demand_that_is_made_again_is_left_out():
    def double(x):
        return x * 2

    @dyad.jit
    def program(x):
        for _ in range(50):
            x = double(x)
        return x

    x = Tensor([1.0])
    program(x)
    lines = dyad.explain(program)(x).guards
    assert len(lines) == len(set(lines))
