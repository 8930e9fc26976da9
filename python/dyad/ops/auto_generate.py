"""`dyad.ops.auto_generate`: every operator as a function, as a Primitive class and as the object `*_op`.

The names follow rules, and each is made when it is first asked for:

- `name_op`, `name_impl` and `name_` are the Primitive of `name`, called with all of its arguments;
- `name_ext` and `NameExt` are the function `name` of `dyad.mint`;
- `name_scalar`, `name_tensor`, `name_int` and the classes spelled so are `name`, which takes all of them;
- `inplace_name` and `InplaceName` are the Tensor method `name_`, and `new_name` the one of that name;
- a class is found by its function's name, and the function by its class's: `ReduceSum`, `reduce_sum`;
- operators on tuples and lists, such as `SequenceCount` and `tuple_lt`, are classes in either spelling.
"""

import builtins
import functools
import inspect

from dyad import mint, ops
from dyad._core import Tensor
from dyad._src.missing import missing_attribute
from dyad._src.primitive import Primitive, primitive_of
from dyad.ops import (
    gradient_operators,
    inner_operators,
    other_devices,
    resampled_images,
    scalar_functions,
    sequence_operators,
)

# Paths below this module lead to the same names.
__path__: list[str] = []
__all__ = vars(ops)["__all__"]

# Operators that are said in Python: those on tuples and lists, those of a compiler, those of another device.
_CLASSES = (
    sequence_operators.classes
    | inner_operators.classes
    | other_devices.classes
    | scalar_functions.classes
    | resampled_images.classes
)
_SUFFIXES = ("scalar", "tensor", "view", "int")
_WHOLE = ("_op", "_impl")
_IN_MINT = {"batchmatmul": "bmm"}  # letters of an operator that `dyad.mint` spells otherwise


def _letters(name):
    """What the spellings of one operator have in common: `ReduceSum` and `reduce_sum`."""
    return name.replace("_", "").lower()


def _is_class(value):
    return isinstance(value, type) and issubclass(value, Primitive)


@functools.cache
def _by_letters(classes):
    """Letters -> name of every Primitive class, or of every function, of `dyad.ops`."""
    return {_letters(name): name for name in __all__ if _is_class(getattr(ops, name)) is classes}


@functools.cache
def _mint_functions():
    """Letters -> function of `dyad.mint`, the nearest module first."""
    found = {}
    for module in (mint, mint.nn.functional, mint.linalg, mint.special):
        for name in dir(module):
            value = getattr(module, name)
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                found.setdefault(_letters(name), value)
    return found


@functools.cache
def _in_place_methods():
    """Letters -> name of every method of Tensor that writes to it, such as `add_`."""
    return {_letters(name): name for name in dir(Tensor) if name.endswith("_") and not name.startswith("_")}


def _in_place(letters):
    return _of_method(_in_place_methods().get(letters, ""))


def _of_method(name):
    method = getattr(Tensor, name, None)
    if method is None:
        return None
    return lambda self, *args, **kwargs: method(self, *args, **kwargs)


@functools.cache
def _all_positional(function):
    """A function of `mint` that also takes by place what it takes by keyword alone, as an operator does."""
    if function is None or inspect.isclass(function):
        return function
    parameters = inspect.signature(function).parameters.values()
    named = [parameter.name for parameter in parameters if parameter.kind is parameter.KEYWORD_ONLY]
    if not named or inspect.Parameter.VAR_POSITIONAL in {parameter.kind for parameter in parameters}:
        return function
    count = len(parameters) - len(named)

    @functools.wraps(function)
    def call(*args, **kwargs):
        if len(args) <= count:
            return function(*args, **kwargs)
        if len(args) > count + len(named):
            raise TypeError(
                f"{function.__name__}: {len(args)} arguments were given; need at most {count + len(named)}"
            )
        placed = dict(zip(named, args[count:], strict=False))
        return function(*args[:count], **placed, **kwargs)

    return call


def _slice_ext(input, dim, start, end, step=1):
    """The elements from `start` to before `end`, every `step`-th, of a dimension; it shares the memory of `input`."""
    place = dim + input.ndim if dim < 0 else dim
    whole = builtins.slice(None)  # `slice` may be the operator: this module keeps what it was asked for
    return input[(*(whole,) * place, builtins.slice(start, end, step))]


def _function(name):
    """The function that an operator of this name, in either spelling, is; None if there is none."""
    letters = _letters(name)
    if name.endswith("_grad"):
        gradient = _gradient_class(letters)
        return None if gradient is None or gradient._parameters else gradient()
    if letters == "sliceext":
        return _slice_ext
    if letters.startswith("inplace"):
        return _in_place(letters.removeprefix("inplace").removesuffix("ext"))
    if letters.endswith("ext"):
        letters = letters[: -len("ext")]
        return _all_positional(_mint_functions().get(_IN_MINT.get(letters, letters)))
    if name.startswith("new_"):
        return _of_method(name)
    if letters in _by_letters(False):
        return getattr(ops, _by_letters(False)[letters])
    for suffix in _SUFFIXES:
        if letters.endswith(suffix):
            return _function(letters.removesuffix(suffix))
    return _called_at_once(letters)


def _called_at_once(letters):
    """The Primitive of a class that takes nothing when it is constructed; None if there is none."""
    found = getattr(ops, _by_letters(True).get(letters, ""), None)
    if found is None or found._parameters:
        return None
    from_table = "_parameters" in vars(found)
    return found() if from_table or not inspect.signature(found).parameters else None


def _with_settings_behind(letters):
    """The operator of a class as a function of its inputs and, behind them, its settings; None if there is none."""
    found = getattr(ops, _by_letters(True).get(letters, ""), None)
    if found is None or not found._parameters:
        return None
    parameters = inspect.signature(found._call).parameters.values()
    inputs = builtins.sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)
    return lambda *args: found(*args[inputs:])(*args[:inputs])


def _gradient_class(letters):
    """The class of an operator's gradient; None if there is none of that name."""
    return next(
        (getattr(gradient_operators, n) for n in gradient_operators.__all__ if _letters(n) == letters), None
    )


def _class(name):
    """The Primitive class of an operator; None if there is no such operator."""
    gradient = _gradient_class(_letters(name)) if "Grad" in name else None
    if gradient is not None or name.endswith("Grad"):
        return gradient
    found = _by_letters(True).get(_letters(name))
    if found is not None:
        return getattr(ops, found)
    function = _function(name)
    return None if function is None else primitive_of(name, function)


def _object(name):
    """The Primitive of a name, which takes everything when it is called."""
    whole = _called_at_once(_letters(name))
    if whole is not None:
        return whole
    function = _function(name) or _with_settings_behind(_letters(name))
    spelled = "".join(part.capitalize() for part in name.split("_"))
    return None if function is None else primitive_of(spelled, function)()


def _without_ending(name):
    return next((name.removesuffix(ending) for ending in _WHOLE if name.endswith(ending)), name)


def of_this_spelling(name):
    """What programs also reach as an attribute of `dyad.ops`: gradients, operators on sequences, `*_ext` and `*_op`."""
    if name.endswith(_WHOLE):
        return _object(_without_ending(name))
    if name.endswith("_ext"):
        return _function(name)
    return _CLASSES.get(name) or vars(gradient_operators).get(
        name if name in gradient_operators.__all__ else ""
    )


def __getattr__(name):
    if name.startswith("__"):
        raise missing_attribute(__name__, name, ())
    value = getattr(ops, name, None) if name in __all__ else None
    value = value or _CLASSES.get(name)
    if value is None and name.endswith((*_WHOLE, "_")):
        value = _object(_without_ending(name).removesuffix("_"))
    if value is None:
        value = _class(name) if name[0].isupper() else _function(name)
    if value is None:
        return getattr(ops, name)  # a module of it, or its error with the nearest name
    globals()[name] = value
    return value
