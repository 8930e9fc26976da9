"""Losses of classification."""

from dyad import _core, ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_fraction, require_int, require_number
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = [
    "CrossEntropyLoss",
    "FocalLoss",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "NLLLoss",
    "SoftmaxCrossEntropyWithLogits",
]


class CrossEntropyLoss(LossBase):
    """Cross entropy of scores (classes in dimension 1) with class indices or with distributions over the classes.

    `weight` is one number per class; 'mean' divides by the weight of the samples that count, and samples labeled
    `ignore_index` do not. `label_smoothing` moves that part of the target to all classes equally.
    """

    def __init__(
        self, weight=None, ignore_index: int = -100, reduction="mean", label_smoothing: float = 0.0
    ) -> None:
        super().__init__(reduction)
        self.weight = require_tensor("CrossEntropyLoss", "weight", weight, optional=True)
        self.ignore_index = require_int("CrossEntropyLoss", "ignore_index", ignore_index)
        self.label_smoothing = require_fraction("CrossEntropyLoss", "label_smoothing", label_smoothing)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sample."""
        return ops.cross_entropy(
            logits, labels, self.weight, self.ignore_index, self.reduction, self.label_smoothing
        )


class NLLLoss(LossBase):
    """Negative log-likelihood of class indices from logarithms of probabilities (classes in dimension 1)."""

    def __init__(self, weight=None, ignore_index: int = -100, reduction="mean") -> None:
        super().__init__(reduction)
        self.weight = require_tensor("NLLLoss", "weight", weight, optional=True)
        self.ignore_index = require_int("NLLLoss", "ignore_index", ignore_index)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sample."""
        return ops.nll_loss(logits, labels, self.weight, self.ignore_index, self.reduction)


class SoftmaxCrossEntropyWithLogits(LossBase):
    """Cross entropy of rows of scores with rows of probabilities, or with class indices if `sparse`.

    Returns one loss per row unless a reduction is set.
    """

    def __init__(self, sparse: bool = False, reduction="none") -> None:
        super().__init__(reduction)
        self.sparse = require_bool("SoftmaxCrossEntropyWithLogits", "sparse", sparse)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Accepts rows, (N, C); returns (N,), or a scalar if the losses are reduced."""
        require_tensor("SoftmaxCrossEntropyWithLogits", "logits", logits)
        require_tensor("SoftmaxCrossEntropyWithLogits", "labels", labels)
        if logits.ndim != 2:
            raise ValueError(
                f"SoftmaxCrossEntropyWithLogits: logits have shape {logits.shape}; need 2 dimensions"
            )
        if self.sparse and labels.is_floating_point():
            raise TypeError(
                f"SoftmaxCrossEntropyWithLogits: with sparse, labels have dtype {labels.dtype}; need class indices"
            )
        if not self.sparse and labels.dtype != logits.dtype:
            labels = ops.cast(labels, logits.dtype)
        return ops.cross_entropy(logits, labels, reduction=self.reduction)


class MultiMarginLoss(LossBase):
    """Multi-class margin loss: mean over the other classes of max(0, margin - score of the target class + score)^p."""

    def __init__(self, p: int = 1, margin: float = 1.0, reduction="mean", weight=None) -> None:
        super().__init__(reduction)
        self.p = require_int("MultiMarginLoss", "p", p)
        if self.p not in (1, 2):
            raise ValueError(f"MultiMarginLoss: p is {p}; need 1 or 2")
        self.margin = require_number("MultiMarginLoss", "margin", margin)
        self.weight = require_tensor("MultiMarginLoss", "weight", weight, optional=True)

    def construct(self, x: Tensor, target: Tensor, weight=None) -> Tensor:
        """Returns a scalar, or one loss per sample with the reduction 'none'. `weight` overrides that of the layer."""
        weight = self.weight if weight is None else weight
        return ops.multi_margin_loss(x, target, self.p, self.margin, weight, self.reduction)


class MultilabelMarginLoss(LossBase):
    """Multi-label margin loss: hinge of every label against every other class; labels of a sample end at the first
    -1.
    """

    def construct(self, x: Tensor, target: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sample."""
        return ops.multilabel_margin_loss(x, target, self.reduction)


class FocalLoss(LossBase):
    """Focal loss: cross entropy in which a sample of probability p has the weight (1 - p)^gamma.

    `labels` are class indices in a single channel (N, 1, ...) or one channel per class, as the scores have.
    """

    def __init__(self, weight=None, gamma: float = 2.0, reduction="mean") -> None:
        super().__init__(reduction)
        self.gamma = require_number("FocalLoss", "gamma", gamma)
        self.weight = require_tensor("FocalLoss", "weight", weight, optional=True)
        if weight is not None and weight.ndim != 1:
            raise ValueError(f"FocalLoss: weight has shape {weight.shape}; need one number per class")

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sample."""
        self._require_fit(logits, labels)
        scores = logits.reshape(*logits.shape[:2], -1)
        wanted = labels.reshape(*labels.shape[:2], -1)
        log_share = ops.log_softmax(scores, 1)
        hard = (1 - ops.exp(log_share)) ** self.gamma
        loss = -hard * log_share
        if self.weight is not None:
            loss = loss * self.weight.reshape(1, -1, 1)
        if labels.shape[1] == 1:
            loss = ops.gather_elements(loss, 1, ops.cast(wanted, _core.int64)).reshape(logits.shape[0], -1)
        else:
            loss = loss * wanted
        return self.get_loss(loss.mean(-1))

    def _require_fit(self, logits, labels):
        require_tensor("FocalLoss", "logits", logits)
        require_tensor("FocalLoss", "labels", labels)
        shapes = f"FocalLoss: logits have shape {logits.shape} and labels {labels.shape}"
        if logits.ndim != labels.ndim or logits.ndim not in (2, 3, 4):
            raise ValueError(f"{shapes}; need 2, 3 or 4 dimensions, as many in both")
        if labels.shape[1] not in (1, logits.shape[1]):
            raise ValueError(f"{shapes}; need 1 or {logits.shape[1]} channels of labels")
        if (labels.shape[0], *labels.shape[2:]) != (logits.shape[0], *logits.shape[2:]):
            raise ValueError(f"{shapes}; need equal sizes but for the channels")
