"""Members of `ops` besides operators: mapping over structures, overloading by type, and Python-side markers."""

import functools
from collections.abc import Callable
from typing import Any

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.missing import missing_attribute
from dyad._src.jit.api.constant_function import constexpr
from dyad._src.primitive.primitive import primitive_of
from dyad._src.tensor.tensor import tensor
from dyad._src.tensor.type_marks import BY_NAME, TypeMark

# Paths below this module lead to the same names.
__path__: list[str] = []

__all__ = [
    "Depend",
    "HyperMap",
    "IdentityN",
    "Map",
    "MultitypeFuncGraph",
    "Partial",
    "Print",
    "ScalarToTensor",
    "TupleToArray",
    "add_flags",
    "constexpr",
    "core",
    "depend",
    "partial",
    "print_",
    "scalar_to_tensor",
    "tuple_to_array",
]


def add_flags(fn=None, **flags):
    """Records flags in a function or Cell and returns it; without `fn`, a decorator. Results do not change.

    Example:
        >>> from dyad import ops
        >>> @ops.add_flags(has_effect=True)
        ... def double(x):
        ...     return 2 * x
        ...
        >>> double._func_graph_flags
        {'has_effect': True}
    """
    if fn is None:
        return functools.partial(add_flags, **flags)
    if not callable(fn):
        raise TypeError(f"add_flags: fn is of type {type(fn).__name__}; need a function")
    fn._func_graph_flags = {**getattr(fn, "_func_graph_flags", {}), **flags}
    return fn


def core(fn=None, **flags):
    """Like `add_flags`, and sets the flag `core`.

    Example:
        >>> from dyad import ops
        >>> ops.core(lambda x: x)._func_graph_flags
        {'core': True}
    """
    return add_flags(fn, **{"core": True, **flags})


def _rows(name, sequences):
    columns = [tuple(sequence) for sequence in sequences]
    lengths = [len(column) for column in columns]
    if min(lengths) != max(lengths):
        raise RuntimeError(
            f"The {type(sequences[0]).__name__}s in {name} should have the same length; "
            f"they have {', '.join(map(str, lengths))}"
        )
    return list(zip(*columns, strict=True))


class Map:
    """Applies an operation to the elements of sequences, taking one from each per call.

    The operation is given here or as the first argument of the call. The result is a tuple. Sequences of unequal
    length are a RuntimeError in every form; MindSpore's dynamic graph leaves out what is beyond the shortest.
    `reverse` applies the operation from the last element to the first; the result keeps the order.

    Example:
        >>> from dyad import ops
        >>> ops.Map(lambda x, y: x + y)((1, 2), (10, 20))
        (11, 22)
    """

    def __init__(self, ops: Callable | None = None, reverse: bool = False) -> None:
        if ops is not None and not callable(ops):
            raise TypeError(
                f"{type(self).__name__}: ops is of type {type(ops).__name__}; need a callable or None"
            )
        self.ops = ops
        self.reverse = reverse

    def __call__(self, *args):
        operation: Any
        operation, sequences = (self.ops, args) if self.ops is not None else (args[:1], args[1:])
        if self.ops is None:
            if not operation or not callable(operation[0]):
                raise TypeError(f"{type(self).__name__}: need an operation as the first argument")
            operation = operation[0]
        if not sequences:
            raise TypeError(f"{type(self).__name__}: need at least one sequence to map over")
        return self._map(operation, sequences)

    def _map(self, operation, sequences):
        return self._each(lambda *items: operation(*items), sequences)

    def _each(self, function, sequences):
        rows = _rows(type(self).__name__, sequences)
        results = [function(*row) for row in (reversed(rows) if self.reverse else rows)]
        return tuple(reversed(results) if self.reverse else results)


class HyperMap(Map):
    """Like Map for nested tuples and lists: applies the operation to the elements that are not sequences.

    Example:
        >>> from dyad import ops
        >>> ops.HyperMap(lambda x: 2 * x)((1, (2, 3)))
        (2, (4, 6))
    """

    def _map(self, operation, sequences):
        if not isinstance(sequences[0], (tuple, list)):
            return operation(*sequences)
        return self._each(lambda *items: self._map(operation, items), sequences)


class MultitypeFuncGraph:
    """A function with one implementation per combination of argument types; the first that matches is called.

    `@graph.register("Tensor", "Number")` adds one. With `read_value` arguments are never passed as references, which
    in the dynamic graph they are not anyway.

    Example:
        >>> from dyad import ops
        >>> double = ops.MultitypeFuncGraph("double")
        >>> @double.register("Number")
        ... def double_number(x):
        ...     return 2 * x
        ...
        >>> double(4)
        8
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        if not isinstance(name, str):
            raise TypeError(f"MultitypeFuncGraph: name is {name!r}; need a str")
        self.name = name
        self.read_value = read_value
        self.entries: list = []

    def register(self, *type_names):
        """A decorator; types are names ('Tensor', 'Number', 'Tuple', ...) or type objects such as `tensor_type`."""
        marks = tuple(self._mark(name) for name in type_names)

        def add(function):
            self.entries.append((marks, function))
            return function

        return add

    def _mark(self, name):
        if isinstance(name, TypeMark):
            return name
        if isinstance(name, _core.DType):
            return TypeMark(name.name, lambda value: isinstance(value, Tensor) and value.dtype == name)
        if name not in BY_NAME:
            raise ValueError(
                f"{self.name}: there is no type called {name!r}; need one of {', '.join(BY_NAME)}"
            )
        return BY_NAME[name]

    def __call__(self, *args):
        for position, value in enumerate(args):
            if isinstance(value, numpy.ndarray):
                raise TypeError(f"{self.name}: argument {position} is a NumPy array; need a Tensor")
        for marks, function in self.entries:
            if len(marks) == len(args) and all(map(TypeMark.matches, marks, args)):
                return function(*args)
        given = ", ".join(type(value).__name__ for value in args)
        known = "; ".join(f"({', '.join(map(str, marks))})" for marks, _ in self.entries)
        raise ValueError(
            f"{self.name}: cannot find fn match given args. There is no implementation for ({given}); registered are "
            f"{known or 'none'}"
        )


def partial(func: Callable, *args, **kwargs):
    """Returns `func` with some arguments bound.

    Example:
        >>> from dyad import ops
        >>> ops.partial(pow, 2)(5)
        32
    """
    if not callable(func):
        raise TypeError(f"partial: func is of type {type(func).__name__}; need a callable")
    return functools.partial(func, *args, **kwargs)


def depend(value, expr):
    """Returns `value`, computed after `expr`; in the dynamic graph the order of statements already ensures that.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([1.0])
        >>> print(ops.depend(x, x.add_(1.0)))
        [2.]
    """
    return value


def print_(*input_x) -> None:
    """Prints each argument on a line of its own, tensors with shape and dtype.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.print_("loss", Tensor([0.5]))
        loss
        Tensor(shape=[1], dtype=Float32, value= [ 5.00000000e-01])
    """
    for value in input_x:
        print(repr(value) if isinstance(value, Tensor) else value)


def tuple_to_array(input_x) -> Tensor:
    """Converts a tuple, list or range of numbers of one kind to a Tensor: ints to int32, floats to float32.

    Example:
        >>> from dyad import ops
        >>> print(ops.tuple_to_array((1, 2, 3)))
        [1 2 3]
    """
    if not isinstance(input_x, (tuple, list, range)):
        raise TypeError(
            f"tuple_to_array: input_x is of type {type(input_x).__name__}; need a tuple of numbers"
        )
    made = Tensor(list(input_x))
    return made.astype(_core.int32) if made.dtype == _core.int64 else made


def scalar_to_tensor(input_x, dtype=_core.float32):
    """Converts a number to a Tensor of shape ().

    Example:
        >>> from dyad import ops
        >>> print(ops.scalar_to_tensor(2))
        2.0
    """
    if isinstance(input_x, Tensor) or not isinstance(input_x, (bool, int, float, _core.GraphNumber)):
        raise TypeError(f"scalar_to_tensor: input_x is of type {type(input_x).__name__}; need a number")
    return tensor(input_x, dtype)


def _identity_all(x):
    """The tensors themselves.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.IdentityN()([Tensor([1.0]), Tensor([2.0])]))
        [1.] [2.]
    """
    if not isinstance(x, (tuple, list)) or not all(isinstance(value, Tensor) for value in x):
        raise TypeError(f"IdentityN: x is of type {type(x).__name__}; need a tuple or list of Tensors")
    return tuple(x)


Depend = primitive_of("Depend", depend)
IdentityN = primitive_of("IdentityN", _identity_all)
Partial = primitive_of("Partial", partial)
Print = primitive_of("Print", print_)
ScalarToTensor = primitive_of("ScalarToTensor", scalar_to_tensor)
TupleToArray = primitive_of("TupleToArray", tuple_to_array)


_operators: dict = {}


def add_operators(operators) -> None:
    """Adds the operators of `ops` to this module, since programs import it as `C` and use some of them."""
    _operators.update(operators)


def __getattr__(name):
    if name.startswith("__") or name not in _operators:
        raise missing_attribute(__name__, name, [*__all__, *_operators])
    return _operators[name]
