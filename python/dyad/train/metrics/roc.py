"""True and false alarms for every threshold."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_int
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["ROC"]


class ROC(Metric):
    """Receiver operating characteristic: false positive rates, true positive rates, and their thresholds.

    A prediction as large as the label has the score of class `pos_label`, by default 1. One with `class_num` times as
    many scores, along axis 1, results in a curve for each class.
    """

    def __init__(self, class_num: int | None = None, pos_label: int | None = None) -> None:
        super().__init__()
        self.class_num = class_num if class_num is None else require_int("ROC", "class_num", class_num, low=1)
        self.pos_label = pos_label if pos_label is None else require_int("ROC", "pos_label", pos_label)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._scores: list = []
        self._labels: list = []

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Keeps the scores of a prediction and the label."""
        prediction, label = self._prediction_and_label(inputs)
        scores = self._scores_by_class(prediction, label)
        if self._scores and len(self._scores[0]) != len(scores):
            raise ValueError(
                f"ROC.update: the prediction has scores of {len(scores)} classes, earlier ones of "
                f"{len(self._scores[0])}; need as many"
            )
        self._scores.append(scores)
        self._labels.append(label.reshape(-1))

    def _scores_by_class(self, prediction, label):
        if prediction.shape == label.shape:
            if self.class_num not in (None, 1):
                raise ValueError(
                    f"ROC.update: class_num is {self.class_num}, the prediction has the shape of the label; need 1"
                )
            return prediction.reshape(1, -1)
        fitting = (
            prediction.ndim == label.ndim + 1 and label.shape == prediction.shape[:1] + prediction.shape[2:]
        )
        if not fitting:
            raise ValueError(
                f"ROC.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need the same, or (N, C, ...) and (N, ...)"
            )
        if self.pos_label is not None or self.class_num != prediction.shape[1]:
            raise ValueError(
                f"ROC.update: class_num is {self.class_num} and pos_label {self.pos_label}; for scores of several "
                f"classes need class_num {prediction.shape[1]} and no pos_label"
            )
        return prediction.swapaxes(0, 1).reshape(self.class_num, -1)

    def eval(self):
        """Rates of false positives, of true positives, and thresholds; with several classes lists of one per class.

        The first threshold is above every score. RuntimeError before any samples were seen.
        """
        self._require_seen(self._scores)
        scores, labels = numpy.concatenate(self._scores, axis=1), numpy.concatenate(self._labels)
        if len(scores) == 1:
            return curve(scores[0], labels == (1 if self.pos_label is None else self.pos_label))
        curves = [curve(row, labels == number) for number, row in enumerate(scores)]
        return tuple(list(parts) for parts in zip(*curves, strict=True))


def curve(scores, positive):
    """Rates and thresholds, one point for each distinct score, the highest first."""
    if positive.all() or not positive.any():
        raise ValueError(
            f"ROC.eval: of {positive.size} samples {int(positive.sum())} are positive; need some that are and some not"
        )
    order = numpy.argsort(-scores.astype(float), kind="stable")
    scores, positive = scores[order], positive[order]
    last_of_score = numpy.append(numpy.flatnonzero(numpy.diff(scores)), scores.size - 1)
    true = numpy.cumsum(positive)[last_of_score]
    false = 1 + last_of_score - true
    thresholds = numpy.concatenate([scores[:1] + 1, scores[last_of_score]])
    return with_origin(false), with_origin(true), thresholds


def with_origin(counts):
    return numpy.concatenate([[0.0], counts / counts[-1]])
