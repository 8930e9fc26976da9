"""Losses of binary classification."""

from dyad import ops
from dyad._core import Tensor
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = ["BCELoss", "BCEWithLogitsLoss", "MultiLabelSoftMarginLoss", "SoftMarginLoss"]


class BCELoss(LossBase):
    """Binary cross entropy of probabilities with labels in 0 to 1; logarithms are clamped at -100."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = require_tensor("BCELoss", "weight", weight, optional=True)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.binary_cross_entropy(logits, labels, self.weight, self.reduction)


class BCEWithLogitsLoss(LossBase):
    """Binary cross entropy of sigmoid(input) with targets in 0 to 1.

    `weight` multiplies the loss per element, `pos_weight` the part of positive targets.
    """

    def __init__(self, reduction="mean", weight=None, pos_weight=None):
        super().__init__(reduction)
        self.weight = require_tensor("BCEWithLogitsLoss", "weight", weight, optional=True)
        self.pos_weight = require_tensor("BCEWithLogitsLoss", "pos_weight", pos_weight, optional=True)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.binary_cross_entropy_with_logits(
            input, target, self.weight, self.pos_weight, self.reduction
        )


class SoftMarginLoss(LossBase):
    """Soft margin loss, log(1 + exp(-labels · logits)) for labels of 1 and -1."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.soft_margin_loss(logits, labels, self.reduction)


class MultiLabelSoftMarginLoss(LossBase):
    """Multi-label soft margin loss: mean over the classes of the binary cross entropy with logits."""

    def __init__(self, weight=None, reduction="mean"):
        super().__init__(reduction)
        self.weight = require_tensor("MultiLabelSoftMarginLoss", "weight", weight, optional=True)

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sample."""
        return ops.multilabel_soft_margin_loss(x, target, self.weight, self.reduction)
