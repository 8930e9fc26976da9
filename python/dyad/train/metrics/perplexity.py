"""Perplexity of a language model."""

import math

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_int
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["Perplexity"]

LEAST = 1e-10  # what a probability counts at least


class Perplexity(Metric):
    """exp of the mean of -log of the predicted probabilities of the labels; positions labeled `ignore_label` are
    skipped.
    """

    def __init__(self, ignore_label: int | None = None) -> None:
        super().__init__()
        self.ignore_label = ignore_label
        if ignore_label is not None:
            require_int("Perplexity", "ignore_label", ignore_label)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._sum_metric = 0.0
        self._num_inst = 0

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Adds the positions of a prediction, which has one probability per class along its last axis, and a label."""
        prediction, label = self._prediction_and_label(inputs)
        if prediction.ndim == 0 or label.size * prediction.shape[-1] != prediction.size:
            raise RuntimeError(
                f"Perplexity.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need one label for each row of probabilities"
            )
        rows, label = prediction.reshape(label.size, -1), label.reshape(-1).astype(numpy.int64)
        if self.ignore_label is not None:
            counted = label != self.ignore_label
            rows, label = rows[counted], label[counted]
        if label.size and not 0 <= label.min() <= label.max() < rows.shape[1]:
            raise ValueError(
                f"Perplexity.update: the label has values from {label.min()} to {label.max()}, "
                f"the prediction {rows.shape[1]} classes; need values from 0 to {rows.shape[1] - 1}"
            )
        given = rows[numpy.arange(label.size), label]
        self._sum_metric -= float(numpy.log(numpy.maximum(given.astype(float), LEAST)).sum())
        self._num_inst += label.size

    def eval(self) -> float:
        """The perplexity; RuntimeError before the first position."""
        self._require_seen(self._num_inst)
        return math.exp(self._sum_metric / self._num_inst)
