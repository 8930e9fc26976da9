"""The loss itself, as a metric."""

from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Loss"]


class Loss(Metric):
    """The mean over batches of the loss."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._sum_loss = 0.0
        self._total_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Adds the loss of a batch, a number or one per sample."""
        self._require_inputs(inputs, ("loss",))
        loss = self._convert_data(inputs[0])
        if loss.ndim > 1:
            raise ValueError(f"Loss.update: the loss has shape {loss.shape}; need a number or one per sample")
        self._sum_loss += float(loss.mean(dtype=float))
        self._total_num += 1

    def eval(self) -> float:
        """The mean; RuntimeError before any loss was seen."""
        self._require_seen(self._total_num)
        return self._sum_loss / self._total_num
