"""Views of dicts that were taken outside of the function: they show what the function does to the dict."""

from collections import OrderedDict

from program import Scene, scene

from dyad import Tensor

X = Tensor([1.0, 2.0])


def _views(entries):
    return entries.keys(), entries.values(), entries.items()


def _scene_of(entries, function):
    return Scene(lambda x: function(entries, x), lambda: entries.update(b=5), lambda: list(entries.items()))


@scene(X, strict=False)
def of_a_dict_that_grows():
    entries = {"a": 1}
    keys, values, items = _views(entries)

    def grow(entries, x):
        entries[f"c{len(entries)}"] = 3
        return x * len(keys) + sum(values), "c1" in keys, list(items), keys == entries.keys(), keys & {"a"}

    return _scene_of(entries, grow)


@scene(X, strict=False)
def of_a_dict_that_grows_under_a_condition():
    entries = {"a": 1}
    keys, values, items = _views(entries)

    def grow(entries, x):
        if x.sum() > 0:
            entries[f"c{len(entries)}"] = 3
        return x * len(keys) + sum(values), "c1" in keys, ("a", 1) in items, [key for key in keys]

    return _scene_of(entries, grow)


@scene(X, strict=False)
def of_an_ordered_dict():
    entries = OrderedDict(a=1, b=2)
    keys, _, items = _views(entries)

    def move(entries, x):
        entries.move_to_end("a")
        return x * len(keys), list(keys), list(reversed(items))

    return _scene_of(entries, move)


@scene(X)
def of_a_dict_that_is_only_read():
    entries = {"a": 1}
    keys, values, items = _views(entries)
    return _scene_of(entries, lambda _, x: (x * sum(values), keys, dict(items)))


@scene(X, strict=False)
def in_a_list():
    entries = {"a": 1}
    held = [entries.values()]

    def count(entries, x):
        entries["a"] += 1
        return x * sum(held[0])

    return _scene_of(entries, count)


@scene(X, strict=False)
def of_tensors():
    entries = {"a": Tensor([3.0, 4.0])}
    values = entries.values()

    def add(entries, x):
        entries["c"] = x * 2
        for value in values:
            x = x + value
        return x, values

    return _scene_of(entries, add)


@scene(X, strict=False)
def of_a_dict_that_changes_meanwhile():
    entries = {"a": 1}
    keys = entries.keys()

    def grow(entries, x):
        for key in keys:
            entries[key + "x"] = 1
        return x

    return _scene_of(entries, grow)
