"""Values in the statements of a network: names, constants, and containers of them."""

import ast
from enum import Enum

__all__ = ["ScopedValue", "ValueType"]


class ValueType(Enum):
    """Kinds of values."""

    ConstantValue = 0
    TupleValue = 20
    ListValue = 21
    DictValue = 22
    NamingValue = 40
    CustomObjValue = 41
    UnsupportedValue = 50


_CONSTANTS = (bool, int, float, str, bytes, complex, type(None), type(...))


class ScopedValue:
    """A value: `type` says its kind; a name may have a scope, the part before its last dot."""

    def __init__(self, arg_type, scope="", value=None):
        self.type, self.scope, self.value = arg_type, scope, value

    @classmethod
    def create_variable_value(cls, value):
        """The value that a Python object is: a constant, a container of values, or an object."""
        if isinstance(value, _CONSTANTS):
            return cls(ValueType.ConstantValue, "", value)
        if isinstance(value, (tuple, list)):
            kind = ValueType.TupleValue if isinstance(value, tuple) else ValueType.ListValue
            return cls(kind, "", tuple(map(cls.create_variable_value, value)))
        if isinstance(value, dict):
            return cls(
                ValueType.DictValue, "", {key: cls.create_variable_value(each) for key, each in value.items()}
            )
        return cls(ValueType.CustomObjValue, "", value)

    @classmethod
    def create_naming_value(cls, name, scope=""):
        """A variable, or with a scope an attribute: `scope.name`."""
        if not isinstance(name, str) or not isinstance(scope, str):
            raise TypeError(f"ScopedValue: name is {name!r} and scope is {scope!r}; need strs")
        return cls(ValueType.NamingValue, scope, name)

    @staticmethod
    def create_name_values(names, scopes=None):
        """Names, each with the scope at its place if scopes are given."""
        if not isinstance(names, (list, tuple)):
            raise TypeError(f"ScopedValue: names is of type {type(names).__name__}; need a list or tuple")
        if scopes is not None and len(scopes) != len(names):
            raise ValueError(f"ScopedValue: there are {len(names)} names and {len(scopes)} scopes")
        return [
            ScopedValue.create_naming_value(name, scope)
            for name, scope in zip(names, scopes or [""] * len(names), strict=True)
        ]

    def __str__(self):
        return ast.unparse(as_expression(self, lambda value: ast.Name(f"<{type(value).__name__}>")))

    __repr__ = __str__

    def __eq__(self, other):
        if not isinstance(other, ScopedValue):
            return NotImplemented
        return (self.type, self.scope, self.value) == (other.type, other.scope, other.value)

    def __hash__(self):
        return hash((self.type, self.scope, str(self.value)))


def as_value(expression):
    """The value that an expression of a program stands for."""
    if isinstance(expression, ast.Constant):
        return ScopedValue(ValueType.ConstantValue, "", expression.value)
    if isinstance(expression, ast.Name):
        return ScopedValue(ValueType.NamingValue, "", expression.id)
    if isinstance(expression, ast.Attribute) and is_path(expression):
        return ScopedValue(ValueType.NamingValue, ast.unparse(expression.value), expression.attr)
    if isinstance(expression, (ast.Tuple, ast.List)):
        kind = ValueType.TupleValue if isinstance(expression, ast.Tuple) else ValueType.ListValue
        return ScopedValue(kind, "", tuple(map(as_value, expression.elts)))
    return ScopedValue(ValueType.UnsupportedValue, "", ast.unparse(expression))


def is_path(expression):
    """True if an expression is a name, or attributes of one: `a.b.c`."""
    while isinstance(expression, ast.Attribute):
        expression = expression.value
    return isinstance(expression, ast.Name)


def as_expression(value, name_object):
    """The expression that a value is written as; `name_object(value)` is that of an object."""
    if isinstance(value, str):
        value = ScopedValue.create_naming_value(*reversed(value.rpartition(".")[::2]))
    if not isinstance(value, ScopedValue):
        raise TypeError(f"rewrite: {value!r} is of type {type(value).__name__}; need a ScopedValue or a name")
    if value.type is ValueType.NamingValue:
        text = f"{value.scope}.{value.value}" if value.scope else value.value
        return ast.parse(text, mode="eval").body
    if value.type is ValueType.UnsupportedValue:
        return ast.parse(value.value, mode="eval").body
    if value.type is ValueType.ConstantValue:
        return ast.Constant(value.value)
    if value.type is ValueType.DictValue:
        values = [as_expression(each, name_object) for each in value.value.values()]
        return ast.Dict([ast.Constant(key) for key in value.value], values)
    if value.type is ValueType.CustomObjValue:
        return name_object(value.value)
    members = [as_expression(each, name_object) for each in value.value]
    return (ast.Tuple if value.type is ValueType.TupleValue else ast.List)(members, ast.Load())
