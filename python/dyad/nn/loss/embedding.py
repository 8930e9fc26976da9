"""Losses of distances between vectors, and ranking losses."""

from collections.abc import Callable

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_number
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = [
    "CosineEmbeddingLoss",
    "HingeEmbeddingLoss",
    "MarginRankingLoss",
    "TripletMarginLoss",
    "TripletMarginWithDistanceLoss",
]


class CosineEmbeddingLoss(LossBase):
    """Cosine embedding loss: 1 - cos of two rows for labels of 1, max(0, cos - margin) for labels of -1."""

    def __init__(self, margin: float = 0.0, reduction="mean") -> None:
        super().__init__(reduction)
        if not -1 <= require_number("CosineEmbeddingLoss", "margin", margin) <= 1:
            raise ValueError(f"CosineEmbeddingLoss: margin is {margin}; need a number in [-1, 1]")
        self.margin = float(margin)

    def construct(self, logits_x1, logits_x2, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per pair of rows."""
        return ops.cosine_embedding_loss(logits_x1, logits_x2, labels, self.margin, self.reduction)


class HingeEmbeddingLoss(LossBase):
    """Hinge embedding loss: the distance for labels of 1, max(0, margin - distance) for labels of -1."""

    def __init__(self, margin: float = 1.0, reduction="mean") -> None:
        super().__init__(reduction)
        self.margin = require_number("HingeEmbeddingLoss", "margin", margin)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.hinge_embedding_loss(logits, labels, self.margin, self.reduction)


class MarginRankingLoss(LossBase):
    """Margin ranking loss, max(0, -target * (input1 - input2) + margin). A target of 1 ranks input1 higher."""

    def __init__(self, margin: float = 0.0, reduction="mean") -> None:
        super().__init__(reduction)
        self.margin = require_number("MarginRankingLoss", "margin", margin)

    def construct(self, input1, input2, target: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.margin_ranking_loss(input1, input2, target, self.margin, self.reduction)


class TripletMarginLoss(LossBase):
    """Triplet loss, max(0, distance(x, positive) - distance(x, negative) + margin) in the p-norm.

    With `swap` the distance to the negative is the smaller one of those from x and from the positive.
    """

    def __init__(
        self, p: float = 2, swap: bool = False, eps: float = 1e-06, reduction="mean", margin: float = 1.0
    ) -> None:
        super().__init__(reduction)
        self.p = require_number("TripletMarginLoss", "p", p)
        self.swap = require_bool("TripletMarginLoss", "swap", swap)
        self.eps = require_number("TripletMarginLoss", "eps", eps)
        self.margin = require_number("TripletMarginLoss", "margin", margin)

    def construct(self, x: Tensor, positive, negative, margin=1.0) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per triple."""
        # The margin of the loss overrides that of the call.
        margin = margin if self.margin == 1.0 else self.margin
        return ops.triplet_margin_loss(
            x, positive, negative, margin, self.p, self.eps, self.swap, self.reduction
        )


def _euclidean(x, y):
    if x.ndim == 0:
        raise ValueError("TripletMarginWithDistanceLoss: x has shape (); need at least 1 dimension")
    return ops.norm(x - y, dim=min(1, x.ndim - 1))


class TripletMarginWithDistanceLoss(LossBase):
    """As `TripletMarginLoss`, with a distance function of two tensors as an argument."""

    def __init__(
        self,
        distance_function: Callable | None = None,
        swap: bool = False,
        reduction="mean",
        margin: float = 1.0,
    ) -> None:
        super().__init__(reduction)
        if distance_function is not None and not callable(distance_function):
            raise TypeError(
                "TripletMarginWithDistanceLoss: distance_function is of type "
                f"{type(distance_function).__name__}; need a function of two tensors or None"
            )
        self.distance_function = _euclidean if distance_function is None else distance_function
        self.swap = require_bool("TripletMarginWithDistanceLoss", "swap", swap)
        self.margin = require_number("TripletMarginWithDistanceLoss", "margin", margin)

    def construct(self, x: Tensor, positive, negative) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per triple."""
        for name, value in (("x", x), ("positive", positive), ("negative", negative)):
            require_tensor("TripletMarginWithDistanceLoss", name, value)
        away = self.distance_function(x, negative)
        if self.swap:
            away = ops.minimum(away, self.distance_function(positive, negative))
        return self.get_loss(ops.relu(self.distance_function(x, positive) - away + self.margin))
