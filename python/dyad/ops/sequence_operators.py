"""Operators on tuples, lists and types, under the names that programs import from `_sequence_ops` and `_inner_ops`.

Each says in Python what it means, and a graph reads it like a program.
"""

from dyad import ops
from dyad._core import Tensor
from dyad._src.primitive.primitive import Primitive, primitive_of
from dyad._src.tensor.tensor import tensor
from dyad._src.tensor.type_marks import typeof


def _sum(sequence):
    """The sum of the elements: numbers, or Tensors."""
    if not sequence:
        raise ValueError("SequenceAddN: the sequence has no elements; need one or more")
    total = sequence[0]
    for element in sequence[1:]:
        total = total + element
    return total


def _count(sequence, target):
    """How many elements are equal to `target`."""
    count = 0
    for element in sequence:
        if element == target:
            count = count + 1
    return count


def _index(sequence, target, start=0, end=None):
    """The first position from `start` to before `end` that holds `target`."""
    for position in range(len(sequence))[start:end]:
        if sequence[position] == target:
            return position
    raise ValueError(f"SequenceIndex: {target} is not among the elements from {start} to before {end}")


def _repeated(sequence, times):
    """The elements, so many times one after another."""
    return sequence * times


def _joined(x, y):
    """The elements of the first tuple or list, then those of the second."""
    return x + y


def _offsets(x, y):
    """Where the elements of each start in the two joined."""
    return 0, len(x)


def _slice(sequence, start, stop, step):
    """`sequence[start:stop:step]`."""
    return sequence[start:stop:step]


def _to_tensor(sequence, dtype=None):
    """A Tensor of the numbers; without `dtype` of the type that they have."""
    if not sequence:
        return Tensor([], dtype)
    return ops.stack([tensor(number, dtype) for number in sequence])


def _to_list(input):
    """The numbers of a Tensor, in lists that are nested like its dimensions."""
    return input.tolist()


def _to_tuple(input):
    """The numbers of a Tensor, in tuples that are nested like its dimensions."""
    return tuple([element.item() if element.ndim == 0 else _to_tuple(element) for element in input])


def _to_scalar(input):
    """The only number of a Tensor."""
    return input.item()


def _equal(x, y):
    """Whether two tuples or lists are equal."""
    return x == y


def _greater_than(x, y):
    """Whether the first comes after the second: the first elements that differ decide, then the length."""
    for a, b in zip(x, y, strict=False):
        if a != b:
            return a > b
    return len(x) > len(y)


def _greater_equal(x, y):
    """Whether the first tuple or list comes after the second, or is equal to it."""
    return not _greater_than(y, x)


def _less_than(x, y):
    """Whether the first tuple or list comes before the second."""
    return _greater_than(y, x)


def _less_equal(x, y):
    """Whether the first tuple or list comes before the second, or is equal to it."""
    return not _greater_than(x, y)


def _largest(sequence):
    """The largest element."""
    return max(sequence)


def _smallest(sequence):
    """The smallest element."""
    return min(sequence)


def _holds(target, sequence):
    """Whether an element is equal to `target`."""
    return any([element == target for element in sequence])


def _appended(input_data, target):
    """A list of the elements and, behind them, `target`."""
    return [*input_data, target]


def _inserted(input_data, index, target):
    """A list of the elements with `target` before position `index`, as `list.insert` counts."""
    return [*input_data[:index], target, *input_data[index:]]


def _without(input_data, index):
    """The elements but the one at `index`."""
    return [element for place, element in enumerate(input_data) if place != index % len(input_data)]


def _with_slice(seq, target, start, stop, step):
    """The elements, with those of `target` in place of `seq[start:stop:step]`."""
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
    """What `x[start:stop:step]` passes back: the gradients at its places, zeros elsewhere."""
    return _with_slice(_zeros(x), dout, start, stop, step)


def _length(sequence):
    """How many elements there are."""
    return len(sequence)


def _product(shape):
    """The product of numbers, such as the sizes of a shape."""
    product = 1
    for size in shape:
        product = product * size
    return product


def _product_gradient(input_data, dout):
    """What the product of numbers passes back to each: the product of the others."""
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
