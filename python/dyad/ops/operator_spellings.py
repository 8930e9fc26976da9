"""How an operator is spelled in `dyad.ops.auto_generate`: as a function, as a Primitive class, as an object.

The names follow rules, and nothing is listed:

- `name_op` is the Primitive of `name`, called with all of its arguments;
- `NamePrim_` is a Primitive that takes all of them in one list, `_PyboostNamePrim` is one that takes them apart, and
  `name_impl` an object of that;
- `pyboost_name(primitive, arguments)` is the operator, given its Primitive and the list of all its arguments;
- `infer_value_for_Name` is the operator on values that are known, and None where one of them is not;
- `name_ext` and `NameExt` are the function `name` of `dyad.mint`;
- `name_scalar`, `name_tensor`, `name_int` and the classes spelled so are `name`, which takes all of them;
- `inplace_name`, `InplaceName` and `name_` are the Tensor method `name_`, and `new_name` the one of that name; where
  there is no such method, `name_` is as `name_op`;
- a class is found by its function's name, and the function by its class's: `ReduceSum`, `reduce_sum`;
- operators on tuples and lists, such as `SequenceCount` and `tuple_lt`, are classes in either spelling.
"""

import functools
import inspect
import re

from dyad import mint, ops
from dyad._core import Tensor
from dyad._src.primitive import Primitive, primitive_of
from dyad.ops import (
    argument_handlers,
    gradient_operators,
    inner_operators,
    norms_with_statistics,
    other_devices,
    resampled_images,
    scalar_functions,
    sequence_operators,
)

# Operators that are said in Python: those on tuples and lists, those of a compiler, those of another device.
_CLASSES = (
    sequence_operators.classes
    | inner_operators.classes
    | other_devices.classes
    | scalar_functions.classes
    | resampled_images.classes
    | norms_with_statistics.classes
)
_HOME = "dyad.ops.auto_generate"
_SUFFIXES = ("scalar", "tensor", "view", "int")
_WHOLE = ("_op", "_impl")
_INNER = re.compile(r"_Pyboost(?P<apart>\w+)Prim|(?P<listed>\w+)Prim_")
_PYBOOST, _INFERRED = "pyboost_", "infer_value_for_"
_IN_PLACE_SUFFIXES = ("ext", "scalar", "tensor", "reduce", "src", "value", "s")
_IN_MINT = {"batchmatmul": "bmm"}  # letters of an operator that `dyad.mint` spells otherwise
_OF_ALL = ("max", "min")  # the object is of all elements, and the function in `dyad.ops` of an axis
_ROUNDED = "divmod"  # a division that is told how to round


def _letters(name):
    """What the spellings of one operator have in common: `ReduceSum` and `reduce_sum`."""
    return name.replace("_", "").lower()


def _is_class(value):
    return isinstance(value, type) and issubclass(value, Primitive)


@functools.cache
def _by_letters(classes):
    """Letters -> name of every Primitive class, or of every function, of `dyad.ops`."""
    return {_letters(name): name for name in ops.__all__ if _is_class(getattr(ops, name)) is classes}


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


@functools.cache
def _in_place(letters):
    """The method that writes to a Tensor as the operator does, whatever it is given; None if there is none."""
    letters = letters.replace(_ROUNDED, "div", 1)
    if letters in _in_place_methods():
        return _of_method(_in_place_methods()[letters])
    for suffix in _IN_PLACE_SUFFIXES:
        found = _in_place(letters.removesuffix(suffix)) if letters.endswith(suffix) else None
        if found is not None:
            return found
    return None


def _of_method(name):
    method = getattr(Tensor, name, None)
    if method is None:
        return None

    def call(self, *args, **kwargs):
        return method(self, *args, **kwargs)

    call.__signature__ = inspect.signature(method)
    call.__name__ = name
    return _all_positional(call)


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
    whole = slice(None)
    return input[(*(whole,) * place, slice(start, end, step))]


def _function(name):
    """The function that an operator of this name, in either spelling, is; None if there is none."""
    letters = _letters(name)
    gradient = _gradient_class(letters)
    if gradient is not None or (name.endswith("_grad") and letters not in _by_letters(False)):
        return gradient and (_called_at_once(letters) or _with_settings_behind(letters))
    if letters == "sliceext":
        return _slice_ext
    if letters.startswith("inplace"):
        return _in_place(letters.removeprefix("inplace"))
    if letters in (_ROUNDED, f"{_ROUNDED}s"):
        return _all_positional(mint.div)
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
    if letters.endswith("s") and letters[:-1] in _in_place_methods().keys() & _by_letters(False).keys():
        return getattr(ops, _by_letters(False)[letters[:-1]])  # with a number, as `muls`
    return _called_at_once(letters)


def _called_at_once(letters):
    """The Primitive of a class that takes nothing when it is constructed; None if there is none."""
    found = _any_class(letters)
    return None if found is None or _settings_of(found) else found()


def _settings_of(primitive):
    """What the constructor of a Primitive takes: a class of the operator table lists it, and one in Python shows it."""
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


def _any_class(letters):
    """The Primitive class with these letters, of whatever module; None if there is none."""
    found = _CLASSES.get(_classes_by_letters().get(letters))
    return found or getattr(ops, _by_letters(True).get(letters, ""), None) or _gradient_class(letters)


@functools.cache
def _classes_by_letters():
    """Letters -> name of every operator that is said in Python."""
    return {_letters(name): name for name in _CLASSES}


def _with_settings_behind(letters):
    """The operator of a class as a function of its inputs and, behind them, its settings; None if there is none."""
    found = _any_class(letters)
    return None if found is None or not _settings_of(found) else _behind_inputs(found)


def _behind_inputs(primitive):
    """A Primitive class as a function of its inputs and, behind them, its settings; None if it takes any number."""
    inputs = _count_of_inputs(primitive)
    if inputs is None:
        return None

    def call(*args):
        return primitive(*args[inputs:])(*args[:inputs])

    call.__signature__ = _signature_of_all(primitive, inputs)
    return call


def _signature_of_all(primitive, inputs):
    """The inputs of a Primitive and behind them its settings."""
    made = primitive.__call__ if primitive._call is None else primitive._call
    settings = _settings_of(primitive)
    passed = {"self", *(setting.name for setting in settings)}
    taken = [each for each in inspect.signature(made).parameters.values() if each.name not in passed][:inputs]
    return inspect.Signature([*taken, *settings], __validate_parameters__=False)


def _count_of_inputs(primitive):
    """How many arguments a Primitive with settings takes in its call; None if the call does not say."""
    if hasattr(primitive, "_inputs"):
        return primitive._inputs
    written = primitive._call is None
    if written and primitive.__call__ is Primitive.__call__:
        return None
    parameters = list(
        inspect.signature(primitive.__call__ if written else primitive._call).parameters.values()
    )
    parameters = parameters[1:] if written else parameters
    if any(parameter.kind is parameter.VAR_POSITIONAL for parameter in parameters):
        return None
    return sum(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in parameters)


def _gradient_class(letters):
    """The class of an operator's gradient; None if there is none of that name."""
    return getattr(gradient_operators, _gradients_by_letters().get(letters, ""), None)


@functools.cache
def _gradients_by_letters():
    return {_letters(name): name for name in gradient_operators.__all__}


def _class(name):
    """The Primitive class of an operator; None if there is no such operator."""
    found = _any_class(_letters(name))
    if found is not None or name.endswith("Grad"):
        return found
    function = _function(f"{name}_ext" if _letters(name) in _OF_ALL else name)
    return None if function is None else primitive_of(name, function)


def _object(name):
    """The Primitive of a name, which takes everything when it is called."""
    whole = _called_at_once(_letters(name))
    if whole is not None:
        return whole
    name = f"{name}_ext" if _letters(name) in _OF_ALL else name
    function = _function(name) or _with_settings_behind(_letters(name))
    return None if function is None else primitive_of(_class_name(name), function)()


def _of_all_arguments(name):
    """The Primitive of a name that is given every argument: inputs and behind them the settings of its class."""
    whole = _called_at_once(_letters(name))
    behind = None if whole is not None else _with_settings_behind(_letters(name))
    found = whole or (primitive_of(_class_name(name), behind)() if behind is not None else _object(name))
    return found or _of_module(name)


def _of_module(name):
    """The Primitive of a class that `dyad.ops` finds by rules of its own, with settings behind its inputs."""
    found = getattr(ops, _class_name(name), None)
    if not _is_class(found):
        return None
    behind = _behind_inputs(found) if _settings_of(found) else None
    if behind is not None:
        return primitive_of(found.__name__, behind)()
    return None if _settings_of(found) else found()


@functools.cache
def _inner_class(spelled):
    """The Primitive of an operator that takes all arguments in one list; None if there is no such operator."""
    whole = _of_all_arguments(spelled)
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
        listed = _inner_class(_class_name(spelled))
        return None if listed is None else _apart(listed)()
    found = _INNER.fullmatch(name)
    if found is None:
        return None
    spelled = found["apart"] or found["listed"]
    listed = _inner_class(spelled)
    return _apart(listed) if listed is not None and found["apart"] else listed


def _class_name(name):
    """How the class of an operator is written whose function has this name."""
    letters = _letters(name)
    known = getattr(_any_class(letters), "__name__", None)
    return known or "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _pyboost(name):
    """`pyboost_name`, which is given the Primitive and the list of all arguments; None if there is no such operator."""
    whole = _of_all_arguments(name.removeprefix(_PYBOOST))
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
    whole = _of_all_arguments(name.removeprefix(_INFERRED))
    if whole is None:
        return None
    parameters = _parameters_of_all(whole)

    def call(*args, **kwargs):
        given = dict(zip(parameters, args, strict=False)) | kwargs
        for key, value in given.items():
            needed = key not in parameters or parameters[key] is not None
            if needed and (
                value is None or (isinstance(value, (tuple, list)) and any(each is None for each in value))
            ):
                return None
            if "type" in key:
                given[key] = argument_handlers.dtype_of_number(value)
        return whole(*given.values()) if len(args) == len(given) else whole(**given)

    call.__name__ = call.__qualname__ = name
    call.__doc__ = f"What {whole.name} makes of these values; None if one that it needs is None."
    return call


def _parameters_of_all(whole):
    """The arguments of an operator that takes everything in its call, each with its default."""
    made = whole._call or whole.__call__
    return {
        parameter.name: parameter.default
        for parameter in inspect.signature(made).parameters.values()
        if parameter.kind not in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD)
    }


def _without_ending(name):
    return next((name.removesuffix(ending) for ending in _WHOLE if name.endswith(ending)), name)


def of_this_spelling(name):
    """What programs also reach as an attribute of `dyad.ops`: gradients, operators on sequences, `*_ext` and `*_op`."""
    if name.endswith(_WHOLE):
        return find(name)
    if name.endswith("_ext"):
        return _function(name)
    return _CLASSES.get(name) or vars(gradient_operators).get(
        name if name in gradient_operators.__all__ else ""
    )


def find(name):
    """What the name means; None if it is no spelling of an operator."""
    if name in ops.__all__:
        return getattr(ops, name)
    if name in vars(argument_handlers):
        return vars(argument_handlers)[name]
    value = _CLASSES.get(name) or _inner(name)
    if value is None and name.startswith(_PYBOOST):
        value = _pyboost(name)
    if value is None and name.startswith(_INFERRED):
        value = _inferred(name)
    if value is None and name.endswith("_"):
        value = _in_place(_letters(name))
    if value is None and name.endswith((*_WHOLE, "_")):
        value = _object(_without_ending(name).removesuffix("_"))
    if value is None:
        value = _class(name) if name[0].isupper() else _function(name)
    return value


@functools.cache
def names():
    """The names that operators have by these rules, each class and each function in its usual spelling."""
    functions = list(_by_letters(False).values())
    classes = [*_by_letters(True).values(), *_CLASSES, *gradient_operators.__all__]
    called = [name for name in classes if _takes_all(_letters(name))]
    inner = [name for cls in called for name in (f"{cls}Prim_", f"_Pyboost{cls}Prim")]
    objects = {_snake(name) for name in called}.union(functions)
    spelled = [
        f"{start}{name}{end}"
        for name in objects
        for start, end in (("", "_op"), ("", "_impl"), (_PYBOOST, ""))
    ]
    return sorted({*functions, *classes, *inner, *spelled, *vars(argument_handlers)["__all__"]})


def _takes_all(letters):
    """Whether the Primitive with these letters can be called with all that it takes."""
    found = _any_class(letters)
    return not _settings_of(found) or _count_of_inputs(found) is not None


def _snake(name):
    """How the function of a class is written: `batch_mat_mul`."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", name).lower()
