"""Methods that Python's library writes for a class, without a source: those of dataclasses and named tuples."""

import dataclasses
import inspect
import operator

from dyad._src.capture.semantics.values import MISSING

_ORDER = {
    "__eq__": operator.eq,
    "__lt__": operator.lt,
    "__le__": operator.le,
    "__gt__": operator.gt,
    "__ge__": operator.ge,
}


def written_method(function, owner):
    """Returns the equivalent in captured programs, a function of (interpreter, args, kwargs), or None."""
    if isinstance(owner, type) and issubclass(owner, tuple) and hasattr(owner, "_fields"):
        return _named_tuple(function) if function.__name__ == "__new__" else None
    cls = next(
        (base for base in type(owner).__mro__ if base.__dict__.get(function.__name__) is function), None
    )
    if cls is None or "__dataclass_params__" not in cls.__dict__:
        return None
    name = function.__name__
    if name == "__init__":
        return lambda interpreter, args, kwargs: _initialise(interpreter, cls, function, args, kwargs)
    if name in _ORDER:
        return lambda interpreter, args, kwargs: _compare(interpreter, cls, _ORDER[name], args)
    if name == "__hash__":
        return lambda interpreter, args, kwargs: interpreter.calls.call(
            hash, (_members(interpreter, cls, args[0], "hash"),), {}
        )
    if name == "__repr__":
        return lambda interpreter, args, kwargs: _repr(interpreter, cls, args[0])
    if name in ("__setattr__", "__delattr__"):
        return lambda interpreter, args, kwargs: _frozen(interpreter, name, *args)
    return None


def _named_tuple(function):
    def new(interpreter, args, kwargs):
        bound = interpreter.host.guarded(inspect.signature(function).bind, *args, **kwargs)
        bound.apply_defaults()
        cls, *items = bound.arguments.values()
        return tuple.__new__(cls, items)

    return new


def _initialise(interpreter, cls, function, args, kwargs):
    """`__init__` of a dataclass: fields in their order, then `__post_init__`."""
    made = args[0]
    bound = interpreter.host.guarded(inspect.signature(function).bind, *args, **kwargs).arguments
    frozen = cls.__dataclass_params__.frozen
    further = []
    for field in cls.__dataclass_fields__.values():
        kind = field._field_type.name  # the library tells kinds of fields apart by this alone
        if kind == "_FIELD_CLASSVAR":
            continue
        value = _value_of(interpreter, field, bound)
        if value is MISSING:
            continue
        if kind == "_FIELD_INITVAR":
            further.append(value)
        elif frozen:
            interpreter.attribute_writes.write_plainly(made, field.name, value)
        else:
            interpreter.attribute_writes.write_attribute(made, field.name, value)
    post = interpreter.attributes.user_method(made, "__post_init__")
    if post is not None:
        interpreter.calls.call(post, tuple(further), {})


def _value_of(interpreter, field, bound):
    if field.init and field.name in bound:
        return bound[field.name]
    if field.default_factory is not dataclasses.MISSING:
        return interpreter.calls.call(field.default_factory, (), {})
    if field.default is dataclasses.MISSING or not field.init:
        return MISSING
    return interpreter.external.adopt_fixed(field.default)


def _members(interpreter, cls, owner, use="compare"):
    fields = list(dataclasses.fields(cls))
    if use == "hash":
        fields = [field for field in fields if (field.compare if field.hash is None else field.hash)]
    elif use == "compare":
        fields = [field for field in fields if field.compare]
    return tuple(interpreter.attributes.read_attribute(owner, field.name) for field in fields)


def _compare(interpreter, cls, op, args):
    owner, other = args
    if type(other) is not type(owner):
        return NotImplemented
    return interpreter.operators.compare(
        op, _members(interpreter, cls, owner), _members(interpreter, cls, other)
    )


def _repr(interpreter, cls, owner):
    parts: list = []
    for field in dataclasses.fields(cls):
        if field.repr:
            value = interpreter.calls.call(
                repr, (interpreter.attributes.read_attribute(owner, field.name),), {}
            )
            parts += [f"{', ' if parts else ''}{field.name}=", value]
    text = f"{type(owner).__qualname__}("
    for part in (*parts, ")"):
        text = interpreter.operators.binary(operator.add, text, part)
    return text


def _frozen(interpreter, name, owner, attribute, *value):
    what = "assign to" if value else "delete"
    interpreter.throwing.throw(dataclasses.FrozenInstanceError(f"cannot {what} field {attribute!r}"))
