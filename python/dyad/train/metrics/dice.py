"""Dice coefficient: overlap of two masks."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_positive
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Dice"]


class Dice(Metric):
    """Twice the product of prediction and label, divided by the sum of their squares and `smooth`.

    The coefficients of all batches are added and divided by the number of samples.
    """

    def __init__(self, smooth: float = 1e-5) -> None:
        super().__init__()
        self.smooth = require_positive("Dice", "smooth", smooth)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._dice_coeff_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Adds the coefficient of a prediction and a label of the same shape."""
        prediction, label = self._prediction_and_label(inputs)
        if prediction.shape != label.shape or label.ndim == 0:
            raise ValueError(
                f"Dice.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need the same, samples first"
            )
        told, there = prediction.reshape(-1).astype(float), label.reshape(-1).astype(float)
        squares = numpy.dot(told, told) + numpy.dot(there, there)
        self._dice_coeff_sum += float(2 * numpy.dot(told, there) / (squares + self.smooth))
        self._samples_num += label.shape[0]

    def eval(self) -> float:
        """The sum divided by the samples; RuntimeError before any were seen."""
        self._require_seen(self._samples_num)
        return self._dice_coeff_sum / self._samples_num
