"""Spellings of an operator in `dyad.ops.auto_generate`: as a function, as a Primitive class, as an object.

The names follow rules, and nothing is listed. `operator_lookup` says what a function and a class are; of these,

- `name_op` is the Primitive of `name`, called with all of its arguments;
- `NamePrim_` is a Primitive that takes all of them in one list, `_PyboostNamePrim` is one that takes them apart, and
  `name_impl` an object of that;
- `pyboost_name(primitive, arguments)` is the operator, given its Primitive and the list of all its arguments;
- `infer_value_for_Name` is the operator on values that are known, and None where one of them is not;
- `name_` is the Tensor method of that name, which writes to it; where there is none, it is as `name_op`;
- operators on tuples and lists, such as `SequenceCount` and `tuple_lt`, are classes in either spelling;
- the functions of `dyad.ops.communication` and those on numbers, such as `scalar_add`, have their own name alone.
"""

import functools
import inspect
import re

from dyad import ops
from dyad._src.primitive.primitive import Primitive
from dyad.compat.mindspore.ops import argument_handlers, operator_lookup, scalar_functions
from dyad.mint.distributed import communication

_HOME = "dyad.ops.auto_generate"
_WHOLE = ("_op", "_impl")
_INNER = re.compile(r"_Pyboost(?P<apart>\w+)Prim|(?P<listed>\w+)Prim_")
_PYBOOST, _INFERRED = "pyboost_", "infer_value_for_"


@functools.cache
def _inner_class(spelled):
    """The Primitive of an operator that takes all arguments in one list; None if there is no such operator."""
    whole = operator_lookup.object_of_all_arguments(spelled)
    if whole is None:
        return None

    def __init__(self):
        Primitive.__init__(self, spelled)

    def __call__(self, arguments):
        return whole(*[argument_handlers.worded(value) for value in arguments])

    members = {"__init__": __init__, "__call__": __call__, "__module__": _HOME, "_whole": whole}
    members["__doc__"] = f"{spelled} of one list, which holds its inputs and behind them its settings."
    return type(f"{spelled}Prim_", (Primitive,), members)


@functools.cache
def _apart(listed):
    """The Primitive of an operator that takes all arguments in its call, made from the one that takes a list."""
    whole = listed._whole

    def __call__(self, *args, **kwargs):
        return whole(*[argument_handlers.worded(value) for value in args], **kwargs)

    members = {"__call__": __call__, "__module__": _HOME}
    members["__doc__"] = f"{whole.name} of its inputs and behind them its settings."
    return type(f"_Pyboost{listed.__name__.removesuffix('_')}", (listed,), members)


def _inner(name):
    """`NamePrim_`, `_PyboostNamePrim` or `name_impl`; None if there is no such operator."""
    if name.endswith("_impl"):
        spelled = name.removesuffix("_impl")
        listed = _inner_class(operator_lookup.class_name(spelled))
        return None if listed is None else _apart(listed)()
    found = _INNER.fullmatch(name)
    if found is None:
        return None
    spelled = found["apart"] or found["listed"]
    listed = _inner_class(spelled)
    return _apart(listed) if listed is not None and found["apart"] else listed


def _pyboost(name):
    """`pyboost_name`, which is given the Primitive and the list of all arguments; None if there is no such operator."""
    whole = operator_lookup.object_of_all_arguments(name.removeprefix(_PYBOOST))
    if whole is None:
        return None

    def call(primitive, arguments):
        if not isinstance(primitive, Primitive) or not isinstance(arguments, (list, tuple)):
            raise TypeError(
                f"{name}: the arguments are of types {type(primitive).__name__} and {type(arguments).__name__}; "
                "need the Primitive and a list of all arguments"
            )
        return whole(*[argument_handlers.worded(value) for value in arguments])

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"{whole.name}, given its Primitive and the list of all its arguments."
    return call


def _inferred(name):
    """`infer_value_for_Name`, which is None where the operator needs a value that is not known.

    None if there is no such operator.
    """
    whole = operator_lookup.object_of_all_arguments(name.removeprefix(_INFERRED))
    if whole is None:
        return None
    parameters = _parameters_of_all(whole)

    def call(*args, **kwargs):
        keys = [*parameters, *map(str, range(len(parameters), len(args)))][: len(args)]
        given = dict(zip(keys, args, strict=True)) | kwargs
        for key, value in given.items():
            needed = parameters.get(key, inspect.Parameter.empty) is not None
            if needed and (
                value is None or (isinstance(value, (tuple, list)) and any(each is None for each in value))
            ):
                return None
            if "type" in key:
                given[key] = argument_handlers.dtype_of_number(value)
        return whole(*[given[key] for key in keys], **{key: given[key] for key in kwargs})

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"What {whole.name} makes of these values; None if one that it needs is None."
    return call


def _parameters_of_all(whole):
    """The arguments of an operator that takes everything in its call, each with its default, as far as it says."""
    try:
        parameters = inspect.signature(whole._call or whole.__call__).parameters.values()
    except ValueError:  # a function of Python itself, such as max
        return {}
    return {
        parameter.name: parameter.default
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def of_ops(name):
    """Finds an attribute of `dyad.ops`: every operator except in the spellings of inner Primitives.

    None if there is no such operator.
    """
    if name.startswith((_PYBOOST, _INFERRED)) or _INNER.fullmatch(name) is not None:
        return None
    found = find(name)
    is_object = isinstance(found, Primitive)
    if name in vars(argument_handlers):
        return found if is_object or operator_lookup.is_class(found) else None
    if name.endswith("_") and is_object:  # it does not write: only what a class of `dyad.ops` itself is
        own = type(found).__name__
        return found if own in vars(ops)["__all__"] and getattr(ops, own) is type(found) else None
    return found


@functools.cache
def find(name):
    """Returns the object of a name, the same one each time; None if it is not a spelling of an operator."""
    if name in vars(ops)["__all__"]:
        return getattr(ops, name)
    for named in (vars(argument_handlers), operator_lookup.CLASSES, scalar_functions.functions):
        if name in named:
            return named[name]
    if name in communication.__all__:
        return getattr(communication, name)
    if name.startswith(_PYBOOST):
        return _pyboost(name)
    if name.startswith(_INFERRED):
        return _inferred(name)
    value = _inner(name)
    if value is not None:
        return value
    if name.endswith("_"):
        plain = name.removesuffix("_")
        return operator_lookup.in_place(operator_lookup.letters_of(plain)) or operator_lookup.object_of(plain)
    if name.endswith(_WHOLE):
        return operator_lookup.object_of(name[: name.rindex("_")])
    return operator_lookup.class_of(name) if name[0].isupper() else operator_lookup.function_of(name)


@functools.cache
def names():
    """The names that operators have by these rules, each class and each function in its usual spelling."""
    functions, classes = operator_lookup.names_of_functions(), operator_lookup.names_of_classes()
    called = [name for name in classes if operator_lookup.takes_all(name)]
    inner = [name for cls in called for name in (f"{cls}Prim_", f"_Pyboost{cls}Prim")]
    objects = {_snake(name) for name in called}.union(functions)
    spelled = [
        f"{start}{name}{end}"
        for name in objects
        for start, end in (("", "_op"), ("", "_impl"), (_PYBOOST, ""))
    ]
    return sorted({*functions, *classes, *inner, *spelled, *vars(argument_handlers)["__all__"]})


def _snake(name):
    """Function name of a class: `batch_mat_mul`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
