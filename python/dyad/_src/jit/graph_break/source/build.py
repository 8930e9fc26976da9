"""From the syntax tree of a function to a function that runs in place of another."""

import __future__

import ast
import copy
import functools
import types
import warnings
from typing import Any

# Names with a dot cannot be written in a program.
_FACTORY, _BODY = ".factory", ".body"
_FUTURE = functools.reduce(
    int.__or__, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)


def build_function(node, original, cells):
    """The function that `node` describes, where `original` stands: in its module and closure.

    `cells` are further names that it finds in its closure.
    """
    code = _find_code(_compiled(node, original, cells))
    own = dict(zip(original.__code__.co_freevars, original.__closure__ or (), strict=True))
    closure = tuple(cells[name] if name in cells else own[name] for name in code.co_freevars)
    code = _renamed(code, code.co_qualname, original.__code__.co_qualname)
    code = code.replace(co_name=original.__code__.co_name)
    return types.FunctionType(code, original.__globals__, original.__name__, None, closure)


def _compiled(node, original, cells):
    """The module that makes the function, inside of another one that has the names of its closure."""
    names = dict.fromkeys((*original.__code__.co_freevars, *cells))
    parameters = [ast.arg(name) for name in names]
    arguments = ast.arguments(posonlyargs=[], args=parameters, kwonlyargs=[], kw_defaults=[], defaults=[])
    node = copy.copy(node)
    node.name = _BODY  # its own name may be that of a global
    make: Any = ast.FunctionDef
    factory = make(name=_FACTORY, args=arguments, body=[node], decorator_list=[], type_params=[])
    module = ast.Module([ast.copy_location(factory, node)], [])
    flags = original.__code__.co_flags & _FUTURE
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the program was compiled before, and they were shown then
        return compile(
            ast.fix_missing_locations(module), original.__code__.co_filename, "exec", flags, dont_inherit=True
        )


def _renamed(code, before, after):
    """The code, and what is nested in it, with the qualified names of the function that it stands for."""
    constants = tuple(
        _renamed(constant, before, after)
        if isinstance(constant, types.CodeType)
        else _renamed_text(constant, before, after)
        for constant in code.co_consts
    )
    return code.replace(co_qualname=_renamed_text(code.co_qualname, before, after), co_consts=constants)


def _renamed_text(text, before, after):
    """A qualified name; the body of a class has its own among its constants."""
    if isinstance(text, str) and (text == before or text.startswith(f"{before}.")):
        return after + text[len(before) :]
    return text


def _find_code(module):
    """The code of the function itself among what the module holds."""
    stack = [module]
    while stack:
        code = stack.pop(0)
        if code.co_name == _BODY:
            return code
        stack += [constant for constant in code.co_consts if isinstance(constant, types.CodeType)]
    raise AssertionError("no code of the function was made")
