"""Functions of COOTensors and CSRTensors: operators on their values, and their own methods by name."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.operators import arange, conj, functions, gather_nd, nonzero, searchsorted, stack
from dyad.sparse import COOTensor, CSRTensor, RowTensor

_UNARY = (
    *(
        "abs",
        "acos",
        "acosh",
        "asin",
        "asinh",
        "atan",
        "atanh",
        "ceil",
        "cos",
        "cosh",
        "exp",
        "expm1",
        "floor",
        "inv",
    ),
    *(
        "isfinite",
        "isinf",
        "isnan",
        "log",
        "log1p",
        "neg",
        "relu",
        "relu6",
        "round",
        "sigmoid",
        "sin",
        "sinh",
    ),
    *("softsign", "sqrt", "square", "tan", "tanh"),
)

__all__ = [
    *(f"{kind}_{name}" for kind in ("coo", "csr") for name in _UNARY),
    "coo2csr",
    "coo_add",
    "coo_tensor_get_dense_shape",
    "coo_tensor_get_indices",
    "coo_tensor_get_values",
    "csr2coo",
    "csr_add",
    "csr_div",
    "csr_gather",
    "csr_mm",
    "csr_mul",
    "csr_mv",
    "csr_reduce_sum",
    "csr_tensor_get_dense_shape",
    "csr_tensor_get_indices",
    "csr_tensor_get_indptr",
    "csr_tensor_get_values",
    "csr_to_coo",
    "csr_to_dense",
    "dense_to_sparse_coo",
    "dense_to_sparse_csr",
    "make_coo_tensor",
    "make_csr_tensor",
    "make_row_tensor",
    "row_tensor_get_dense_shape",
    "row_tensor_get_indices",
    "row_tensor_get_values",
]


def _require(owner, kind, **given):
    for name, value in given.items():
        if not isinstance(value, kind):
            raise TypeError(f"{owner}: {name} is of type {type(value).__name__}; need a {kind.__name__}")


def _on_values(name, kind, operator):
    """Applies an operator on one Tensor to the values of a sparse one."""

    def function(x):
        _require(name, kind, x=x)
        return x._with(operator(x.values))

    places = "Tensor([[0, 1]])" if kind is COOTensor else "Tensor([0, 1]), Tensor([1])"
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""`{operator.__name__}` of the values, at the same places; what is not given stays 0.

    Example:
        >>> from dyad import {kind.__name__}, Tensor, ops
        >>> ops.{name}({kind.__name__}({places}, Tensor([1.0]), (1, 2))).shape
        (1, 2)
    """
    return function


for _name in _UNARY:
    for _prefix, _kind in (("coo", COOTensor), ("csr", CSRTensor)):
        globals()[f"{_prefix}_{_name}"] = _on_values(f"{_prefix}_{_name}", _kind, functions[_name])


def coo_add(x1, x2, thresh):
    """Sum of two COOTensors without elements of magnitude below `thresh`.

    Example:
        >>> from dyad import COOTensor, Tensor, ops
        >>> x = COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2))
        >>> print(ops.coo_add(x, x, Tensor(0.0)).values)
        [4.]
    """
    _require("coo_add", COOTensor, x1=x1, x2=x2)
    return x1.add(x2, thresh)


def csr_add(a, b, alpha, beta):
    """Weighted sum of two CSRTensors, alpha · a + beta · b.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))
        >>> print(ops.csr_add(x, x, Tensor(1.0), Tensor(3.0)).values)
        [8.]
    """
    _require("csr_add", CSRTensor, a=a, b=b)
    return a.add(b, alpha, beta)


def csr_mul(x, y):
    """Product of a CSRTensor and a dense Tensor, element by element, with broadcasting.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))
        >>> print(ops.csr_mul(x, Tensor([[5.0, 3.0]])).values)
        [6.]
    """
    _require("csr_mul", CSRTensor, x=x)
    return x * y


def csr_div(x, y):
    """Quotient of a CSRTensor and a dense Tensor, element by element, with broadcasting.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))
        >>> print(ops.csr_div(x, Tensor([[5.0, 4.0]])).values)
        [0.5]
    """
    _require("csr_div", CSRTensor, x=x)
    return x / y


def csr_mv(csr_tensor, dense):
    """Product of a CSRTensor and a column.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))
        >>> print(ops.csr_mv(x, Tensor([[1.0], [3.0]])))
        [[6.]]
    """
    _require("csr_mv", CSRTensor, csr_tensor=csr_tensor)
    return csr_tensor.mv(dense)


def csr_mm(
    a, b, trans_a: bool = False, trans_b: bool = False, adjoint_a: bool = False, adjoint_b: bool = False
):
    """Matrix product of a CSRTensor and a CSRTensor or Tensor, each optionally transposed or adjoint.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))
        >>> print(ops.csr_mm(x, Tensor([[1.0], [3.0]])))
        [[6.]]
    """
    _require("csr_mm", CSRTensor, a=a)
    return _turned(a, trans_a, adjoint_a).mm(_turned(b, trans_b, adjoint_b))


def _turned(x, transpose, adjoint):
    if not transpose and not adjoint:
        return x
    if isinstance(x, Tensor):
        return conj(x.T) if adjoint else x.T
    coo = x.to_coo()
    values = conj(coo.values) if adjoint else coo.values
    return COOTensor(coo.indices[:, ::-1], values, x.shape[::-1]).to_csr()


def csr_reduce_sum(csr_tensor, axis):
    """Sum of each row (`axis` 1) or column (`axis` 0); the summed dimension remains with size 1.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> x = CSRTensor(Tensor([0, 2]), Tensor([0, 1]), Tensor([2.0, 3.0]), (1, 2))
        >>> print(ops.csr_reduce_sum(x, 1))
        [[5.]]
    """
    _require("csr_reduce_sum", CSRTensor, csr_tensor=csr_tensor)
    return csr_tensor.sum(axis)


def csr_gather(indptr, indices, dense, sparse_shape):
    """Elements of a dense Tensor at the positions of a CSRTensor's values.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.csr_gather(Tensor([0, 1]), Tensor([1]), Tensor([[5.0, 3.0]]), (1, 2)))
        [3.]
    """
    _require("csr_gather", Tensor, indptr=indptr, indices=indices, dense=dense)
    if dense.shape[:2] != tuple(sparse_shape)[:2]:
        raise ValueError(
            f"csr_gather: dense has shape {dense.shape} and sparse_shape is {sparse_shape}; need one shape"
        )
    rows = csr2coo(indptr, indices.shape[0]).astype(indices.dtype)
    return gather_nd(dense, stack([rows, indices], 1))


def csr2coo(indptr, nnz):
    """Converts row starts (`indptr`) to the row of each of `nnz` values.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.csr2coo(Tensor([0, 1, 3]), 3))
        [0 1 1]
    """
    _require("csr2coo", Tensor, indptr=indptr)
    return searchsorted(indptr[1:], arange(nnz, dtype=indptr.dtype), right=True).astype(indptr.dtype)


def coo2csr(row_indices, height):
    """Converts ascending rows of values to the starts of `height` rows and the end of the last (`indptr`).

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.coo2csr(Tensor([0, 1, 1]), 2))
        [0 1 3]
    """
    _require("coo2csr", Tensor, row_indices=row_indices)
    return searchsorted(row_indices, arange(height + 1, dtype=row_indices.dtype)).astype(row_indices.dtype)


def csr_to_coo(tensor):
    """Converts a CSRTensor to a COOTensor.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> print(ops.csr_to_coo(CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))).indices)
        [[0 1]]
    """
    _require("csr_to_coo", CSRTensor, tensor=tensor)
    return tensor.to_coo()


def csr_to_dense(csr_tensor):
    """Converts a CSRTensor to a dense Tensor.

    Example:
        >>> from dyad import CSRTensor, Tensor, ops
        >>> print(ops.csr_to_dense(CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))))
        [[0. 2.]]
    """
    _require("csr_to_dense", CSRTensor, csr_tensor=csr_tensor)
    return csr_tensor.to_dense()


def dense_to_sparse_coo(tensor) -> COOTensor:
    """Converts a dense Tensor to a COOTensor of its nonzero elements, with int32 coordinates.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.dense_to_sparse_coo(Tensor([[0.0, 2.0]])).indices)
        [[0 1]]
    """
    _require("dense_to_sparse_coo", Tensor, tensor=tensor)
    places = nonzero(tensor)
    return COOTensor(places.astype(_core.int32), gather_nd(tensor, places), tuple(tensor.shape))


def dense_to_sparse_csr(tensor):
    """Converts a dense matrix to a CSRTensor of its nonzero elements, with int32 indexes.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.dense_to_sparse_csr(Tensor([[0.0, 2.0]])).indptr)
        [0 1]
    """
    return dense_to_sparse_coo(tensor).to_csr()


def make_coo_tensor(indices, values, dense_shape) -> COOTensor:
    """Creates a COOTensor from its parts.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.make_coo_tensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2)).shape
        (1, 2)
    """
    return COOTensor(indices, values, dense_shape)


def make_csr_tensor(indptr, indices, values, dense_shape) -> CSRTensor:
    """Creates a CSRTensor from its parts.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.make_csr_tensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2)).shape
        (1, 2)
    """
    return CSRTensor(indptr, indices, values, dense_shape)


def make_row_tensor(indices, values, dense_shape):
    """Creates a RowTensor from its parts.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.make_row_tensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2)).shape
        (3, 2)
    """
    return RowTensor(indices, values, dense_shape)


def _part(name, kind, attribute):
    def function(sparse_tensor):
        _require(name, kind, sparse_tensor=sparse_tensor)
        return getattr(sparse_tensor, attribute)

    made = {
        COOTensor: "COOTensor(Tensor([[0, 1]]), Tensor([2.0]), (1, 2))",
        CSRTensor: "CSRTensor(Tensor([0, 1]), Tensor([1]), Tensor([2.0]), (1, 2))",
        RowTensor: "RowTensor(Tensor([0]), Tensor([[1.0, 2.0]]), (3, 2))",
    }[kind]
    function.__name__ = function.__qualname__ = name
    function.__doc__ = f"""The `{attribute}` of a {kind.__name__}.

    Example:
        >>> from dyad import {kind.__name__}, Tensor, ops
        >>> x = {made}
        >>> ops.{name}(x) is x.{attribute}
        True
    """
    return function


coo_tensor_get_dense_shape = _part("coo_tensor_get_dense_shape", COOTensor, "shape")
coo_tensor_get_indices = _part("coo_tensor_get_indices", COOTensor, "indices")
coo_tensor_get_values = _part("coo_tensor_get_values", COOTensor, "values")
csr_tensor_get_dense_shape = _part("csr_tensor_get_dense_shape", CSRTensor, "shape")
csr_tensor_get_indices = _part("csr_tensor_get_indices", CSRTensor, "indices")
csr_tensor_get_indptr = _part("csr_tensor_get_indptr", CSRTensor, "indptr")
csr_tensor_get_values = _part("csr_tensor_get_values", CSRTensor, "values")
row_tensor_get_dense_shape = _part("row_tensor_get_dense_shape", RowTensor, "shape")
row_tensor_get_indices = _part("row_tensor_get_indices", RowTensor, "indices")
row_tensor_get_values = _part("row_tensor_get_values", RowTensor, "values")

Tensor.to_coo = dense_to_sparse_coo  # type: ignore[method-assign, assignment]
Tensor.to_csr = dense_to_sparse_csr  # type: ignore[method-assign]
