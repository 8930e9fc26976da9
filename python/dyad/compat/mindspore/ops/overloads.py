"""Operators that a function chooses among by what it is given: `max_dim`, `convolution_str`, `new_full`.

Each is a function here that takes everything in the order of the operator; what an operator takes at its construction
is by keyword alone. `operator_lookup` says what follows from the name.
"""

import inspect

from dyad import _core, mint, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_choice
from dyad._src.operators import all_finite as _all_finite
from dyad._src.operators import index as _index
from dyad._src.operators import (
    lp_norm,
    nll_loss_with_total,
    pinv,
    stop_gradient,
    strided_view,
    svd_factors,
    trace,
    unique_sorted,
    view_bits,
)
from dyad._src.operators import to_device as _move
from dyad.scipy import fft, linalg


def _require_tensor(owner, name, value):
    if not isinstance(value, Tensor):
        raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a Tensor")
    return value


def _tuple(value):
    """Sizes as a tuple; one counts as one of them."""
    if isinstance(value, int):
        return (value,)
    return tuple(value.tolist()) if isinstance(value, Tensor) else tuple(value)


def _padded(rule, mode, spatial):
    """Padding operator for a number of last dimensions, with values of the tensor."""
    owner = f"{rule}_pad_{spatial}d"

    def pad(input, padding):
        _require_tensor(owner, "input", input)
        sizes = _tuple(padding)
        if len(sizes) != 2 * spatial:
            raise ValueError(f"{owner}: padding is {sizes}; need {2 * spatial} sizes, two for each dimension")
        if input.ndim not in (spatial + 1, spatial + 2):
            raise ValueError(
                f"{owner}: input has shape {input.shape}; need {spatial + 1} or {spatial + 2} dimensions"
            )
        return mint.nn.functional.pad(input, sizes, mode)

    pad.__name__ = owner
    pad.__doc__ = f"""Margins at the last {spatial} dimension(s), by the rule '{mode}'."""
    return pad


reflection_pad_1d, reflection_pad_2d, reflection_pad_3d = (
    _padded("reflection", "reflect", n) for n in (1, 2, 3)
)
replication_pad_1d, replication_pad_2d, replication_pad_3d = (
    _padded("replication", "replicate", n) for n in (1, 2, 3)
)


def constant_pad_nd(input, padding, value=0.0):
    """Margins of one number, two sizes for each dimension, the last dimension first."""
    return mint.nn.functional.pad(input, _tuple(padding), "constant", value)


def upsample_nearest1d(x, output_size=None, scales=None):
    """Lines (N, C, W) in another length, each element the nearest of the old ones."""
    return mint.nn.functional.interpolate(x, output_size, scales, "nearest")


def upsample_nearest2d(x, output_size=None, scales=None):
    """Images (N, C, H, W) in another size, each element the nearest of the old ones."""
    return mint.nn.functional.interpolate(x, output_size, scales, "nearest")


def upsample_linear1d(x, output_size=None, scales=None, align_corners=False):
    """Lines (N, C, W) in another length, interpolated."""
    return mint.nn.functional.interpolate(x, output_size, scales, "linear", align_corners)


def upsample_bilinear2d(x, output_size=None, scales=None, align_corners=False):
    """Images (N, C, H, W) in another size, interpolated along both dimensions."""
    return mint.nn.functional.interpolate(x, output_size, scales, "bilinear", align_corners)


def max_dim(input, dim, keepdim=False):
    """The largest element along a dimension, and its place."""
    return mint.max(input, dim, keepdim)


def min_dim(input, dim, keepdim=False):
    """The smallest element along a dimension, and its place."""
    return mint.min(input, dim, keepdim)


def median_dim(input, dim=-1, keepdim=False):
    """The median along a dimension, the lower one of two, and its place."""
    return mint.median(input, dim, keepdim)


def _spatial(owner, weight):
    """Number of spatial dimensions of a convolution with this weight."""
    _require_tensor(owner, "weight", weight)
    if weight.ndim not in (3, 4, 5):
        raise ValueError(f"{owner}: weight has shape {weight.shape}; need 3, 4 or 5 dimensions")
    return weight.ndim - 2


def convolution(
    input,
    weight,
    bias=None,
    stride=1,
    padding=0,
    dilation=1,
    transposed=False,
    output_padding=0,
    groups=1,
):
    """The convolution over one, two or three dimensions, as the weight has them, or its transpose."""
    spatial = _spatial("convolution", weight)
    if transposed:
        transpose = getattr(ops, f"conv_transpose{spatial}d")
        return transpose(input, weight, bias, stride, padding, output_padding, groups, dilation)
    return getattr(mint.nn.functional, f"conv{spatial}d")(
        input, weight, bias, stride, padding, dilation, groups
    )


def convolution_str(
    input,
    weight,
    bias=None,
    stride=1,
    padding="valid",
    dilation=1,
    transposed=False,
    output_padding=0,
    groups=1,
):
    """As `convolution`, with the padding "valid" or "same"."""
    require_choice("convolution_str", "padding", padding, ("valid", "same"))
    if transposed and padding == "same":
        raise ValueError("convolution_str: padding is 'same'; need 'valid' for a transposed convolution")
    size = 0 if transposed else padding
    return convolution(input, weight, bias, stride, size, dilation, transposed, output_padding, groups)


def _conv_padding(spatial):
    owner = f"conv{spatial}d_padding"

    def convolve(input, weight, bias=None, stride=1, padding="valid", dilation=1, groups=1):
        if _spatial(owner, weight) != spatial:
            raise ValueError(f"{owner}: weight has shape {weight.shape}; need {spatial + 2} dimensions")
        return convolution_str(input, weight, bias, stride, padding, dilation, False, 0, groups)

    convolve.__name__ = owner
    convolve.__doc__ = f"""The convolution over {spatial} dimension(s) with the padding "valid" or "same"."""
    return convolve


conv1d_padding, conv2d_padding, conv3d_padding = (_conv_padding(n) for n in (1, 2, 3))


def repeat(input, repeats):
    """Repeats the tensor along each dimension; there may be more dimensions than it has."""
    return input.repeat(_tuple(repeats))


def view(input, shape):
    """The same elements in another shape, as a view."""
    return input.view(_tuple(shape))


def view_dtype(input, dtype):
    """The same bytes as elements of another dtype."""
    return view_bits(input, dtype)


def as_strided(input, size, stride, storage_offset=0):
    """Strided view of a tensor's memory: elements at a stride along each dimension, from an offset."""
    _require_tensor("as_strided", "input", input)
    if not input.is_contiguous() or input.storage_offset() != 0:
        raise ValueError(
            f"as_strided: input of shape {input.shape} is a view that is not contiguous from the beginning of its "
            "memory; need a tensor of its own, such as input.copy()"
        )
    return strided_view(input, _tuple(size), _tuple(stride), storage_offset)


def to_dtype(input, dtype=None, non_blocking=False, copy=False):
    """The tensor in another dtype; the same one if it has that dtype and no copy is asked for."""
    return input.to(input.dtype if dtype is None else dtype, non_blocking, copy)


def to_other(input, other, non_blocking=False, copy=False):
    """The tensor in the dtype of another."""
    return input.to(_require_tensor("to_other", "other", other).dtype, non_blocking, copy)


def to_device(input, device=None, dtype=None, non_blocking=False, copy=False):
    """The tensor on a device, and in another dtype if one is given."""
    if device is None:
        return to_dtype(input, dtype, non_blocking, copy)
    return _move(input, device, dtype, non_blocking, copy)


def tensor_muls(input, other):
    """The product with a number."""
    return input * other


def matrix_determinant(input):
    """The determinant of each matrix of a stack."""
    return ops.det(input)


def new_empty(input, size, dtype=None, device=None):
    """A tensor of another size, its elements undefined, in the dtype of `input` unless another is given."""
    return input.new_empty(_tuple(size), dtype=dtype, device=device)


def new_full(input, size, fill_value, dtype=None):
    """A tensor of another size with one number everywhere, in the dtype of `input` unless another is given."""
    return input.new_full(_tuple(size), fill_value, dtype=dtype)


def div_mod(input, other, rounding_mode=None):
    """The quotient; rounded down with "floor", towards 0 with "trunc"."""
    return ops.div(input, other, rounding_mode=rounding_mode)


def div_mods(input, other, rounding_mode=None):
    """The quotient by a number; rounded down with "floor", towards 0 with "trunc"."""
    return ops.div(input, other, rounding_mode=rounding_mode)


def divs(input, other):
    """The quotient by a number."""
    return ops.div(input, other)


def dct(x, type=2, n=None, axis=-1, norm=None):
    """The cosine transform along an axis."""
    return fft.dct(x, type, n, axis, norm.lower() if isinstance(norm, str) else norm)


def idct(x, type=2, n=None, axis=-1, norm=None):
    """Inverse of `dct`."""
    return fft.idct(x, type, n, axis, norm.lower() if isinstance(norm, str) else norm)


def dctn(x, type=2, s=None, axes=None, norm=None):
    """The cosine transform along several axes."""
    return fft.dctn(x, type, s, axes, norm.lower() if isinstance(norm, str) else norm)


def idctn(x, type=2, s=None, axes=None, norm=None):
    """Inverse of `dctn`."""
    return fft.idctn(x, type, s, axes, norm.lower() if isinstance(norm, str) else norm)


def fft_shapecopy(dout, shape):
    """The tensor cut, or filled up with zeros, to another shape."""
    sizes = _tuple(shape)
    if len(sizes) != dout.ndim:
        raise ValueError(f"fft_shapecopy: shape is {sizes}; need {dout.ndim} sizes")
    kept = dout[tuple([slice(0, size) for size in sizes])]
    margins = []
    for size, old in zip(reversed(sizes), reversed(kept.shape), strict=True):
        margins += [0, size - old]
    return ops.pad(kept, tuple(margins))


def unique2(input, sorted=True, return_inverse=False, return_counts=False):
    """The distinct elements, where each element is found among them, and how often each stands there.

    Results that are not requested are empty Tensors.
    """
    values, index, counts = unique_sorted(input, sorted, True, True)
    return values, index if return_inverse else index.reshape(-1)[:0], counts if return_counts else counts[:0]


def unique_dim(input, sorted, return_inverse, dim):
    """The distinct slices along a dimension, where each is found among them, and how often each stands there."""
    values, index, counts = unique_sorted(input, sorted, True, True, dim)
    return values, index if return_inverse else index[:0], counts


def inner_unique(input, sorted=True, return_inverse=False):
    """The distinct elements, and where each element is found among them, or an empty Tensor."""
    return unique2(input, sorted, return_inverse)[:2]


def inner_non_zero(input):
    """The places of the elements that are not 0: a row for each dimension."""
    return ops.nonzero(input).T


def solve_triangular(a, b, trans=0, lower=False, unit_diagonal=False):
    """The x with a @ x = b for a triangular matrix."""
    return linalg.solve_triangular(a, b, trans, lower, unit_diagonal)


def triangular_solve(b, A, upper=True, transpose=False, unitriangular=False):
    """The x with A @ x = b for a triangular matrix, and the matrix."""
    return mint.triangular_solve(b, A, upper, transpose, unitriangular)


def linalg_qr(A, mode="reduced"):
    """The factors of a matrix with orthogonal columns and with an upper triangle."""
    return mint.linalg.qr(A, mode)


def linalg_vector_norm(x, ord=2, dim=None, keepdim=False, dtype=None):
    """The norm of vectors along dimensions."""
    return mint.linalg.vector_norm(x, ord, dim, keepdim, dtype=dtype)


def lp_norm_v2(input, p=2, dim=None, keepdim=False, epsilon=1e-12):
    """The root of order p of the sum of the sizes to the power p, at least `epsilon` of them."""
    axes = tuple(range(input.ndim)) if dim is None else dim
    return lp_norm(input, axes, p, keepdim, epsilon)


_DRIVERS = ("gels", "gelsy", "gelsd", "gelss")


def lstsq_v2(A, B, driver=None):
    """The X for which A @ X - B is smallest, its squared sizes by column, the rank of A and its singular values.

    The driver "gelsy", as without one, gives no sizes, "gels" no rank, and only "gelsd" and "gelss" give singular
    values; sizes are there for an A with more rows than columns. What is not given is empty.
    """
    _require_tensor("lstsq_v2", "A", A)
    _require_tensor("lstsq_v2", "B", B)
    name = "gelsy" if driver is None else str(driver).lower()
    require_choice("lstsq_v2", "driver", name, _DRIVERS)
    if A.ndim < 2 or B.ndim not in (A.ndim, A.ndim - 1):
        raise ValueError(
            f"lstsq_v2: A has shape {A.shape} and B {B.shape}; need (.., M, N) and (.., M, K) or (.., M)"
        )
    rows, columns = A.shape[-2:]
    vectors = B.ndim == A.ndim - 1
    side = B.expand_dims(-1) if vectors else B
    if side.shape[-2] != rows:
        raise ValueError(f"lstsq_v2: A has shape {A.shape} and B {B.shape}; need as many rows in both")
    solution = ops.matmul(pinv(A), side)
    values = svd_factors(stop_gradient(A))[0]
    least = values.max(-1, keepdims=True) * (ops.eps(values[..., :1]) * max(rows, columns))
    rank = (values > least).astype(_core.int64).sum(-1)
    empty = ops.zeros((0,), A.dtype)
    residue = empty
    if name != "gelsy" and rows > columns:
        residue = ops.square(ops.matmul(A, solution) - side).sum(-2)
    return (
        solution.squeeze(-1) if vectors else solution,
        residue,
        ops.zeros((0,), _core.int64) if name == "gels" else rank,
        values if name in ("gelsd", "gelss") else empty,
    )


def matrix_inverse_ext(input):
    """The inverse of each matrix of a stack."""
    return ops.inverse(input)


def eigh(A, *, compute_eigenvectors=True, lower=True):
    """The eigenvalues of a symmetric matrix, of which one triangle is read, and its eigenvectors or an empty Tensor."""
    if compute_eigenvectors:
        return linalg.eigh(A, lower=lower)
    return linalg.eigh(A, lower=lower, eigvals_only=True), ops.zeros((0,), A.dtype)


def lu(input, *, output_idx_type):
    """Both triangular factors of each matrix in one, and the order in which its rows were taken."""
    if output_idx_type not in (_core.int32, _core.int64):
        raise TypeError(f"Lu: output_idx_type is {output_idx_type!r}; need int32 or int64")
    order, lower, upper = linalg.lu(input)
    size = input.shape[-1]
    packed = lower + upper - ops.eye(size, size, input.dtype)
    rows = ops.arange(size).astype(order.dtype)
    return packed, ops.matmul(rows, order).astype(output_idx_type)


def all_finite(*gradients):
    """True if all elements of Tensors are finite."""
    flat = gradients[0] if len(gradients) == 1 and isinstance(gradients[0], (tuple, list)) else gradients
    return _all_finite(list(flat))


def argmin_v2(x, axis=-1):
    """The place of the smallest element along an axis, as int32."""
    return ops.argmin(x, axis).astype(_core.int32)


def type_as(input, other):
    """The tensor in the dtype of another."""
    return ops.type_as(input, other)


def nllloss_2d(input, target, weight, reduction="mean", ignore_index=-100):
    """The weighted loss of the log-probabilities (N, C, H, W) of the classes (N, H, W), and the sum of the weights."""
    _require_tensor("nllloss_2d", "input", input)
    if input.ndim != 4:
        raise ValueError(f"nllloss_2d: input has shape {input.shape}; need 4 dimensions")
    rows = input.transpose(0, 2, 3, 1).reshape(-1, input.shape[1])
    weight = ops.ones((input.shape[1],), input.dtype) if weight is None else weight
    loss, total = nll_loss_with_total(rows, target.reshape(-1), weight, reduction, ignore_index)
    return loss.reshape(target.shape) if reduction == "none" else loss, total


def select_v2(condition, input, other):
    """The element of `input` where the condition holds, and that of `other` elsewhere."""
    return ops.where(condition, input, other)


def xlogy_scalar_other(input, other):
    """input * log(other), 0 where input is 0; `other` is a number."""
    return ops.xlogy(input, other)


def xlogy_scalar_self(input, other):
    """input * log(other), 0 where input is 0; `input` is a number."""
    return ops.xlogy(input, other)


def lerp_scalar(input, end, weight):
    """The point between two that a number names."""
    return ops.lerp(input, end, weight)


def func_max_pool2d(
    input, kernel_size, stride=None, padding=0, dilation=(1, 1), ceil_mode=False, return_indices=False
):
    """The largest element of each window, and its place in the plane."""
    values, places = mint.nn.functional.max_pool2d(
        input, kernel_size, stride, padding, dilation, ceil_mode, True
    )
    return values, places


def max_pool_with_indices(
    x, *, kernel_size, strides=None, pads=0, dilation=(1, 1), ceil_mode=False, argmax_type=_core.int64
):
    """The largest element of each window, and its place in the plane."""
    if argmax_type not in (_core.int32, _core.int64):
        raise TypeError(f"MaxPoolWithIndices: argmax_type is {argmax_type!r}; need int32 or int64")
    values, places = func_max_pool2d(x, kernel_size, strides, pads, dilation, ceil_mode)
    return values, places.astype(argmax_type)


def im2col_ext(input, kernel_size, dilation=1, padding=0, stride=1):
    """The elements of each window as a column."""
    return mint.nn.functional.unfold(input, kernel_size, dilation, padding, stride)


def col2im_ext(input, output_size, kernel_size, dilation=1, padding=0, stride=1):
    """Columns added up where their windows lie in the image."""
    return mint.nn.functional.fold(input, output_size, kernel_size, dilation, padding, stride)


def gather_nd_ext(input, indices):
    """The slices at the coordinates that the last dimension holds."""
    return ops.gather_nd(input, indices)


def index(input, indices):
    """The elements at places that Tensors name, one for each of the first dimensions."""
    return _index(input, list(indices))


def inner_index(input, indices):
    """As `index`."""
    return _index(input, list(indices))


def inner_inplace_index_put(input, indices, values, accumulate=False):
    """Writes values, or adds them, at places that Tensors name."""
    return input.index_put_(tuple(indices), values, accumulate)


def split_with_size_view(input, split_size, dim=0):
    """Parts of these sizes along a dimension, as views."""
    return ops.split(input, list(_tuple(split_size)), dim)


def unstack_ext_view(input, dim=0):
    """The slices along a dimension, as views."""
    return ops.unbind(input, dim)


def trace_v2(input, offset=0, axis1=1, axis2=0, dtype=None):
    """The sum along a diagonal of two axes; of small integers, in int64."""
    if dtype is None and not (input.is_floating_point() or input.is_complex()):
        dtype = _core.int64
    return trace(input, offset, axis1, axis2, dtype)


def _reduction(reduce):
    """Reduction of written and existing values, in the spelling of Tensor methods."""
    return {"multiply": "mul"}.get(reduce, reduce)


def scatter_value(input, dim, index, src, reduce="none"):
    """The tensor with a number written at places along a dimension, or combined with what stands there."""
    return (
        input.scatter(dim, index, src)
        if reduce == "none"
        else input.scatter(dim, index, src, reduce=_reduction(reduce))
    )


def inplace_scatter_src_reduce(input, dim, index, src, reduce):
    """Combines what stands at places along a dimension with elements of `src`; `reduce` is "add" or "multiply"."""
    return input.scatter_(dim, index, src, _reduction(reduce))


def inplace_scatter_value_reduce(input, dim, index, value, reduce):
    """Combines what stands at places along a dimension with a number; `reduce` is "add" or "multiply"."""
    return input.scatter_(dim, index, value, _reduction(reduce))


def bool_not(x):
    """True if a number or flag is false."""
    return not x


bool_not.__dict__["_is_program"] = True


def npu_gelu(input, approximate="none"):
    """x times the share of the normal distribution below x, or its approximation by tanh."""
    return mint.npu_gelu(input, approximate)


def inplace_addr(input, vec1, vec2, beta=1, alpha=1):
    """Writes beta * input + alpha * outer(vec1, vec2) into `input`."""
    return mint.addr_(input, vec1, vec2, beta, alpha)


def conv_tbc(input, weight, bias, pad=0):
    """The convolution along time of (time, batch, channels) with a weight (width, channels, filters)."""
    return mint.conv_tbc(input, weight, bias, pad)


def log_softmax_ext(input, dim=None, dtype=None):
    """The logarithms of the probabilities along a dimension."""
    return mint.nn.functional.log_softmax(input, dim, dtype=dtype)


def correlate(a, v, *, pad_mode="valid"):
    """Sums of products of two sequences at each shift: where one covers the other, as many as the longer has, all."""
    for name, value in (("a", a), ("v", v)):
        if _require_tensor("correlate", name, value).ndim != 1 or value.shape[0] == 0:
            raise ValueError(f"correlate: {name} has shape {value.shape}; need one dimension with elements")
    if a.dtype != v.dtype:
        raise TypeError(f"correlate: a is of {a.dtype} and v of {v.dtype}; need one dtype")
    mode = require_choice("correlate", "pad_mode", pad_mode, ("valid", "same", "full"))
    if not (a.is_floating_point() or a.is_complex()):
        a, v = a.astype(_core.float64), v.astype(_core.float64)
    if a.shape[0] < v.shape[0]:
        return (
            ops.flip(correlate(ops.conj(v), ops.conj(a), pad_mode=mode), (0,))
            if a.is_complex()
            else ops.flip(correlate(v, a, pad_mode=mode), (0,))
        )
    width = v.shape[0]
    before = {"valid": 0, "same": width // 2, "full": width - 1}[mode]
    after = {"valid": 0, "same": width - 1 - width // 2, "full": width - 1}[mode]
    padded = ops.concat((ops.zeros((before,), a.dtype), a, ops.zeros((after,), a.dtype)))
    windows = strided_view(padded, (padded.shape[0] - width + 1, width), (1, 1), 0)
    return (windows * ops.conj(v)).sum(-1) if a.is_complex() else ops.matmul(windows, v)


functions = {
    name: value
    for name, value in list(globals().items())
    if inspect.isfunction(value) and value.__module__ == __name__ and not name.startswith("_")
}
