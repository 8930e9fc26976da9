"""Attributes set on Cells, other objects, modules, classes and third-party objects, with host values."""

import functools
import random
import threading
import types

import numpy as np
from hosting import LOG, hosted_scene, passed, total
from program import Scene

import dyad
from dyad import Parameter, Tensor, nn, ops

X = Tensor([1.0, 2.0])
K = 2.0
HELD = types.SimpleNamespace(value=1.0)


class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.count = 0
        self.history = []
        self.scale = 2.0
        self.inner = nn.ReLU()
        self.weight = Parameter(Tensor([1.0, 1.0]), name="weight")


def net_scene(construct):
    """A scene of a Cell whose `construct` is given; what the Cell holds is watched."""

    class Made(Net):
        pass

    Made.construct = construct
    net = Made()
    names = ("count", "history", "scale", "new", "late")

    def change():
        net.scale = -3.0

    def watch():
        return {name: getattr(net, name) for name in names if hasattr(net, name)}, net.weight

    return Scene(net, change, watch)


@hosted_scene(X)
def numbers_and_lists_of_a_cell():
    def construct(self, x):
        self.count += 1
        self.scale = total(x)
        self.history.append(self.scale)
        return x * self.scale + self.count

    return net_scene(construct)


@hosted_scene(X)
def new_attributes_of_a_cell():
    def construct(self, x):
        old = getattr(self, "new", None)
        self.new = x * 2
        if old is None:
            self.late = total(x)
        self.new = self.new + self.late
        return self.new, old is None

    return net_scene(construct)


@hosted_scene(X)
def attribute_read_before_and_after_its_write():
    def construct(self, x):
        before = self.scale
        self.scale = total(x)
        between = self.scale
        self.scale = passed(self.scale + 1, "more")
        return x * before + between, self.scale

    return net_scene(construct)


@hosted_scene(X)
def parameter_written_around_a_host_statement():
    def construct(self, x):
        self.weight = self.weight + x.astype(dyad.float32)
        k = float(self.weight.asnumpy().sum())
        ops.assign(self.weight, self.weight * 2)
        return x * k + self.weight

    return net_scene(construct)


@hosted_scene(X)
def parameter_is_read_by_host_code_between_writes():
    def construct(self, x):
        seen = []
        for i in range(2):
            self.weight[i] = total(x) + i
            seen.append(self.weight.asnumpy().tolist())
        return x * 2, seen

    return net_scene(construct)


@hosted_scene(X)
def attribute_written_then_an_exception():
    def construct(self, x):
        self.count += 1
        self.weight = self.weight * 2
        self.late = 1 / (total(x) - 3)
        self.count += 100
        return x

    return net_scene(construct)


@hosted_scene(X)
def attribute_of_another_cell():
    other = Net()

    def construct(self, x):
        other.scale = total(x) + other.scale
        self.inner.tag = other.scale
        return x * self.inner.tag

    made = net_scene(construct)
    return Scene(made.function, made.change, lambda: (made.watch(), other.scale))


@hosted_scene(X)
def method_of_a_cell_needs_python():
    class Inner(Net):
        def construct(self, x):
            self.count += 1
            return self.helped(x) * self.count

        def helped(self, x):
            self.history.append(total(x))
            return x + self.history[-1]

    class Outer(nn.Cell):
        def __init__(self):
            super().__init__()
            self.first, self.second = Inner(), Inner()

        def construct(self, x):
            return self.second(self.first(x)) + self.first(x)

    net = Outer()
    return Scene(net, watch=lambda: (net.first.history, net.second.history, net.first.count))


@hosted_scene(X)
def chains_of_attributes():
    root = types.SimpleNamespace(a=types.SimpleNamespace(b=[types.SimpleNamespace(c=1.0)]))

    def f(x):
        root.a.b[0].c += total(x)
        root.a.b.append(types.SimpleNamespace(c=x))
        root.a.b[-1].c = root.a.b[-1].c * root.a.b[0].c
        return root.a.b[-1].c, len(root.a.b)

    return Scene(f, watch=lambda: root.a.b[0].c)


@hosted_scene(X)
def object_is_found_before_the_value_is_made():
    held = types.SimpleNamespace(value=0.0, name="first")
    other = types.SimpleNamespace(value=0.0, name="second")
    box = types.SimpleNamespace(held=held)

    def swap(x):
        box.held = other
        return total(x)

    def f(x):
        box.held = held
        box.held.value = swap(x)
        box.held.value += swap(x)
        return x + held.value + other.value

    return Scene(f, watch=lambda: (held, other))


@hosted_scene(X)
def global_number_rebound():
    global K
    K = 2.0

    def f(x):
        global K
        y = x * K
        K = total(x)
        y = y + K
        K += 1
        return y

    def change():
        global K
        K = 100.0

    return Scene(f, change, lambda: K)


@hosted_scene(X)
def global_object_written():
    HELD.value = 1.0

    def f(x):
        HELD.value = HELD.value + total(x)
        setattr(HELD, "value", HELD.value * 2)
        return x * HELD.value

    return Scene(f, watch=lambda: HELD)


@hosted_scene(X)
def attribute_of_a_module():
    module = types.ModuleType("settings")
    module.k = 2.0

    def f(x):
        y = x * module.k
        module.k = total(x)
        return y + module.k

    return Scene(f, watch=lambda: module.k)


@hosted_scene(X)
def attribute_of_a_class():
    class Held:
        count = 0

    def f(x):
        Held.count += total(x)
        made = Held()
        made.count += 1
        return x * Held.count + made.count

    return Scene(f, watch=lambda: Held.count)


@hosted_scene(X)
def attribute_of_a_function():
    def helper(x):
        helper.calls += 1
        return x * total(x)

    helper.calls = 0
    return Scene(lambda x: helper(x) + helper(x) * helper.calls, watch=lambda: helper.calls)


@hosted_scene(X)
def attributes_of_library_objects():
    a, chance = np.zeros((2, 2)), random.Random(1)
    d = functools.partial(lambda v, k: v * k, k=2.0)

    def f(x):
        a.flat = [total(x), a[0, 0], a[1, 0], 1]
        d.note = total(x)
        chance.seed(int(total(x)))
        return d(x) + len(a), chance.randint(0, 99), d.note

    return Scene(f, watch=lambda: a)


@hosted_scene(X)
def attributes_of_a_tensor():
    tagged = Tensor([1.0, 1.0])

    def f(x):
        tagged.tag = total(x)
        y = x * tagged.tag
        return y, hasattr(tagged, "tag"), tagged.tag

    return f


@hosted_scene(X)
def thread_local_values():
    held = threading.local()
    held.k = 2.0

    def f(x):
        seen = []
        y = x * held.k
        thread = threading.Thread(target=lambda: seen.append(hasattr(held, "k")))
        thread.start()
        thread.join()
        held.k = held.k + total(x)
        return y, seen

    return Scene(f, watch=lambda: held.k)


@hosted_scene(X)
def attribute_deleted_and_set_again():
    held = types.SimpleNamespace(k=2.0)

    def f(x):
        y = x * held.k
        del held.k
        try:
            held.k
        except AttributeError as error:
            LOG.append(str(error))
        held.k = total(y)
        return y + held.k

    return Scene(f, watch=lambda: held)


@hosted_scene(X)
def list_attribute_replaced_while_a_name_holds_it():
    held = types.SimpleNamespace(items=[1.0])

    def f(x):
        items = held.items
        held.items = held.items + [total(x)]
        items.append("old")
        held.items += ["new"]
        return x * len(held.items), items, held.items is items

    return Scene(f, watch=lambda: held)


@hosted_scene(X)
def setting_is_seen_by_host_code_at_once():
    held = types.SimpleNamespace(value=None)

    def told():
        LOG.append(None if held.value is None else total(held.value))

    def f(x):
        told()
        held.value = x * 2
        told()
        held.value = held.value + x
        told()
        return held.value

    return Scene(f, watch=lambda: held)


@hosted_scene(X)
def host_writes_are_seen_by_the_graph():
    held = types.SimpleNamespace(k=1.0, items=[])

    def host(x):
        held.k = float(x.asnumpy()[0]) + 5
        held.items.append(held.k)

    def f(x):
        a = held.k
        host(x)
        b = held.k
        host(x * 2)
        return x * (a + b * 10 + held.k * 100), len(held.items)

    def change():
        held.k = -1.0

    return Scene(f, change, lambda: held)


@hosted_scene(X)
def cells_flags_and_settings():
    net = nn.Dropout(p=0.5)
    net.set_train(False)

    def f(x):
        y = net(x) * total(x)
        return y, net.training

    return f
