"""A stand-in for the compiled function of the core.

Its entries run the Python function. So what `jit` decides (options, open sizes, when something is compiled) can be
looked at by itself, without a compiler.
"""

import types

from dyad import Tensor


class Tree:
    def __init__(self, names, args, templates):
        self._expected = {
            name: self._describe((name,), value, templates) for name, value in zip(names, args, strict=True)
        }
        self._names, self._templates = names, templates

    def _describe(self, place, value, templates):
        if isinstance(value, Tensor):
            shape = templates[place].sizes if place in templates else tuple(value.shape)
            return ("tensor", str(value.dtype), shape)
        if isinstance(value, (tuple, list)):
            return [self._describe((*place, index), part, templates) for index, part in enumerate(value)]
        return value

    def failure(self, args, keywords):
        count = len(args) - len(keywords)
        sizes = {}
        for name, value in zip((*range(count), *keywords), args, strict=True):
            if not self._holds((name,), value, self._expected[name], sizes):
                return f"argument {name}", str(self._expected[name]), str(value)
        return None

    def _holds(self, place, value, expected, sizes):
        if isinstance(value, Tensor):
            if place not in self._templates:
                return self._describe(place, value, {}) == expected
            template = self._templates[place]
            named = [
                (name, size)
                for name, size in zip(template.sizes, value.shape, strict=False)
                if isinstance(name, str)
            ]
            return template.accepts(value) and all(
                sizes.setdefault(name, size) == size for name, size in named
            )
        if isinstance(value, (tuple, list)):
            return (
                isinstance(expected, list)
                and len(value) == len(expected)
                and all(
                    self._holds((*place, index), part, expected[index], sizes)
                    for index, part in enumerate(value)
                )
            )
        return value is expected or (type(value) is type(expected) and value == expected)


class Entry:
    def __init__(self, function, args, kwargs, options):
        self.function, self.options = function, options
        self.positional, self.keywords = len(args), tuple(kwargs)
        self.tree = Tree((*range(len(args)), *kwargs), (*args, *kwargs.values()), options.templates)


class CompiledFunction:
    def __init__(self, miss, limit=64, name=""):
        self._miss, self.entries, self.name = miss, [], name

    def __get__(self, instance, owner=None):
        return self if instance is None else types.MethodType(self, instance)

    def __call__(self, *args, **kwargs):
        for entry in self.entries:
            fits = (entry.positional, entry.keywords) == (len(args), tuple(kwargs))
            if fits and entry.tree.failure((*args, *kwargs.values()), tuple(kwargs)) is None:
                return self.run(entry, args, kwargs)
        return self._miss(self, args, kwargs)

    def add(self, entry):
        self.entries.insert(0, entry)

    def clear(self):
        self.entries = []

    def run(self, entry, args, kwargs):
        return entry.function(*args, **kwargs)
