"""Losses of regression."""

import math

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_number
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = [
    "GaussianNLLLoss",
    "HuberLoss",
    "KLDivLoss",
    "L1Loss",
    "MAELoss",
    "MSELoss",
    "PoissonNLLLoss",
    "RMSELoss",
    "SmoothL1Loss",
]

HALF_LOG_TWO_PI = 0.5 * math.log(2 * math.pi)


class MSELoss(LossBase):
    """Squared error, (logits - labels)²."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.mse_loss(logits, labels, self.reduction)


class L1Loss(LossBase):
    """Absolute error, |logits - labels|."""

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.l1_loss(logits, labels, self.reduction)


class MAELoss(LossBase):
    """Absolute error: `L1Loss` under another name."""

    def construct(self, logits: Tensor, label: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.l1_loss(logits, label, self.reduction)


class RMSELoss(LossBase):
    """Root mean squared error."""

    def __init__(self):
        super().__init__()

    def construct(self, logits: Tensor, label: Tensor):
        """Returns a scalar."""
        difference = logits - label
        return ops.vector_norm(difference) / difference.size**0.5


class SmoothL1Loss(LossBase):
    """Smooth L1 loss: with d = |logits - labels|, d² / (2 beta) for d < beta, d - beta / 2 elsewhere."""

    def __init__(self, beta: float = 1.0, reduction="none") -> None:
        super().__init__(reduction)
        if require_number("SmoothL1Loss", "beta", beta) < 0:
            raise ValueError(f"SmoothL1Loss: beta is {beta}; need 0 or more")
        self.beta = float(beta)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.smooth_l1_loss(logits, labels, self.beta, self.reduction)


class HuberLoss(LossBase):
    """Huber loss: with d = |logits - labels|, d² / 2 for d < delta, delta · (d - delta / 2) elsewhere."""

    def __init__(self, reduction="mean", delta: float = 1.0) -> None:
        super().__init__(reduction)
        if not require_number("HuberLoss", "delta", delta) > 0:
            raise ValueError(f"HuberLoss: delta is {delta}; need more than 0")
        self.delta = float(delta)

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.huber_loss(logits, labels, self.reduction, self.delta)


class KLDivLoss(LossBase):
    """Kullback-Leibler divergence of the distribution `labels` from one given by its logarithms, `logits`.

    Additional reduction: 'batchmean', the sum divided by the number of rows.
    """

    def __init__(self, reduction="mean"):
        super().__init__("mean" if reduction == "batchmean" else reduction)
        self.reduction = reduction

    def construct(self, logits: Tensor, labels: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.kl_div(logits, labels, self.reduction)


class GaussianNLLLoss(LossBase):
    """Gaussian negative log-likelihood: negative logarithm of the normal density of mean `logits` and variance `var`.

    It is evaluated at `labels`. Variances below `eps` count as `eps`; `full` adds the constant half logarithm of 2
    pi.
    """

    def __init__(self, *, full: bool = False, eps: float = 1e-6, reduction="mean") -> None:
        super().__init__(reduction)
        self.full = require_bool("GaussianNLLLoss", "full", full)
        if not require_number("GaussianNLLLoss", "eps", eps) > 0:
            raise ValueError(f"GaussianNLLLoss: eps is {eps}; need more than 0")
        self.eps = float(eps)

    def construct(self, logits: Tensor, labels: Tensor, var) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        return ops.gaussian_nll_loss(logits, labels, var, self.full, self.eps, self.reduction)


class PoissonNLLLoss(LossBase):
    """Poisson negative log-likelihood: negative logarithm of the Poisson probability of counts `target`.

    The factorial is left out. `input` is the rate, or its logarithm if `log_input`; `eps` keeps the logarithm of a
    rate finite. `full` adds Stirling's approximation of the factorial for counts above 1.
    """

    def __init__(
        self, log_input: bool = True, full: bool = False, eps: float = 1e-08, reduction="mean"
    ) -> None:
        super().__init__(reduction)
        self.log_input = require_bool("PoissonNLLLoss", "log_input", log_input)
        self.full = require_bool("PoissonNLLLoss", "full", full)
        self.eps = require_number("PoissonNLLLoss", "eps", eps)

    def construct(self, input: Tensor, target: Tensor) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per element."""
        require_tensor("PoissonNLLLoss", "input", input)
        require_tensor("PoissonNLLLoss", "target", target)
        target = ops.cast(target, input.dtype)
        rate, log_rate = (ops.exp(input), input) if self.log_input else (input, ops.log(input + self.eps))
        loss = rate - target * log_rate
        if self.full:
            # Counts of at most 1 are replaced by 1, so that their logarithm and its gradient stay finite.
            count = ops.maximum(target, 1.0)
            stirling = (count + 0.5) * ops.log(count) - count + HALF_LOG_TWO_PI
            loss = loss + ops.where(target > 1, stirling, ops.zeros_like(stirling))
        return self.get_loss(loss)
