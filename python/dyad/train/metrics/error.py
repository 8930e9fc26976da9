"""Mean errors of numbers."""

from abc import abstractmethod

from dyad._src.base import lazy_numpy as numpy
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["MAE", "MSE"]


class _MeanError(Metric):
    """The errors of all numbers of a sample, added; their mean over samples."""

    def __init__(self):
        super().__init__()
        self.clear()

    @staticmethod
    @abstractmethod
    def _size(error):
        """The contribution of an error."""

    def clear(self) -> None:
        """Forgets what was seen."""
        self._error_sum = 0.0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Adds the errors of a prediction; the label has as many numbers."""
        prediction, label = self._prediction_and_label(inputs)
        if label.size != prediction.size or label.ndim == 0:
            raise ValueError(
                f"{type(self).__name__}.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need one number of the label for each of the prediction, samples first"
            )
        # Computed in float64: half precision overflows at 65504, and a sum over many batches in float32 stops
        # growing.
        error = label.reshape(prediction.shape).astype(float) - prediction
        self._error_sum += float(self._size(error).sum())
        self._samples_num += label.shape[0]

    def eval(self) -> float:
        """The mean; RuntimeError before any samples were seen."""
        self._require_seen(self._samples_num)
        return self._error_sum / self._samples_num


class MAE(_MeanError):
    """The mean over samples of the absolute errors of a sample, added."""

    @staticmethod
    def _size(error):
        return numpy.abs(error)


class MSE(_MeanError):
    """The mean over samples of the squared errors of a sample, added."""

    @staticmethod
    def _size(error):
        return error**2
