"""Descriptions of the value of a call, in text files: lists of a word and its arguments.

["result", index], ["input", index], ["parameter", index], ["constant", index of a tensor], ["value", number or
string], ["float", digits of base 16], ["dtype", name], ["tuple" or "list", [...]], ["dict", [[key, ...], ...]].
"""

from dyad import _core
from dyad._core import DType, Tensor
from dyad._src.interchange.mindir.messages import MalformedGraph

_WORDS = ("result", "input", "parameter", "constant", "value", "float", "dtype", "tuple", "list", "dict")


def dtype_name(dtype):
    """The name of a dtype in the text of graphs."""
    return next(name for name, value in vars(_core).items() if isinstance(value, DType) and value == dtype)


def dtype_named(name):
    """The dtype of a name."""
    dtype = getattr(_core, name) if isinstance(name, str) and hasattr(_core, name) else None
    if not isinstance(dtype, DType):
        raise MalformedGraph(f"there is no dtype {name!r}")
    return dtype


def template_to(captured, sources, tensors):
    """The description of a captured network's output, as it is written down."""
    return _Writer(captured, sources, tensors).write(captured.output)


class _Writer:
    def __init__(self, captured, sources, tensors):
        self._captured = captured
        self._sources = sources
        self._tensors = tensors

    def write(self, template):
        kind, *rest = template
        if kind == "result":
            return ["result", rest[0]]
        if kind in ("tuple", "list"):
            return [kind, [self.write(part) for part in rest[0]]]
        if kind == "dict":
            return ["dict", [[self._value(key), self.write(part)] for key, part in rest[0]]]
        if kind == "shared":
            return self.write(rest[1])
        if kind == "source" and self._sources[rest[0]] is not None:
            return self._sources[rest[0]]
        if kind in ("constant", "fresh", "source"):
            return self._value(self._captured.sources[rest[0]][1] if kind == "source" else rest[0])
        raise self._refusal("a value that depends on the run in its type, or that is built by a function")

    def _value(self, value):
        if isinstance(value, Tensor):
            self._tensors["constant"].append(value)
            return ["constant", len(self._tensors["constant"]) - 1]
        if isinstance(value, float):
            return ["float", value.hex()]
        if isinstance(value, DType):
            return ["dtype", dtype_name(value)]
        if value is None or isinstance(value, (bool, int, str)):
            return ["value", value]
        if type(value) in (tuple, list):
            return [type(value).__name__, [self._value(member) for member in value]]
        if type(value) is dict:
            return ["dict", [[self._value(key), self._value(member)] for key, member in value.items()]]
        raise self._refusal(f"a {type(value).__name__}")

    def _refusal(self, what):
        return TypeError(
            f"export: {self._captured.name} gives back {what}; need Tensors, numbers, texts, None, and tuples, lists "
            "and dicts of them"
        )


def template_from(written):
    """The description, checked."""
    if not isinstance(written, list) or len(written) != 2 or written[0] not in _WORDS:
        raise MalformedGraph("the result is not described as it should be")
    kind, held = written
    if kind in ("tuple", "list"):
        return kind, [template_from(part) for part in held]
    if kind == "dict":
        return kind, [(template_from(key), template_from(part)) for key, part in held]
    if kind == "float":
        return "value", float.fromhex(held)
    if kind == "dtype":
        return "value", dtype_named(held)
    if kind == "value":
        if held is not None and not isinstance(held, (bool, int, str)):
            raise MalformedGraph("the result has a value that is no number or text")
        return kind, held
    if not isinstance(held, int) or held < 0:
        raise MalformedGraph("the result has a place that is no number")
    return kind, held
