"""Templates for arguments: what `input_signature`, `set_inputs` and `enable_dynamic` say about shapes and dtypes."""

import inspect

from dyad._core import Tensor
from dyad._src.base.argument_checks import a_value
from dyad._src.jit.dynamic_shapes.symbolic_dims import (
    SizeNames,
    shape_of_template,
    shown_shape,
    symbolic_shape,
)

_VARIABLE = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


class ArgumentTemplates:
    """Templates for the arguments of one function.

    `given` is a tuple with one for every argument, or a dict with some by the names of parameters. A template is a
    Tensor, or tuples, lists and dicts of them; any other value says nothing about its argument. `owner` is what
    messages call the function.
    """

    def __init__(self, owner, given, signature):
        self.owner = owner
        self.given = given
        if isinstance(given, dict):
            require_parameter_names(owner, given, signature)

    def shapes(self, args, kwargs, signature, receivers):
        """Place of each tensor that has a template -> OpenShape, after checking the arguments against them.

        `receivers` is how many leading arguments (`self`) no template is for.
        """
        names = SizeNames()
        found: dict = {}
        for template, place, value, shown in self._pairs(args, kwargs, signature, receivers):
            self._match(template, (place,), value, shown, names, found)
        return found

    def _pairs(self, args, kwargs, signature, receivers):
        """(template, position or keyword, argument, how it is called in messages) of this call."""
        parameters = list(signature.parameters.values())
        positional = [parameter.name for parameter in parameters if parameter.kind not in _VARIABLE]
        if isinstance(self.given, dict):
            for name, template in self.given.items():
                if name in kwargs:
                    yield template, name, kwargs[name], name
                elif name in positional and positional.index(name) < len(args):
                    position = positional.index(name)
                    yield template, position, args[position], name
            return
        count = len(args) - receivers + len(kwargs)
        # A call for a gradient may end with the gradient of the output, which no template is for.
        if len(self.given) not in (count, count - 1):
            raise TypeError(
                f"{self.owner}: {count} arguments were given, but there are {len(self.given)} templates; "
                "need one for each argument"
            )
        for index, template in enumerate(self.given):
            position = index + receivers
            if position < len(args):
                shown = positional[position] if position < len(positional) else f"argument {index}"
                yield template, position, args[position], shown
            else:
                name = list(kwargs)[position - len(args)]
                yield template, name, kwargs[name], name

    def _match(self, template, place, value, shown, names, found):
        if isinstance(template, Tensor):
            self._match_tensor(template, place, value, shown, names, found)
        elif isinstance(template, (tuple, list)):
            if not isinstance(value, (tuple, list)):
                kinds = type(value).__name__, type(template).__name__
                raise TypeError(f"{self.owner}: {shown} is of type {kinds[0]}; its template is a {kinds[1]}")
            if len(value) != len(template):
                raise ValueError(
                    f"{self.owner}: {shown} has {len(value)} elements; its template has {len(template)}"
                )
            for index, part in enumerate(template):
                self._match(part, (*place, index), value[index], f"{shown}[{index}]", names, found)
        elif isinstance(template, dict):
            if not isinstance(value, dict) or list(value) != list(template):
                raise TypeError(
                    f"{self.owner}: {shown} is {_keys(value)}; its template is a dict with the keys {list(template)}"
                )
            for key, part in template.items():
                self._match(part, (*place, key), value[key], f"{shown}[{key!r}]", names, found)

    def _match_tensor(self, template, place, value, shown, names, found):
        if not isinstance(value, Tensor):
            raise TypeError(
                f"{self.owner}: {shown} is of type {type(value).__name__}; its template is a Tensor"
            )
        if value.dtype != template.dtype:
            raise TypeError(
                f"{self.owner}: {shown} has dtype {value.dtype}; its template has {template.dtype}"
            )
        described = shape_of_template(template)
        if described == (None,) and value.ndim == 0:
            described = ()  # any count of numbers may be one alone, which has no size to leave open
        shape = symbolic_shape(described, value.shape, names)
        if shape is None:
            raise ValueError(
                f"{self.owner}: {shown} has shape {tuple(value.shape)}; its template has {shown_shape(described)}"
            )
        found[place] = shape


def _keys(value):
    return f"a dict with the keys {list(value)}" if isinstance(value, dict) else f"{a_value(value)}"


def require_parameter_names(owner, given, signature):
    """Names in front of templates must be those of parameters that stand for one argument."""
    for name in given:
        parameter = signature.parameters.get(name)
        if parameter is None:
            raise ValueError(
                f"{owner}: there is a template for {name!r}; need names from {', '.join(signature.parameters)}"
            )
        if parameter.kind in _VARIABLE:
            raise TypeError(
                f"{owner}: there is a template for {name!r}, which collects several arguments; "
                "need names of single ones"
            )


def require_signature(owner, input_signature, signature):
    """Converts `jit(input_signature=...)` to ArgumentTemplates; None for None."""
    if input_signature is None:
        return None
    if isinstance(input_signature, Tensor):
        input_signature = (input_signature,)
    if isinstance(input_signature, (tuple, list)):
        return ArgumentTemplates(owner, tuple(input_signature), signature)
    if isinstance(input_signature, dict):
        return ArgumentTemplates(owner, dict(input_signature), signature)
    raise TypeError(
        f"jit: input_signature is of type {type(input_signature).__name__}; "
        "need a Tensor, a tuple or list of templates, or a dict of them by name"
    )
