"""Classes: `jit_class`, plain objects, properties, `super`, class methods, operators, `with`."""

from program import Raises, Scene, program, scene

from dyad import Parameter, Tensor, jit_class, nn

X = Tensor([1.0, 2.0])
S = Tensor(5.0)


@jit_class
class Vector:
    def __init__(self, a, b):
        self.a, self.b = a, b

    def __add__(self, other):
        return Vector(self.a + other.a, self.b + other.b)

    def __mul__(self, k):
        return Vector(self.a * k, self.b * k)

    def __rmul__(self, k):
        return self * k

    def __eq__(self, other):
        return self.a == other.a and self.b == other.b

    def __lt__(self, other):
        return self.a < other.a

    __hash__ = None

    def __len__(self):
        return 2

    def __getitem__(self, i):
        return self.a if i == 0 else self.b

    def __contains__(self, v):
        return v in (self.a, self.b)

    def __bool__(self):
        return self.a != 0

    def __call__(self, x):
        return x * self.a + self.b

    def __str__(self):
        return f"<{self.a}, {self.b}>"

    def __neg__(self):
        return Vector(-self.a, -self.b)

    def __iter__(self):
        return iter((self.a, self.b))

    @property
    def total(self):
        return self.a + self.b

    @staticmethod
    def unit():
        return Vector(1, 1)

    @classmethod
    def square(cls, a):
        return cls(a, a)


@program(X)
def magic_methods(x):
    v, w = Vector(1, 2), Vector(3, 4)
    t = v + w * 2
    return (
        (t.a, t.b),
        (3 * v).b,
        v == Vector(1, 2),
        v < w,
        len(v),
        w[1],
        3 in w,
        bool(Vector(0, 1)),
        v(x),
        str(-v),
    )


@program(X)
def properties_static_and_class_methods(x):
    return x * Vector(2, 3).total, Vector.unit().a, Vector.square(4).b, Vector(1, 1).square(2).a


@program(X)
def objects_holding_tensors(x):
    v = Vector(x, x * 2)
    return (v + v).a, (v * 3).b, v.total


@program(X)
def objects_are_iterated_and_unpacked(x):
    a, b = Vector(x, 3)
    return a * b, [k for k in Vector(1, 2)]


@program(X, Vector(2, 5), then=[(X, Vector(3, 5))])
def objects_as_arguments(x, v):
    return v(x), v.total


@program(X, strict=False)
def objects_are_returned(x):
    return Vector(1, 2), Vector(x, 3)


@program(S)
def objects_under_tensor_conditions(x):
    v = Vector(1.0, 2.0)
    if x > 0:
        y = v(x)
    else:
        y = (-v)(x)
    return y


@program(X, expect=Raises(AttributeError, "'Vector' object has no attribute 'c'"))
def missing_member(x):
    return Vector(1, 2).c


@jit_class
class Guard:
    def __init__(self, log):
        self.log = log

    def __enter__(self):
        self.log.append("enter")
        return self

    def __exit__(self, kind, value, trace):
        self.log.append("exit" if kind is None else kind.__name__)
        return False

    def double(self, x):
        self.log.append("double")
        return x * 2


@program(X)
def with_calls_enter_and_exit(x):
    log = []
    with Guard(log) as guard:
        x = guard.double(x)
    with Guard(log), Guard(log):
        x = x + 1
    return x, log


@program(S)
def return_inside_with(x):
    log = []

    def f(v):
        for i in range(3):
            with Guard(log):
                if i == 1:
                    continue
                if i == 2:
                    return v * 10
        return v

    return f(x), log


@program(S, strict=False)
def with_inside_a_tensor_condition(x):
    log = []
    if x > 0:
        with Guard(log) as guard:
            x = guard.double(x)
    else:
        with Guard(log):
            x = x - 1
        log.append("also")
    return x


class Plain:
    kind = "plain"

    def __init__(self, k):
        self.k = k
        self._hidden = k * 2

    def scale(self, x):
        return x * self.k + self._hidden

    @property
    def double(self):
        return self.k * 2

    @double.setter
    def double(self, value):
        self.k = value // 2


class Derived(Plain):
    kind = "derived"

    def scale(self, x):
        return super().scale(x) + 100


class Third(Derived):
    def scale(self, x):
        return super(Derived, self).scale(x) * 2


@program(X, Plain(3), then=[(X, Plain(4)), (X, Derived(3)), (X, Third(3))])
def plain_objects_as_arguments(x, p):
    return p.scale(x), p.double, p.kind


@scene(X, expect=[9.0, 12.0], changed=[30.0, 40.0])
def attribute_of_an_object_changes():
    p = Plain(3)

    def change():
        p.k, p._hidden = 10, 20

    return Scene(p.scale, change)


@scene(X)
def method_of_a_class_is_replaced():
    class Local(Plain):
        pass

    p = Local(3)

    def f(x):
        return p.scale(x)

    def change():
        Local.scale = lambda self, x: x * 1000

    return Scene(f, change)


@scene(X)
def class_attribute_changes():
    class Local(Plain):
        pass

    p = Local(2)

    def f(x):
        return p.kind, x

    def change():
        Local.kind = "changed"

    return Scene(f, change)


@scene(X)
def instance_attribute_hides_the_class_attribute():
    p = Plain(2)

    def f(x):
        return p.kind, x * p.k

    def change():
        p.kind = "instance"

    return Scene(f, change)


@program(X)
def objects_made_inside_are_changed(x):
    p = Plain(2)
    p.k = 5
    p.new = x
    p.double = 14
    q = p
    q.k += 1
    return p.scale(p.new), p.k, p.double


@scene(X)
def dataclasses_work():
    from dataclasses import dataclass, field

    @dataclass
    class Options:
        scale: float = 2.0
        names: list = field(default_factory=list)

    options = Options()

    def f(x):
        made = Options(3.0)
        return x * options.scale * made.scale, len(options.names)

    def change():
        options.scale = 5.0
        options.names.append("a")

    return Scene(f, change)


@scene(X)
def enumerations_work():
    import enum

    class Mode(enum.Enum):
        ADD = 1
        MULTIPLY = 2

    def f(x, mode=Mode.MULTIPLY):
        if mode is Mode.ADD:
            return x + 2
        return x * 2, mode.name, mode.value

    return f


class Net(nn.Cell):
    scale = 2.0

    def __init__(self):
        super().__init__()
        self.w = Parameter(Tensor([1.0, 2.0]), name="w")

    def construct(self, x):
        return self.weighted(x) + self.shift(1.0) + self.made(3.0) + self.doubled

    def weighted(self, x):
        return x * self.w

    @staticmethod
    def shift(v):
        return v * 10

    @classmethod
    def made(cls, v):
        return cls.scale * v

    @property
    def doubled(self):
        return self.w * 2


class SubNet(Net):
    scale = 3.0

    def construct(self, x):
        return super().construct(x) * 2

    def weighted(self, x):
        return super(SubNet, self).weighted(x) + 1


@scene(X, trace=True)
def methods_of_a_cell():
    return Net()


@scene(X, trace=True)
def methods_of_a_derived_cell():
    return SubNet()


@scene(X)
def the_receiver_may_have_any_name():
    class Other(nn.Cell):
        def __init__(this):
            super().__init__()
            this.k = 4

        def construct(this, x):
            return x * this.k

    return Other()


@scene(X)
def class_method_is_captured():
    return Net.made


@scene(X)
def bound_method_is_captured():
    return Plain(7).scale


@scene(X)
def getattr_protocol_of_objects():
    class Lazy:
        def __init__(self):
            self.known = 2

        def __getattr__(self, name):
            if name.startswith("k_"):
                return int(name[2:])
            raise AttributeError(name)

    lazy = Lazy()

    def f(x):
        return x * lazy.k_5 + lazy.known, hasattr(lazy, "nothing")

    return f
