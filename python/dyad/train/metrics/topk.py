"""Top-k accuracy: the share of labels among the k highest scores."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_int
from dyad.train.metrics.metric import Metric, class_numbers, rearrange_inputs

__all__ = ["Top1CategoricalAccuracy", "Top5CategoricalAccuracy", "TopKCategoricalAccuracy"]


class TopKCategoricalAccuracy(Metric):
    """The share of samples whose class has one of the `k` highest scores; of equal scores, the first comes first."""

    def __init__(self, k: int) -> None:
        super().__init__()
        self.k = require_int(type(self).__name__, "k", k, low=1)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._correct_num = 0
        self._samples_num = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the samples of a prediction of shape (N, C) and a label, and the right ones among them."""
        prediction, label = self._prediction_and_label(inputs)
        label = class_numbers(prediction, label).reshape(-1, 1)
        if prediction.ndim != 2 or prediction.shape[0] != label.shape[0] or prediction.shape[1] < self.k:
            raise ValueError(
                f"{type(self).__name__}.update: the prediction has shape {prediction.shape} for {label.shape[0]} "
                f"labels; need (N, C) for N labels and no fewer than {self.k} classes"
            )
        likeliest = numpy.argsort(-prediction.astype(float), axis=1, kind="stable")[:, : self.k]
        self._correct_num += (likeliest == label).sum()
        self._samples_num += label.shape[0]

    def eval(self) -> float:
        """The right ones divided by all; RuntimeError before any were seen."""
        self._require_seen(self._samples_num)
        return self._correct_num / self._samples_num


class Top1CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class has the highest score."""

    def __init__(self):
        super().__init__(1)


class Top5CategoricalAccuracy(TopKCategoricalAccuracy):
    """The share of samples whose class has one of the five highest scores."""

    def __init__(self):
        super().__init__(5)
