"""Classes written less often: descriptors, operators, dataclasses, enumerations, replaced methods."""

import collections
import dataclasses
import enum
import functools

from program import Scene, program, scene

from dyad import Parameter, Tensor, nn

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)
M = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])


# ---- classes


class Celsius:
    """A data descriptor."""

    def __set_name__(self, owner, name):
        self.name = "_" + name

    def __get__(self, instance, owner=None):
        return self if instance is None else getattr(instance, self.name) * 2

    def __set__(self, instance, value):
        setattr(instance, self.name, value + 1)


class Weather:
    t = Celsius()

    def __init__(self, t):
        self.t = t


@program(X)
def descriptor_of_an_object_made_inside(x):
    w = Weather(3)
    w.t = 5
    return x * w.t


@program(X)
def descriptor_holds_a_tensor(x):
    w = Weather(x)
    return w.t


@scene(X, expect=[8.0, 16.0])
def descriptor_of_an_object_from_outside():
    w = Weather(3)

    def f(x):
        return x * w.t

    return Scene(f, change=lambda: setattr(w, "t", 9))


class Fallback:
    def __init__(self, **known):
        self.__dict__.update(known)

    def __getattr__(self, name):
        if name.startswith("no_"):
            raise AttributeError(f"there is no {name}")
        return len(name)


@scene(X)
def attributes_by_getattr():
    o = Fallback(a=3)

    def f(x):
        return x * o.a + o.four + getattr(o, "no_five", 7) + hasattr(o, "no_six")

    return Scene(f, change=lambda: setattr(o, "four", 100))


class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, k):
        return Vector(self.x * k, self.y * k)

    __rmul__ = __mul__

    def __neg__(self):
        return Vector(-self.x, -self.y)

    def __eq__(self, other):
        return (self.x == other.x).all() and (self.y == other.y).all()

    __hash__ = None

    def __getitem__(self, i):
        return (self.x, self.y)[i]

    def __len__(self):
        return 2

    def __iter__(self):
        yield self.x
        yield self.y

    def __contains__(self, v):
        return v is self.x

    def __call__(self, k):
        return self.x * k

    def __bool__(self):
        return True


@program(X)
def operators_of_a_class_with_tensors(x):
    v = Vector(x, x + 1) + 2 * Vector(x, x) * 3
    w = -v
    return w.x, w[1], len(w), v(3), x in Vector(x, x), bool(v)


@program(X)
def equality_of_a_class_with_tensors(x):
    return Vector(x, x) == Vector(x, x)


@program(S, strict=False)
def objects_chosen_by_a_tensor(x):
    v = Vector(x, x + 1) if x > 0 else Vector(x * 2, x * 3)
    return v.x + v.y


@dataclasses.dataclass
class Point:
    a: Tensor
    b: int = 3
    c: list = dataclasses.field(default_factory=list)

    def total(self):
        return self.a * self.b + len(self.c)


@program(X)
def dataclass_made_inside(x):
    p = Point(x)
    p.c.append(1)
    q = dataclasses.replace(p, b=5) if hasattr(p, "b") else p
    return p.total(), q.total()


@scene(X)
def dataclass_from_outside():
    p = Point(Tensor([1.0, 1.0]), 2, [1, 2])

    def f(x):
        return x * p.total()

    return Scene(f, change=lambda: (setattr(p, "b", 10), p.c.append(3)))


@dataclasses.dataclass(frozen=True)
class Fixed:
    scale: float = 2.0


@program(X, Fixed(3.0), then=[(X, Fixed())])
def frozen_dataclass_argument(x, fixed):
    return x * fixed.scale


class Colour(enum.Enum):
    RED = 1
    GREEN = 2


class Level(enum.IntEnum):
    LOW = 1
    HIGH = 5


@program(X, Colour.RED, then=[(X, Colour.GREEN)])
def enumeration_argument(x, colour):
    if colour is Colour.RED:
        return x * colour.value
    return x * len(colour.name)


@program(X)
def enumeration_members(x):
    return x * sum(level for level in Level) + Level.HIGH, Colour(2).name, [c.name for c in Colour]


Item = collections.namedtuple("Item", ["a", "b"], defaults=[7])


@program(X)
def namedtuple_defaults_and_methods(x):
    item = Item(x)
    other = item._replace(b=2)
    return item, other, item._asdict()["b"], Item._fields, Item._make([1, x])


class Base(nn.Cell):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        return x * self.w * self.scale


class Middle(Base):
    def construct(self, x):
        return super().construct(x) + 1


class Other(Base):
    def construct(self, x):
        return super().construct(x) * 10


class Bottom(Middle, Other):
    def construct(self, x):
        return super().construct(x) - 1


@scene(X)
def diamond_of_cells():
    net = Bottom()
    return Scene(net, change=lambda: setattr(net, "scale", 3.0))


@scene(X)
def class_attribute_changed_between_calls():
    class Local(Base):
        scale = 4.0

    net = Local()
    return Scene(net, change=lambda: setattr(Local, "scale", 5.0))


@scene(X)
def method_replaced_between_calls():
    class Plain:
        def f(self, x):
            return x + 1

    o = Plain()
    return Scene(lambda x: o.f(x), change=lambda: setattr(Plain, "f", lambda self, x: x - 1))


@scene(X)
def method_replaced_on_the_instance():
    class Plain:
        def f(self, x):
            return x + 1

    o = Plain()
    return Scene(lambda x: o.f(x), change=lambda: setattr(o, "f", lambda x: x * 100))


@scene(X)
def construct_replaced_on_the_instance():
    net = Base()

    def change():
        net.construct = lambda x: x * 7

    return Scene(net, change=change)


class Counting:
    def __init__(self):
        self.reads = 0

    @property
    def next(self):
        self.reads += 1
        return self.reads


@scene(X, strict=TypeError)
def property_with_a_side_effect():
    o = Counting()

    def f(x):
        return x * o.next + o.next

    return Scene(f, watch=lambda: o.reads)


class Lazy:
    def __init__(self):
        self.made = 0

    @functools.cached_property
    def table(self):
        self.made += 1
        return [1, 2, 3]


@scene(X, strict=False)
def cached_property_of_an_object():
    o = Lazy()

    def f(x):
        return x * o.table[1] + o.table[2]

    return Scene(f, watch=lambda: (o.made, o.__dict__.get("table")))


class Slotted:
    __slots__ = ("k",)

    def __init__(self, k):
        self.k = k


@scene(X)
def slots_from_outside():
    o = Slotted(3)
    return Scene(lambda x: x * o.k, change=lambda: setattr(o, "k", 4))


@program(X)
def slots_made_inside(x):
    o = Slotted(x)
    o.k = o.k + 1
    return o.k
