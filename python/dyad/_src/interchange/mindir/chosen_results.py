"""Adds results that are one of several tensors to the results of the graph.

A call returns the object that its program would: if a run decides which one that is, the graph returns a number, by
which the object is selected after the graph has run. A file has only the graph, which has to select by itself.
"""

import dataclasses
import itertools
import re

from dyad._core import Tensor
from dyad._src.interchange.graph_text.operands import results_and_updates
from dyad._src.interchange.mindir.text_results import dtype_name


def _keys(entries):
    return tuple(key for key, _ in entries)


# Containers whose members can be selected one by one, and the properties that must be equal.
_ALIKE = {"tuple": len, "list": len, "dict": _keys}


@dataclasses.dataclass(frozen=True)
class AddedInput:
    """An additional input of the graph: a leaf of the arguments, or a tensor."""

    name: str
    type: str
    leaf: int | None
    value: object


class ChosenResults:
    """Rewrites how results make the value of a call until nothing is left to choose.

    `sources` are the (leaf, object) of nodes, `inputs` the (name, leaf, object) that the graph has, `leaves` the (name,
    dtype, shape) of all arguments.
    """

    def __init__(self, owner, text, functions, inputs, leaves, sources):
        self._owner = owner
        self._text = text
        self._sizes = max(map(int, re.findall(r"\bsize#(\d+)", text)), default=0)
        self._main = next(iter(functions.values()))
        self._results, self._updates = results_and_updates(self._main)
        self._results = list(self._results)
        made = itertools.chain(self._main.parameters, *(node.results for node in self._main.nodes))
        self._types = {value.name: value.type for value in made}
        self._taken = set(functions)
        self._inputs = list(inputs)
        self._leaves = leaves
        self._sources = sources
        self._nodes = []
        self._functions = []
        self.added = []

    def text(self):
        """The text of the graph with all selected values as additional results."""
        if not self._nodes:
            return self._text
        _, _, rest = self._text.partition("\n")
        body, _, others = rest.partition("\n}\n") if not rest.startswith("}\n") else ("", "", rest[2:])
        parameters = [
            f"{'state ' if held.is_state else ''}{held.name}: {held.type}" for held in self._main.parameters
        ]
        parameters += [f"{held.name}: {held.type}" for held in self.added]
        updates = [f"state {name} = {value}" for name, value in self._updates.items()]
        head = f"func @{self._main.name}({', '.join(parameters)}) -> ({', '.join([*self._results, *updates])}) {{"
        lines = [head, *([body] if body else []), *self._nodes, "}", *self._functions, others]
        return "\n".join(lines)

    def rewrite(self, template):
        """The description of the same value without a choice."""
        kind = template[0]
        if kind in ("tuple", "list"):
            return kind, [self.rewrite(part) for part in template[1]]
        if kind == "dict":
            return kind, [(key, self.rewrite(part)) for key, part in template[1]]
        if kind == "shared":
            return kind, template[1], self.rewrite(template[2])
        if kind != "choice":
            return template
        place, alternatives = template[1:]
        if self._is_same_value(alternatives):
            return alternatives[0]
        return self._chosen(place, [self.rewrite(part) for part in alternatives])

    def _is_same_value(self, alternatives):
        """Returns whether the selection is only between a new tensor and the objects of the caller that have its
        value.
        """
        first = alternatives[0]
        return first[0] == "result" and not self._types[self._results[first[1]]].startswith("number ")

    def _chosen(self, place, parts):
        parts = [_bare(part) for part in parts]
        kind = parts[0][0]
        if all(_is_same(part, parts[0]) for part in parts):
            return parts[0]
        if any(part[0] != kind for part in parts) or kind not in _ALIKE:
            return self._chosen_tensor(place, parts)
        alike = _ALIKE[kind]
        if any(alike(part[1]) != alike(parts[0][1]) for part in parts):
            raise self._refusal()
        if kind == "dict":
            members = zip(*([member for _, member in part[1]] for part in parts), strict=True)
            keys = alike(parts[0][1])
            return kind, [
                (key, self._chosen(place, list(each))) for key, each in zip(keys, members, strict=True)
            ]
        return kind, [
            self._chosen(place, list(each)) for each in zip(*(part[1] for part in parts), strict=True)
        ]

    def _chosen_tensor(self, place, parts):
        names = [self._tensor(part) for part in parts]
        tag, chosen = self._results[place], names[-1]
        for number in reversed(range(len(names) - 1)):
            chosen = self._one_of_two(tag, number, names[number], chosen)
        self._results.append(chosen)
        return "result", len(self._results) - 1

    def _one_of_two(self, tag, number, first, second):
        types = self._types[first], self._types[second]
        truth, chosen = self._value("number bool_"), self._value(self._joined(*types))
        arms = [self._function(), self._function()]
        for arm, given in zip(arms, ("%1", "%2"), strict=True):
            taken = [self._with_own_sizes(type_) for type_ in types]
            self._functions.append(f"func @{arm}(%1: {taken[0]}, %2: {taken[1]}) -> ({given}) {{\n}}")
        self._nodes.append(f"  {truth}: number bool_ = number_eq({tag}, other={number})")
        self._nodes.append(
            f"  {chosen}: {self._types[chosen]} = if {truth} then @{arms[0]} else @{arms[1]}({first}, {second})"
        )
        return chosen

    def _joined(self, one, other):
        """The type of a tensor that has one of two types: sizes in which they differ are known when the graph runs."""
        (kind, sizes), (other_kind, other_sizes) = _split_type(one), _split_type(other)
        if kind != other_kind or len(sizes) != len(other_sizes):
            raise self._refusal()
        pairs = zip(sizes, other_sizes, strict=True)
        return _type(kind, [a if a == b else self._size() for a, b in pairs])

    def _with_own_sizes(self, type_):
        """A type as that of a parameter, which finds out its open sizes by itself."""
        kind, sizes = _split_type(type_)
        return _type(kind, [size if size.isdigit() else self._size() for size in sizes])

    def _size(self):
        self._sizes += 1
        return f"size#{self._sizes}"

    def _value(self, type_):
        number = len(self._types)
        while f"%chosen_{number}" in self._types:
            number += 1
        self._types[f"%chosen_{number}"] = type_
        return f"%chosen_{number}"

    def _function(self):
        number = len(self._taken)
        while f"chosen_{number}" in self._taken:
            number += 1
        self._taken.add(f"chosen_{number}")
        return f"chosen_{number}"

    def _tensor(self, part):
        """The name of a tensor in the graph."""
        kind, held = part[0], part[1]
        if kind == "result":
            return self._results[held]
        if kind == "source":
            return self._given(*self._sources[held])
        if kind in ("fresh", "constant") and isinstance(held, Tensor):
            return self._given(None, held)
        raise self._refusal()

    def _given(self, leaf, value):
        """An input of the graph, with the value that it has at the end; it is added where it is none yet."""
        for name, known, other in self._inputs:
            if (leaf is not None and known == leaf) or (leaf is None and known is None and other is value):
                return self._updates.get(name, name)
        dtype, shape = self._leaves[leaf][1:] if leaf is not None else _type_of(value)
        if dtype is None or None in shape:
            raise self._refusal()
        name = self._value(_type(dtype_name(dtype), map(str, shape)))
        self._inputs.append((name, leaf, value))
        self.added.append(AddedInput(name, self._types[name], leaf, value))
        return name

    def _refusal(self):
        return TypeError(
            f"export: {self._owner} gives back values of different kinds, depending on its inputs; need Tensors of one "
            "dtype and rank at each place of the result"
        )


def _bare(template):
    while template[0] == "shared":
        template = template[2]
    return template


def _is_same(one, other):
    """Returns whether two descriptions are surely of the same value; members of containers are compared elsewhere."""
    if one[0] != other[0] or one[0] in _ALIKE:
        return False
    if one[0] in ("result", "source"):
        return one[1] == other[1]
    if isinstance(one[1], Tensor) or isinstance(other[1], Tensor):
        return one[1] is other[1]
    return one[0] == "constant" and type(one[1]) is type(other[1]) and one[1] == other[1]


def _type_of(value):
    return (value.dtype, tuple(value.shape)) if isinstance(value, Tensor) else (None, ())


def _split_type(text):
    """(dtype, texts of the sizes) of the type of a tensor; an expression of sizes is in parentheses."""
    kind, _, sizes = text.partition("[")
    parts, depth = [""], 0
    for character in sizes.removesuffix("]"):
        depth += (character == "(") - (character == ")")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return kind, [part.strip() for part in parts if part.strip()]


def _type(kind, sizes):
    return f"{kind}[{', '.join(sizes)}]"
