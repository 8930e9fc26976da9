"""CTC, the loss of sequences without a known alignment."""

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.nn.loss.base import LossBase, require_tensor

__all__ = ["CTCLoss"]


class CTCLoss(LossBase):
    """Connectionist temporal classification (CTC): negative log-likelihood of label sequences over all alignments.

    `log_probs` are (time, batch, classes), or (time, classes) for one sequence; `targets` (batch, longest), or all
    labels in one dimension. `blank` is the class between labels. 'mean' divides each loss by its number of labels
    first. `zero_infinity` replaces the infinite losses of labels that are too long for their input by 0.
    """

    def __init__(self, blank: int = 0, reduction="mean", zero_infinity: bool = False) -> None:
        super().__init__(reduction)
        self.blank = require_int("CTCLoss", "blank", blank)
        self.zero_infinity = require_bool("CTCLoss", "zero_infinity", zero_infinity)

    def construct(self, log_probs: Tensor, targets: Tensor, input_lengths, target_lengths) -> Tensor:
        """Returns one number, or with the reduction 'none' one loss per sequence."""
        require_tensor("CTCLoss", "log_probs", log_probs)
        require_tensor("CTCLoss", "targets", targets)
        single = log_probs.ndim == 2
        if single:
            log_probs = log_probs.expand_dims(1)
            targets = targets.expand_dims(0) if targets.ndim == 1 else targets
        loss, _ = ops.ctc_loss(
            log_probs,
            targets,
            input_lengths,
            target_lengths,
            self.blank,
            self.reduction,
            self.zero_infinity,
        )
        return loss.reshape(()) if single and self.reduction == "none" else loss

    def extend_repr(self) -> str:
        """The settings, as `repr` shows them."""
        return f"blank={self.blank}, reduction={self.reduction!r}, zero_infinity={self.zero_infinity}"
