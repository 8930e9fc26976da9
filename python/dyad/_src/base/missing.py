"""Errors for names the package does not have, with the nearest one it has."""

from collections.abc import Callable

from dyad._src.base.lazy_import import load

# Names of other frameworks, and the names here; with a dot, the whole path.
_CALLED_HERE = {
    "BatchNorm": "BatchNorm2d",
    "ConvTranspose1d": "Conv1dTranspose",
    "ConvTranspose2d": "Conv2dTranspose",
    "ConvTranspose3d": "Conv3dTranspose",
    "Module": "Cell",
    "ModuleDict": "CellDict",
    "ModuleList": "CellList",
    "ParameterList": "dyad.ParameterTuple",
    "Sequential": "SequentialCell",
    "backward": "dyad.grad",
    "children": "cells",
    "eval": "set_train",
    "forward": "construct",
    "load_state_dict": "dyad.load_param_into_net",
    "manual_seed": "set_seed",
    "modules": "cells",
    "named_modules": "cells_and_names",
    "named_parameters": "parameters_and_names",
    "parameters": "get_parameters",
    "state_dict": "parameters_dict",
    "train": "set_train",
    "value_and_gradient": "value_and_grad",
    "zero_grad": "dyad.grad",
}
_FEW = 12

# The public modules in which a name may be that was looked for elsewhere; the package itself lists them.
_searched: tuple = ()


def search_in(*modules):
    """Sets the modules in which a missing name is searched, in this order, imported when needed."""
    global _searched
    _searched = modules


def nearest(name, names):
    """The known name a reader most likely meant, or None."""
    import difflib

    names = list(names)
    same_letters = [known for known in names if _letters(known) == _letters(name)]
    close = same_letters or difflib.get_close_matches(name, names, n=1, cutoff=0.6)
    return close[0] if close else None


def _letters(name):
    return name.replace("_", "").lower()


def _elsewhere(name):
    """The path of a name that another module of the package has, or None."""
    for module in map(load, _searched):
        if name in module.__all__:
            return f"{module.__name__}.{name}"
    return None


def suggested(owner, name, names):
    """The hint at the end of an error about `owner.name`: the name that was probably meant, or none."""
    names = list(names)
    other = _CALLED_HERE.get(name, "")
    if "." in other:
        return f"; nearest is {other}"
    near = other if other in names else nearest(name, names)
    path = f"{owner}.{near}" if near else _elsewhere(name)
    if path is not None:
        return f"; nearest is {path}"
    return f"; it has {', '.join(sorted(names))}" if 0 < len(names) <= _FEW else ""


class _WithHint(str):
    """A message that searches the nearest name only when it is read: `hasattr` never does."""

    _hint: Callable[[], str]

    __slots__ = ("_hint",)

    def __new__(cls, text, hint):
        made = super().__new__(cls, text)
        made._hint = hint
        return made

    def __str__(self):
        return str.__str__(self) + self._hint()


def missing_attribute(module_name, name, names):
    """The AttributeError for `module_name.name`, given the names the module has."""
    text = f"{module_name} has no {name!r}"
    # Dunder names are looked up by Python itself, often and in vain; a hint would only cost time.
    if not name.startswith("__"):
        text = _WithHint(text, lambda: suggested(module_name, name, names))
    return AttributeError(text, name=name)


def missing_attribute_of(value, name):
    """The AttributeError for `value.name`."""
    owner = type(value).__name__
    text = f"{owner!r} object has no attribute {name!r}"
    if not name.startswith("_"):
        text = _WithHint(text, lambda: suggested(owner, name, _public_names(value)))
    return AttributeError(text, name=name, obj=value)


def _public_names(value):
    return [attribute for attribute in dir(value) if not attribute.startswith("_")]
