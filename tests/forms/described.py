"""Values told as plain data, so that what two runs of a program gave can be compared.

Told are the exact Python types, the values, and which objects are one and the same: an object met before, in the
arguments, in the watched state or in an earlier call, is told by the name it got when it was first met.
"""

import collections
import contextlib
import types

import numpy as np

import dyad
from dyad import Tensor, nn

_PLAIN = (int, float, complex, str, bytes, type(None), type(...), range, slice)
_ITERATORS = (zip, map, filter, enumerate, reversed, types.GeneratorType, type(iter([])), type(iter(())))
_VIEWS = (type({}.keys()), type({}.values()), type({}.items()))
_CALLABLE = (types.FunctionType, types.BuiltinFunctionType, types.MethodType, type)


class Describer:
    """Tells values; with `new_tensors_alike`, Tensors that a call made are not told apart from one another.

    With `tensors_alike`, no Tensors are: a function under a gradient sees stand-ins for its arguments.
    """

    def __init__(self, new_tensors_alike=False, tensors_alike=False):
        self._tensors_alike = tensors_alike
        self._names = {}
        self._kept = []
        self._open = set()
        self._alike = new_tensors_alike
        self._new = None

    def name(self, value, name):
        """Makes the objects of a value known before the program runs."""
        self.tell(value, name)

    def begin_call(self):
        self._new = []

    def end_call(self, number):
        for tensor in self._new:
            self._names.setdefault(id(tensor), f"made in call {number}")
        self._kept += self._new
        self._new = None

    def tell(self, value, name):
        if isinstance(value, (*_PLAIN, np.generic)):
            # What `mutable` marks is told as what it marks: whether the mark is passed on does not matter.
            return (type(value).__name__.removeprefix("Mutable").lower(), repr(value))
        if isinstance(value, frozenset):
            return ("frozenset", *sorted(map(repr, value)))
        if isinstance(value, tuple):
            return (type(value).__name__, *(self.tell(item, f"{name}[{i}]") for i, item in enumerate(value)))
        if isinstance(value, _ITERATORS):
            return ("iterator", *(self.tell(item, f"{name}[{i}]") for i, item in enumerate(value)))
        if isinstance(value, _CALLABLE):
            return ("callable", value.__qualname__)
        if isinstance(value, types.ModuleType | dyad.Type):
            return (type(value).__name__, str(value))
        return self._tell_object(value, name)

    def _tell_object(self, value, name):
        if self._tensors_alike and isinstance(value, Tensor):
            return ("Tensor", *self._contents(value, name))
        known = self._names.get(id(value))
        if known is None and self._alike and self._new is not None and isinstance(value, Tensor):
            self._new.append(value)
            known = "new"
        if known is None:
            known = self._names[id(value)] = name
            self._kept.append(value)
        if id(value) in self._open:
            return ("again", known)
        self._open.add(id(value))
        try:
            return (f"{type(value).__name__} called {known}", *self._contents(value, known))
        finally:
            self._open.discard(id(value))

    def _contents(self, value, name):
        if isinstance(value, Tensor):
            return (Numbers(value),)
        if isinstance(value, np.ndarray):
            return (Numbers(value),)
        if isinstance(value, (list, collections.deque, *_VIEWS)):
            return tuple(self.tell(item, f"{name}[{i}]") for i, item in enumerate(value))
        if isinstance(value, dict):
            return tuple((repr(key), self.tell(item, f"{name}[{key!r}]")) for key, item in value.items())
        if isinstance(value, set):
            return tuple(sorted(map(repr, value)))
        if isinstance(value, nn.Cell):
            return ()
        held = _held(value)
        if held is None:
            return (repr(value),)
        return tuple((key, self.tell(item, f"{name}.{key}")) for key, item in held.items())


def _held(value):
    """An exception's arguments and the attributes of an object, in slots too; None where it cannot have any.

    No method of the object is called.
    """
    slots = {
        key: member
        for kind in type(value).__mro__
        if "__slots__" in vars(kind)
        for key, member in vars(kind).items()
        if isinstance(member, types.MemberDescriptorType)
    }
    held = {"args": value.args} if isinstance(value, BaseException) else {}
    for key, member in slots.items():
        with contextlib.suppress(AttributeError):
            held[key] = member.__get__(value)
    try:
        held |= object.__getattribute__(value, "__dict__")
    except AttributeError:
        return held if slots else None
    if isinstance(value, BaseException) and "__notes__" in held:
        # The line that an operator's error is noted with is left out.
        held["__notes__"] = [note for note in held["__notes__"] if not str(note).startswith("  File ")]
        if not held["__notes__"]:
            del held["__notes__"]
    return held


class Numbers:
    """The elements of a Tensor: equal when dtype and shape are, and the floats to the last few bits."""

    def __init__(self, tensor):
        self.dtype, self.shape = str(tensor.dtype), tuple(tensor.shape)
        array = tensor.float() if self.dtype == "BFloat16" else tensor
        self.elements = np.array(array.asnumpy() if isinstance(array, Tensor) else array)

    def __eq__(self, other):
        if not isinstance(other, Numbers) or (self.dtype, self.shape) != (other.dtype, other.shape):
            return False
        if self.elements.dtype.kind in "fc":
            close = 64 * np.finfo(self.elements.dtype).eps
            return np.allclose(self.elements, other.elements, rtol=close, atol=close, equal_nan=True)
        return np.array_equal(self.elements, other.elements)

    def __repr__(self):
        return f"{self.dtype}{list(self.shape)} {self.elements.tolist()}"


def difference(static, dynamic, path="outcome"):
    """The first place where two descriptions differ, as text; None where they agree."""
    if static == dynamic:
        return None
    if isinstance(static, tuple) and isinstance(dynamic, tuple) and len(static) == len(dynamic):
        for i, (one, other) in enumerate(zip(static, dynamic, strict=True)):
            step = one[0] if isinstance(one, tuple) and one and isinstance(one[0], str) else i
            found = difference(one, other, f"{path}/{step}")
            if found:
                return found
    return f"{path}: the dynamic graph gives {dynamic!r}, this form {static!r}"


def agrees(result, expected):
    """True if a result has the value and the Python types declared with a program; a list represents a Tensor."""
    if isinstance(result, Tensor):
        array = np.asarray(expected)
        return result.shape == array.shape and np.allclose(
            result.float().asnumpy() if result.dtype == dyad.bfloat16 else result.asnumpy(),
            array,
            rtol=1e-5,
            atol=1e-6,
            equal_nan=True,
        )
    if type(result) is not type(expected):
        return False
    if isinstance(result, tuple | list):
        return len(result) == len(expected) and all(map(agrees, result, expected))
    if isinstance(result, dict):
        return list(result) == list(expected) and all(map(agrees, result.values(), expected.values()))
    return repr(result) == repr(expected)
