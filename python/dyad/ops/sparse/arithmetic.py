"""Sums, products and counts of sparse tensors in COO form: coordinates, values and dense shape."""

from dyad._src.base.argument_checks import require_bool, require_int, require_shape, require_tensors
from dyad._src.operators import (
    add,
    arange,
    broadcast_to,
    cat,
    conj,
    distinct,
    functions,
    gather,
    gather_nd,
    maximum,
    minimum,
    mul,
    nonzero,
    ones_like,
    scatter_nd,
    stack,
    unsorted_segment_sum,
)
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings
from dyad.ops.sparse.coordinates import (
    as_shape,
    coordinates_of,
    merged,
    numbers_of,
    require_inside,
    require_places,
    sizes_of,
    sum_of_groups,
)

__all__ = [
    "Coalesce",
    "SparseAdd",
    "SparseAddmm",
    "SparseCountSparseOutput",
    "SparseDenseCwiseAdd",
    "SparseDenseCwiseDiv",
    "SparseDenseCwiseMul",
    "SparseSparseMaximum",
    "SparseSparseMinimum",
    "SparseTensorDenseAdd",
    "SparseTensorDenseMatmul",
    "Sspaddmm",
]


def _with_dense(name, operator, of_two_and_three):
    """Creates a Primitive that combines each value with the dense element at its position."""

    def combined(x1_indices, x1_values, x1_shape, x2):
        sizes = sizes_of(name, x1_shape)
        require_places(name, x1_indices, x1_values, sizes)
        require_tensors(name, x2=x2)
        return operator(x1_values, gather_nd(broadcast_to(x2, sizes), x1_indices))

    combined.__doc__ = f"""`{operator.__name__}` of each value and the element of `x2`, broadcast, at its place.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.{name}()(Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2]), Tensor([[1.0, 4.0]])))
        [{of_two_and_three}]
    """
    return primitive_of(name, combined)


def _of_two(name, operator, of_two_and_three):
    """Creates a Primitive that combines two sparse tensors; missing values are 0."""

    def combined(x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape):
        sizes = sizes_of(name, x1_shape)
        require_places(name, x1_indices, x1_values, sizes)
        require_places(name, x2_indices, x2_values, sizes)
        if sizes_of(name, x2_shape) != sizes:
            raise ValueError(f"{name}: the shapes are {sizes} and {sizes_of(name, x2_shape)}; need the same")
        both = cat([x1_indices, x2_indices])
        numbers, which, _ = distinct(numbers_of(name, both, sizes), True)
        count, first = numbers.shape[0], x1_values.shape[0]
        left = sum_of_groups(x1_values, which[:first], count)
        right = sum_of_groups(x2_values, which[first:], count)
        return coordinates_of(numbers, sizes, both.dtype), operator(left, right)

    combined.__doc__ = f"""`{operator.__name__}` of two sparse tensors of one shape: places in order, and values.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2])
        >>> y = Tensor([[0, 1]]), Tensor([3.0]), Tensor([1, 2])
        >>> print(*ops.{name}()(*x, *y))
        [[0 1]] [{of_two_and_three}]
    """
    return primitive_of(name, combined)


def _add_sparse(x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape, thresh):
    """Sum of two sparse tensors without elements of magnitude below `thresh`: coordinates, values and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2])
        >>> y = Tensor([[0, 0]]), Tensor([0.1]), Tensor([1, 2])
        >>> print(*ops.SparseAdd()(*x, *y, Tensor(0.5)))
        [[0 1]] [2.] [1 2]
    """
    sizes = sizes_of("SparseAdd", x1_shape)
    require_places("SparseAdd", x1_indices, x1_values, sizes)
    require_places("SparseAdd", x2_indices, x2_values, sizes)
    if sizes_of("SparseAdd", x2_shape) != sizes:
        raise ValueError(
            f"SparseAdd: the shapes are {sizes} and {sizes_of('SparseAdd', x2_shape)}; need the same"
        )
    both = cat([x1_indices, x2_indices])
    places, values = merged("SparseAdd", both, cat([x1_values, x2_values]), sizes)
    kept = nonzero(abs(values) >= thresh).reshape(-1)
    return gather(places, kept, 0), gather(values, kept, 0), x1_shape


def _coalesce(x_indices, x_values, x_shape):
    """Merges duplicate coordinates and sorts them: coordinates (dimensions, n), values and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> places, values, shape = ops.Coalesce()(Tensor([[0, 0], [1, 1]]), Tensor([2.0, 3.0]), Tensor([2, 2]))
        >>> print(values)
        [5.]
    """
    sizes = sizes_of("Coalesce", x_shape)
    require_tensors("Coalesce", x_indices=x_indices)
    places = x_indices.T
    require_places("Coalesce", places, x_values, sizes)
    places, values = merged("Coalesce", places, x_values, sizes)
    return places.T, values, x_shape


def _add_dense(x1_indices, x1_values, x1_shape, x2):
    """Sum of a sparse and a dense tensor.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2])
        >>> print(ops.SparseTensorDenseAdd()(*x, Tensor([[1.0, 1.0]])))
        [[1. 3.]]
    """
    sizes = sizes_of("SparseTensorDenseAdd", x1_shape)
    require_places("SparseTensorDenseAdd", x1_indices, x1_values, sizes)
    require_tensors("SparseTensorDenseAdd", x2=x2)
    return scatter_nd(x1_indices, x1_values, sizes) + x2


def _times_dense(indices, values, sparse_shape, dense, *, adjoint_st=False, adjoint_dt=False):
    """Product of a sparse and a dense matrix, each with an optional adjoint.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1]]), Tensor([2.0]), (1, 2)
        >>> print(ops.SparseTensorDenseMatmul()(*x, Tensor([[1.0], [4.0]])))
        [[8.]]
    """
    settings = {"adjoint_st": adjoint_st, "adjoint_dt": adjoint_dt}
    return _product("SparseTensorDenseMatmul", indices, values, sparse_shape, dense, **settings)


def _product(owner, indices, values, sparse_shape, dense, adjoint_st=False, adjoint_dt=False):
    sizes = sizes_of(owner, sparse_shape)
    require_places(owner, indices, values, sizes)
    require_tensors(owner, dense=dense)
    if len(sizes) != 2 or dense.ndim != 2:
        raise ValueError(f"{owner}: the shapes are {sizes} and {dense.shape}; need two matrices")
    taken, other = (indices[:, 0], indices[:, 1]) if adjoint_st else (indices[:, 1], indices[:, 0])
    values = conj(values) if adjoint_st else values
    dense = conj(dense.T) if adjoint_dt else dense
    inner, rows = sizes if adjoint_st else sizes[::-1]
    if dense.shape[0] != inner:
        raise ValueError(f"{owner}: the inner sizes are {inner} and {dense.shape[0]}; need the same")
    return unsorted_segment_sum(gather(dense, taken, 0) * values.reshape(-1, 1), other, rows)


def _check_turns(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


def _add_product(indices, values, sparse_shape, x2, x3, alpha, beta):
    """alpha · (x1 @ x2) + beta · x3 with a sparse matrix x1 and dense x2, x3.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1]]), Tensor([2.0]), Tensor([1, 2])
        >>> print(ops.SparseAddmm()(*x, Tensor([[1.0], [4.0]]), Tensor([[1.0]]), Tensor([1.0]), Tensor([3.0])))
        [[11.]]
    """
    product = _product("SparseAddmm", indices, values, sparse_shape, x2)
    require_tensors("SparseAddmm", x3=x3)
    require_shape("SparseAddmm", "x3", x3, product.shape)
    return product * alpha + beta * x3


def _add_product_sparse(
    x1_indices, x1_values, x1_shape, x2_indices, x2_values, x2_shape, x3_dense, alpha, beta
):
    """beta · x1 + alpha · (x2 @ x3) with sparse matrices x1, x2 and dense x3; coordinates are (2, n).

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0], [0]]), Tensor([2.0]), Tensor([1, 1])
        >>> places, values, shape = ops.Sspaddmm()(*x, *x, Tensor([[5.0]]), Tensor(1.0), Tensor(3.0))
        >>> print(values)
        [16.]
    """
    owner = "Sspaddmm"
    require_tensors(owner, x1_indices=x1_indices, x2_indices=x2_indices, x3_dense=x3_dense)
    sizes, factor = sizes_of(owner, x1_shape), sizes_of(owner, x2_shape)
    fits = len(factor) == x3_dense.ndim == 2 and factor[1] == x3_dense.shape[0]
    if not fits or sizes != (factor[0], x3_dense.shape[1]):
        raise ValueError(
            f"{owner}: the shapes of x1, x2 and x3 are {sizes}, {factor} and {x3_dense.shape}; "
            "need (n, k), (n, m) and (m, k)"
        )
    taken, rows, columns = x2_indices.T, x2_values.size, x3_dense.shape[1]
    require_places(owner, x1_indices.T, x1_values, sizes)
    require_places(owner, taken, x2_values, factor)
    products = gather(x3_dense, taken[:, 1], 0) * x2_values.reshape(-1, 1) * alpha
    wide = (rows, columns)
    row = broadcast_to(taken[:, :1], wide).reshape(-1)
    column = broadcast_to(arange(columns, dtype=taken.dtype).reshape(1, -1), wide).reshape(-1)
    places = cat([x1_indices.T, stack([row, column], 1).astype(x1_indices.dtype)])
    values = cat([x1_values * beta, products.reshape(-1).astype(x1_values.dtype)])
    places, values = merged(owner, places, values, sizes)
    return places.T, values, x1_shape


def _counts(indices, values, dense_shape, weights, *, binary_output=False, minlength=-1, maxlength=-1):
    """Counts each number in each row of a sparse matrix: coordinates (row, number), summed weights, and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 0], [0, 1]]), Tensor([3, 3]), Tensor([1, 2])
        >>> print(*ops.SparseCountSparseOutput()(*x, Tensor([1.0, 0.5])))
        [[0 3]] [1.5] [1 4]
    """
    owner = "SparseCountSparseOutput"
    sizes = sizes_of(owner, dense_shape)
    require_tensors(owner, indices=indices, weights=weights)
    require_inside(owner, indices, sizes, RuntimeError)
    require_places(owner, indices, values, sizes)
    if weights.size not in (0, values.size):
        raise RuntimeError(f"{owner}: {weights.size} weights are given; need none, or one for each value")
    numbers = values.tolist()
    if numbers and min(numbers) < 0:
        raise ValueError(f"{owner}: values have {min(numbers)}; need 0 or more")
    width = max([*(number + 1 for number in numbers), minlength, 0])
    width = width if maxlength < 0 else min(width, maxlength)
    kept = nonzero(values < width).reshape(-1)
    rows = gather(indices, kept, 0)[:, 0] if len(sizes) == 2 else gather(indices, kept, 0)[:, 0] * 0
    columns = gather(values, kept, 0).astype(indices.dtype)
    given = weights if weights.size else ones_like(values)
    whole = (sizes[0], width) if len(sizes) == 2 else (width,)
    cells = stack([rows, columns], 1) if len(sizes) == 2 else columns.reshape(-1, 1)
    places, counts = merged(owner, cells, gather(given, kept, 0), whole)
    return places, ones_like(counts) if binary_output else counts, as_shape(whole, dense_shape)


def _check_counts(name, settings):
    require_bool(name, "binary_output", settings["binary_output"])
    for key in ("minlength", "maxlength"):
        require_int(name, key, settings[key], -1)


Coalesce = primitive_of("Coalesce", _coalesce)
SparseAdd = primitive_of("SparseAdd", _add_sparse)
SparseAddmm = primitive_of("SparseAddmm", _add_product)
SparseCountSparseOutput = primitive_with_settings("SparseCountSparseOutput", _counts, _check_counts)
SparseDenseCwiseAdd = _with_dense("SparseDenseCwiseAdd", add, "6.")
SparseDenseCwiseDiv = _with_dense("SparseDenseCwiseDiv", functions["div"], "0.5")
SparseDenseCwiseMul = _with_dense("SparseDenseCwiseMul", mul, "8.")
SparseSparseMaximum = _of_two("SparseSparseMaximum", maximum, "3.")
SparseSparseMinimum = _of_two("SparseSparseMinimum", minimum, "2.")
SparseTensorDenseAdd = primitive_of("SparseTensorDenseAdd", _add_dense)
SparseTensorDenseMatmul = primitive_with_settings("SparseTensorDenseMatmul", _times_dense, _check_turns)
Sspaddmm = primitive_of("Sspaddmm", _add_product_sparse)
