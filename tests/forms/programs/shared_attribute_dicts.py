"""Attributes of an object that are reached under another name: as a dict held outside, or through another object."""

from program import Scene, scene

from dyad import Tensor, nn

X = Tensor([1.0, 2.0])


class Plain:
    pass


class Config(dict):
    def __init__(self, **entries):
        super().__init__(**entries)
        self.__dict__ = self


def _both_names(function):
    """A scene with an object and its attributes as a dict that was taken outside."""
    owner = Plain()
    owner.a = 1
    held = vars(owner)
    return Scene(lambda x: function(owner, held, x), lambda: held.update(a=5), lambda: list(held.items()))


def _config(function):
    config = Config(a=2)
    return Scene(lambda x: function(config, x), lambda: config.update(a=5), lambda: list(config.items()))


@scene(X, strict=False)
def attribute_is_read_as_an_entry():
    def write(config, x):
        config.a = config.a + 1
        return x * config["a"]

    return _config(write)


@scene(X, strict=False)
def entry_is_read_as_an_attribute():
    def write(config, x):
        config["a"] += 1
        if x.sum() > 0:
            config["b"] = 4
        return x * config.a, hasattr(config, "b")

    return _config(write)


@scene(X, strict=False)
def attribute_under_a_condition_is_an_entry():
    def write(config, x):
        if x.sum() > 0:
            config.b = 4
        return x * len(config), "b" in config, config.get("b")

    return _config(write)


@scene(X)
def both_names_are_read():
    return _config(lambda config, x: x * config.a + config["a"] + len(config))


@scene(X, strict=False)
def config_of_a_cell():
    class Counting(nn.Cell):
        def __init__(self):
            super().__init__()
            self.config = Config(steps=[], last=0)

        def construct(self, x):
            self.config.steps.append(1)
            self.config["last"] = len(self.config.steps)
            return x * self.config.last

    cell = Counting()
    return Scene(cell, watch=lambda: list(cell.config.items()))


@scene(X, strict=False)
def dict_held_outside_shows_attributes():
    def write(owner, held, x):
        owner.a = owner.a + 1
        return x * held["a"]

    return _both_names(write)


@scene(X, strict=False)
def attributes_show_the_dict_held_outside():
    def write(owner, held, x):
        held["b"] = 3
        held["a"] += 1
        return x * owner.b + owner.a

    return _both_names(write)


@scene(X, strict=False)
def attribute_under_a_condition():
    def write(owner, held, x):
        if x.sum() > 0:
            owner.b = 1
        return x * len(held), "b" in held

    return _both_names(write)


@scene(X, strict=False)
def attribute_written_by_vars():
    def write(owner, held, x):
        vars(owner)["b"] = 4
        return x * held["b"], held.pop("b")

    return _both_names(write)


@scene(X, strict=False)
def attributes_are_the_dict():
    def compare(owner, held, x):
        return (
            x,
            vars(owner) is held,
            owner.__dict__ == held,
            isinstance(vars(owner), dict),
            vars(owner) | held,
        )

    return _both_names(compare)


@scene(X, strict=False)
def views_of_attributes():
    owner = Plain()
    owner.a = 1

    def write(x):
        keys = vars(owner).keys()
        owner.b = 1
        return x * len(keys)

    return Scene(write, lambda: vars(owner).pop("b"))


@scene(X, strict=False)
def objects_of_one_state():
    class Shared:
        state = {}

        def __init__(self):
            self.__dict__ = Shared.state

    one, other = Shared(), Shared()
    one.n = 1

    def write(x):
        before = other.n
        one.n = one.n + 1
        return x * other.n + before, Shared.state["n"]

    return Scene(write, lambda: Shared.state.update(n=7), lambda: dict(Shared.state))
