"""Transforms of arrays of any kind."""

import enum
from typing import Any

import numpy

from dyad.dataset import _arguments as check
from dyad.dataset._operation import TensorOperation
from dyad.dtype import bool_

_LARGEST = 9223372036854775807
_ABSENT = -9223372036854775808  # means None in a slice


class Relational(enum.IntEnum):
    """Comparison of elements with the constant of `Mask`."""

    EQ = 0
    NE = 1
    GT = 2
    GE = 3
    LT = 4
    LE = 5


class Concatenate(TensorOperation):
    """Joins columns with one dimension into one, between two constant arrays."""

    def __init__(self, axis: int = 0, prepend=None, append=None) -> None:
        check.require_type("Concatenate", "axis", axis, int)
        if axis not in (0, -1):
            raise ValueError(
                f"Concatenate: axis is {axis}; need 0 or -1, since it joins arrays with one dimension"
            )
        self.axis = axis
        self.prepend = self._end("prepend", prepend)
        self.append = self._end("append", append)

    @staticmethod
    def _end(name, array):
        if array is None:
            return None
        check.require_type("Concatenate", name, array, numpy.ndarray)
        if array.ndim != 1:
            raise ValueError(f"Concatenate: {name} has shape {array.shape}; need an array with one dimension")
        return array

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        attributes = {}
        for name, array in (("prepend", self.prepend), ("append", self.append)):
            if array is None:
                continue
            if array.dtype.kind in "US":
                attributes[f"{name}_texts"] = [
                    check.decoded("Concatenate", name, text) for text in array.tolist()
                ]
            else:
                attributes[name] = array
        return "concatenate", attributes


class Duplicate(TensorOperation):
    """Returns a column twice."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "duplicate", {}


class Fill(TensorOperation):
    """Sets every element of a column to a constant; shape and dtype do not change."""

    def __init__(self, fill_value):
        check.filling("Fill", "fill_value", fill_value)
        self.fill_value = fill_value

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "fill", check.filling("Fill", "fill_value", self.fill_value)


class Mask(TensorOperation):
    """Compares elements with a constant; the result has bools or the requested dtype."""

    def __init__(self, operator: Relational, constant, dtype=bool_) -> None:
        self.operator = check.require_type("Mask", "operator", operator, Relational)
        check.filling("Mask", "constant", constant)
        self.constant = constant
        self.dtype = check.dtype_name("Mask", "dtype", dtype)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        constant = check.filling("Mask", "constant", self.constant)
        return "mask", {"relation": int(self.operator), "dtype": self.dtype, **constant}


class OneHot(TensorOperation):
    """One-hot encoding of labels.

    With a smoothing rate s the one is 1 - s + s/C and the zeros are s/C, as float64, with C classes.
    """

    def __init__(self, num_classes: int, smoothing_rate: int | float = 0.0) -> None:
        self.num_classes = check.require_int("OneHot", "num_classes", num_classes, 1)
        check.require_type("OneHot", "smoothing_rate", smoothing_rate, int, float)
        self.smoothing_rate = check.require_range("OneHot", "smoothing_rate", smoothing_rate, 0, 1)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "one_hot", {"classes": self.num_classes, "smoothing": self.smoothing_rate}


class PadEnd(TensorOperation):
    """Pads or cuts a column at the ends of its dimensions to a shape; None in it leaves a dimension as it is."""

    def __init__(self, pad_shape: list | tuple, pad_value=None) -> None:
        check.require_type("PadEnd", "pad_shape", pad_shape, list, tuple)
        self.pad_shape = [
            None if size is None else check.require_int("PadEnd", f"pad_shape[{i}]", size, 1, _LARGEST)
            for i, size in enumerate(pad_shape)
        ]
        if pad_value is not None:
            check.filling("PadEnd", "pad_value", pad_value)
        self.pad_value = pad_value

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        value = {} if self.pad_value is None else check.filling("PadEnd", "pad_value", self.pad_value)
        return "pad_end", {"shape": [-1 if size is None else size for size in self.pad_shape], **value}


class Plugin(TensorOperation):
    """A transform from a shared library that was built for another framework. Raises an error that says so."""

    def __init__(self, lib_path: str, func_name: str, user_args=None) -> None:
        check.require_type("Plugin", "lib_path", lib_path, str)
        check.require_type("Plugin", "func_name", func_name, str)
        raise RuntimeError(
            f"Plugin: {lib_path} is a library for the binary interface of another framework, which cannot be loaded "
            "here; need a Python function that calls it, given to map"
        )


class Slice(TensorOperation):
    """Parts of a column: per dimension an index, a list of indices, a slice, or None or ... for all of it."""

    def __init__(self, *slices):
        self.code = [number for choice in slices for number in _axis_code(choice)]

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "slice", {"slices": self.code}


def _axis_code(choice):
    """(kind, count, numbers…) of what one dimension is cut to: 1 and the indices, or 0 and start, stop, step."""
    if choice is None or choice is Ellipsis or choice is True:
        return (0, 3, _ABSENT, _ABSENT, _ABSENT)
    if isinstance(choice, slice):
        return (0, 3, *(_bound(number) for number in _checked_slice(choice)))
    if isinstance(choice, list):
        if not choice:
            raise ValueError("Slice: an index list is []; need at least one index")
        return (
            1,
            len(choice),
            *(check.require_int("Slice", "an index", i, -_LARGEST, _LARGEST) for i in choice),
        )
    if isinstance(choice, int) and not isinstance(choice, bool):
        return (1, 1, check.require_int("Slice", "an index", choice, -_LARGEST, _LARGEST))
    raise TypeError(f"Slice: a slice is {choice!r}; need an int, a list of ints, a slice, None or ...")


def _checked_slice(choice):
    for name in ("start", "stop", "step"):
        if getattr(choice, name) is not None:
            check.require_type("Slice", f"{name} of a slice", getattr(choice, name), int)
    if choice.step == 0:
        raise ValueError(f"Slice: a slice is {choice!r}; need a step other than 0")
    return choice.start, choice.stop, choice.step


def _bound(number):
    return _ABSENT if number is None else max(min(number, 1 << 62), -(1 << 62))


class TypeCast(TensorOperation):
    """Converts a column to another dtype."""

    def __init__(self, data_type):
        self.data_type = check.dtype_name("TypeCast", "data_type", data_type)

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "type_cast", {"dtype": self.data_type}


class Unique(TensorOperation):
    """The distinct elements in the order in which they come first, which of them each element is, and their counts."""

    def entry(self) -> tuple[str, dict[str, Any]]:
        """(name, attributes) of the native transform."""
        return "unique", {}
