"""Sampled softmax for a very large number of classes."""

from dyad import ops
from dyad._core import Tensor, float32, int64
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.nn.loss.base import LossBase

__all__ = ["SampledSoftmaxLoss"]

_NEVER = -1e30  # a score whose probability is 0


class SampledSoftmaxLoss(LossBase):
    """Cross entropy over the true classes of each row and `num_sampled` others, in place of all `num_classes`.

    The others are drawn log-uniformly from `seed` and the global seed, or are `sampled_values`: a tuple of the
    classes, the expected counts of the true classes and those of the sampled ones. With `remove_accidental_hits` a
    sampled class that is a true class is ignored. Each row has `num_true` true classes, which share its target.
    """

    def __init__(
        self,
        num_sampled: int,
        num_classes: int,
        num_true: int = 1,
        sampled_values: tuple | list | None = None,
        remove_accidental_hits: bool = True,
        seed: int = 0,
        reduction="none",
    ) -> None:
        super().__init__(reduction)
        owner = "SampledSoftmaxLoss"
        self.num_classes = require_int(owner, "num_classes", num_classes, low=1)
        self.num_sampled = require_int(owner, "num_sampled", num_sampled, low=1)
        self.num_true = require_int(owner, "num_true", num_true, low=1)
        for name, count in (("num_sampled", num_sampled), ("num_true", num_true)):
            if count > num_classes:
                raise ValueError(f"{owner}: {name} is {count}; need at most num_classes, {num_classes}")
        self.seed = require_int(owner, "seed", seed, low=0)
        if sampled_values is not None and not isinstance(sampled_values, (tuple, list)):
            raise TypeError(
                f"{owner}: sampled_values is of type {type(sampled_values).__name__}; need a tuple of 3 Tensors"
            )
        if sampled_values is not None and len(sampled_values) != 3:
            raise ValueError(f"{owner}: sampled_values has {len(sampled_values)} entries; need 3")
        self.sampled_values = sampled_values
        self.remove_accidental_hits = require_bool(owner, "remove_accidental_hits", remove_accidental_hits)
        self.sampler = ops.LogUniformCandidateSampler(num_true, num_sampled, True, num_classes, seed)

    def construct(self, weights, biases, labels: Tensor, logits: Tensor) -> Tensor:
        """Accepts weights (C, D), biases (C,), labels (N, num_true) or (N,) and inputs (N, D); returns (N,) unless
        reduced.
        """
        labels = labels.reshape(-1, 1) if labels.ndim == 1 else labels
        if labels.ndim != 2 or labels.shape[1] != self.num_true:
            raise ValueError(
                f"SampledSoftmaxLoss: labels have shape {labels.shape}; need (N, {self.num_true}), num_true for each"
            )
        labels = labels.astype(int64)
        sampled, of_true, of_sampled = map(
            ops.stop_gradient, self.sampler(labels) if self.sampled_values is None else self.sampled_values
        )
        true_scores = (weights[labels] * logits.expand_dims(1)).sum(-1) + biases[labels] - ops.log(of_true)
        others = ops.matmul(logits, weights[sampled].T) + biases[sampled] - ops.log(of_sampled)
        if self.remove_accidental_hits:
            hits = (labels.expand_dims(2) == sampled.reshape(1, 1, -1)).any(1)
            others = ops.where(hits, Tensor(_NEVER, float32).astype(others.dtype), others)
        scores = ops.log_softmax(ops.cat((true_scores, others), 1), -1)
        return self.get_loss(-scores[:, : self.num_true].mean(1))
