"""How the results of a graph become Python values again, and what is written back to objects from outside."""

import collections.abc

from dyad._core import GraphNumber, Tensor
from dyad._src.autodiff.recording import recording_off
from dyad._src.capture.errors import rejection
from dyad._src.capture.functions import Bound, ClosureFunction
from dyad._src.capture.values import (
    UNBOUND,
    Deferred,
    OneOf,
    RuntimeRange,
    is_symbolic_tensor,
    origin_of,
    torn_of,
)
from dyad._src.parameter import Parameter


class Results:
    """Collects the results a graph must give and describes what is built from them."""

    def __init__(self, interpreter):
        self._interpreter = interpreter
        self._world = interpreter.world
        self.leaves = []
        self._numbers = {}  # id of a leaf -> its place among the results
        self._shared = {}  # id of a container -> (container, its number)

    def template(self, value):
        """The description of one value."""
        known = self._world.seen.get(id(value))
        if known is not None and known.seen is value:
            return ("source", known.node)
        if isinstance(value, Tensor):
            return self._tensor(value)
        if isinstance(value, GraphNumber):
            return ("result", self._leaf(value))
        if isinstance(value, OneOf):
            return self._choice(value)
        if isinstance(value, Deferred):
            return ("build", value.function, [self.template(item) for item in value.arguments])
        if isinstance(value, (list, dict, set)):
            return self._once(value, self._container)
        if isinstance(value, tuple):
            items = ("tuple", [self.template(item) for item in value])
            return items if type(value) is tuple else ("build", _TupleMaker(type(value)), [items])
        return self._other(value)

    def _leaf(self, value):
        if id(value) not in self._numbers:
            self._numbers[id(value)] = len(self.leaves)
            self.leaves.append(value)
        return self._numbers[id(value)]

    def _tensor(self, value):
        if is_symbolic_tensor(value):
            return self._once(value, self._symbolic)
        if isinstance(value, Parameter):
            return ("constant", value)
        return self._once(value, lambda tensor: ("fresh", tensor))

    def _symbolic(self, tensor):
        """A result; where it may be a tensor from outside, the object that the caller gave."""
        origin = origin_of(tensor)
        result = ("result", self._leaf(tensor))
        written = self._interpreter.graph.memory(tensor) in self._interpreter.written
        if not isinstance(origin.which, GraphNumber) or written:
            return result  # what was written is a tensor of its own, or the write was refused
        alternatives = [result]
        for number in range(max(origin.candidates) + 1):
            known = number in origin.candidates
            alternatives.append(self.template(self._world.origins[number]) if known else result)
        return ("choice", self._leaf(origin.which + 1), alternatives)

    def _once(self, value, describe):
        known = self._shared.get(id(value))
        if known is None:
            number = len(self._shared)
            self._shared[id(value)] = known = (value, ("shared", number, None))
            described = ("shared", number, describe(value))
            self._shared[id(value)] = (value, described)
            return described
        if known[1][2] is None:
            raise rejection(
                self._interpreter.returned_at,
                "return: a container that contains itself is not a result of a static graph",
                "Give back its parts.",
            )
        return known[1]

    def _container(self, value):
        if isinstance(value, set):
            return ("build", type(value), [("constant", tuple(value))])
        if isinstance(value, (list, dict)) and torn_of(value) is not None:
            return self._torn(value)
        if isinstance(value, dict):
            items = ("dict", [(key, self.template(item)) for key, item in value.items()])
            return items if type(value) is dict else ("build", _DictMaker(value), [items])
        items = ("list", [self.template(item) for item in value])
        return items if type(value) is list else ("build", type(value), [items])

    def _torn(self, value):
        """A container whose contents are one of several."""
        kind = dict if isinstance(value, dict) else list
        choice = torn_of(value).choice
        return self._choice(OneOf(choice.tag, {tag: kind(held) for tag, held in choice.alternatives.items()}))

    def _choice(self, value):
        if isinstance(value.tag, int):
            return self.template(value.alternatives[value.tag])
        last = max(value.alternatives)
        alternatives = [
            self.template(value.alternatives[tag]) if tag in value.alternatives else ("constant", None)
            for tag in range(last + 1)
        ]
        return ("choice", self._leaf(value.tag), alternatives)

    def _other(self, value):
        if isinstance(value, (ClosureFunction, Bound)):
            made = value.__func__ if isinstance(value, Bound) else value
            raise rejection(
                made.frame.place(made.node),
                f"return: the function {value.__name__} is made inside the graph and cannot be given back",
                "Give back what it computes, or define it outside of the compiled function.",
            )
        if isinstance(value, RuntimeRange):
            parts = [self.template(part) for part in (value.start, value.stop, value.step)]
            return ("build", range, parts)
        if isinstance(value, slice):
            return ("build", slice, [self.template(part) for part in (value.start, value.stop, value.step)])
        if isinstance(value, collections.abc.MappingView):
            name = {collections.abc.KeysView: "keys", collections.abc.ValuesView: "values"}
            method = next((name[kind] for kind in name if isinstance(value, kind)), "items")
            return ("build", _View(method), [self.template(dict(value.mapping))])
        if isinstance(value, collections.abc.Iterator) and not hasattr(value, "__dict__"):
            return self._once(value, self._iterator)
        if isinstance(value, frozenset):
            return ("build", frozenset, [("constant", tuple(value))])
        if self._world.is_own(value) and hasattr(value, "__dict__") and not self._interpreter.is_cell(value):
            return self._once(value, self._object)
        return ("constant", value)

    def _iterator(self, value):
        return ("build", _ITERATORS.get(type(value), iter), [self.template(list(value))])

    def _object(self, value):
        attributes = ("dict", [(name, self.template(item)) for name, item in value.__dict__.items()])
        return ("build", _ObjectMaker(type(value)), [attributes])

    # ---- what is written back

    def effects(self):
        """Descriptions of the changes to objects from outside, in order."""
        effects = []
        for adopted in list(self._world.adopted.values()):
            if adopted.snapshot is not None and adopted.changed():
                self._require_lax(adopted.original)
                effects.append(
                    (
                        "build",
                        _replace_contents,
                        [("source", adopted.node), self._contents(adopted.seen)],
                    )
                )
        for overlay in self._world.overlays.values():
            target = ("source", overlay.node)
            write = _write_item if overlay.write == "item" else _write_attribute
            for name, value in overlay.entries.items():
                effects.append(("build", write, [target, ("constant", name), self.template(value)]))
        return effects

    def written_tensors(self):
        """Descriptions of what tensors from outside hold by now, for a graph that does not come to its end."""
        return [
            ("build", _write_tensor, [("source", known.node), ("result", self._leaf(known.seen))])
            for known in self._world.written_tensors()
        ]

    def _require_lax(self, container):
        """At STRICT a graph leaves Python's containers as they are."""
        if self._interpreter.strict:
            raise rejection(
                self._interpreter.place,
                f"a {type(container).__name__} from outside of the graph is changed, which needs the Python object "
                "when the graph runs",
                "Give back the new contents, or use jit(fullgraph=False).",
                kind=TypeError,
            )

    def _contents(self, value):
        if isinstance(value, (list, dict)) and torn_of(value) is not None:
            return self._torn(value)
        if isinstance(value, dict):
            return ("dict", [(key, self.template(item)) for key, item in value.items()])
        if isinstance(value, set):
            return ("constant", frozenset(value))
        return ("list", [self.template(item) for item in value])


class _TupleMaker:
    """Makes a named tuple (or another kind of tuple) of its elements."""

    def __init__(self, kind):
        self._kind = kind

    def __call__(self, items):
        return tuple.__new__(self._kind, items)


class _DictMaker:
    """Makes a dict of a class derived from dict."""

    def __init__(self, like):
        self._empty = like.copy()
        self._empty.clear()

    def __call__(self, items):
        made = self._empty.copy()
        made.update(items)
        return made


class _ObjectMaker:
    """Makes an object of a user's class with the given attributes."""

    def __init__(self, kind):
        self._kind = kind

    def __call__(self, attributes):
        made = self._kind.__new__(self._kind)
        made.__dict__.update(attributes)
        return made


class _View:
    def __init__(self, method):
        self._method = method

    def __call__(self, mapping):
        return getattr(mapping, self._method)()


def _zip_of(rows):
    return zip(*zip(*rows, strict=True), strict=False)


def _map_of(items):
    return map(_same, items)


def _filter_of(items):
    return filter(_always, items)


def _enumerate_of(pairs):
    return enumerate([item for _, item in pairs], pairs[0][0] if pairs else 0)


def _same(item):
    return item


def _always(item):
    return True


_ITERATORS = {zip: _zip_of, map: _map_of, filter: _filter_of, enumerate: _enumerate_of}


def _replace_contents(target, new):
    if isinstance(target, list):
        target[:] = new
    else:
        target.clear()
        target.update(new)


def _write_tensor(target, new):
    """Lets a tensor hold what the graph has for it, which is itself if the graph wrote in place."""
    if new is not target:
        with recording_off():
            target.copy_(new)


def _write_attribute(target, name, value):
    if value is UNBOUND:
        if hasattr(target, name):
            delattr(target, name)
    else:
        setattr(target, name, value)


def _write_item(target, name, value):
    if value is UNBOUND:
        target.pop(name, None)
    else:
        target[name] = value
