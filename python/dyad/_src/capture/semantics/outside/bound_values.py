"""Callables that carry values with them: bound methods and partial calls."""

import functools
import types

_BOUND_TYPES = (types.MethodType, types.BuiltinMethodType, types.MethodWrapperType)


def rebound(function, adopt):
    """The same callable over what the program sees of the values it carries; itself where that makes no difference."""
    if type(function) is functools.partial:
        carried = adopt(function.func)
        args = [adopt(value) for value in function.args]
        keywords = {name: adopt(value) for name, value in function.keywords.items()}
        same = carried is function.func and all(a is b for a, b in zip(args, function.args, strict=True))
        if same and all(keywords[name] is value for name, value in function.keywords.items()):
            return function
        return functools.partial(carried, *args, **keywords)
    if not isinstance(function, _BOUND_TYPES) or isinstance(function.__self__, types.ModuleType):
        return function
    owner = adopt(function.__self__)
    if owner is function.__self__:
        return function
    if isinstance(function, types.MethodType):
        return types.MethodType(function.__func__, owner)
    return getattr(owner, function.__name__)
