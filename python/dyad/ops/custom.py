"""User-defined operators: Python functions, functions of shared libraries, and Primitives."""

import ctypes
import functools
import inspect
import os
from collections.abc import Callable
from typing import Any, Self

from dyad._core import DType, Tensor
from dyad._src.autodiff.custom import call_with_backward
from dyad._src.base import lazy_numpy as numpy
from dyad._src.primitive.primitive import Primitive
from dyad.dtype import dtype_to_nptype

__all__ = [
    "Custom",
    "CustomRegOp",
    "DataType",
    "Morph",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "prim_attr_register",
]


class Custom(Primitive):
    """A user-defined operator.

    With func_type 'pyfunc', `func` accepts the inputs as NumPy arrays and returns one or several. With 'aot' it is
    'library.so:name', a C function `int name(int count, void** data, int* ranks, int64_t** shapes, const char**
    dtypes, void* stream, void* extra)` over inputs and outputs that returns 0 on success. `out_shape` and
    `out_dtype` describe the results, or are functions of the inputs' shapes or dtypes. `bprop(*inputs,
    out, dout)` returns the gradients; without it the results are constants for differentiation. `reg_info` matters to
    other targets only.

    Example:
        >>> from dyad import Tensor, ops
        >>> double = ops.Custom(lambda x: 2 * x, lambda x: x, lambda x: x)
        >>> print(double(Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init__(
        self,
        func,
        out_shape=None,
        out_dtype=None,
        func_type="pyfunc",
        bprop: Callable | None = None,
        reg_info=None,
    ) -> None:
        super().__init__("Custom")
        if func_type not in ("pyfunc", "aot"):
            raise ValueError(f"Custom: func_type is {func_type!r}; need 'pyfunc' or 'aot'")
        if bprop is not None and not callable(bprop):
            raise TypeError(f"Custom: bprop is of type {type(bprop).__name__}; need a function or None")
        self.func, self.func_type, self.bprop, self.reg_info = func, func_type, bprop, reg_info
        self.out_shape, self.out_dtype = out_shape, out_dtype
        if func_type == "aot":
            self._kernel = _library_function(func)
            if out_shape is None or out_dtype is None:
                raise ValueError("Custom: out_shape or out_dtype is None; need both where func_type is 'aot'")
        elif not callable(func):
            raise TypeError(f"Custom: func is of type {type(func).__name__}; need a function")

    def __call__(self, *inputs):
        if self.bprop is None:
            return self._run(*inputs)
        return call_with_backward(self.name, self._run, self.bprop, inputs, {})

    def __reduce__(self):
        return type(self), (
            self.func, self.out_shape, self.out_dtype, self.func_type, self.bprop, self.reg_info
        )  # fmt: skip

    def _run(self, *inputs):
        dtypes, shapes = self._expected(inputs)
        arrays = [_array_of(value) for value in inputs]
        if self.func_type == "aot":
            outputs = self._run_library(arrays, dtypes, shapes)
        else:
            returned = self.func(*arrays)
            outputs = list(returned) if isinstance(returned, (tuple, list)) else [returned]
        results = [Tensor(numpy.asarray(output, order="C")) for output in outputs]
        for place, dtype in enumerate(dtypes or ()):
            results[place] = results[place].astype(dtype)
        given = [result.shape for result in results]
        if shapes is not None and given != shapes:
            raise ValueError(f"Custom: func returned shapes {given}; out_shape says {shapes}")
        return results[0] if len(results) == 1 else tuple(results)

    def _expected(self, inputs):
        tensors = [value for value in inputs if isinstance(value, Tensor)]
        shape, dtype = self.out_shape, self.out_dtype
        if callable(shape):
            shape = shape(*[tensor.shape for tensor in tensors])
        if callable(dtype) and not isinstance(dtype, DType):
            dtype = dtype(*[tensor.dtype for tensor in tensors])
        dtypes = None if dtype is None else list(dtype) if isinstance(dtype, (tuple, list)) else [dtype]
        if shape is None:
            return dtypes, None
        several = any(isinstance(part, (tuple, list)) for part in shape)
        return dtypes, [tuple(part) for part in shape] if several else [tuple(shape)]

    def _run_library(self, arrays, dtypes, shapes):
        outputs = [
            numpy.empty(shape, dtype_to_nptype(dtype)) for shape, dtype in zip(shapes, dtypes, strict=True)
        ]
        operands = [*arrays, *outputs]
        count = len(operands)
        sizes = [(ctypes.c_int64 * max(array.ndim, 1))(*array.shape) for array in operands]
        status = self._kernel(
            count,
            (ctypes.c_void_p * count)(*[array.ctypes.data for array in operands]),
            (ctypes.c_int * count)(*[array.ndim for array in operands]),
            (ctypes.POINTER(ctypes.c_int64) * count)(
                *[ctypes.cast(s, ctypes.POINTER(ctypes.c_int64)) for s in sizes]
            ),
            (ctypes.c_char_p * count)(*[array.dtype.name.encode() for array in operands]),
            None,
            None,
        )
        if status != 0:
            raise RuntimeError(f"Custom: {self.func} returned {status}; 0 means that all went well")
        return outputs


def _array_of(value):
    if isinstance(value, Tensor):
        return numpy.asarray(value.asnumpy(), order="C")
    return numpy.asarray(value)


def _library_function(func):
    path, separator, name = func.rpartition(":") if isinstance(func, str) else ("", "", "")
    if not separator or not name:
        raise ValueError(f"Custom: func is {func!r}; need 'library.so:name' where func_type is 'aot'")
    if not os.path.isfile(path):
        raise ValueError(f"Custom: there is no file {path!r}; need a shared library")
    function = getattr(ctypes.CDLL(os.path.abspath(path)), name, None)
    if function is None:
        raise ValueError(f"Custom: {path} has no function {name!r}")
    function.restype = ctypes.c_int
    return function


class DataType:
    """Pairs of element type and layout for `CustomRegOp`: `DataType.F32_Default` and so on.

    Example:
        >>> from dyad import ops
        >>> ops.DataType.F32_Default
        ('float32', 'DefaultFormat')
    """


_ELEMENTS = {
    "None": "", "BOOL": "bool", "I8": "int8", "I16": "int16", "I32": "int32", "I64": "int64", "U8": "uint8",
    "U16": "uint16", "U32": "uint32", "U64": "uint64", "F16": "float16", "F32": "float32", "F64": "float64",
    "BF16": "bfloat16", "C64": "complex64", "C128": "complex128",
}  # fmt: skip
_LAYOUTS = {
    "None": "",
    "Default": "DefaultFormat",
    "NCHW": "NCHW",
    "NHWC": "NHWC",
    "NCDHW": "NCDHW",
    "NDHWC": "NDHWC",
}
for _short, _element in _ELEMENTS.items():
    for _name, _layout in _LAYOUTS.items():
        setattr(DataType, f"{_short}_{_name}", (_element, _layout))


class CustomRegOp:
    """Describes the inputs and outputs of a custom operator; `get_op_info` returns the description for `Custom`.

    Example:
        >>> from dyad import ops
        >>> ops.CustomRegOp("double").input(0, "x").output(0, "y").get_op_info()["inputs"]
        [{'index': 0, 'name': 'x', 'paramType': 'required'}]
    """

    def __init__(self, op_name="Custom"):
        if not isinstance(op_name, str) or not op_name:
            raise TypeError(f"CustomRegOp: op_name is {op_name!r}; need a name")
        self.op_name = op_name
        self._info: dict[str, Any] = {
            "op_name": op_name,
            "inputs": [],
            "outputs": [],
            "attr": [],
            "dtype_format": [],
        }

    def _add(self, kind, **entry):
        self._info[kind].append({name: value for name, value in entry.items() if value is not None})
        return self

    def input(self, index=None, name=None, param_type="required", **kwargs):
        """Adds an input."""
        return self._add("inputs", index=index, name=name, paramType=param_type, **kwargs)

    def output(self, index=None, name=None, param_type="required", **kwargs):
        """Adds an output."""
        return self._add("outputs", index=index, name=name, paramType=param_type, **kwargs)

    def attr(self, name=None, param_type=None, value_type=None, default_value=None, **kwargs):
        """Adds an attribute."""
        return self._add(
            "attr", name=name, paramType=param_type, type=value_type, defaultValue=default_value, **kwargs
        )

    def dtype_format(self, *args) -> Self:
        """Adds one combination of the element types and layouts of inputs and outputs."""
        operands = len(self._info["inputs"]) + len(self._info["outputs"])
        if len(args) != operands:
            raise ValueError(
                f"CustomRegOp: {len(args)} element types are given for {operands} inputs and outputs"
            )
        self._info["dtype_format"].append(args)
        return self

    def target(self, target=None) -> Self:
        """Sets the device of the operator."""
        self._info["target"] = target
        return self

    def get_op_info(self) -> dict:
        """Returns the description."""
        return dict(self._info)


def prim_attr_register(fn):
    """Decorates `__init__` of a Primitive: records the constructor's arguments as attributes of the operator.

    Example:
        >>> from dyad import ops
        >>> class Scaled(ops.Primitive):
        ...     @ops.prim_attr_register
        ...     def __init__(self, factor):
        ...         pass
        ...
        >>> Scaled(2).attrs
        {'factor': 2}
    """

    @functools.wraps(fn)
    def initialise(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        return fn(self, *args, **kwargs)

    return initialise


prim_arg_register = prim_attr_register


class PrimitiveWithInfer(Primitive):
    """Base of user-defined operators with `__call__`, and `bprop` or `get_bprop` for their gradient.

    `infer_shape` and `infer_dtype` are optional: shapes and dtypes follow from what `__call__` computes.

    Example:
        >>> from dyad import Tensor, ops
        >>> class Double(ops.PrimitiveWithInfer):
        ...     def __call__(self, x):
        ...         return 2 * x
        ...
        >>> print(Double("Double")(Tensor([1.0])))
        [2.]
    """

    def __init_subclass__(cls, **options):
        if "get_bprop" in vars(cls) and "bprop" not in vars(cls):
            type.__setattr__(cls, "bprop", _bprop_of_getter)
        super().__init_subclass__(**options)


def _bprop_of_getter(self, *args):
    return self.get_bprop()(*args)


PrimitiveWithCheck = PrimitiveWithInfer


def _primexpr(fn=None, get_instance=True, name=None, reuse_result=True):
    """Decorates a function of static values for use in graphs; it is captured like any other function."""
    return (lambda fn: fn) if fn is None else fn


def _run_op(obj, op_name, args):
    """Calls the operator with a tuple of arguments."""
    return obj(*args)


class Morph(PrimitiveWithInfer):
    """An operator that computes `fn`; it is differentiated through `fn` unless `bprop_fn` is given.

    `bprop_fn(*inputs, out, dout)` returns the gradients of the inputs. `infer_shape` and `infer_dtype` are not called:
    shapes and dtypes follow from the results of `fn`.

    Example:
        >>> from dyad import Tensor, ops
        >>> double = ops.Morph(lambda x: 2 * x, lambda x: x, lambda x: x)
        >>> print(double(Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init__(self, fn, infer_shape, infer_dtype, bprop_fn=None):
        super().__init__("Morph")
        wanted = {"fn": fn, "infer_shape": infer_shape, "infer_dtype": infer_dtype}
        wanted |= {} if bprop_fn is None else {"bprop_fn": bprop_fn}
        for name, function in wanted.items():
            if not callable(function):
                raise TypeError(f"Morph: {name} is of type {type(function).__name__}; need a function")
        self.fn, self.infer_shape, self.infer_dtype, self.bprop_fn = fn, infer_shape, infer_dtype, bprop_fn
        self._computed = fn if bprop_fn is None else _WithGradient(fn, bprop_fn)

    def __call__(self, *inputs):
        return self._computed(*inputs)

    def __reduce__(self):
        return type(self), (self.fn, self.infer_shape, self.infer_dtype, self.bprop_fn)


class _WithGradient(PrimitiveWithInfer):
    """A function and its gradient as one operator."""

    def __init__(self, fn, bprop_fn):
        super().__init__("Morph")
        self._fn, self._bprop_fn = fn, bprop_fn

    def __call__(self, *inputs):
        return self._fn(*inputs)

    def bprop(self, *args):
        return self._bprop_fn(*args)
