"""The value of a call, in a file: tuples, lists, dicts, numbers and strings around the results of the graph."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.interchange.mindir.functions import KEYS
from dyad._src.tensor.parameter import Parameter


def results_in(template):
    """The indexes of the results that a description of a value needs."""
    kind = template[0]
    if kind == "result":
        return {template[1]}
    if kind in ("tuple", "list"):
        return set().union(*map(results_in, template[1])) if template[1] else set()
    if kind == "dict":
        return set().union(*(results_in(part) for _, part in template[1])) if template[1] else set()
    if kind == "shared":
        return results_in(template[2])
    return set()


class ResultWriter:
    """Writes a value from its description."""

    def __init__(self, emission, captured, names, updates, leaves, parameters):
        self._emission = emission
        self._captured = captured
        self._names = names
        self._updates = updates
        self._leaves = leaves
        self._parameters = parameters

    def write(self, template):
        """The Written value."""
        kind = template[0]
        write = getattr(self, f"_{kind}", None)
        if write is None:
            raise TypeError(
                f"export: {self._captured.name} gives back a value that is built by {template[1]!r}; need Tensors, "
                "numbers, texts, None, and tuples, lists and dicts of them"
            )
        return write(*template[1:])

    def _result(self, place):
        value = self._emission.values[self._names[place]]
        return self._number(place, value)

    def _number(self, place, value):
        """Numbers are returned as numbers."""
        if self._is_number(place) and value.is_tensor:
            return self._emission.as_number(value)
        return value

    def _is_number(self, place):
        name = self._names[place]
        main = next(iter(self._captured.functions.values()))
        made = [result for node in main.nodes for result in node.results]
        found = next((value for value in (*main.parameters, *made) if value.name == name), None)
        return found is not None and found.type.startswith("number ")

    def _tuple(self, parts):
        return self._emission.tuple_of([self.write(part) for part in parts])

    def _list(self, parts):
        return self._emission.writer.plain_step("make_list", *[self.write(part) for part in parts])

    def _dict(self, parts):
        """A tuple of the values with a note of the keys: other readers do not support dicts here."""
        made = self._emission.tuple_of([self.write(part) for _, part in parts])
        self._emission.writer.note(made, KEYS, tuple(key for key, _ in parts))
        return made

    def _constant(self, value):
        if isinstance(value, Parameter):
            raise RuntimeError(
                f"export: {self._captured.name} gives back the Parameter {value.name!r}, which is not its own"
            )
        if value is not None and not isinstance(
            value, (bool, int, float, str, tuple, list, dict, Tensor, _core.DType)
        ):
            raise TypeError(
                f"export: {self._captured.name} gives back a {type(value).__name__}; need Tensors, numbers, texts, "
                "None, and tuples, lists and dicts of them"
            )
        return self._emission.writer.constant(value)

    def _fresh(self, tensor):
        return self._emission.writer.constant(tensor)

    def _shared(self, number, part):
        return self.write(part)

    def _source(self, node):
        leaf, value = self._captured.sources[node]
        if leaf is not None:
            name = self._input_name(leaf)
            updated = self._updates.get(name)
            return self._emission.values[updated] if updated else self._leaves[leaf]
        if id(value) in self._parameters:
            return self._parameters[id(value)]
        return self._constant(value)

    def _input_name(self, leaf):
        return next((given.name for given in self._captured.inputs if given.leaf == leaf), None)
