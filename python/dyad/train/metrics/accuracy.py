"""Accuracy: the share of correct predictions."""

from dyad.train.metrics.class_counts import same_class_number
from dyad.train.metrics.metric import EvaluationBase, rearrange_inputs

__all__ = ["Accuracy"]


class Accuracy(EvaluationBase):
    """The share of samples whose class has the highest score, or with 'multilabel' whose classes are all right."""

    def __init__(self, eval_type="classification"):
        super().__init__(eval_type)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._correct_num = 0
        self._total_num = 0
        self._class_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the samples of a prediction and a label, and the right ones among them."""
        prediction, label = self._prediction_and_label(inputs)
        self._class_num = same_class_number(self, self._class_num, prediction)
        if self._type == "classification":
            right = prediction.argmax(axis=1) == label
        else:
            right = (prediction == label).all(axis=1)
        self._correct_num += right.sum()
        self._total_num += right.size

    def eval(self) -> float:
        """The right ones divided by all; RuntimeError before any were seen."""
        self._require_seen(self._total_num)
        return self._correct_num / self._total_num
