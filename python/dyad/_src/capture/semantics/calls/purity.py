"""Which code outside of the program may run while a graph is captured: what computes from known values alone.

What is not stated here is refused, because it would be done once while capturing and never when the graph runs.
"""

import array
import functools
import inspect
import operator
import types

from dyad._src.base import lazy_numpy as numpy
from dyad._src.capture.semantics.attributes.object_state import (
    CACHED_FUNCTION,
    NAMESPACES,
    SORT_KEY,
    VALUE_MODULES,
    VALUES,
    full_name,
    is_array_type,
)
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of

_BUFFER_CHANGES = {
    bytearray: frozenset(
        ("append", "clear", "extend", "insert", "pop", "remove", "reverse", "__iadd__", "__imul__")
    ),
    array.array: frozenset(
        ("append", "byteswap", "extend", "frombytes", "fromfile", "fromlist", "fromunicode", "insert", "pop")
        + ("remove", "reverse", "tofile", "__iadd__", "__imul__")
    ),
    memoryview: frozenset(("release",)),
}
_ARRAY_CHANGES = frozenset(
    ("sort", "fill", "resize", "put", "partition", "itemset", "setfield", "setflags", "byteswap")
    + ("tofile", "dump", "__setstate__", "view", "getfield")
)

_EVERYTHING = None
_PURE_FUNCTIONS = {
    "_bisect": frozenset(("bisect", "bisect_left", "bisect_right")),
    "_functools": frozenset(("cmp_to_key",)),
    "_json": _EVERYTHING,
    "_operator": _EVERYTHING,
    "_sre": _EVERYTHING,
    "_statistics": _EVERYTHING,
    "_struct": frozenset(("calcsize", "pack", "unpack", "unpack_from")),
    "base64": _EVERYTHING,
    "binascii": _EVERYTHING,
    "builtins": frozenset(("ascii", "bin", "chr", "hash", "hex", "issubclass", "oct", "ord")),
    "calendar": _EVERYTHING,
    "cmath": _EVERYTHING,
    "collections": _EVERYTHING,
    "colorsys": _EVERYTHING,
    "dataclasses": frozenset(("fields", "is_dataclass")),
    "difflib": _EVERYTHING,
    "enum": _EVERYTHING,
    "fractions": _EVERYTHING,
    "functools": frozenset(("update_wrapper", "wraps")),
    "heapq": frozenset(("nlargest", "nsmallest")),
    "html": _EVERYTHING,
    "inspect": frozenset(
        ("isclass", "isfunction", "ismethod", "isbuiltin", "ismodule", "isroutine", "isabstract")
        + ("signature", "getdoc", "cleandoc")
    ),
    "json": frozenset(("dumps", "loads")),
    "keyword": _EVERYTHING,
    "math": _EVERYTHING,
    "numbers": _EVERYTHING,
    "operator": _EVERYTHING,
    "packaging.version": _EVERYTHING,
    "platform": _EVERYTHING,
    "posixpath": frozenset(("basename", "dirname", "isabs", "join", "normpath", "split", "splitext")),
    "re": _EVERYTHING,
    "statistics": _EVERYTHING,
    "string": _EVERYTHING,
    "sys": frozenset(("intern", "getsizeof", "getdefaultencoding")),
    "textwrap": _EVERYTHING,
    "types": frozenset(("new_class", "resolve_bases")),
    "typing": _EVERYTHING,
    "unicodedata": _EVERYTHING,
    "urllib.parse": _EVERYTHING,
    "zlib": _EVERYTHING,
}
# Functions that only keep what they are given: objects of the program may be among it.
_KEEPING = frozenset((functools.partial, functools.wraps, functools.update_wrapper, functools.cmp_to_key))
_NUMPY_CHANGES = frozenset(
    ("copyto", "put", "place", "putmask", "fill_diagonal", "put_along_axis", "seterr", "seterrcall")
    + ("setbufsize", "set_printoptions", "set_string_function", "save", "savez", "savez_compressed")
    + ("savetxt", "load", "loadtxt", "fromfile", "genfromtxt", "memmap", "open_memmap", "vectorize", "nditer")
    + ("errstate", "printoptions", "frompyfunc", "at")
)
# Where functions and methods in C, whose parameters Python does not know, have the array that they write to.
_OUT_PLACES = {
    "concatenate": 2,
    "dot": 2,
    "ndarray.all": 1,
    "ndarray.any": 1,
    "ndarray.argmax": 1,
    "ndarray.argmin": 1,
    "ndarray.choose": 1,
    "ndarray.clip": 2,
    "ndarray.compress": 2,
    "ndarray.cumprod": 2,
    "ndarray.cumsum": 2,
    "ndarray.dot": 1,
    "ndarray.max": 1,
    "ndarray.mean": 2,
    "ndarray.min": 1,
    "ndarray.prod": 2,
    "ndarray.ptp": 1,
    "ndarray.round": 1,
    "ndarray.std": 2,
    "ndarray.sum": 2,
    "ndarray.take": 2,
    "ndarray.trace": 4,
    "ndarray.var": 2,
    "ufunc.accumulate": 3,
    "ufunc.reduce": 3,
    "ufunc.reduceat": 4,
}
_NUMPY_IMPURE = ("numpy.random", "numpy.testing", "numpy.ctypeslib", "numpy.f2py")
# Classes whose objects are made by what they are given alone.
_MADE = frozenset(
    ("collections.Counter", "collections.OrderedDict", "collections.defaultdict", "collections.deque")
    + ("builtins.object", "builtins.bytearray", "builtins.memoryview", "array.array", "builtins.property")
    + ("builtins.classmethod", "builtins.staticmethod", "builtins.super", *NAMESPACES)
)


def _module_of_function(function):
    if isinstance(function, types.FunctionType):
        return function.__globals__.get("__name__", "")
    owner = getattr(function, "__self__", None)
    return module_of(function) or (owner.__name__ if isinstance(owner, types.ModuleType) else "")


def is_pure(function, args=(), kwargs=None):
    """Returns whether a function or class of Python or a library computes its result from what it is given alone."""
    if isinstance(function, type):
        return _is_pure_class(function)
    owner = getattr(function, "__self__", None)
    if owner is not None and not isinstance(owner, types.ModuleType):
        return _is_pure_method(owner, function.__name__, args, kwargs or {})
    if isinstance(function, (CACHED_FUNCTION, SORT_KEY)):
        return isinstance(function, SORT_KEY)  # an lru_cache keeps results from call to call
    module, name = _module_of_function(function), getattr(function, "__name__", "")
    if module.split(".")[0] == "numpy" or isinstance(function, numpy.ufunc):
        return _is_pure_of_numpy(function, module, name, args, kwargs or {})
    if is_framework_module(module):
        return True
    if module not in _PURE_FUNCTIONS:
        return False
    names = _PURE_FUNCTIONS[module]
    return names is _EVERYTHING or name in names


def _is_pure_class(cls):
    if issubclass(cls, (*VALUES, BaseException)) or module_of(cls) in VALUE_MODULES:
        return cls is not type
    if is_array_type(cls) or issubclass(cls, numpy.dtype):
        return True
    return full_name(cls) in _MADE


def _is_pure_of_numpy(function, module, name, args, kwargs):
    if module.startswith(_NUMPY_IMPURE) or name in _NUMPY_CHANGES:
        return False
    if isinstance(function, numpy.ufunc):
        return kwargs.get("out") is None and len(args) <= function.nin
    given = dict(zip(_parameters_of(function), args, strict=False)) | kwargs
    if given.get("out") is not None or given.get("overwrite_input"):
        return False
    if name == "nan_to_num" and not given.get("copy", True):
        return False
    return not _writes_to_argument(name, args)


@functools.lru_cache(maxsize=1024)
def _parameters_of(function):
    """Names of the parameters of a function; none where Python does not know them."""
    try:
        return tuple(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return ()


def _writes_to_argument(name, args):
    place = _OUT_PLACES.get(name, len(args))
    return place < len(args) and args[place] is not None


def _is_pure_method(owner, name, args, kwargs):
    if isinstance(owner, type):
        return issubclass(owner, (*VALUES, dict, numpy.generic)) and not name.startswith("__")
    cls = type(owner)
    if is_array_type(cls):
        if name in _ARRAY_CHANGES or _is_in_place(name) or kwargs.get("out") is not None:
            return False
        return not _writes_to_argument(f"ndarray.{name}", args)
    for kind, changes in _BUFFER_CHANGES.items():
        if isinstance(owner, kind):
            return name not in changes and not _is_in_place(name)
    if isinstance(owner, numpy.ufunc):
        if name not in ("reduce", "accumulate", "outer", "reduceat") or kwargs.get("out") is not None:
            return False
        return not _writes_to_argument(f"ufunc.{name}", args)
    if isinstance(owner, (BaseException, *VALUES, types.MappingProxyType)) or module_of(cls) in VALUE_MODULES:
        return not isinstance(owner, (CACHED_FUNCTION, SORT_KEY))
    return isinstance(owner, numpy.dtype) or name in ("__eq__", "__ne__", "__hash__", "__init__", "__class__")


def _is_in_place(name):
    return name in ("__setitem__", "__delitem__") or (
        name.startswith("__i") and name.endswith("__") and hasattr(operator, name)
    )


def keeps_arguments(function):
    """Returns whether the function only keeps its arguments, so that no method of them is called."""
    return (
        isinstance(function, (type, types.FunctionType, types.BuiltinFunctionType)) and function in _KEEPING
    )
