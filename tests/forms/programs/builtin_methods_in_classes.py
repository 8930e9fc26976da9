"""Special methods that a class body takes from Python's own classes: `__getattr__ = dict.get`."""

from program import Scene, program, scene

from dyad import Tensor, nn

X = Tensor([1.0, 2.0])


class Config(dict):
    __getattr__ = dict.get
    __setattr__ = dict.__setitem__
    __delattr__ = dict.__delitem__


class Strict(dict):
    __getattr__ = dict.__getitem__
    __delattr__ = dict.pop


def _scene_of(config, function):
    return Scene(
        lambda x: function(config, x), lambda: config.update(a=7), lambda: (dict(config), vars(config))
    )


@scene(X)
def attributes_are_read():
    return _scene_of(Config(a=2), lambda config, x: (x * config.a, config.nothing, getattr(config, "b", 3)))


@scene(X)
def attributes_are_read_that_must_be_there():
    def missing(config, x):
        try:
            return x * config.a + config.nothing
        except KeyError:
            return x + config.a

    return _scene_of(Strict(a=2), missing)


@scene(X, strict=False)
def attributes_are_written_and_deleted():
    def write(config, x):
        config.a = config.a + 1
        config.b = 3
        del config.b
        return x * config["a"] + len(config), "b" in config, hasattr(config, "b"), list(config)

    return _scene_of(Config(a=2), write)


@scene(X, strict=False)
def attribute_is_written_under_a_condition():
    def write(config, x):
        if x.sum() > 0:
            config.c = 5
        else:
            config.c = config.a
        found = config.c * x
        del config.c
        return found, config.c

    return _scene_of(Config(a=2), write)


@scene(X, strict=False)
def entry_under_a_condition_is_deleted_by_a_method():
    def write(config, x):
        if x.sum() > 0:
            config["c"] = 5
        dict.__setitem__(config, "d", 6)
        dict.__delitem__(config, "c")
        return x * config["d"]

    return _scene_of(Config(), write)


@scene(X, strict=False)
def missing_attribute_is_deleted():
    def delete(config, x):
        del config.nothing
        return x

    return _scene_of(Config(a=2), delete)


@scene(X, strict=False)
def object_of_the_function():
    def make(_, x):
        made = Config()
        made.a = x
        made.b = 2
        del made.b
        return made.a, made.b is None, len(made), list(made)

    return _scene_of(Config(), make)


@scene(X, strict=False)
def attribute_that_is_deleted_again():
    def write(config, x):
        config.b = 1
        found = config.b
        object.__delattr__(config, "b")
        return x * found

    return _scene_of(Strict(a=2), write)


@scene(X, strict=False)
def attribute_past_the_setter():
    def write(config, x):
        object.__setattr__(config, "hidden", 4)
        config.b = 1
        return x * config.hidden + len(config)

    return _scene_of(Config(a=2), write)


@scene(X)
def member_of_a_cell():
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.config = Config(scale=2.0)

        def construct(self, x):
            return x * self.config.scale if self.config.off is None else x

    cell = Scaled()
    return Scene(cell, lambda: cell.config.update(scale=3.0))


class Lenient(dict):
    __getitem__ = dict.get
    __call__ = dict.get
    __iter__ = dict.__iter__


class Backwards(list):
    __iter__ = list.__reversed__
    __next__ = list.pop
    __call__ = list.__getitem__


class Same(dict):
    __eq__ = object.__eq__
    __hash__ = object.__hash__


class Unequal(dict):
    def __eq__(self, other):
        return False


class Natives:
    __contains__ = callable
    __getitem__ = abs
    __call__ = len
    __getattr__ = len


class Found(dict):
    __missing__ = dict.get


@scene(X)
def items():
    return _scene_of(
        Lenient(a=2), lambda items, x: (x * items["a"], items["none"], items("a"), [key for key in items])
    )


@program(X)
def elements(x):
    items = Backwards([1, 2, 3])
    return x * items(1), list(items), next(items), len(items)


@program(X)
def equality(x):
    one, other = Same(a=x), Same(a=x)
    return one == other, one == one


@program(X)
def inequality_that_is_not_negated_equality(x):
    one, other = Unequal(a=1), Unequal(a=1)
    return x, one == other, one != other


@program(X)
def functions_that_do_not_bind(x):
    made = Natives()
    return x * made[-3], len in made, made("abc"), made.abcde


@program(X)
def missing_entry(x):
    return x, Found(a=1)["b"]


class Doubled(dict):
    def __getitem__(self, key):
        return super().__getitem__(key) * 2


class DoubledList(list):
    def __getitem__(self, place):
        return super().__getitem__(place) * 2


@program(X)
def iteration_past_own_items(x):
    entries, items = Doubled(a=x, b=1), DoubledList([2, 4])
    for key in entries:
        x = x + entries[key]
    first, _ = items
    return x, list(reversed(entries)), list(items), list(reversed(items)), first, items[0]
