"""The cosine of the angle between vectors, as a layer."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_int, require_number
from dyad.nn.cell import Cell

__all__ = ["CosineSimilarity"]


class CosineSimilarity(Cell):
    """Cosine of the angle between the vectors along `dim`; lengths below `eps` count as `eps`."""

    def __init__(self, dim: int = 1, eps: float = 1e-08) -> None:
        super().__init__()
        self.dim = require_int("CosineSimilarity", "dim", dim)
        self.eps = require_number("CosineSimilarity", "eps", eps)

    def construct(self, x1, x2) -> Tensor:
        """The operands broadcast; the result lacks the dimension."""
        return ops.cosine_similarity(x1, x2, self.dim, self.eps)
