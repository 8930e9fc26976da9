"""State of objects of Python's library: none that changes, contents that a guard compares, or hidden state."""

import array
import collections
import dataclasses
import datetime
import enum
import functools
import logging
import operator
import pathlib
import re
import struct
import sys
import types
import weakref

from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, is_library_class, module_of


def per_class(make):
    """`make(cls)`, computed once for each class. Classes are told apart by identity, and none is kept alive."""
    known: dict = {}  # id of a class -> (weak reference to it, what was made)

    @functools.wraps(make)
    def made(cls):
        identity = id(cls)
        found = known.get(identity)
        if found is None or found[0]() is not cls:
            value = make(cls)
            found = known[identity] = (weakref.ref(cls, lambda _: known.pop(identity, None)), value)
        return found[1]

    return made


_HEAP_TYPE = 1 << 9
_IMMUTABLE_TYPE = 1 << 8

CACHED_FUNCTION = type(functools.lru_cache(len))
SORT_KEY = type(functools.cmp_to_key(operator.sub))

# Objects of these classes never change, and their methods compute from what they hold.
VALUES: tuple[type, ...] = (
    *(bool, int, float, complex, str, bytes, tuple, frozenset, range, slice),
    *(type(None), type(Ellipsis), type(NotImplemented), type, property, classmethod, staticmethod),
    *(types.FunctionType, types.BuiltinFunctionType, types.MethodType, types.MethodWrapperType),
    *(types.WrapperDescriptorType, types.MethodDescriptorType, types.ClassMethodDescriptorType),
    *(types.GetSetDescriptorType, types.MemberDescriptorType, types.ModuleType, types.CodeType),
    *(types.GenericAlias, types.UnionType, types.TracebackType, functools.partial),
    *(re.Pattern, re.Match, struct.Struct, enum.Enum, datetime.date, datetime.time, datetime.timedelta),
    *(
        datetime.tzinfo,
        dataclasses.Field,
        pathlib.PurePath,
        operator.itemgetter,
        operator.attrgetter,
        operator.methodcaller,
    ),
    *(type({}.keys()), type({}.values()), type({}.items())),
    *(type(collections.OrderedDict().keys()), type(collections.OrderedDict().values())),
    type(collections.OrderedDict().items()),
    *(CACHED_FUNCTION, SORT_KEY),
)
VALUE_MODULES = frozenset(
    (
        "abc",
        "decimal",
        "enum",
        "fractions",
        "inspect",
        "ipaddress",
        "numbers",
        "packaging.version",
        "string",
        "types",
        "typing",
        "uuid",
    )
)
# A program reads and writes the attributes of these as those of its own classes.
NAMESPACES = ("argparse.Namespace", "types.SimpleNamespace")

# Their contents are guarded as a whole, and nothing in them is journalled.
_COMPARING = type(functools.cmp_to_key(lambda a, b: 0))
BUFFERS = (bytearray, array.array, memoryview)


@per_class
def layout_of(cls):
    """The class, written in C, that an object's memory is made for: `object`, `dict`, `deque` and so on."""
    while cls.__flags__ & _HEAP_TYPE and not cls.__flags__ & _IMMUTABLE_TYPE and cls.__base__ is not None:
        cls = cls.__base__
    return cls


@per_class
def has_unseen_state(cls):
    """Returns whether objects of the class hold what may change and is neither guarded nor journalled."""
    if cls is _COMPARING:
        return True  # it calls a function of the program
    if issubclass(cls, (*VALUES, Tensor, BaseException, list, dict, set)) or is_framework_module(
        module_of(cls)
    ):
        return False
    if cls is collections.deque or cls is object or cls in BUFFERS:
        return False
    if issubclass(cls, logging.Logger):
        return False  # its attributes are guarded, and of its methods only those that log are called
    if full_name(cls) in NAMESPACES or module_of(cls) in VALUE_MODULES:
        return False
    if is_array_type(cls):
        return cls is not numpy.ndarray and not issubclass(cls, numpy.generic)
    if issubclass(cls, numpy.dtype) or cls is numpy.ufunc or cls.__name__ == "_ArrayFunctionDispatcher":
        return False
    if layout_of(cls) is not object:
        return True
    return is_library_class(cls)


@per_class
def is_readable(cls):
    """Returns whether Python looks at objects of the class without running code of the program."""
    return not isinstance(cls.__getattribute__, types.FunctionType)


def is_array_type(cls):
    """Returns whether objects of the class are arrays of NumPy, or its scalars."""
    return issubclass(cls, (numpy.ndarray, numpy.generic))


def full_name(value):
    """The name of a class or function, with that of its module."""
    return f"{module_of(value)}.{getattr(value, '__qualname__', '')}"


def missing_text(owner, name):
    """Returns the text of Python's error for an attribute that does not exist."""
    cls = type(owner)
    shown = "types.SimpleNamespace" if cls is types.SimpleNamespace else cls.__name__
    return f"{shown!r} object has no attribute {name!r}"


def unfilled_text(owner, name):
    """Returns the text of Python's error for an empty slot."""
    shown = full_name(type(owner)) if sys.version_info >= (3, 13) else type(owner).__name__
    return f"{shown!r} object has no attribute {name!r}"
