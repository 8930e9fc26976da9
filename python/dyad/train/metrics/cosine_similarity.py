"""Cosine similarity of rows."""

from typing import Any

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_choice
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["CosineSimilarity"]

_REDUCTIONS = {
    "none": lambda table: table,
    "sum": lambda table: table.sum(-1),
    "mean": lambda table: table.mean(-1),
}


class CosineSimilarity(Metric):
    """The products of all rows with all rows, 'dot', or the cosines between them, 'cosine', of the last input.

    `reduction` adds or averages each row of that table; with `zero_diagonal` a row is not compared with itself.
    """

    def __init__(
        self, similarity: str = "cosine", reduction: str = "none", zero_diagonal: bool = True
    ) -> None:
        super().__init__()
        self.similarity = require_choice("CosineSimilarity", "similarity", similarity, ("dot", "cosine"))
        self.reduction = require_choice("CosineSimilarity", "reduction", reduction, tuple(_REDUCTIONS))
        self.zero_diagonal = require_bool("CosineSimilarity", "zero_diagonal", zero_diagonal)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self.sqr_mtx_res: Any = None

    @rearrange_inputs
    def update(self, inputs) -> None:
        """Compares the rows of a matrix."""
        rows = self._convert_data(inputs)
        if rows.ndim != 2:
            raise ValueError(
                f"CosineSimilarity.update: the input has shape {rows.shape}; need rows of numbers"
            )
        if self.similarity == "cosine":
            with numpy.errstate(invalid="ignore"):  # a row of zeros has no direction: NaN
                rows = rows / numpy.linalg.norm(rows, axis=1, keepdims=True)
        self.sqr_mtx_res = rows @ rows.T

    def eval(self):
        """The table, or a number for each row; RuntimeError before any rows were seen."""
        self._require_seen(self.sqr_mtx_res is not None)
        table = self.sqr_mtx_res.copy()
        if self.zero_diagonal:
            numpy.fill_diagonal(table, 0)
        return _REDUCTIONS[self.reduction](table)
