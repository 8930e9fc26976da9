"""Names that mean an operator by rule: `MaxDim` and `max_dim_op` are the Primitive class and the object of `max_dim`.

- `name` is the function, `Name` its Primitive class, and `name_op` or `name_impl` an object of that;
- `inplace_name`, with a word for the kind of operand behind it, is the Tensor method `name_`, and so is `name_`;
  without such a method, that is an object of the Primitive;
- a class that is said in Python, such as those of another device, has a function and an object too;
- the functions of `dyad.ops.communication` are found in `dyad.ops` as well.
"""

import functools
import inspect

from dyad import ops
from dyad._core import Tensor
from dyad._src.primitive import Primitive, primitive_of, primitive_with_settings
from dyad.mint.distributed import communication
from dyad.ops import (
    fused_operators,
    image_windows,
    inner_operators,
    other_devices,
    overloads,
    scalar_functions,
    seeded_draws,
)

_ENDINGS = ("_op", "_impl")
# What an operator in place says of its operands, behind the name of the method.
_OPERANDS = (
    "tensorscalar",
    "tensortensor",
    "scalar",
    "tensor",
    "srcreduce",
    "src",
    "valuereduce",
    "value",
    "modscalar",
    "modtensor",
    "mods",
    "mod",
    "sext",
    "s",
)


def _letters(name):
    """What the spellings of one operator have in common."""
    return name.replace("_", "").lower()


@functools.cache
def _functions():
    """Letters -> function of every operator of the modules of functions."""
    modules = (seeded_draws, fused_operators)
    found = {_letters(name): getattr(module, name) for module in modules for name in module.__all__}
    return found | {_letters(name): value for name, value in overloads.functions.items()}


@functools.cache
def _classes():
    """Letters -> Primitive class of every operator that is said in Python as one."""
    classes = inner_operators.classes | other_devices.classes
    classes |= {name: getattr(image_windows, name) for name in image_windows.__all__}
    return {_letters(name): value for name, value in classes.items()}


@functools.cache
def _in_place_methods():
    """Letters -> method of Tensor that writes to it."""
    names = [name for name in dir(Tensor) if name.endswith("_") and not name.startswith("_")]
    return {_letters(name): getattr(Tensor, name) for name in names}


def _by_place(method):
    """A method that also takes by place what it takes by keyword alone, as an operator does."""
    parameters = inspect.signature(method).parameters.values()
    if any(each.kind is each.VAR_POSITIONAL for each in parameters):
        return method
    names = [each.name for each in parameters]

    def call(*args, **kwargs):
        if len(args) > len(names):
            raise TypeError(f"{method.__name__}: {len(args)} arguments were given; need at most {len(names)}")
        return method(args[0], **dict(zip(names[1:], args[1:], strict=False)), **kwargs)

    return call


def _in_place(letters):
    """The method that an operator in place is, by what follows `inplace` in its name; None if there is none."""
    methods = _in_place_methods()
    for ending in ("", *_OPERANDS):
        method = methods.get(letters.removesuffix(ending)) if letters.endswith(ending) else None
        if method is not None:
            return _by_place(method)
    return None


def _function(name):
    letters = _letters(name)
    found = _functions().get(letters)
    if found is None and letters.startswith("inplace"):
        found = _in_place(letters.removeprefix("inplace"))
    return found


def _has_settings(function):
    return function.__code__.co_kwonlyargcount > 0


def _settings_behind(primitive, inputs):
    """A Primitive class as a function of its inputs and, behind them, its settings."""
    return lambda *args, **settings: primitive(*args[inputs:], **settings)(*args[:inputs])


def _class(name, function):
    make = primitive_with_settings if _has_settings(function) else primitive_of
    return make(name, function)


def _called_at_once(letters):
    """An object of the Primitive of `dyad.ops` with these letters, if it needs nothing to be made."""
    name = next((each for each in ops.__all__ if each[0].isupper() and _letters(each) == letters), None)
    found = None if name is None else getattr(ops, name)
    is_primitive = isinstance(found, type) and issubclass(found, Primitive)
    return found() if is_primitive and not inspect.signature(found).parameters else None


def _object(letters):
    """An object of a class that is said in Python or, if it needs settings, a function that makes one."""
    found = _classes().get(letters)
    if found is None or not found._parameters:
        return None if found is None else found()
    code = getattr(found._call, "__code__", None)
    return None if code is None else _settings_behind(found, code.co_argcount)


@functools.cache
def find(name):
    """The function, the Primitive class or the object that a name means; None if there is none of that name."""
    if name in communication.__all__:
        return getattr(communication, name)
    if name in scalar_functions.functions:
        return scalar_functions.functions[name]
    if name.endswith("_"):
        letters = _letters(name)
        return getattr(Tensor, name, None) or _in_place(letters) or _called_at_once(letters)
    ending = next((ending for ending in _ENDINGS if name.endswith(ending)), "")
    plain = name.removesuffix(ending)
    function = _function(plain)
    if function is None:
        return None if name[0].isupper() else _object(_letters(plain))
    if ending:
        spelled = "".join(part[:1].upper() + part[1:] for part in plain.split("_"))
        return None if _has_settings(function) else find(spelled)()
    if name[0].isupper():
        return _class(name, function)
    if _has_settings(function):
        return _settings_behind(_class(name, function), function.__code__.co_argcount)
    return function
