"""Operators on batches of sparse matrices in CSR form.

Five tensors say them: the shape (rows, columns) or (batch, rows, columns); where the values of each matrix begin, and
the end of the last; for each matrix where its rows begin, and the end of the last; the column of each value; values.
"""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_tensors
from dyad._src.operators import (
    arange,
    cat,
    conj,
    cumsum,
    gather_nd,
    matmul,
    scatter_nd,
    searchsorted,
    stack,
    unsorted_segment_sum,
    zeros,
)
from dyad._src.primitive.primitive import primitive_of, primitive_with_settings
from dyad.ops.sparse.coordinates import (
    in_order,
    numbers_of,
    require_inside,
    require_places,
    sizes_of,
    softmax_of_groups,
)
from dyad.sparse import CSRTensor

__all__ = [
    "CSRSparseMatrixToDense",
    "CSRSparseMatrixToSparseTensor",
    "DenseToCSRSparseMatrix",
    "SparseMatrixMatMul",
    "SparseMatrixNNZ",
    "SparseMatrixSoftmax",
    "SparseMatrixTranspose",
    "SparseTensorToCSRSparseMatrix",
    "csr_softmax",
]


def _require_matrices(owner, shape, batch_pointers, row_pointers, columns, values):
    require_tensors(owner, row_pointers=row_pointers, columns=columns, values=values)
    if batch_pointers is not None:
        require_tensors(owner, batch_pointers=batch_pointers)
    sizes = sizes_of(owner, shape)
    if len(sizes) not in (2, 3):
        raise ValueError(f"{owner}: the shape is {sizes}; need (rows, columns) or (batch, rows, columns)")
    count = sizes[0] if len(sizes) == 3 else 1
    if row_pointers.shape != (count * (sizes[-2] + 1),) or columns.shape != values.shape:
        raise ValueError(
            f"{owner}: row pointers, columns and values have the shapes {row_pointers.shape}, {columns.shape} and "
            f"{values.shape}; the shape {sizes} needs {count * (sizes[-2] + 1)} pointers, and a column for each value"
        )
    pointers = row_pointers.reshape(count, sizes[-2] + 1)
    descending = (pointers[:, 1:] < pointers[:, :-1]).any()
    if descending or (pointers[:, 0] != 0).any() or pointers[:, -1].sum() != values.shape[0]:
        raise ValueError(
            f"{owner}: row pointers are {row_pointers.tolist()}; for each matrix they need to begin at 0 and not "
            f"decrease, and their ends to add up to the number of values, {values.shape[0]}"
        )
    if ((columns < 0) | (columns >= sizes[-1])).any():
        raise IndexError(f"{owner}: columns are {columns.tolist()}; need numbers in [0, {sizes[-1]})")
    # Pointers of a single matrix add nothing to its rows; programs pass any number for them.
    if len(sizes) == 3 and batch_pointers is not None:
        _require_batches(owner, batch_pointers, pointers)
    return sizes


def _require_batches(owner, batch_pointers, pointers):
    expected = [0, *cumsum(pointers[:, -1], 0).tolist()]
    if batch_pointers.tolist() != expected:
        raise ValueError(
            f"{owner}: batch pointers are {batch_pointers.tolist()}; the row pointers need {expected}"
        )


def _coordinates(sizes, row_pointers, columns):
    """Matrix, row and column of each value, from the number of rows that end before it."""
    rows = sizes[-2]
    pointers = row_pointers.reshape(-1, rows + 1)
    lengths = (pointers[:, 1:] - pointers[:, :-1]).reshape(-1)
    order = arange(columns.shape[0], dtype=lengths.dtype)
    row = searchsorted(cumsum(lengths, 0), order, right=True).astype(columns.dtype)
    return stack([row, columns] if len(sizes) == 2 else [row // rows, row % rows, columns], 1)


def _compressed(owner, indices, values, sizes, shape):
    """Five tensors of the CSR form, from values and their positions."""
    indices, values = in_order(owner, indices, values, sizes)
    dtype = indices.dtype
    rows = sizes[-2]
    count = sizes[0] if len(sizes) == 3 else 1
    row = numbers_of(owner, indices[:, :-1], sizes[:-1])
    lengths = unsorted_segment_sum(row * 0 + 1, row, count * rows).reshape(count, rows)
    starts = cat([zeros((count, 1), dtype), cumsum(lengths, 1).astype(dtype)], 1)
    batches = cat([zeros((1,), dtype), cumsum(lengths.sum(1), 0).astype(dtype)])
    dense_shape = shape if isinstance(shape, Tensor) else Tensor(list(sizes), dtype)
    return dense_shape, batches, starts.reshape(-1), indices[:, -1], values


def _from_coordinates(x_indices, x_values, x_dense_shape):
    """Converts coordinates and values to matrices in CSR form.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([[0, 1], [1, 0]]), Tensor([1.0, 2.0]), Tensor([2, 2])
        >>> print(ops.SparseTensorToCSRSparseMatrix()(*x)[2])
        [0 1 2]
    """
    sizes = sizes_of("SparseTensorToCSRSparseMatrix", x_dense_shape)
    require_places("SparseTensorToCSRSparseMatrix", x_indices, x_values, sizes)
    if len(sizes) not in (2, 3):
        raise ValueError(
            f"SparseTensorToCSRSparseMatrix: the shape is {sizes}; need (rows, columns) or (batch, rows, columns)"
        )
    return _compressed("SparseTensorToCSRSparseMatrix", x_indices, x_values, sizes, x_dense_shape)


def _to_coordinates(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
    """Converts matrices in CSR form to coordinates, values and shape.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([2, 2]), Tensor([0, 1]), Tensor([0, 0, 1]), Tensor([1]), Tensor([5.0])
        >>> print(*ops.CSRSparseMatrixToSparseTensor()(*x))
        [[1 1]] [5.] [2 2]
    """
    given = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    sizes = _require_matrices("CSRSparseMatrixToSparseTensor", *given)
    return _coordinates(sizes, x_row_pointers, x_col_indices), x_values, x_dense_shape


def _to_dense(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
    """Converts matrices in CSR form to a dense tensor.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([2, 2]), Tensor([0, 1]), Tensor([0, 0, 1]), Tensor([1]), Tensor([5.0])
        >>> print(ops.CSRSparseMatrixToDense()(*x))
        [[0. 0.]
         [0. 5.]]
    """
    given = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    sizes = _require_matrices("CSRSparseMatrixToDense", *given)
    return scatter_nd(_coordinates(sizes, x_row_pointers, x_col_indices), x_values, sizes)


def _from_dense(dense_input, indices):
    """Matrices in CSR form with the elements of a dense tensor at the given positions.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.DenseToCSRSparseMatrix()(Tensor([[0.0, 5.0]]), Tensor([[0, 1]]))[4])
        [5.]
    """
    require_tensors("DenseToCSRSparseMatrix", dense_input=dense_input, indices=indices)
    if dense_input.ndim not in (2, 3):
        raise ValueError(f"DenseToCSRSparseMatrix: dense_input has shape {dense_input.shape}; need matrices")
    if indices.ndim != 2 or indices.shape[1] != dense_input.ndim:
        raise ValueError(
            f"DenseToCSRSparseMatrix: indices has shape {indices.shape}; need (n, {dense_input.ndim})"
        )
    require_inside("DenseToCSRSparseMatrix", indices, dense_input.shape)
    values = gather_nd(dense_input, indices)
    return _compressed("DenseToCSRSparseMatrix", indices, values, dense_input.shape, dense_input.shape)


def _softmax(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values, *, dtype=None):
    """Softmax over the values of each row; missing values are left out.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([1, 3]), Tensor([0, 2]), Tensor([0, 2]), Tensor([0, 2]), Tensor([4.0, 4.0])
        >>> print(ops.SparseMatrixSoftmax()(*x)[4])
        [0.5 0.5]
    """
    given = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    return *given[:4], _shares("SparseMatrixSoftmax", given, dtype)


def _shares(owner, given, dtype):
    """Values after softmax over those of each row."""
    sizes = _require_matrices(owner, *given)
    _, _, row_pointers, columns, values = given
    row = numbers_of(owner, _coordinates(sizes, row_pointers, columns)[:, :-1], sizes[:-1])
    return softmax_of_groups(values if dtype is None else values.astype(dtype), row, row_pointers.shape[0])


def csr_softmax(logits: CSRTensor, dtype=None) -> CSRTensor:
    """Softmax over the values of each row of a CSRTensor; missing values are left out.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 2]), Tensor([0, 2]), Tensor([4.0, 4.0]), (1, 3))
        >>> print(ops.csr_softmax(x).values)
        [0.5 0.5]
    """
    if not isinstance(logits, CSRTensor):
        raise TypeError(f"csr_softmax: logits is of type {type(logits).__name__}; need a CSRTensor")
    five = (logits.shape, None, logits.indptr, logits.indices, logits.values)
    return CSRTensor(logits.indptr, logits.indices, _shares("csr_softmax", five, dtype), logits.shape)


csr_softmax.__dict__["_is_program"] = True  # what it reads of a sparse tensor is guarded


def _transpose(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values, *, conjugate=False):
    """Transposes matrices; with `conjugate` returns the conjugate transpose.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([1, 3]), Tensor([0, 2]), Tensor([0, 2]), Tensor([0, 2]), Tensor([4.0, 5.0])
        >>> print(ops.SparseMatrixTranspose()(*x)[2])
        [0 1 1 2]
    """
    given = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    sizes = _require_matrices("SparseMatrixTranspose", *given)
    places = _coordinates(sizes, x_row_pointers, x_col_indices)
    turned = cat([places[:, :-2], places[:, -1:], places[:, -2:-1]], 1)
    new = (*sizes[:-2], sizes[-1], sizes[-2])
    values = conj(x_values) if conjugate else x_values
    shape = Tensor(list(new), x_dense_shape.dtype) if isinstance(x_dense_shape, Tensor) else new
    return _compressed("SparseMatrixTranspose", turned, values, new, shape)


def _count(x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values):
    """Number of values of each matrix.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([1, 3]), Tensor([0, 2]), Tensor([0, 2]), Tensor([0, 2]), Tensor([4.0, 5.0])
        >>> print(ops.SparseMatrixNNZ()(*x))
        [2]
    """
    given = (x_dense_shape, x_batch_pointers, x_row_pointers, x_col_indices, x_values)
    sizes = _require_matrices("SparseMatrixNNZ", *given)
    _require_batches("SparseMatrixNNZ", x_batch_pointers, x_row_pointers.reshape(-1, sizes[-2] + 1))
    return (x_batch_pointers[1:] - x_batch_pointers[:-1]).astype(_core.int32)


def _product(
    x1_dense_shape,
    x1_batch_pointers,
    x1_row_pointers,
    x1_col_indices,
    x1_values,
    x2_dense,
    *,
    transpose_x1=False,
    transpose_x2=False,
    adjoint_x1=False,
    adjoint_x2=False,
    transpose_output=False,
    conjugate_output=False,
):
    """Products of the matrices with dense ones; operands and result can be transposed.

    Example:
        >>> from dyad import Tensor, ops
        >>> x = Tensor([1, 2]), Tensor([0, 1]), Tensor([0, 1]), Tensor([1]), Tensor([3.0])
        >>> print(ops.SparseMatrixMatMul()(*x, Tensor([[1.0], [4.0]])))
        [[12.]]
    """
    owner = "SparseMatrixMatMul"
    given = (x1_dense_shape, x1_batch_pointers, x1_row_pointers, x1_col_indices, x1_values)
    sizes = _require_matrices(owner, *given)
    require_tensors(owner, x2_dense=x2_dense)
    if (transpose_x1 and adjoint_x1) or (transpose_x2 and adjoint_x2):
        raise ValueError(f"{owner}: an operand is transposed and adjoint; need at most one of them")
    first = scatter_nd(_coordinates(sizes, x1_row_pointers, x1_col_indices), x1_values, sizes)
    first = conj(first) if adjoint_x1 else first
    second = conj(x2_dense) if adjoint_x2 else x2_dense
    first = first.swapaxes(-1, -2) if transpose_x1 or adjoint_x1 else first
    second = second.swapaxes(-1, -2) if transpose_x2 or adjoint_x2 else second
    result = matmul(first, second)
    result = result.swapaxes(-1, -2) if transpose_output else result
    return conj(result) if conjugate_output else result


def _check_bools(name, settings):
    for key, value in settings.items():
        require_bool(name, key, value)


CSRSparseMatrixToDense = primitive_of("CSRSparseMatrixToDense", _to_dense)
CSRSparseMatrixToSparseTensor = primitive_of("CSRSparseMatrixToSparseTensor", _to_coordinates)
DenseToCSRSparseMatrix = primitive_of("DenseToCSRSparseMatrix", _from_dense)
SparseMatrixMatMul = primitive_with_settings("SparseMatrixMatMul", _product, _check_bools)
SparseMatrixNNZ = primitive_of("SparseMatrixNNZ", _count)
SparseMatrixSoftmax = primitive_with_settings("SparseMatrixSoftmax", _softmax)
SparseMatrixTranspose = primitive_with_settings("SparseMatrixTranspose", _transpose, _check_bools)
SparseTensorToCSRSparseMatrix = primitive_of("SparseTensorToCSRSparseMatrix", _from_coordinates)
