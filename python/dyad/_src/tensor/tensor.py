"""Tensor: the parts of it that are naturally Python. Its operators come from the operator table."""

import operator

from dyad import _core
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_int
from dyad._src.base.host_only import host_only
from dyad._src.operators import full_like, stop_gradient
from dyad._src.tensor import flat_memory, tensor_methods, text

Tensor = _core.Tensor


def tensor(input_data=None, dtype=None, shape=None, init=None, const_arg: bool = False, device=None):
    """A Tensor from the arguments of the class, or from a number that is known when the graph runs.

    A Tensor as data is shared, as by the class.
    """
    if isinstance(input_data, _core.GraphNumber):
        number = _core.as_tensor(input_data)
        return number if dtype is None else number.astype(dtype)
    return Tensor(input_data, dtype, shape, init, const_arg, device)


def from_numpy(array):
    """A Tensor that shares the memory of a NumPy array: a write to one is seen in the other."""
    return _core.from_numpy(array)


@host_only
def frombuffer(buffer, dtype: _core.DType = _core.float32, count: int = -1, offset: int = 0):
    """A Tensor of the elements in a buffer of bytes, after `offset` bytes; `count` of them, or all.

    It shares the memory of a writable buffer; of another one it is a copy.
    """
    if not isinstance(dtype, _core.DType):
        raise TypeError(f"frombuffer: dtype is {dtype!r}; need an element type of tensors")
    memory = memoryview(buffer).cast("B")
    require_int("frombuffer", "count", count)
    if not 0 <= require_int("frombuffer", "offset", offset) <= len(memory):
        raise ValueError(f"frombuffer: offset is {offset}; need 0 to {len(memory)}, the bytes of the buffer")
    left = len(memory) - offset
    number = left // dtype.itemsize if count < 0 else count
    end = offset + number * dtype.itemsize
    if end > len(memory) or (count < 0 and end < len(memory)):
        raise ValueError(
            f"frombuffer: {left} bytes lie behind offset {offset}; need those of {number} elements of {dtype}, "
            f"{dtype.itemsize} each"
        )
    part = memory[offset:end]
    if part.readonly or dtype == _core.bfloat16 or not number:  # NumPy has no bfloat16
        return _core.from_bytes(bytes(part), dtype, (number,))
    return from_numpy(numpy.frombuffer(part, dtype.name.rstrip("_")))


def is_tensor(obj) -> bool:
    """Returns whether `obj` is a Tensor (a Parameter is one)."""
    return isinstance(obj, Tensor)


def _method(function):
    """Makes the function a method of Tensor, under its own name."""
    setattr(Tensor, function.__name__, function)
    return function


from_numpy.__dict__["_shares_memory"] = True  # with the array, which may be written later
Tensor.from_numpy = staticmethod(from_numpy)
Tensor.const_arg = False
_texts = {
    "__str__": text.text,
    "__repr__": text.representation,
    "__format__": text.formatted,
    "_repr_html_": text.html,
}
for _name, _function in _texts.items():
    setattr(Tensor, _name, _function)


@_method
def asnumpy(self):
    """The data as a NumPy array over the same memory: writes are visible on both sides.

    NumPy has no bfloat16; such a tensor is returned as a float32 copy.
    """
    import numpy

    if self.dtype is _core.bfloat16:
        return numpy.asarray(self.astype(_core.float32))
    return numpy.asarray(memoryview(self))


Tensor.numpy = asnumpy
Tensor.init_flag = Tensor.is_init = property(
    lambda self: self.has_init, doc="True if the data is still to be drawn by an initializer."
)
for _function in tensor_methods.METHODS:
    _method(_function)
for _function in flat_memory.METHODS:
    setattr(Tensor, _function.__name__, staticmethod(_function))


@_method
def __array__(self, dtype=None, copy=None):
    values = self.asnumpy()
    converts = dtype is not None and dtype != values.dtype
    if copy is False and (converts or self.dtype is _core.bfloat16):
        raise ValueError(
            f"__array__: a {self.dtype} tensor as {dtype or values.dtype} needs a copy; copy=False was asked for"
        )
    if converts:
        return values.astype(dtype)
    return values.copy() if copy else values


# Operator of each binary NumPy ufunc.
_OPERATORS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
    "true_divide": operator.truediv,
    "floor_divide": operator.floordiv,
    "remainder": operator.mod,
    "power": operator.pow,
    "less": operator.lt,
    "less_equal": operator.le,
    "equal": operator.eq,
    "not_equal": operator.ne,
    "greater": operator.gt,
    "greater_equal": operator.ge,
}


@_method
def __array_ufunc__(self, ufunc, method, *inputs, **options):
    """NumPy's functions treat a tensor as an array: np.exp(tensor) and array + tensor are arrays.

    A NumPy number is not an array: np.float32(2) * tensor is the tensor 2.0 * tensor.
    """
    import numpy

    # A comparison hands its number over as an array of no dimensions.
    number_first = isinstance(inputs[0], (numpy.generic, numpy.ndarray)) and inputs[0].ndim == 0
    if method == "__call__" and ufunc.__name__ in _OPERATORS and number_first:
        return _OPERATORS[ufunc.__name__](_number(ufunc, inputs[0]), inputs[1])
    arrays = [value.asnumpy() if isinstance(value, Tensor) else value for value in inputs]
    targets = options.get("out", ())
    if targets:
        options["out"] = tuple(value.asnumpy() if isinstance(value, Tensor) else value for value in targets)
    result = getattr(ufunc, method)(*arrays, **options)
    for target, array in zip(targets, options.get("out", ()), strict=True):
        is_copied = isinstance(target, Tensor) and (target.device != "CPU" or target.dtype is _core.bfloat16)
        if is_copied:
            target.copy_(Tensor(array))
    return result


def _number(ufunc, scalar):
    """A NumPy scalar as a number of Python."""
    kind = scalar.dtype.kind
    if kind in "SUmMO" or (kind == "V" and scalar.dtype.name != "bfloat16"):
        raise TypeError(
            f"{ufunc.__name__}: a NumPy scalar of dtype {scalar.dtype} is no number; need one beside a Tensor"
        )
    # `item` of NumPy's widest floats returns the number itself.
    return complex(scalar) if kind == "c" else float(scalar) if kind == "f" else scalar.item()


@_method
def __round__(self, digits=None):
    return self.round(decimals=digits or 0)


@_method
def tolist(self):
    """The elements as nested lists of Python numbers; the number itself for a tensor of 0 dimensions."""
    return self.asnumpy().tolist()


@_method
def __copy__(self):
    """A new Tensor of the data, which no gradient flows through."""
    return self if _is_template(self) else _with_attributes_of(self, stop_gradient(self).copy())


@_method
def __deepcopy__(self, memo):
    """A new Tensor of the data: a gradient flows through it."""
    copied = self if _is_template(self) else _with_attributes_of(self, self.copy())
    memo[id(self)] = copied
    return copied


def _is_template(self):
    """Returns whether it only describes an input, with dynamic sizes: there is no data to copy."""
    return any(type(size) is int and size < 0 for size in self.shape)


def _with_attributes_of(source, copied):
    copied.__dict__.update(source.__dict__)
    return copied


@_method
def __reduce_ex__(self, protocol):
    return _unpickle, (_core.to_bytes(self), self.dtype.name, self.shape), self.__dict__ or None


def _unpickle(data, dtype_name, shape):
    return _core.from_bytes(data, getattr(_core, dtype_name), shape)


@_method
def init_data(self, slice_index=None, shape=None, opt_shard_group=None):
    """Draws the values of a tensor with an initializer now. Returns the tensor.

    The arguments belong to distributed runs; only None is supported.
    """
    for name, value in (("slice_index", slice_index), ("shape", shape), ("opt_shard_group", opt_shard_group)):
        if value is not None:
            raise ValueError(f"init_data: {name} is {value!r}; slices of a distributed tensor need None here")
    if self.has_init:
        self.value()
    return self


@_method
def itemset(self, *args):
    """A new tensor with one element replaced: `itemset(value)`, `itemset(position, value)` or `itemset((i, j), value)`.

    A single position counts the elements in row-major order.
    """
    if not 1 <= len(args) <= 2:
        raise TypeError(f"itemset: {len(args)} arguments were given; need a value, or a position and a value")
    copied = self.copy()
    if len(args) == 1:
        if self.size != 1:
            raise IndexError(f"itemset: a tensor of shape {self.shape} needs a position before the value")
        copied[(0,) * self.ndim] = args[0]
        return copied
    position, value = args
    if isinstance(position, float):
        raise TypeError(f"itemset: the position is {position}; need an int or a tuple of ints")
    if not isinstance(position, tuple):
        position = _place_in(self.shape, int(position))
    if len(position) != self.ndim:
        raise IndexError(
            f"itemset: the position {position} does not name one element of a tensor of shape {self.shape}"
        )
    copied[position] = value
    return copied


def _place_in(shape, position):
    """The index of the element at a position of the row-major order."""
    size = 1
    for length in shape:
        size *= length
    if not -size <= position < size:
        raise IndexError(f"itemset: position {position} is out of range for a tensor of {size} elements")
    position %= size
    place = []
    for length in reversed(shape):
        position, remainder = divmod(position, length)
        place.append(remainder)
    return tuple(reversed(place))


@_method
@host_only
def set_const_arg(self, const_arg=True):
    """Marks the tensor as a constant of graphs that have it as an argument. Returns the tensor."""
    if not isinstance(const_arg, bool):
        raise TypeError(f"set_const_arg: const_arg is {const_arg!r}; need a bool")
    self.const_arg = const_arg
    return self


@_method
def assign_value(self, value):
    """Sets the values to those of another tensor, converted to this one's dtype. Returns the tensor."""
    tensor_methods.take_over(self, value if isinstance(value, Tensor) else Tensor(value, self.dtype))
    return self


assign_value._writes = (0,)


class TensorHook:
    """The result of `register_hook`: `remove()` removes the hook."""

    def __init__(self, owner, hook):
        self._owned = owner.__dict__.setdefault("_gradient_hooks", [])
        self._owned.append(self)
        self.hook = hook
        self._recorded = _core.add_hook(owner, hook)

    def remove(self):
        self._recorded.remove()
        if self in self._owned:
            self._owned.remove(self)


@_method
def register_hook(self, hook):
    """Calls `hook(gradient)` when this tensor's gradient is computed; a result other than None replaces it.

    The returned handle's `remove()` removes the hook.
    """
    if not callable(hook):
        raise TypeError(f"register_hook: hook is of type {type(hook).__name__}; need a function")
    if not getattr(self, "_requires_grad", True):
        raise RuntimeError(
            f"register_hook: {self.name} is a Parameter that no gradient reaches. "
            "The tensor requires grad is false, which can not register tensor hook; set requires_grad first"
        )
    return TensorHook(self, hook)


@_method
def hooks(self):
    """The gradient hooks in the order they were registered."""
    return [entry.hook for entry in self.__dict__.get("_gradient_hooks", ())]


@_method
def detach(self):
    """A Tensor over the same memory that no gradient passes through."""
    return _core.detach(self)


@_method
@host_only
def requires_grad_(self, requires_grad=True):
    """Records what is computed from this tensor from now on, so that `backward()` can fill its `grad`."""
    if not isinstance(requires_grad, bool):
        raise TypeError(f"requires_grad_: requires_grad is {requires_grad!r}; need a bool")
    _core.ask_gradient(self, requires_grad)
    return self


@_method
@host_only
def backward(self, gradient=None, retain_graph=False):
    """Adds the gradient of this tensor to `grad` of every leaf it was computed from.

    `gradient` is the gradient of this tensor itself; it may be left out for a single element. What was recorded is
    freed on the way unless `retain_graph`.
    """
    if gradient is not None and not isinstance(gradient, Tensor):
        raise TypeError(f"backward: gradient is of type {type(gradient).__name__}; need a Tensor or None")
    _core.backward(self, gradient, bool(retain_graph))


Tensor.requires_grad = property(
    _core.is_recorded,
    lambda self, value: self.requires_grad_(value),
    doc="Whether operators on it are recorded.",
)
Tensor.grad = property(
    _core.get_gradient, _core.set_gradient, doc="What `backward()` has added up for this leaf, or None."
)
Tensor.is_leaf = property(_core.is_leaf, doc="Whether no recorded operator made it.")


def _type(self, dtype=None):
    """The name of the dtype; with an argument, the tensor in that dtype."""
    return str(self.dtype) if dtype is None else self.to(dtype)


Tensor.type = _type


@_method
def _load(self):
    """Has no effect: the data is always in the memory of its device."""


@_method
def ndimension(self):
    """Number of dimensions."""
    return self.ndim


@_method
def dim(self):
    """Number of dimensions."""
    return self.ndim


@_method
def numel(self):
    """Number of elements."""
    return self.size


Tensor.nelement = numel


@_method
def element_size(self):
    """Bytes of one element."""
    return self.itemsize


@_method
def is_floating_point(self):
    """Returns whether the elements are real floating-point numbers."""
    return self.dtype.is_floating_point


@_method
def is_complex(self):
    """Returns whether the elements are complex numbers."""
    return self.dtype.is_complex


@_method
def is_signed(self):
    """Returns whether the elements may be negative."""
    return self.dtype.is_signed


@_method
def to_dlpack(self):
    """The data as a DLPack capsule of the older kind, for consumers that accept capsules only."""
    return self.__dlpack__()


Tensor.from_dlpack = staticmethod(_core.from_dlpack)


@_method
def fill(self, value):
    """A new tensor of the same shape and dtype whose elements are all `value`."""
    return full_like(self, value)


@_method
def get_bytes(self):
    """The elements in row-major order as bytes."""
    return _core.to_bytes(self)


@_method
def flush_from_cache(self):
    """Has no effect: there is no cache between a tensor and its memory."""


@_method
def data_sync(self, need_wait=True):
    """Accepted for compatibility: the data of a CPU tensor is there when the operator returns."""


Tensor.data = property(
    lambda self: stop_gradient(self),
    lambda self, value: self.assign_value(value),
    doc="A plain Tensor over the same memory, a constant for differentiation.",
)
