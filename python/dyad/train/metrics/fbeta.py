"""Precision and recall in one number."""

from dyad._src.base.argument_checks import require_above, require_bool
from dyad.train.metrics.class_counts import counted_by_class, same_class_number
from dyad.train.metrics.metric import Metric, class_numbers, rearrange_inputs
from dyad.train.metrics.shares import LEAST

__all__ = ["F1", "Fbeta"]


class Fbeta(Metric):
    """The weighted harmonic mean of precision and recall of each class; recall counts `beta` times as much."""

    def __init__(self, beta: float) -> None:
        super().__init__()
        self.eps = LEAST
        self.beta = require_above(type(self).__name__, "beta", beta, 0)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._true_positives = 0
        self._positives = 0
        self._actual_positives = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the classes of a prediction and a label."""
        prediction, label = self._prediction_and_label(inputs)
        number = same_class_number(self, self._class_num, prediction)
        right, told, there = counted_by_class(self, prediction, class_numbers(prediction, label))
        self._true_positives += right
        self._positives += told
        self._actual_positives += there
        self._class_num = number

    def eval(self, average: bool = False):
        """One score for each class, or their mean."""
        require_bool(f"{type(self).__name__}.eval", "average", average)
        self._require_seen(self._class_num)
        weight = self.beta**2
        both = weight * self._actual_positives + self._positives + self.eps
        found = (1 + weight) * self._true_positives / both
        return found.mean() if average else found


class F1(Fbeta):
    """The harmonic mean of precision and recall of each class."""

    def __init__(self):
        super().__init__(1.0)
