"""Maps the name and attributes of a node to its operator.

The operators are the Primitives of `dyad.ops`, found by name. If a file passes the settings of a Primitive as inputs,
they follow the tensors, in the order of the constructor, which is also that of the operator's parameters.
"""

import functools
import inspect

from dyad import _core, ops
from dyad._src.interchange.mindir import dtypes
from dyad._src.interchange.mindir.file_operators import OPERATORS
from dyad._src.interchange.mindir.messages import MalformedGraph, PrimitiveKind
from dyad._src.interchange.mindir.structural import FUNCTIONS, letters, snapshot
from dyad._src.primitive.primitive import Primitive

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
_KINDS = {str: "str", int: "int", tuple: "ints", str | None: "str"}
# Attributes that Primitives of other versions have under another name than here.
_OTHER_NAMES = {"data_format": ("format",), "group": ("groups",), "pad": ("pad_list",)}


class Operator:
    """The callee of a node: `function`, and the mapping of its inputs.

    `place(inputs)` returns positional and keyword inputs; an input is a known value or a name, as `is_known` returns.
    """

    def __init__(self, name, function, parameters=None, settings=None, kinds=None):
        self.name = name
        self.function = function
        self._parameters = parameters
        self._settings = settings or {}
        self._kinds = kinds or {}

    def place(self, inputs):
        """(positional, keywords) of a call, each an input that the node has or a Known value."""
        if self._parameters is None:
            return inputs, {}
        if len(inputs) > len(self._parameters):
            names = ", ".join(parameter.name for parameter in self._parameters)
            raise MalformedGraph(f"{self.name} has {len(inputs)} inputs; need {names or 'none'}")
        positional, keywords = [], {name: Known(value) for name, value in self._settings.items()}
        for parameter, given in zip(self._parameters, inputs, strict=False):
            if isinstance(given, Known):
                given = Known(self._converted(parameter.name, given.value))
            if parameter.kind is inspect.Parameter.KEYWORD_ONLY:
                keywords[parameter.name] = given
            else:
                positional.append(given)
        return positional, keywords

    def _converted(self, name, value):
        return converted(self._kinds.get(name), name, value)

    @property
    def writes(self):
        """True if a call may write one of its inputs."""
        return bool(getattr(self.function, "_writes", ())) or self.name.startswith(
            ("Apply", "Assign", "Inplace")
        )


class Known:
    """An input whose value is in the file."""

    __slots__ = ("value",)

    def __init__(self, value):
        self.value = value


def converted(kind, name, value):
    """A value of a file as an operator accepts it: keywords and dtypes are numbers there."""
    is_number = isinstance(value, int) and not isinstance(value, bool)
    if kind == "str" and is_number:
        text = dtypes.word(name, value)
        if text is None:
            raise MalformedGraph(f"{name} is {value}, which stands for no word that is known here")
        return text
    if (kind == "dtype" or name in ("dtype", "dst_type", "output_type")) and is_number:
        dtype = dtypes.argument_dtype(value)
        if dtype is None:
            raise MalformedGraph(f"{name} is {value}, which stands for no dtype that is known here")
        return dtype
    if isinstance(value, _core.Tensor):
        return _number_or_tensor(kind, value)
    if kind == "int" and isinstance(value, tuple) and len(value) == 1:
        return value[0]
    return value


def _number_or_tensor(kind, value):
    """Numbers of operators may be written down as Tensors."""
    if kind in ("Number", "int", "float", "bool") and value.size == 1:
        return value.item()
    if kind in ("ints", "sizes", "floats") and value.ndim <= 1:
        return tuple(value.reshape(-1).tolist())
    return value


def find_operator(name, kind, attributes):
    """The Operator of a node; None if there is none of that name."""
    function = FUNCTIONS.get(letters(name))
    if function is not None:
        return Operator(name, function)
    if name.startswith(FOREIGN):
        return own_operator(name[len(FOREIGN) :])
    if name in OPERATORS:
        return _file_operator(name, OPERATORS[name], attributes)
    cls = primitive_class(name)
    if cls is None:
        return None
    if kind == PrimitiveKind.FUNCTION:
        return _function_operator(name, cls)
    return _attribute_operator(name, cls, attributes)


FOREIGN = "dyad."  # operators of this package that no Primitive is for


def own_operator(name):
    """An operator of the table that returns what it would write; None if there is none of that name."""
    entry = next((entry for entry in _core.op_table() if entry["name"] == name), None)
    if entry is None or entry["compiler_made"]:
        return None
    written = {entry["writes"], *entry["updates"]} - {-1}
    return Operator(FOREIGN + name, _OwnOperator(name, written) if written else _core.named_op(name))


class _OwnOperator:
    """An operator that writes, applied to copies of its written arguments, which it returns."""

    def __init__(self, name, written):
        self._operator = _core.named_op(name)
        self._written = sorted(written)

    def __call__(self, *args):
        copied = list(args)
        for place in self._written:
            given = args[place]
            copied[place] = (
                tuple(snapshot(one) for one in given) if isinstance(given, tuple) else snapshot(given)
            )
        self._operator(*copied)
        results = [copied[place] for place in self._written]
        flat = [one for given in results for one in (given if isinstance(given, tuple) else (given,))]
        return flat[0] if len(flat) == 1 else tuple(flat)


def primitive_class(name):
    """The Primitive class of a name, also of one that only files use; None if there is none."""
    if not name.isidentifier() or name.startswith("_"):
        return None
    found = getattr(ops.auto_generate, name, None)
    return found if isinstance(found, type) and issubclass(found, Primitive) else None


@functools.cache
def _kinds_by_primitive():
    """Primitive name -> {parameter: kind}, of the operator table."""
    return {
        face["name"]: {
            param["name"]: param["kind"] for part in ("call", "init") for param in face[part]["params"]
        }
        for op in _core.op_table()
        for face in op["primitives"]
    }


def _function_operator(name, cls):
    """All inputs are given in the call."""
    kinds = _kinds_by_primitive().get(cls.__name__, {})
    if cls._call is not None:
        return Operator(name, cls._call, _parameters_of(cls._call), kinds=kinds)
    call = [p for p in inspect.signature(cls.__call__).parameters.values()][1:]
    init = [] if cls.__init__ is Primitive.__init__ else [*inspect.signature(cls).parameters.values()]
    if any(parameter.kind in _VARIABLE for parameter in (*call, *init)):
        return Operator(name, cls())
    if not init:
        return Operator(name, cls(), call, kinds=kinds)
    settings = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in init]
    return Operator(name, _ConstructedAtCall(cls, {p.name for p in init}), [*call, *settings], kinds=kinds)


def _file_operator(name, function, attributes):
    parameters = _parameters_of(function)
    kinds = {parameter.name: _KINDS.get(parameter.annotation) for parameter in parameters or ()}
    names = [p.name for p in parameters or () if p.kind is inspect.Parameter.KEYWORD_ONLY]
    return Operator(name, function, parameters, _settings(names, kinds, attributes), kinds)


def _settings(names, kinds, attributes):
    """The settings that are among the attributes, as the operator accepts them."""
    found = {}
    for name in names:
        spelled = next((other for other in (name, *_OTHER_NAMES.get(name, ())) if other in attributes), None)
        if spelled is not None:
            found[name] = converted(kinds.get(name), name, attributes[spelled])
    return found


class _ConstructedAtCall:
    """A Primitive class as a function of its inputs and, by keyword, of its settings."""

    def __init__(self, cls, settings):
        self._class = cls
        self._settings = settings

    def __call__(self, *args, **kwargs):
        settings = {name: kwargs.pop(name) for name in self._settings if name in kwargs}
        return self._class(**settings)(*args, **kwargs)


def _parameters_of(function):
    try:
        parameters = [*inspect.signature(function).parameters.values()]
    except (TypeError, ValueError):
        return None
    return None if any(parameter.kind in _VARIABLE for parameter in parameters) else parameters


def _attribute_operator(name, cls, attributes):
    """The settings are attributes; others than those of the constructor are for other backends."""
    names = cls._parameters or tuple(_constructor_names(cls))
    kinds = _kinds_by_primitive().get(cls.__name__, {})
    settings = _settings(names, kinds, attributes)
    if str(settings.get("pad_mode", "pad")).lower() != "pad":
        for name in ("pad", "pad_list"):  # what the mode came to for one shape
            settings.pop(name, None)
    try:
        made = cls(**settings)
        return Operator(name, made, _parameters_of(made), kinds=kinds)
    except (TypeError, ValueError, RuntimeError) as error:
        raise MalformedGraph(f"{name} cannot be made of {settings}: {error}") from None


def _constructor_names(cls):
    return () if cls.__init__ is Primitive.__init__ else inspect.signature(cls).parameters


__all__ = ["Known", "Operator", "converted", "find_operator", "primitive_class"]
