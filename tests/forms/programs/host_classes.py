"""Classes of the program, from outside and made inside, whose methods, properties and slots need Python."""

import abc
import collections
import dataclasses
import enum
import functools
import types
import typing

import numpy as np
from hosting import LOG, hosted, hosted_scene, log, total
from program import Scene

from dyad import Tensor, jit_class, nn, ops

X = Tensor([1.0, 2.0])
S = Tensor(3.0)


class Scaler:
    def __init__(self, x):
        self.factor = total(x)
        self.used = 0

    def __call__(self, value):
        self.used += 1
        return value * self.factor

    @property
    def half(self):
        log("half")
        return self.factor / 2

    @half.setter
    def half(self, value):
        log("set half")
        self.factor = value * 2


class Slotted:
    __slots__ = ("a", "b")

    def __init__(self, a):
        self.a = a

    def moved(self, x):
        self.b = self.a
        self.a = x.asnumpy().tolist()
        return self


class Vector:
    """Operators that go through NumPy."""

    def __init__(self, values):
        self.values = np.asarray(values)

    def __add__(self, other):
        log("add")
        return Vector(self.values + getattr(other, "values", other))

    def __radd__(self, other):
        log("radd")
        return Vector(self.values + other)

    def __iadd__(self, other):
        log("iadd")
        self.values = self.values + getattr(other, "values", other)
        return self

    def __matmul__(self, other):
        return float(self.values @ other.values)

    def __neg__(self):
        return Vector(-self.values)

    def __eq__(self, other):
        log("eq")
        return isinstance(other, Vector) and bool(np.array_equal(self.values, other.values))

    def __hash__(self):
        return 7

    def __len__(self):
        return len(self.values)

    def __getitem__(self, place):
        return float(self.values[place])

    def __setitem__(self, place, value):
        self.values = self.values.copy()
        self.values[place] = value

    def __contains__(self, value):
        return bool((self.values == value).any())

    def __bool__(self):
        log("bool")
        return bool(self.values.sum() > 0)

    def __repr__(self):
        return f"Vector({self.values.tolist()})"


@hosted(X)
def object_made_of_run_time_data(x):
    scaler = Scaler(x)
    y = scaler(x)
    y = scaler(y)
    return y, scaler.used, scaler.factor


@hosted(X)
def property_read_and_set(x):
    scaler = Scaler(x)
    y = x * scaler.half
    scaler.half = total(y)
    scaler.half += 1
    return y + scaler.factor, scaler


@hosted_scene(X)
def object_of_the_outside_counts():
    scaler = Scaler(X)

    def f(x):
        y = scaler(x)
        scaler.factor = total(y) / 2
        return scaler(y)

    def change():
        scaler.factor = -1

    return Scene(f, change, lambda: scaler)


@hosted(X)
def slots_are_filled(x):
    held = Slotted(x)
    first = held.a is x
    moved = held.moved(x * 2)
    return first, moved is held, held.b is x, held.a, held.b + held.a[0]


@hosted(X)
def slot_not_filled_yet(x):
    held = Slotted(total(x))
    y = x * held.a
    try:
        y = y * 2
        y = y + held.b
    except AttributeError as error:
        log(str(error))
    held.b = y
    del held.a
    return y, hasattr(held, "a"), held.b is y


@hosted(X)
def attribute_that_no_slot_holds(x):
    held = Slotted(x)
    held.b = total(x)
    try:
        held.c = 1
    except AttributeError as error:
        return type(error).__name__, held.b, x * held.b
    return x


@hosted(X)
def operators_of_an_object(x):
    v = Vector(x.asnumpy())
    w = v + v
    w += v
    u = 1 + w
    y = x * (v @ w)
    if u:
        y = y + u[0]
    return y, -w, v == Vector(x.asnumpy()), 3.0 in w, len(u)


@hosted(X)
def in_place_operator_keeps_the_object(x):
    v = Vector(x.asnumpy())
    same = v
    v += 1
    y = x * same[1]
    v = v + 1
    y = y + same[0]
    same[0] = total(y)
    return y, v is same, same[0], v[0]


@hosted(X)
def object_as_a_key(x):
    v = Vector(x.asnumpy())
    table = {v: x * 2, "other": 1}
    found = table[Vector(x.asnumpy())]
    return found, Vector(np.zeros(2)) in table, len({v, Vector(x.asnumpy())})


@hosted(X)
def reflected_operators(x):
    class Left:
        def __mul__(self, other):
            LOG.append("mul")
            return NotImplemented

    class Right:
        def __rmul__(self, other):
            LOG.append("rmul")
            return x * total(x)

    return Left() * Right()


@hosted(X)
def class_made_inside(x):
    scale = total(x)

    class Pair:
        kind = "pair"
        base = scale * 2

        def __init__(self, a):
            self.a = a

        def double(self):
            return self.a * 2 + scale

    pair = Pair(x)
    scale = scale + 1
    return pair.double(), Pair.base, Pair.__qualname__, Pair.__module__.rsplit(".", 1)[-1], pair


@hosted(X)
def class_body_reads_locals(x):
    k, name = total(x), "outer"

    class Body:
        twice = k * 2
        full = name + " inner"
        items = [k for _ in range(2)]
        log(full)

        def outer(self):
            return k, name

    k = k + 1
    return x * Body.twice, Body.full, Body.items, Body().outer()


K = 10.0


@hosted(X)
def class_body_that_shadows_reads_globals(x):
    K = total(x)

    class Body:
        K = K + 1

    return x * Body.K, K


@hosted(X)
def class_inside_a_loop(x):
    kinds = []
    for i in range(3):

        class Step:
            number = i
            weight = total(x) * i

            def __call__(self, value):
                return value + self.weight + i

        kinds.append(Step)
    y = x
    for kind in kinds:
        y = kind()(y)
    return y, [kind.number for kind in kinds], kinds[0] is kinds[1]


@hosted(X)
def inheritance_and_super(x):
    class Base:
        def __init__(self, value):
            self.value = value
            self.note("base")

        def note(self, text):
            log(text)

    class Derived(Base, Slotted):
        def __init__(self, value):
            super().__init__(total(value))
            self.a = self.value
            self.note("derived")
            super().moved(value)

        def note(self, text):
            super().note(text + "!")

    made = Derived(x)
    return x * made.value, made.a, isinstance(made, Slotted), [kind.__name__ for kind in Derived.__mro__]


@hosted(X)
def instance_returned_and_used(x):
    box = types.SimpleNamespace(x=x, n=total(x))
    box.y = box.x * box.n
    box.again = box
    return box


@dataclasses.dataclass
class Record:
    value: Tensor
    weight: float = 2.0
    history: list = dataclasses.field(default_factory=list)
    area: float = dataclasses.field(init=False, default=0.0)

    def __post_init__(self):
        self.area = total(self.value)


@dataclasses.dataclass(frozen=True, slots=True, order=True)
class Frozen:
    size: float
    name: str = dataclasses.field(compare=False)


@hosted(X)
def dataclass_made_and_replaced(x):
    record = Record(x, weight=3.0)
    record.history.append(record.area)
    other = dataclasses.replace(record, value=x * 2)
    return other.value * record.weight, record, other.history is record.history, other.area


@hosted(X)
def frozen_dataclass_with_slots(x):
    a, b = Frozen(total(x), "a"), Frozen(total(x * 2), "b")
    y = x * max(a, b).size
    try:
        a.size = 4
    except dataclasses.FrozenInstanceError as error:
        log(str(error))
    return y, sorted([b, a]), a == Frozen(a.size, "other"), dataclasses.astuple(b)


@hosted_scene(X)
def dataclass_argument_of_the_outside():
    record = Record(Tensor([1.0, 1.0]))

    def f(x):
        record.history += [total(x)]
        record.value = record.value + x
        return record.value * len(record.history)

    return Scene(f, lambda: record.history.clear(), lambda: record)


class Field:
    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner):
        if instance is None:
            return self
        log("get" + self.name)
        return getattr(instance, self.name, 0.0)

    def __set__(self, instance, value):
        log("set" + self.name)
        setattr(instance, self.name, value if isinstance(value, float) else total(value))

    def __delete__(self, instance):
        log("delete" + self.name)
        delattr(instance, self.name)


class Described:
    size = Field()
    other = Field()


@hosted(X)
def descriptors(x):
    held = Described()
    held.size = x
    held.size += 1.0
    y = x * held.size
    held.other = y
    z = y + held.other
    del held.size
    return z, held.size, vars(held)


class Ghost:
    def __init__(self):
        self.asked = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        self.asked.append(name)
        return len(self.asked) * 10.0

    def __setattr__(self, name, value):
        object.__setattr__(self, name, value.tolist() if isinstance(value, Tensor) else value)


@hosted(X)
def attributes_made_on_demand(x):
    ghost = Ghost()
    y = x * ghost.first
    ghost.kept = x
    y = y + ghost.second + ghost.kept[0]
    return y, ghost.asked, getattr(ghost, "kept"), hasattr(ghost, "third")


class Watched:
    def __getattribute__(self, name):
        LOG.append(name)
        return object.__getattribute__(self, name)


@hosted_scene(X)
def every_attribute_is_watched():
    held = Watched()
    held.k = 2.0

    def f(x):
        y = x * held.k
        held.k = held.k + 1
        return y + held.k

    return f


@hosted(X)
def enumeration_by_run_time_value(x):
    class Color(enum.Enum):
        RED = 3.0
        BLUE = 6.0

    try:
        color = Color(total(x))
    except ValueError as error:
        return str(error), x
    return x * color.value, color.name, color is Color.RED


@hosted(X)
def abstract_class(x):
    class Shape(abc.ABC):
        @abc.abstractmethod
        def area(self): ...

    class Square(Shape):
        def area(self):
            return total(x) ** 2

    try:
        Shape()
    except TypeError as error:
        log(type(error).__name__)
    return x * Square().area(), isinstance(Square(), Shape)


@hosted(X)
def metaclass_with_calls(x):
    class Meta(type):
        def __new__(meta, name, bases, space, scale=1):
            made = super().__new__(meta, name, bases, space)
            made.scale = scale
            return made

        def __call__(cls, *arguments):
            log("made " + cls.__name__)
            return super().__call__(*arguments) if arguments else cls.scale

    class Made(metaclass=Meta, scale=total(x)):
        def __init__(self, value):
            self.value = value * self.scale

    return Made(x).value, Made()


@hosted(X)
def subclass_hook_and_class_getitem(x):
    class Base:
        known = []

        def __init_subclass__(cls, weight, **more):
            super().__init_subclass__(**more)
            Base.known.append((cls.__name__, weight))

        def __class_getitem__(cls, item):
            return (cls.__name__, item)

    class One(Base, weight=total(x)):
        pass

    class Two(One, weight=2):
        pass

    return x * Base.known[0][1], Base.known, Two["a"], typing.get_origin(list[int]) is list


@hosted(X)
def class_and_static_methods(x):
    class Made:
        count = 0

        @classmethod
        def of(cls, value):
            cls.count += 1
            made = cls()
            made.value = total(value)
            return made

        @staticmethod
        def scaled(value, by=total(x)):
            return value * by

        @functools.cached_property
        def slow(self):
            log("computed")
            return self.value * 2

    made = Made.of(x)
    y = Made.scaled(x) + made.slow
    return y + made.slow, Made.count, vars(made)


@hosted(X)
def class_of_an_object_changed(x):
    class First:
        def f(self, value):
            return value * 2

    class Second:
        def f(self, value):
            return value * total(value)

    made = First()
    y = made.f(x)
    made.__class__ = Second
    return made.f(y), type(made).__name__


@hosted(X)
def method_replaced_on_an_object(x):
    scaler = Scaler(x)
    old = scaler.__call__
    scaler.twice = types.MethodType(lambda self, value: self(self(value)), scaler)
    y = scaler.twice(x)
    return y, scaler.used, old(x), old.__self__ is scaler


@hosted_scene(X)
def method_replaced_on_the_class():
    class Held:
        def f(self, x):
            return x * total(x)

    held = Held()

    def change():
        Held.f = lambda self, x: x + total(x)

    return Scene(lambda x: held.f(x) + held.f(x * 2), change)


@hosted(X)
def subclasses_of_builtins(x):
    class Numbers(list):
        def append(self, value):
            super().append(total(value) if isinstance(value, Tensor) else value)
            return self

    class Table(dict):
        def __missing__(self, key):
            self[key] = made = len(self) + total(x)
            return made

    class Name(str):
        def shout(self):
            return Name(self.upper() + "!")

    numbers, table = Numbers([1]), Table()
    y = x * table["a"] + table["a"] + table["b"]
    return y, numbers.append(x).append(2), table, Name("hey").shout()


@hosted(X)
def subclass_of_an_array(x):
    class Tagged(np.ndarray):
        def __array_finalize__(self, obj):
            self.tag = getattr(obj, "tag", "none")

    a = x.asnumpy().view(Tagged)
    a.tag = "mine"
    b = a[:1] * 2
    return type(b).__name__, b.tag, x + float(b[0])


@hosted(X)
def named_tuples(x):
    Point = collections.namedtuple("Point", "a b", defaults=[total(x)])
    point = Point(x)
    moved = point._replace(a=point.a * point.b)
    return moved, moved.a + moved.b, Point._fields, point._asdict()["b"]


@jit_class
class Compiled:
    def __init__(self, k):
        self.k = k

    def scaled(self, x):
        return x * self.k

    def summed(self, x):
        self.k = self.k + total(x)
        return x + self.k


@hosted(X)
def compiled_class_with_host_methods(x):
    made = Compiled(2)
    y = made.scaled(x)
    y = made.summed(y)
    return made.scaled(y), made.k


@hosted(X)
def compiled_class_made_of_host_data(x):
    made = Compiled(total(x))
    return made.scaled(x), made


@hosted(X)
def format_and_text_methods(x):
    class Told:
        def __init__(self, value):
            self.value = value

        def __format__(self, spec):
            return f"<{self.value:{spec or '.1f'}}>"

        def __str__(self):
            return f"told {self.value}"

        def __repr__(self):
            return "Told()"

    told = Told(total(x))
    print(told, [told])
    return f"{told} {told:.3f} {told!s} {told!r}", "{0:5.2f}|%s".format(told) % told


@hosted(X)
def iteration_and_length_of_an_object(x):
    class Rows:
        def __init__(self, array):
            self.array, self.place = array, 0

        def __iter__(self):
            log("iter")
            return self

        def __next__(self):
            if self.place == len(self.array):
                raise StopIteration
            self.place += 1
            return float(self.array[self.place - 1])

    rows = Rows(x.asnumpy())
    first = next(rows)
    y = x * first
    for value in rows:
        y = y + value
    return y, list(rows), rows.place


@hosted(X)
def cell_class_made_inside(x):
    class Layer(nn.Cell):
        def __init__(self, k):
            super().__init__()
            self.k = k

        def construct(self, value):
            return ops.relu(value) * self.k + total(value)

    layer = Layer(total(x))
    return layer(x) + layer(x * 2), type(layer).__name__


class Doubling(Tensor):
    """A class derived from one of an extension."""

    def __init__(self, values, by=2.0):
        super().__init__(values)
        self.by = by

    def scaled(self):
        return self * self.by


@hosted(X)
def class_derived_from_tensor(x):
    y = Doubling(x * 2, 3.0)
    return y.scaled() + x, type(y).__name__, y.by
