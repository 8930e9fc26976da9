"""Writes to attributes: counted exactly as often as in Python, visible afterwards, read back in the same call."""

from program import Raises, Scene, program, scene

from dyad import Parameter, Tensor, nn

X = Tensor([1.0, 2.0])
S = Tensor(5.0)
N = Tensor(3)


class Box:
    def __init__(self, **values):
        self.__dict__.update(values)


class Cell(nn.Cell):
    def __init__(self, body, **values):
        super().__init__()
        self.body = body
        for name, value in values.items():
            setattr(self, name, value)

    def construct(self, *arguments):
        return self.body(self, *arguments)


def _cell_scene(body, change=None, watch=(), **values):
    """A Cell whose `construct` is the given function of the Cell and the arguments."""
    net = Cell(body, **values)

    def watched():
        return [getattr(net, name, "missing") for name in watch]

    return Scene(net, change and (lambda: change(net)), watched)


@scene(X, expect=[1.0, 2.0], again=[2.0, 4.0], changed=[11.0, 22.0], strict=TypeError)
def counter():
    def body(self, x):
        self.n += 1
        return x * self.n

    return _cell_scene(body, lambda net: setattr(net, "n", 10), ["n"], n=0)


@scene(X, strict=TypeError)
def tensor_attribute_is_updated_on_each_call():
    def body(self, x):
        self.t = x + 1
        return self.t * 2

    return _cell_scene(body, None, ["t"], t=Tensor([0.0, 0.0]))


@scene(X, expect=[1.0, 2.0], again=[2.0, 4.0], strict=TypeError)
def old_value_before_the_write():
    def body(self, x):
        y = self.v
        self.v = x
        return self.v + y

    return _cell_scene(body, None, ["v"], v=Tensor([0.0, 0.0]))


@scene(X, strict=TypeError)
def the_argument_itself_is_stored():
    def body(self, x):
        self.kept = x
        return x * 2

    return _cell_scene(body, None, ["kept"], kept=None)


@scene(X, strict=AttributeError)
def a_new_attribute():
    def body(self, x):
        self.fresh = 5
        return x * self.fresh

    return _cell_scene(body, None, ["fresh"])


@scene(X, expect=[1.0, 2.0], again=[2.0, 4.0], strict=TypeError)
def list_attribute_grows():
    def body(self, x):
        self.log.append(1)
        return x * len(self.log)

    return _cell_scene(body, lambda net: net.log.clear(), ["log"], log=[])


@scene(X, strict=TypeError)
def list_attribute_element_written():
    def body(self, x):
        self.items[0] = x
        self.items[1] += 1
        return self.items[0] * self.items[1]

    return _cell_scene(body, None, ["items"], items=[0, 1])


@scene(X, strict=TypeError)
def dict_attribute_written():
    def body(self, x):
        self.table["last"] = x
        self.table["n"] = self.table.get("n", 0) + 1
        return x * self.table["n"]

    return _cell_scene(body, None, ["table"], table={})


@scene(X)
def tensor_attribute_written_in_place():
    def body(self, x):
        self.buffer[0] = x[1]
        self.buffer.add_(1.0)
        return self.buffer * 2

    return _cell_scene(body, None, ["buffer"], buffer=Tensor([0.0, 0.0]))


@scene(S, strict=TypeError)
def written_in_one_arm():
    def body(self, x):
        if x > 0:
            self.n += 1
        return x * 2

    return _cell_scene(body, lambda net: setattr(net, "n", 7), ["n"], n=0)


@scene(S, strict=TypeError)
def written_in_both_arms():
    def body(self, x):
        if x > 0:
            self.last = x
            self.sign = 1
        else:
            self.last = -x
            self.sign = -1
        return self.last * self.sign

    return _cell_scene(body, None, ["last", "sign"], last=Tensor(0.0), sign=0)


@scene(S, strict=False)
def created_in_one_arm():
    def body(self, x):
        if x > 0:
            self.seen = True
        return x

    return _cell_scene(body, None, ["seen"])


@scene(N, strict=TypeError)
def written_in_a_tensor_loop():
    def body(self, n):
        i = 0
        while i < n:
            self.count += i
            i += 1
        return self.count

    return _cell_scene(body, lambda net: setattr(net, "count", 100), ["count"], count=0)


@scene(X, strict=TypeError)
def written_in_a_known_loop():
    def body(self, x):
        for k in range(3):
            self.count += k
            x = x + self.count
        return x

    return _cell_scene(body, None, ["count"], count=0)


@scene(X, strict=TypeError)
def sub_cell_attribute():
    class Inner(nn.Cell):
        def __init__(self):
            super().__init__()
            self.calls = 0

        def construct(self, x):
            self.calls += 1
            return x * self.calls

    def body(self, x):
        self.inner.calls += 10
        return self.inner(x)

    inner = Inner()
    scene = _cell_scene(body, lambda net: setattr(inner, "calls", 0), inner=inner)
    return Scene(scene.function, scene.change, lambda: inner.calls)


@scene(X, strict=TypeError)
def global_object():
    box = Box(n=0, last=None)

    def f(x):
        box.n += 1
        box.last = x * box.n
        return box.last + 1

    return Scene(f, lambda: setattr(box, "n", 20), lambda: box)


@program(X, Box(a=1, b=X), strict=TypeError)
def argument_object(x, box):
    box.a += 1
    box.c = x * 2
    box.b = box.c
    return box.b * box.a


@program(X, Box(inner=Box(n=1)), strict=TypeError)
def nested_object(x, box):
    inner = box.inner
    inner.n = 5
    box.inner.m = box.inner.n + 1
    return x * box.inner.m, inner is box.inner


@program(X, Box(a=1), strict=TypeError)
def written_by_setattr(x, box):
    setattr(box, "a", 3)
    setattr(box, "b" + "c", x)
    return getattr(box, "a") * x


@program(X, Box(a=1, b=2), strict=TypeError)
def deleted_attribute(x, box):
    del box.a
    return hasattr(box, "a"), box.b * x


@program(X, Box(a=1), Box(a=5), strict=TypeError)
def two_objects_of_one_class(x, p, q):
    p.a, q.a = q.a, p.a
    return x * p.a + q.a


@scene(X, strict=TypeError)
def one_object_under_two_names():
    box = Box(n=0)
    same = box

    def f(x):
        box.n += 1
        same.n += 10
        return x * box.n

    return Scene(f, watch=lambda: box)


@scene(X, strict=TypeError)
def written_inside_a_callee():
    box = Box(n=0)

    def note(b, k):
        b.n += k
        return b.n

    def f(x):
        note(box, 1)
        return x * note(box, 2)

    return Scene(f, watch=lambda: box)


@scene(X, strict=TypeError)
def property_with_a_setter():
    class Gauge:
        def __init__(self):
            self._level = 0

        @property
        def level(self):
            return self._level

        @level.setter
        def level(self, value):
            self._level = value * 2

    gauge = Gauge()

    def f(x):
        gauge.level = gauge.level + 1
        return x * gauge.level

    return Scene(f, watch=lambda: gauge)


@scene(S, expect=Raises(ValueError, "negative"), vary=False, then=[(Tensor(-1.0),)], strict=False)
def writes_before_an_exception_stay():
    box = Box(n=0)

    def f(x):
        box.n += 1
        if x > 0:
            raise ValueError("negative")
        box.n += 100
        return x

    return Scene(f, watch=lambda: box)


@scene(X)
def parameter_of_the_cell():
    def body(self, x):
        self.p = self.p + x
        self.p += 1
        return self.p * 2

    return _cell_scene(body, None, ["p"], p=Parameter(Tensor([0.0, 0.0]), name="p"))


@scene(X, expect=Raises(AttributeError))
def undefined_member():
    def body(self, x):
        return x + self.no_such_member

    return _cell_scene(body)


@scene(X, strict=TypeError)
def attribute_changes_its_kind():
    def body(self, x):
        self.v = x if self.v is None else None
        return x

    return _cell_scene(body, None, ["v"], v=None)


@scene(X, strict=TypeError)
def order_of_writes_and_prints():
    def body(self, x):
        print("before", self.n)
        self.n += 1
        print("between", self.n, x)
        self.n *= 2
        print("after", self.n)
        return x

    return _cell_scene(body, None, ["n"], n=1)


@scene(S, strict=TypeError)
def each_arm_writes_another_attribute():
    box = Box(n=1, v=Tensor(0.0), w=5)

    def f(x):
        if x > 0:
            box.v = x
            if x > 7:
                box.q = 3
            else:
                box.w = 7
        else:
            box.n += 1
        return x

    return Scene(f, lambda: setattr(box, "n", 10), lambda: box)


@scene(N, strict=TypeError)
def each_turn_writes_another_attribute():
    box = Box(a=1, b=2, c=3)

    def f(n):
        i = 0
        while i < n:
            if i == 0:
                box.a = 10
            elif i == 1:
                box.b = 20
            i += 1
        box.c += 1
        return i

    return Scene(f, lambda: setattr(box, "a", 0), lambda: box)
