"""Cells whose class defines `__getattr__`: Python calls it for each attribute that is not there."""

from noting import NOTES, note
from program import Raises, Scene, scene

from dyad import Tensor, nn, ops

X = Tensor([1.0, -2.0, 3.0])
FACTOR = 2.0


class Reading(nn.Cell):
    def __getattr__(self, name):
        if name == "factor":
            note("read")
            return FACTOR
        return super().__getattr__(name)

    def construct(self, x):
        return x * self.factor


class Wrapper(nn.Cell):
    """Takes from the Cell inside what it does not have itself."""

    def __init__(self, inner):
        super().__init__()
        self.inner = inner

    def __getattr__(self, name):
        try:
            return super().__getattr__(name)
        except AttributeError:
            return getattr(self.inner, name)

    def construct(self, x):
        return self.inner(x) * self.scale


class Inner(nn.Cell):
    def __init__(self):
        super().__init__()
        self.scale = 2

    def construct(self, x):
        return ops.relu(x)


def _start():
    NOTES.clear()
    globals()["FACTOR"] = 2.0


def _change_factor():
    globals()["FACTOR"] = 9.0


@scene(X, strict=False)
def getattr_of_a_new_cell_reads_a_global():
    _start()
    return Scene(lambda x: Reading()(x), change=_change_factor, watch=lambda: list(NOTES))


@scene(X, strict=False)
def getattr_of_a_cell_from_outside_reads_a_global():
    _start()
    net = Reading()
    return Scene(lambda x: net(x), change=_change_factor, watch=lambda: list(NOTES))


@scene(X, strict=False)
def getattr_of_the_called_cell_reads_a_global():
    _start()
    return Scene(Reading(), change=_change_factor, watch=lambda: list(NOTES))


@scene(X, trace=True)
def attribute_of_a_wrapped_cell_changes():
    net = Wrapper(Inner())

    def change():
        net.inner.scale = 3

    return Scene(net, change=change)


@scene(X, trace=True)
def attribute_of_a_wrapped_cell_is_set_on_the_wrapper():
    net = Wrapper(Inner())

    def change():
        net.scale = 5

    return Scene(lambda x: net.scale * x, change=change)


@scene(X)
def getattr_of_a_cell_reads_a_dict_that_changes():
    class Configured(nn.Cell):
        def __init__(self):
            super().__init__()
            self.entries = {"factor": 2.0}

        def __getattr__(self, name):
            if name.startswith("_"):
                return super().__getattr__(name)
            return self.entries[name]

        def construct(self, x):
            return x * self.factor

    net = Configured()

    def change():
        net.entries["factor"] = 7.0

    return Scene(net, change=change)


@scene(X)
def getattr_of_a_cell_computes_with_a_tensor():
    class Halving(nn.Cell):
        def __init__(self):
            super().__init__()
            self.held = Tensor([2.0, 4.0, 6.0])

        def __getattr__(self, name):
            return self.held / 2 if name == "half" else super().__getattr__(name)

        def construct(self, x):
            return x * self.half

    return Halving()


@scene(X, expect=Raises(AttributeError, "has no attribute 'other'"))
def getattr_of_a_cell_leaves_the_rest_to_the_framework():
    net = Reading()
    return lambda x: x * net.other


@scene(X, trace=True)
def getattr_of_a_cell_answers_hasattr():
    net = Wrapper(Inner())

    def change():
        del net.inner.scale

    return Scene(lambda x: x * (2 if hasattr(net, "scale") else 5), change=change)


@scene(X)
def getattr_is_added_to_a_class_of_cells():
    class Plain(nn.Cell):
        def construct(self, x):
            return x * getattr(self, "factor", 2)

    def change():
        Plain.__getattr__ = lambda self, name: 6 if name == "factor" else nn.Cell.__getattr__(self, name)

    return Scene(Plain(), change=change)


@scene(X)
def getattr_of_a_class_of_cells_is_replaced():
    class Answering(nn.Cell):
        def __getattr__(self, name):
            return 2 if name == "factor" else super().__getattr__(name)

        def construct(self, x):
            return x * self.factor

    def change():
        Answering.__getattr__ = lambda self, name: 6 if name == "factor" else nn.Cell.__getattr__(self, name)

    return Scene(Answering(), change=change)


@scene(X)
def object_getattribute_does_not_ask_getattr():
    net = Wrapper(Inner())

    def f(x):
        try:
            return x * object.__getattribute__(net, "scale")
        except AttributeError:
            return x - 1

    return f


@scene(X, trace=True)
def getattr_that_prints_nothing_reads_a_global():
    class Factors(nn.Cell):
        def __getattr__(self, name):
            return FACTOR if name == "factor" else super().__getattr__(name)

        def construct(self, x):
            return x * self.factor

    _start()
    net = Factors()
    return Scene(lambda x: net(x) + Factors()(x), change=_change_factor)
