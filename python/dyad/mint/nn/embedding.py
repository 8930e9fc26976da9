"""Rows of a table by integer ids, with the constructor of PyTorch."""

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_above, require_bool, require_int, require_number
from dyad._src.cell.weights import make_parameter
from dyad._src.tensor.parameter import Parameter
from dyad.mint.nn import functional
from dyad.nn import Cell
from dyad.nn.initializer import Normal

__all__ = ["Embedding"]


class Embedding(Cell):
    """A `weight` of `num_embeddings` rows of `embedding_dim` numbers, selected by integer ids.

    The row of `padding_idx` is initialized with zeros and has no gradient. With `max_norm`, selected rows with a
    larger norm of order `norm_type` are scaled to it, in the table. `scale_grad_by_freq` divides the gradient of a
    row by the number of times that it was selected.
    """

    def __init__(self, num_embeddings: int, embedding_dim: int, padding_idx=None, max_norm: float | None = None,
                 norm_type: float = 2.0, scale_grad_by_freq: bool = False, sparse: bool = False, _weight=None,
                 _freeze: bool = False, dtype=None) -> None:  # fmt: skip
        super().__init__()
        self.num_embeddings = require_int("Embedding", "num_embeddings", num_embeddings, low=1)
        self.embedding_dim = require_int("Embedding", "embedding_dim", embedding_dim, low=1)
        if require_bool("Embedding", "sparse", sparse):
            raise ValueError("Embedding: sparse is True; need False, gradients are dense")
        self.padding_idx = padding_idx if padding_idx is None else self._row(padding_idx)
        self.max_norm = max_norm if max_norm is None else require_above("Embedding", "max_norm", max_norm, 0)
        self.norm_type = require_number("Embedding", "norm_type", norm_type)
        self.scale_grad_by_freq = require_bool("Embedding", "scale_grad_by_freq", scale_grad_by_freq)
        self.weight = self._make_weight(_weight, dtype or _core.float32, not _freeze)

    def _row(self, index):
        require_int("Embedding", "padding_idx", index)
        if not -self.num_embeddings <= index < self.num_embeddings:
            raise ValueError(
                f"Embedding: padding_idx is {index}; need a row, from {-self.num_embeddings} to "
                f"{self.num_embeddings - 1}"
            )
        return index % self.num_embeddings

    def _make_weight(self, given, dtype, requires_grad):
        shape = (self.num_embeddings, self.embedding_dim)
        if given is not None:
            if tuple(given.shape) != shape:
                raise ValueError(f"Embedding: _weight has shape {tuple(given.shape)}; need {shape}")
            return Parameter(given, name="weight", requires_grad=requires_grad)
        weight = make_parameter("Embedding", Normal(1.0), shape, dtype, "weight", requires_grad)
        if self.padding_idx is not None:
            weight.init_data()
            weight[self.padding_idx] = 0
        return weight

    def construct(self, input: Tensor):
        """(sizes...) of ids to (sizes..., embedding_dim)."""
        return functional.embedding(
            input, self.weight, self.padding_idx, self.max_norm, self.norm_type, self.scale_grad_by_freq
        )

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return (
            f"num_embeddings={self.num_embeddings}, embedding_dim={self.embedding_dim}, "
            f"padding_idx={self.padding_idx}, max_norm={self.max_norm}, norm_type={self.norm_type}, "
            f"scale_grad_by_freq={self.scale_grad_by_freq}, dtype={self.weight.dtype}"
        )
