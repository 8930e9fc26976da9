"""Confusion matrix: counts of pairs of true and predicted class."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_choice, require_float, require_int
from dyad.train.metrics.confusion_matrix_metric import ConfusionMatrixMetric
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["ConfusionMatrix", "ConfusionMatrixMetric"]

# The divisor of the matrix.
_TOTALS = {
    "no_norm": lambda matrix: 1.0,
    "target": lambda matrix: matrix.sum(axis=1, keepdims=True),
    "prediction": lambda matrix: matrix.sum(axis=0, keepdims=True),
    "all": lambda matrix: matrix.sum(),
}


class ConfusionMatrix(Metric):
    """Confusion matrix: the number of samples of the class of the row that were predicted as the class of the column.

    `normalize` divides by the samples of the true class, 'target', of the predicted class, 'prediction', or by all of
    them, 'all'. Scores of the shape of the labels are class 1 from `threshold` on and class 0 below.
    """

    def __init__(self, num_classes: int, normalize: str = "no_norm", threshold: float = 0.5) -> None:
        super().__init__()
        self.num_classes = require_int("ConfusionMatrix", "num_classes", num_classes, low=1)
        self.normalize = require_choice("ConfusionMatrix", "normalize", normalize, tuple(_TOTALS))
        self.threshold = require_float("ConfusionMatrix", "threshold", threshold)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self.confusion_matrix = numpy.zeros((self.num_classes, self.num_classes))
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the samples of a prediction, as classes or as scores, and a label."""
        prediction, label = self._prediction_and_label(inputs)
        told = self._classes("prediction", self._told(prediction, label))
        there = self._classes("label", label)
        cells = numpy.bincount(there * self.num_classes + told, minlength=self.num_classes**2)
        self.confusion_matrix += cells.reshape(self.num_classes, self.num_classes)
        self._is_update = True

    def _told(self, prediction, label):
        if prediction.ndim == label.ndim + 1 and prediction.ndim > 1:
            prediction = prediction.argmax(axis=1)
        elif prediction.dtype.kind == "f":
            prediction = prediction >= self.threshold
        if prediction.shape != label.shape:
            raise ValueError(
                f"ConfusionMatrix.update: there are predictions of shape {prediction.shape} for labels of shape "
                f"{label.shape}; need the same, or one axis more, of scores, at place 1"
            )
        return prediction

    def _classes(self, name, values):
        values = values.reshape(-1).astype(numpy.int64)
        if values.size and not 0 <= values.min() <= values.max() < self.num_classes:
            raise ValueError(
                f"ConfusionMatrix.update: the {name} has classes from {values.min()} to {values.max()}; "
                f"need 0 to {self.num_classes - 1}, or another num_classes"
            )
        return values

    def eval(self):
        """The matrix, a class without samples as zeros; RuntimeError before any were seen."""
        self._require_seen(self._is_update)
        total = _TOTALS[self.normalize](self.confusion_matrix)
        return self.confusion_matrix / numpy.where(total == 0, 1.0, total)
