"""Primitives that are functions with some of their arguments in the constructor, and functions of Primitives."""

import itertools

from dyad import _core
from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.base.host_only import host_only
from dyad._src.operators import full_like, functions, pad_pairs, select_view, stop_gradient
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings
from dyad.compat.mindspore.ops import layer_primitives
from dyad.ops import fourier
from dyad.ops.sparse import arithmetic as sparse_arithmetic

__all__ = [
    "STFT",
    "Eig",
    "Einsum",
    "LogSpace",
    "MapUniform",
    "PadAndShift",
    "ScalarCast",
    "SelectView",
    "StopGradient",
    "TensorDump",
    "UniqueConsecutive",
    "coalesce",
    "conv3d_transpose",
    "eps",
    "mirror_pad",
    "scalar_cast",
    "tensor_range",
    "tensordump",
    "type_as",
]


def _einsum(x, *, equation):
    """The sums of products that an equation names, of a tuple of Tensors.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Einsum("i,i->")((Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))))
        11.0
    """
    if not isinstance(x, (tuple, list)):
        raise TypeError(f"Einsum: x is of type {type(x).__name__}; need a tuple of Tensors")
    return functions["einsum"](equation, *x)


def _spectra(x, window, *, n_fft, hop_length, win_length, normalized, onesided, return_complex):
    """Transforms of windows of a signal, as `ops.stft` without padding.

    Example:
        >>> from dyad import ops
        >>> print(ops.STFT(4, 2, 4, False, True, True)(ops.ones(8), ops.ones(4)).shape)
        (3, 3)
    """
    lengths = (n_fft, hop_length, win_length)
    return fourier.stft(x, *lengths, window, False, "REFLECT", normalized, onesided, return_complex)


def _spaced(start, end, *, steps=10, base=10, dtype=_core.float32):
    """Powers of `base` whose exponents are equally far apart, both ends included.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.LogSpace(3, 10)(Tensor(0.0), Tensor(2.0)))
        [  1.  10. 100.]
    """
    return functions["logspace"](start, end, steps, base, dtype=dtype)


def _check_spacing(name, settings):
    require_int(name, "steps", settings["steps"], 0)
    require_int(name, "base", settings["base"], 0)


def _runs(x, *, return_inverse=False, return_counts=False, dim=None):
    """The elements without those that equal their predecessor, the index of each among them, and counts.

    Results that are not requested are empty Tensors.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(*ops.UniqueConsecutive(True, True)(Tensor([1, 1, 2])))
        [1 2] [0 0 1] [2 1]
    """
    elements, index, counts = functions["unique_consecutive"](x, True, True, dim)
    return elements, index if return_inverse else index[:0], counts if return_counts else counts[:0]


def _check_runs(name, settings):
    for key in ("return_inverse", "return_counts"):
        require_bool(name, key, settings[key])


def _eigenvalues(x, *, compute_v=False):
    """Eigenvalues of each matrix of a stack and, with `compute_v`, its eigenvectors; else an empty Tensor.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.Eig()(Tensor([[2.0, 1.0], [0.0, 3.0]]))[0])
        [2.+0.j 3.+0.j]
    """
    values, vectors = functions["eig"](x)
    return values, vectors if compute_v else vectors.reshape(-1)[:0]


def _check_eigenvalues(name, settings):
    require_bool(name, "compute_v", settings["compute_v"])


def _select(input, index, axis):
    """One place along an axis, as a view.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.SelectView()(Tensor([[1.0, 2.0], [3.0, 4.0]]), 1, 0))
        [3. 4.]
    """
    return select_view(input, axis, index)


def _stop(x):
    """The same, and a constant for differentiation.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.StopGradient()(Tensor([1.0])))
        [1.]
    """
    return stop_gradient(x)


def scalar_cast(input_x, input_y):
    """A number as one of the kind that a dtype names: int64, float64 or bool.

    Example:
        >>> from dyad import int64, ops
        >>> ops.scalar_cast(255.7, int64)
        255
    """
    kinds = {_core.int64: int, _core.float64: float, _core.bool_: bool}
    if input_y not in kinds:
        raise ValueError(f"scalar_cast: input_y is {input_y!r}; need int64, float64 or bool")
    return kinds[input_y](input_x)


scalar_cast.__dict__["_is_program"] = True


def mirror_pad(input_x, paddings, mode):
    """Margins that mirror the tensor about its border ('REFLECT') or with it ('SYMMETRIC').

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.mirror_pad(Tensor([1, 2, 3]), Tensor([[1, 1]]), "REFLECT"))
        [2 1 2 3 2]
    """
    sizes = paddings.tolist() if isinstance(paddings, Tensor) else paddings
    return pad_pairs(input_x, sizes, mode)


def coalesce(x_indices, x_values, x_shape):
    """As `ops.Coalesce`: every place once, in order, and the sum of the values that stand there.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.coalesce(Tensor([[0, 0], [1, 1]]), Tensor([2.0, 3.0]), Tensor([2, 2]))[1])
        [5.]
    """
    return sparse_arithmetic.Coalesce()(x_indices, x_values, x_shape)


def eps(x):
    """For each element the step from 1 to the next number of its dtype.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.eps(Tensor([1.0, 5.0])))
        [1.1920929e-07 1.1920929e-07]
    """
    steps = {
        _core.float16: 2.0**-10,
        _core.bfloat16: 2.0**-7,
        _core.float32: 2.0**-23,
        _core.float64: 2.0**-52,
    }
    if not isinstance(x, Tensor):
        raise TypeError(f"eps: x is of type {type(x).__name__}; need a Tensor")
    if x.dtype not in steps:
        raise TypeError(f"eps: x is of {x.dtype}; need a float dtype")
    return functions["full_like"](x, steps[x.dtype])


def type_as(input, other):
    """The tensor in the dtype of another.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.type_as(Tensor([1.5]), Tensor([1])))
        [1]
    """
    return input.astype(other.dtype)


def tensor_range(start, end, step):
    """Numbers from `start`, `end` excluded, in equal steps.

    Example:
        >>> from dyad import ops
        >>> print(ops.tensor_range(1, 5, 2))
        [1 3]
    """
    return functions["arange"](start, end, step)


def conv3d_transpose(
    inputs, weight, pad_mode="valid", padding=0, stride=1, dilation=1, group=1, output_padding=0
):
    """Transposed convolution of (N, C, D, H, W) images with a weight (C, C_out / group, d, h, w).

    Example:
        >>> from dyad import ops
        >>> ops.conv3d_transpose(ops.ones((1, 2, 2, 2, 2)), ops.ones((2, 1, 2, 2, 2))).shape
        (1, 1, 3, 3, 3)
    """
    settings = {"pad_mode": pad_mode, "pad": padding, "stride": stride, "dilation": dilation, "group": group}
    if not isinstance(weight, Tensor):
        raise TypeError(f"conv3d_transpose: weight is of type {type(weight).__name__}; need a Tensor")
    sizes = (weight.shape[0], weight.shape[1] * group, tuple(weight.shape[2:]))
    layer = layer_primitives.Conv3DTranspose(*sizes, output_padding=output_padding, **settings)
    return layer(inputs, weight)


_dumped = itertools.count()


@host_only
def tensordump(file_name, tensor, mode="out"):
    """Writes a Tensor to `<file_name>_<dtype>_<number>.npy`, with a number that no other dump of the process has.

    Example:
        >>> import pathlib, tempfile
        >>> from dyad import Tensor, ops
        >>> folder = tempfile.mkdtemp()
        >>> ops.tensordump(folder + "/x", Tensor([1.0]))
        >>> [path.suffix for path in pathlib.Path(folder).iterdir()]
        ['.npy']
    """
    if not isinstance(file_name, str) or not file_name:
        raise TypeError(f"tensordump: file_name is {file_name!r}; need a str with the beginning of the path")
    if not isinstance(tensor, Tensor):
        raise TypeError(f"tensordump: tensor is of type {type(tensor).__name__}; need a Tensor")
    if mode not in ("in", "out", "all"):
        raise ValueError(f"tensordump: mode is {mode!r}; need 'in', 'out' or 'all'")
    start = file_name.removesuffix(".npy")
    numpy.save(f"{start}_{str(tensor.dtype).lower()}_{next(_dumped)}.npy", tensor.asnumpy())


def _dump(file, input_x, *, input_output="out"):
    """As `ops.tensordump`.

    Example:
        >>> import pathlib, tempfile
        >>> from dyad import Tensor, ops
        >>> folder = tempfile.mkdtemp()
        >>> ops.TensorDump()(folder + "/x", Tensor([1.0]))
        >>> [path.suffix for path in pathlib.Path(folder).iterdir()]
        ['.npy']
    """
    return tensordump(file, input_x, input_output)


def _spread_over_groups(input, per_group_size, group_num):
    """Each key with its remainder as the number of a group and its quotient as the place in the group.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.MapUniform()(Tensor([0, 1, 2, 3, 4, 5, 6, 7]), 4, 2))
        [0 4 1 5 2 6 3 7]
    """
    if not isinstance(input, Tensor) or input.is_floating_point():
        raise TypeError(f"MapUniform: input is {input!r}; need a Tensor of integers")
    require_int("MapUniform", "per_group_size", per_group_size, low=1)
    require_int("MapUniform", "group_num", group_num, low=1)
    return input % group_num * per_group_size + input // group_num


def _shifted_slice(input_x, cum_sum_arr, shift_idx):
    """A vector of -1, as long as the last of the bounds, that holds the first elements of `input_x` between two bounds.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.PadAndShift()(Tensor([9, 13, -1, -1]), Tensor([0, 3, 5]), 1))
        [-1 -1 -1  9 13]
    """
    for name, value in (("input_x", input_x), ("cum_sum_arr", cum_sum_arr)):
        if not isinstance(value, Tensor) or value.ndim != 1:
            raise TypeError(f"PadAndShift: {name} is {value!r}; need a Tensor of one dimension")
    require_int("PadAndShift", "shift_idx", shift_idx, low=0)
    if shift_idx + 1 >= cum_sum_arr.shape[0]:
        raise ValueError(
            f"PadAndShift: shift_idx is {shift_idx}; need one that is followed by a bound, there are "
            f"{cum_sum_arr.shape[0]}"
        )
    start, end = cum_sum_arr[shift_idx], cum_sum_arr[shift_idx + 1]
    place = functions["arange"](int(cum_sum_arr[-1]))
    inside = (place >= start) & (place < end)
    # A place before the slice reads some element, which is not taken.
    found = input_x[functions["clamp"](place - start, 0, input_x.shape[0] - 1)]
    return functions["where"](inside, found, full_like(found, -1))


Eig = primitive_with_settings("Eig", _eigenvalues, _check_eigenvalues)
Einsum = primitive_with_settings("Einsum", _einsum)
LogSpace = primitive_with_settings("LogSpace", _spaced, _check_spacing)
MapUniform = primitive_of("MapUniform", _spread_over_groups)
PadAndShift = primitive_of("PadAndShift", _shifted_slice)
STFT = primitive_with_settings("STFT", _spectra)
ScalarCast = primitive_of("ScalarCast", scalar_cast)
SelectView = primitive_of("SelectView", _select)
StopGradient = primitive_of("StopGradient", _stop)
TensorDump = primitive_with_settings("TensorDump", _dump)
UniqueConsecutive = primitive_with_settings("UniqueConsecutive", _runs, _check_runs)
