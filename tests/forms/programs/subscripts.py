"""Subscripts of Tensors, read and written, with constants and with what is known at run time only."""

import numpy as np
from program import Raises, program

from dyad import Tensor, mutable

V = Tensor([1.0, 2.0, 3.0, 4.0])
M = Tensor(np.arange(12, dtype=np.float32).reshape(3, 4))
C = Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4))


@program(M, trace=True)
def integers(x):
    return x[0], x[-1], x[1, 2], x[-1, -1], x[1][2]


@program(C, trace=True)
def slices(x):
    return x[1:], x[:, :2], x[..., 0], x[0, 1:3, ::2], x[:, ::-1], x[-1:, :, -2:]


@program(C, trace=True)
def ellipsis_and_new_axes(x):
    return x[...], x[None], x[:, None, 0], x[..., None], x[0, ..., 1]


@program(M, trace=True)
def lists_and_tensors_as_indices(x):
    return x[[0, 2]], x[Tensor([1, 1])], x[:, [3, 0]], x[[0, 1], [1, 2]], x[Tensor([[0], [2]]), 1]


@program(M, trace=True)
def numpy_indices(x):
    return x[np.int64(1)], x[np.array([0])], x[np.array([True, False, True])]


@program(M)
def masks(x):
    return x[x > 5], x[Tensor([True, False, True])], x[[True, False, True]]


@program(M, trace=True)
def bools_as_indices(x):
    return x[True], x[False]


@program(V, Tensor(2), then=[(V, Tensor(-1)), (V, Tensor(0))])
def tensor_as_index(x, i):
    return x[i]


@program(V, Tensor(9), expect=Raises(IndexError), then=[(V, Tensor(1))])
def tensor_index_out_of_range(x, i):
    return x[i]


@program(V, mutable(1), then=[(V, mutable(-4)), (V, mutable(4)), (V, mutable(3))])
def variable_number_as_index(x, i):
    return x[i]


@program(V, Tensor(1), Tensor(3), then=[(V, Tensor(0), Tensor(2))])
def slice_bounds_are_tensors(x, a, b):
    return x[a:b]


@program(V, mutable(1), mutable(3), then=[(V, mutable(0), mutable(4)), (V, mutable(3), mutable(1))])
def slice_bounds_are_variables(x, a, b):
    y = x[a:b]
    return y, y.sum()


@program(M, Tensor(1))
def mixed_index_kinds(x, i):
    return x[i, 1:3], x[1:, i], x[i, i], x[i, [0, 2]]


@program(Tensor(3), V, strict=TypeError)
def loop_counter_as_index(n, x):
    total, i = 0.0, 0
    while i < n:
        total = total + x[i]
        i += 1
    return total


@program(V, trace=True)
def writes_of_numbers(x):
    x[0] = 9
    x[-1] = 2.5
    x[1:3] = 0.0
    return x


@program(M, trace=True)
def writes_of_tensors_and_sequences(x):
    x[0] = Tensor([9.0, 8.0, 7.0, 6.0])
    x[1, 1:3] = [1.0, 2.0]
    x[:, 3] = 5.0
    x[2] = (1, 2, 3, 4)
    return x * 1


@program(V, trace=True)
def writes_with_steps(x):
    x[::2] = 0.5
    x[::-1] = Tensor([1.0, 2.0, 3.0, 4.0])
    return x


@program(M, trace=True)
def writes_by_lists_and_masks(x):
    x[[0, 2]] = -1.0
    x[x > 5] = 0.0
    x[Tensor([1]), Tensor([1])] = 42.0
    return x


@program(V, trace=True)
def written_value_is_cast(x):
    y = x.int()
    y[0] = 7.9
    y[1:] = x[1:] + 0.7
    return y


@program(V, Tensor(2), then=[(V, Tensor(-2)), (V, Tensor(7)), (V, Tensor(0))])
def write_at_a_tensor_index(x, i):
    x[i] = 100.0
    return x


@program(V, mutable(2), then=[(V, mutable(-2)), (V, mutable(7))])
def write_at_a_variable_index(x, i):
    x[i] = x[0] * 2
    return x


@program(V, expect=Raises(IndexError), then=[(V,)])
def known_index_out_of_range(x):
    return x[4]


@program(V, expect=Raises(IndexError))
def too_many_indices(x):
    return x[0, 0]


@program(V, expect=Raises(ValueError))
def written_shape_does_not_fit(x):
    x[0:2] = Tensor([1.0, 2.0, 3.0])
    return x


@program(V, slice(1, 3), then=[(V, slice(None)), (V, slice(None, None, 2))])
def slices_as_values(x, s):
    return x[s], [1, 2, 3][s], slice(1, 2), s


@program(C)
def chained_reads_and_writes(x):
    x[0][1][2] = 99.0
    x[1][0] += 1.0
    return x[0, 1], x[1, 0]


@program(V)
def read_between_two_writes(x):
    x[0] = 10.0
    a = x[0] + 0
    x[0] = 20.0
    return a, x


@program(M)
def rows_written_in_a_loop(x):
    for i in range(3):
        x[i] = x[i] * i
    return x


@program(V, Tensor(5.0))
def write_under_a_tensor_condition(x, s):
    y = x + 0
    if s > 0:
        y[0] = s
    else:
        y[1] = s
    return y


@program(V)
def aliases_of_slices(x):
    y = x[1:3]
    x[1] = 50.0
    y[1] = 60.0
    return x, y


@program(V, mutable(1), then=[(V, mutable(0)), (V, mutable(-1))])
def lists_of_run_time_places(x, k):
    places = mutable([1, 0])
    y = x * 10
    y[[k]] = [k]
    return x[[k, 0]], x[places], x[[x.argmax(), k]], y
