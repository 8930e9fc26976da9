"""Finds the function, Primitive class or object for an operator name, ignoring case and underscores.

The spellings of one operator have their letters in common, and nothing is listed:

- a class is found by its function's name, and the function by its class's: `ReduceSum`, `reduce_sum`;
- a function of the modules in `_written` is an operator; what it takes by keyword alone are the settings of its class;
  such a function comes before what follows from a rule;
- a class with settings is, as a function, one of its inputs and behind them its settings;
- `name_ext` and `NameExt` are the function `name` of `dyad.mint`;
- `name_scalar`, `name_tensor`, `name_int` and the classes spelled so are `name`, which takes all of them;
- `inplace_name` and `InplaceName` are the Tensor method `name_`, and `new_name` the one of that name.
"""

import functools
import inspect

from dyad import mint, ops
from dyad._core import Tensor
from dyad._src.primitive.primitive import Primitive, primitive_of, primitive_with_settings
from dyad.compat.mindspore.ops import (
    gradient_operators,
    inner_operators,
    norms_with_statistics,
    other_devices,
    overloads,
    resampled_images,
    scalar_functions,
    seeded_draws,
)
from dyad.ops import fused_operators, images, sequence_operators

# Operators that are said in Python: those on tuples and lists, those of a compiler, those of another device.
CLASSES = (
    sequence_operators.classes
    | inner_operators.classes
    | other_devices.classes
    | scalar_functions.classes
    | resampled_images.classes
    | norms_with_statistics.classes
    | {name: getattr(images, name) for name in images.__all__}
)
_SUFFIXES = ("scalar", "tensor", "view", "int")
_IN_PLACE_SUFFIXES = ("ext", "scalar", "tensor", "reduce", "src", "value", "s")
_IN_MINT = {"batchmatmul": "bmm"}  # letters of an operator that `dyad.mint` spells otherwise
_OF_ALL = ("max", "min")  # the object is of all elements, and the function in `dyad.ops` of an axis
_ROUNDED = "divmod"  # a division that is told how to round


def letters_of(name):
    """Common key of the spellings of one operator: `ReduceSum` and `reduce_sum`."""
    return name.replace("_", "").lower()


def is_class(value):
    """True if an object is a Primitive class."""
    return isinstance(value, type) and issubclass(value, Primitive)


def _by_letters(table):
    return {letters_of(name): value for name, value in table.items()}


@functools.cache
def _ops_functions():
    """Letters -> function of `dyad.ops`."""
    return _by_letters(
        {name: getattr(ops, name) for name in vars(ops)["__all__"] if not is_class(getattr(ops, name))}
    )


@functools.cache
def _classes():
    """Letters -> Primitive class: a gradient, one of `dyad.ops`, one that is said in Python; the last one counts."""
    of_ops = {name: getattr(ops, name) for name in vars(ops)["__all__"] if is_class(getattr(ops, name))}
    return _by_letters(gradients() | of_ops) | _by_letters(CLASSES)


@functools.cache
def gradients():
    """Name -> class of an operator's gradient."""
    return {name: getattr(gradient_operators, name) for name in gradient_operators.__all__}


@functools.cache
def _gradients_by_letters():
    return _by_letters(gradients())


@functools.cache
def written():
    """Name -> function of the modules in which a function is an operator."""
    modules = (seeded_draws, fused_operators)
    return {
        name: getattr(module, name) for module in modules for name in module.__all__
    } | overloads.functions


@functools.cache
def _written_names():
    """Letters -> name of every function that is written."""
    return {letters_of(name): name for name in written()}


@functools.cache
def _mint_functions():
    """Letters -> function of `dyad.mint`, the nearest module first."""
    found: dict = {}
    for module in (mint, mint.nn.functional, mint.linalg, mint.special):
        for name in dir(module):
            value = getattr(module, name)
            if not name.startswith("_") and callable(value) and not isinstance(value, type):
                found.setdefault(letters_of(name), value)
    return found


@functools.cache
def _in_place_methods():
    """Letters -> name of every method of Tensor that writes to it, such as `add_`."""
    return {letters_of(name): name for name in dir(Tensor) if name.endswith("_") and not name.startswith("_")}


@functools.cache
def in_place(letters):
    """The method that writes to a Tensor as the operator does, whatever it is given; None if there is none."""
    letters = letters.replace(_ROUNDED, "div", 1)
    if letters in _in_place_methods():
        return _of_method(_in_place_methods()[letters])
    for suffix in _IN_PLACE_SUFFIXES:
        found = in_place(letters.removesuffix(suffix)) if letters.endswith(suffix) else None
        if found is not None:
            return found
    return None


def _of_method(name):
    method = getattr(Tensor, name, None)
    if method is None:
        return None

    def call(self, *args, **kwargs):
        return method(self, *args, **kwargs)

    call.__dict__["__signature__"] = inspect.signature(method)
    call.__name__ = name
    return _all_positional(call)


@functools.cache
def _all_positional(function):
    """A function that also takes by place what it takes by keyword alone, as an operator does."""
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
    whole = slice(None)
    return input[(*(whole,) * place, slice(start, end, step))]


def function_of(name):
    """The function that an operator of this name, in either spelling, is; None if there is none."""
    letters = letters_of(name)
    if letters in _written_names():
        return _written_function(_written_names()[letters])
    return _ruled_function(name, letters) or called_at_once(letters) or _with_settings_behind(letters)


def _ruled_function(name, letters):
    """The function of `dyad.ops`, of `dyad.mint` or of Tensor that a name means; None if there is none."""
    if letters in _gradients_by_letters() or (name.endswith("_grad") and letters not in _ops_functions()):
        return None
    if letters == "sliceext":
        return _slice_ext
    if letters.startswith("inplace"):
        return in_place(letters.removeprefix("inplace"))
    if letters in (_ROUNDED, f"{_ROUNDED}s"):
        return _all_positional(ops.div)
    if letters.endswith("ext"):
        letters = letters[: -len("ext")]
        return _all_positional(_mint_functions().get(_IN_MINT.get(letters, letters)))
    if name.startswith("new_"):
        return _of_method(name)
    if letters in _ops_functions():
        return _ops_functions()[letters]
    for suffix in _SUFFIXES:
        if letters.endswith(suffix):
            return function_of(letters.removesuffix(suffix))
    if letters.endswith("s") and letters[:-1] in _in_place_methods().keys() & _ops_functions().keys():
        return _ops_functions()[letters[:-1]]  # with a number, as `muls`
    return None


def _written_function(name):
    """A function that is written; what it takes by keyword alone, it takes by place behind the rest."""
    function = written()[name]
    return _behind_inputs(class_of(class_name(name))) if _has_settings(function) else function


def _has_settings(function):
    return function.__code__.co_kwonlyargcount > 0


def called_at_once(letters):
    """The Primitive of a class that takes nothing when it is constructed; None if there is none."""
    found = any_class(letters)
    return None if found is None or settings_of(found) else found()


def settings_of(primitive):
    """Constructor parameters of a Primitive: listed by a class of the operator table, or from a Python signature."""
    if "_parameters" in vars(primitive) or primitive._parameters:
        return [
            inspect.Parameter(
                name,
                inspect.Parameter.POSITIONAL_OR_KEYWORD,
                default=getattr(primitive, "_defaults", {}).get(name, inspect.Parameter.empty),
            )
            for name in primitive._parameters
        ]
    parameters = inspect.signature(primitive).parameters.values()
    return [
        parameter
        for parameter in parameters
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    ]


def any_class(letters):
    """The Primitive class with these letters, of whatever module; None if there is none."""
    found = _classes().get(letters)
    if found is None and letters in _written_names():
        return class_of(_camel(_written_names()[letters]))
    return found


def _with_settings_behind(letters):
    """The operator of a class as a function of its inputs and, behind them, its settings; None if there is none."""
    found = any_class(letters)
    return None if found is None or not settings_of(found) else _behind_inputs(found)


@functools.cache
def _behind_inputs(primitive):
    """A Primitive class as a function of its inputs and, behind them, its settings; None if it takes any number."""
    inputs = count_of_inputs(primitive)
    if inputs is None:
        return None
    named = [setting.name for setting in settings_of(primitive)]

    def call(*args, **kwargs):
        settings = {name: kwargs[name] for name in named if name in kwargs}
        rest = {name: kwargs[name] for name in kwargs if name not in named}
        return primitive(*args[inputs:], **settings)(*args[:inputs], **rest)

    call.__dict__["__signature__"] = _signature_of_all(primitive, inputs)
    return call


def _signature_of_all(primitive, inputs):
    """The inputs of a Primitive and behind them its settings."""
    made = primitive.__call__ if primitive._call is None else primitive._call
    settings = settings_of(primitive)
    passed = {"self", *(setting.name for setting in settings)}
    taken = [each for each in inspect.signature(made).parameters.values() if each.name not in passed][:inputs]
    return inspect.Signature([*taken, *settings], __validate_parameters__=False)


def count_of_inputs(primitive):
    """Number of call arguments of a Primitive with settings; None if the signature does not fix it."""
    if hasattr(primitive, "_inputs"):
        return primitive._inputs
    in_class = primitive._call is None
    if in_class and primitive.__call__ is Primitive.__call__:
        return None
    parameters = list(
        inspect.signature(primitive.__call__ if in_class else primitive._call).parameters.values()
    )
    parameters = parameters[1:] if in_class else parameters
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return None
    return sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)


@functools.cache
def class_of(name):
    """The Primitive class of an operator, under the name that is asked for; None if there is no such operator."""
    letters = letters_of(name)
    found = CLASSES.get(name) or _classes().get(letters)
    if letters in _written_names() and (found is None or found.__name__ != name):
        function = written()[_written_names()[letters]]
        return (primitive_with_settings if _has_settings(function) else primitive_of)(name, function)
    if found is not None or name.endswith("Grad"):
        return found
    function = function_of(f"{name}_ext" if letters in _OF_ALL else name)
    return None if function is None else primitive_of(name, function)


def class_name(name):
    """Class name of an operator from the name of its function."""
    return getattr(any_class(letters_of(name)), "__name__", None) or _camel(name)


def _camel(name):
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def object_of(name):
    """The Primitive of a name, which takes everything when it is called; None if there is no such operator."""
    letters = letters_of(name)
    whole = called_at_once(letters)
    if whole is not None:
        return whole
    name = f"{name}_ext" if letters in _OF_ALL else name
    function = function_of(name)
    return None if function is None else _calling(class_name(name), function)


def _calling(name, function):
    """An object of the Primitive class of that name, if it calls the function, or of another one that does."""
    known = class_of(name)
    is_same = known is not None and known._call is function
    return known() if is_same else primitive_of(name, function)()


def object_of_all_arguments(name):
    """The Primitive of a name that is given every argument: inputs and behind them the settings of its class."""
    behind = _with_settings_behind(letters_of(name))
    return object_of(name) if behind is None else primitive_of(class_name(name), behind)()


@functools.cache
def names_of_classes():
    """The names of all Primitive classes, each in its usual spelling."""
    of_ops = [name for name in vars(ops)["__all__"] if is_class(getattr(ops, name))]
    return [*of_ops, *CLASSES, *gradient_operators.__all__, *(class_name(name) for name in written())]


@functools.cache
def names_of_functions():
    """The names of all functions of `dyad.ops` and of those that are written."""
    return [*(name for name in vars(ops)["__all__"] if not is_class(getattr(ops, name))), *written()]


def takes_all(name):
    """True if the Primitive of a class can be called with all its arguments."""
    found = any_class(letters_of(name))
    return not settings_of(found) or count_of_inputs(found) is not None
