"""Base class of precision and recall: the share of correct samples."""

import sys
from abc import abstractmethod

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool
from dyad.train.metrics.class_counts import counted_by_class, counted_by_sample, same_class_number
from dyad.train.metrics.metric import EvaluationBase, rearrange_inputs

LEAST = sys.float_info.min  # keeps 0 of 0 at 0


class ShareOfRight(EvaluationBase):
    """The right ones of each class divided by `_of` it; with 'multilabel' those of each sample."""

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.eps = LEAST
        self.clear()

    @abstractmethod
    def _of(self, told, there):
        """The divisor of the correct samples."""

    def clear(self) -> None:
        """Forgets what was seen."""
        self._class_num = 0
        self._right = numpy.zeros(0)
        self._all = numpy.zeros(0)

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the classes of a prediction and a label."""
        prediction, label = self._prediction_and_label(inputs)
        number = same_class_number(self, self._class_num, prediction)
        if self._type == "classification":
            right, told, there = counted_by_class(self, prediction, label)
            first = self._class_num == 0
            self._right = right if first else self._right + right
            self._all = self._of(told, there) + (0 if first else self._all)
        else:
            right, told, there = counted_by_sample(prediction, label)
            self._right = numpy.concatenate([self._right, right])
            self._all = numpy.concatenate([self._all, self._of(told, there)])
        self._class_num = number

    def eval(self, average: bool = False):
        """One share for each class (with 'multilabel': for each sample), or their mean."""
        self._require_seen(self._class_num)
        require_bool(f"{type(self).__name__}.eval", "average", average)
        shares = self._right / (self._all + self.eps)
        return shares.mean() if average else shares
