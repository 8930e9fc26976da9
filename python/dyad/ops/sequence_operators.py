"""Operators on tuples, lists and types, under the names that programs import from `_sequence_ops` and `_inner_ops`.

Each is defined in Python, and a graph captures it like a program.
"""

from dyad import ops
from dyad._core import Tensor
from dyad._src.primitive.primitive import Primitive, primitive_of
from dyad._src.tensor.tensor import tensor
from dyad._src.tensor.type_marks import typeof


def _sum(sequence):
    """Sum of the elements: numbers, or Tensors."""
    if not sequence:
        raise ValueError("SequenceAddN: the sequence has no elements; need one or more")
    total = sequence[0]
    for element in sequence[1:]:
        total = total + element
    return total


def _count(sequence, target):
    """Count of the elements equal to `target`."""
    count = 0
    for element in sequence:
        if element == target:
            count = count + 1
    return count


def _index(sequence, target, start=0, end=None):
    """First position of `target` in range(start, end)."""
    for position in range(len(sequence))[start:end]:
        if sequence[position] == target:
            return position
    raise ValueError(f"SequenceIndex: {target} is not among the elements from {start} to before {end}")


def _repeated(sequence, times):
    """Repeats a sequence."""
    return sequence * times


def _joined(x, y):
    """Concatenates two tuples or lists."""
    return x + y


def _offsets(x, y):
    """Start of each sequence in their concatenation."""
    return 0, len(x)


def _slice(sequence, start, stop, step):
    """`sequence[start:stop:step]`."""
    return sequence[start:stop:step]


def _to_tensor(sequence, dtype=None):
    """Converts numbers to a Tensor; without `dtype` of the dtype of the numbers."""
    if not sequence:
        return Tensor([], dtype)
    return ops.stack([tensor(number, dtype) for number in sequence])


def _to_list(input):
    """Converts a Tensor to nested lists."""
    return input.tolist()


def _to_tuple(input):
    """Converts a Tensor to nested tuples."""
    return tuple([element.item() if element.ndim == 0 else _to_tuple(element) for element in input])


def _to_scalar(input):
    """Number in a Tensor of one element."""
    return input.item()


def _equal(x, y):
    """True if two tuples or lists are equal."""
    return x == y


def _greater_than(x, y):
    """Lexicographic x > y: the first elements that differ decide, then the length."""
    for a, b in zip(x, y, strict=False):
        if a != b:
            return a > b
    return len(x) > len(y)


def _greater_equal(x, y):
    """Lexicographic x >= y of two tuples or lists."""
    return not _greater_than(y, x)


def _less_than(x, y):
    """Lexicographic x < y of two tuples or lists."""
    return _greater_than(y, x)


def _less_equal(x, y):
    """Lexicographic x <= y of two tuples or lists."""
    return not _greater_than(x, y)


def _largest(sequence):
    """The largest element."""
    return max(sequence)


def _smallest(sequence):
    """The smallest element."""
    return min(sequence)


def _holds(target, sequence):
    """True if an element is equal to `target`."""
    return any([element == target for element in sequence])


def _appended(input_data, target):
    """List of the elements followed by `target`."""
    return [*input_data, target]


def _inserted(input_data, index, target):
    """List of the elements with `target` inserted at `index`, like `list.insert`."""
    return [*input_data[:index], target, *input_data[index:]]


def _without(input_data, index):
    """Elements without the one at `index`."""
    return [element for place, element in enumerate(input_data) if place != index % len(input_data)]


def _with_slice(seq, target, start, stop, step):
    """Elements with `seq[start:stop:step]` replaced by those of `target`."""
    changed = list(seq)
    changed[start:stop:step] = list(target)
    return tuple(changed) if isinstance(seq, tuple) else changed


def _zeros(sequence):
    """A zero for each element: of a number, or a Tensor of zeros."""
    zeros = [
        ops.zeros_like(element) if isinstance(element, Tensor) else type(element)(0) for element in sequence
    ]
    return tuple(zeros) if isinstance(sequence, tuple) else zeros


def _slice_gradient(dout, x, start, stop, step):
    """Gradient of `x[start:stop:step]`: `dout` at its positions, zeros elsewhere."""
    return _with_slice(_zeros(x), dout, start, stop, step)


def _length(sequence):
    """Number of elements."""
    return len(sequence)


def _product(shape):
    """The product of numbers, such as the sizes of a shape."""
    product = 1
    for size in shape:
        product = product * size
    return product


def _product_gradient(input_data, dout):
    """Gradient of the product for each number: `dout` times the product of the others."""
    return tuple(
        [dout * _product([*input_data[:place], *input_data[place + 1 :]]) for place in range(len(input_data))]
    )


class SequenceStack(Primitive):
    """The Tensors of a tuple or list, stacked along a new dimension `axis`."""

    _parameters = ("axis",)

    def __init__(self, axis=0):
        super().__init__()
        self._settings = {"axis": axis}
        self.axis = axis

    def __call__(self, sequence):
        return ops.stack(sequence, self.axis)


class SequenceUnstack(Primitive):
    """The slices of a Tensor along the dimension `axis`, as a tuple."""

    _parameters = ("axis",)

    def __init__(self, axis=0):
        super().__init__()
        self._settings = {"axis": axis}
        self.axis = axis

    def __call__(self, input_x):
        return ops.unbind(input_x, self.axis)


def _elements_in_tuple(input):
    """The elements of a list as a tuple."""
    return tuple(input)


def _elements_in_list(input):
    """The elements of a tuple as a list."""
    return list(input)


_FUNCTIONS = {
    "InSequence": _holds,
    "ListAppend": _appended,
    "ListAppendAndInsertGrad": _without,
    "ListInsert": _inserted,
    "ListToTensor": _to_tensor,
    "ListToTuple": _elements_in_tuple,
    "SequenceAdd": _joined,
    "SequenceAddN": _sum,
    "SequenceAddOffset": _offsets,
    "SequenceCount": _count,
    "SequenceIndex": _index,
    "SequenceMax": _largest,
    "SequenceMin": _smallest,
    "SequenceMul": _repeated,
    "SequenceSlice": _slice,
    "SequenceSliceGrad": _slice_gradient,
    "SequenceSliceSetItem": _with_slice,
    "SequenceZerosLike": _zeros,
    "ShapeMulGrad": _product_gradient,
    "TensorToList": _to_list,
    "TensorToScalar": _to_scalar,
    "TensorToTuple": _to_tuple,
    "TopTypeof": typeof,
    "TupleToList": _elements_in_list,
    "TupleToTensor": _to_tensor,
    "list_equal": _equal,
    "list_greater_equal": _greater_equal,
    "list_greater_than": _greater_than,
    "list_le": _less_equal,
    "list_lt": _less_than,
    "sequence_len": _length,
    "shape_mul": _product,
    "tuple_equal": _equal,
    "tuple_greater_equal": _greater_equal,
    "tuple_greater_than": _greater_than,
    "tuple_le": _less_equal,
    "tuple_lt": _less_than,
}
for _function in _FUNCTIONS.values():
    _function.__dict__["_is_program"] = True

classes = {name: primitive_of(name, function) for name, function in _FUNCTIONS.items()}
classes |= {"SequenceStack": SequenceStack, "SequenceUnstack": SequenceUnstack}
