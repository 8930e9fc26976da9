"""Embedding layers: vectors looked up by index."""

import math

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_above, require_bool, require_choice, require_int
from dyad._src.tensor.parameter import Parameter
from dyad.nn.cell import Cell
from dyad.nn.initializer import initializer

__all__ = ["Embedding", "EmbeddingLookup", "MultiFieldEmbeddingLookup"]


class Embedding(Cell):
    """The rows of `embedding_table` at the given indices; the row `padding_idx` is initialized with zeros.

    The table is (vocab_size, embedding_size). The argument `embedding_table` initializes it like the inits of
    `Dense`. The result has the shape of the indices and one more dimension. With `use_one_hot` the rows are computed
    as a product with one-hot vectors.
    """

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        use_one_hot: bool = False,
        embedding_table="normal",
        dtype=_core.float32,
        padding_idx: int | None = None,
    ) -> None:
        super().__init__()
        self.vocab_size = require_int("Embedding", "vocab_size", vocab_size, low=1)
        self.embedding_size = require_int("Embedding", "embedding_size", embedding_size, low=1)
        self.use_one_hot = require_bool("Embedding", "use_one_hot", use_one_hot)
        self.dtype = dtype
        self.padding_idx = padding_idx
        table = initializer(embedding_table, [vocab_size, embedding_size], dtype)
        if padding_idx is not None:
            table = _with_zero_row(table, require_int("Embedding", "padding_idx", padding_idx, low=0))
        self.embedding_table = Parameter(table, name="embedding_table")
        # Operators that `construct` of a user's subclass finds on `self`.
        self.gather, self.one_hot, self.array_mul = ops.Gather(), ops.OneHot(), ops.MatMul()
        self.expand, self.reshape_flat, self.reshape = ops.ExpandDims(), ops.Reshape(), ops.Reshape()
        self.get_shp, self.concat = ops.Shape(), ops.Concat()

    def construct(self, ids) -> Tensor:
        """Integers of any shape to vectors: one more dimension, of `embedding_size`."""
        if ids.is_floating_point() or ids.is_complex():
            raise TypeError(f"Embedding: ids have dtype {ids.dtype}; need integers")
        if self.use_one_hot:
            on, off = Tensor(1, self.dtype), Tensor(0, self.dtype)
            return ops.matmul(ops.one_hot(ids, self.vocab_size, on, off), self.embedding_table)
        return ops.gather(self.embedding_table, ids, 0)

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return (
            f"vocab_size={self.vocab_size}, embedding_size={self.embedding_size}, use_one_hot={self.use_one_hot}, "
            f"embedding_table={self.embedding_table}, dtype={self.dtype}, padding_idx={self.padding_idx}"
        )


def _with_zero_row(table, row):
    if row >= table.shape[0]:
        raise ValueError(f"Embedding: padding_idx is {row}; need an int from 0 to {table.shape[0] - 1}")
    values = table.copy()
    values[row] = 0
    return values


class EmbeddingLookup(Cell):
    """Like Embedding, with an optional bound on the norm of each returned vector.

    `target`, `slice_mode`, `manual_shapes` and `sparse` control the placement on several devices and have no effect.
    """

    BATCH_SLICE, FIELD_SLICE = "batch_slice", "field_slice"
    TABLE_ROW_SLICE, TABLE_COLUMN_SLICE = "table_row_slice", "table_column_slice"

    def __init__(
        self,
        vocab_size: int,
        embedding_size: int,
        param_init="normal",
        target="CPU",
        slice_mode: str = BATCH_SLICE,
        manual_shapes=None,
        max_norm: float | None = None,
        sparse: bool = True,
        dtype=_core.float32,
    ) -> None:
        super().__init__()
        self.vocab_size = require_int("EmbeddingLookup", "vocab_size", vocab_size, low=1)
        self.embedding_size = require_int("EmbeddingLookup", "embedding_size", embedding_size, low=1)
        if target not in ("CPU", "DEVICE"):
            raise ValueError(f"EmbeddingLookup: target is {target!r}; need CPU or DEVICE")
        slices = (self.BATCH_SLICE, self.FIELD_SLICE, self.TABLE_ROW_SLICE, self.TABLE_COLUMN_SLICE)
        require_choice("EmbeddingLookup", "slice_mode", slice_mode, slices)
        if max_norm is not None:
            max_norm = require_above("EmbeddingLookup", "max_norm", max_norm, 0)
        require_bool("EmbeddingLookup", "sparse", sparse)
        self.max_norm = max_norm
        self.embedding_table = Parameter(
            initializer(param_init, [vocab_size, embedding_size], dtype), name="embedding_table"
        )

    def construct(self, indices) -> Tensor:
        """Integers of any shape to vectors: one more dimension, of `embedding_size`."""
        rows = ops.gather(self.embedding_table, indices, 0)
        if self.max_norm is None:
            return rows
        norm = ops.vector_norm(rows, 2, -1, True)
        return rows * (self.max_norm / ops.maximum(norm, Tensor(self.max_norm, rows.dtype)))


class MultiFieldEmbeddingLookup(EmbeddingLookup):
    """Vectors of features, weighted and merged by the field that each belongs to.

    Features of a row that share a field are merged by `operator`: 'SUM', 'MEAN' or 'MAX'. A field without features
    results in zeros. The other arguments are those of EmbeddingLookup; `feature_num_list` has no effect.
    """

    OPERATOR_SUM, OPERATOR_MEAN, OPERATOR_MAX = "SUM", "MEAN", "MAX"

    def __init__(
        self,
        vocab_size,
        embedding_size,
        field_size: int,
        param_init="normal",
        target="CPU",
        slice_mode="batch_slice",
        feature_num_list=None,
        max_norm=None,
        sparse: bool = True,
        operator: str = "SUM",
        dtype=_core.float32,
    ) -> None:
        super().__init__(
            vocab_size,
            embedding_size,
            param_init,
            target,
            slice_mode,
            feature_num_list,
            max_norm,
            sparse,
            dtype,
        )
        owner = "MultiFieldEmbeddingLookup"
        self.field_size = require_int(owner, "field_size", field_size, low=1)
        self.operator = require_choice(owner, "operator", operator, ("SUM", "MEAN", "MAX"))

    def construct(self, input_indices, input_values, field_ids):
        """Accepts indices, weights and fields, each (N, L); returns (N, field_size, embedding_size)."""
        for name, given in (("indices", input_indices), ("values", input_values), ("fields", field_ids)):
            if given.ndim != 2:
                raise ValueError(f"MultiFieldEmbeddingLookup: {name} have shape {given.shape}; need (N, L)")
        vectors = super().construct(input_indices) * input_values.expand_dims(-1)
        belongs = ops.one_hot(field_ids, self.field_size, Tensor(1, vectors.dtype), Tensor(0, vectors.dtype))
        belongs = belongs.swapaxes(1, 2)  # (N, fields, L)
        if self.operator == "MAX":
            return self._largest(vectors, belongs)
        merged = ops.matmul(belongs, vectors)
        if self.operator == "SUM":
            return merged
        return merged / ops.maximum(belongs.sum(-1, keepdims=True), Tensor(1, vectors.dtype))

    def _largest(self, vectors, belongs):
        inside = belongs.expand_dims(-1) > 0
        candidates = ops.where(inside, vectors.expand_dims(1), Tensor(-math.inf, vectors.dtype))
        return ops.where(inside.any(2), ops.amax(candidates, 2), Tensor(0, vectors.dtype))
