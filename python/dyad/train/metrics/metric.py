"""`Metric`, the base class of metrics: cleared, updated with the outputs of each batch, evaluated at the end."""

import functools
from abc import ABC, abstractmethod
from typing import Self

from dyad._core import Tensor
from dyad._src.base import lazy_numpy as numpy

__all__ = ["EvaluationBase", "Metric", "rearrange_inputs"]

EVAL_TYPES = ("classification", "multilabel")


def rearrange_inputs(func):
    """Returns a method `update` only the inputs that `indexes` of its object names, in that order."""

    @functools.wraps(func)
    def arranged(self, *inputs):
        chosen = self.indexes
        return func(self, *([inputs[index] for index in chosen] if chosen else inputs))

    return arranged


class Metric(ABC):
    """Base of all metrics. A subclass has `clear`, `update` and `eval`; a call of a metric does all three."""

    def __init__(self):
        self._indexes = None

    def __call__(self, *inputs):
        self.clear()
        self.update(*inputs)
        return self.eval()

    @property
    def indexes(self):
        """Indexes of the inputs that `update` reads, set by `set_indexes`; None for all of them."""
        return getattr(self, "_indexes", None)

    def set_indexes(self, indexes) -> Self:
        """Sets the indexes of the inputs that `update` reads; returns the metric."""
        if not isinstance(indexes, list) or not all(isinstance(index, int) for index in indexes):
            raise ValueError(f"set_indexes: indexes is {indexes!r}; need a list of ints")
        self._indexes = indexes
        return self

    @abstractmethod
    def clear(self):
        """Forgets what was seen."""

    @abstractmethod
    def update(self, *inputs):
        """Adds the outputs of one batch."""

    @abstractmethod
    def eval(self):
        """The measure over all that was seen."""

    def _convert_data(self, data):
        """The values of a Tensor, a list or an array, as an array."""
        if isinstance(data, Tensor):
            return data.asnumpy()
        if isinstance(data, (list, numpy.ndarray)):
            return numpy.asarray(data)
        raise TypeError(
            f"{type(self).__name__}: an input is of type {type(data).__name__}; need a Tensor, a list or an array"
        )

    def _require_inputs(self, inputs, meaning):
        """Refuses another number of inputs than `meaning` lists."""
        if len(inputs) != len(meaning):
            raise ValueError(
                f"{type(self).__name__}.update: {len(inputs)} inputs were given; "
                f"need {len(meaning)}: {', '.join(meaning)}"
            )

    def _prediction_and_label(self, inputs):
        self._require_inputs(inputs, ("prediction", "label"))
        return self._convert_data(inputs[0]), self._convert_data(inputs[1])

    def _require_seen(self, seen):
        """Refuses to evaluate what nothing was seen of."""
        if not seen:
            raise RuntimeError(f"{type(self).__name__}: no sample was seen yet; call update before eval")


class EvaluationBase(Metric):
    """Base of metrics of classes: of one class per sample, or with 'multilabel' of any number of them.

    A prediction has one score per class along axis 1, a label the number of the class; with 'multilabel' both have 0 or
    1 for each class.
    """

    def __init__(self, eval_type):
        super().__init__()
        if eval_type not in EVAL_TYPES:
            raise TypeError(
                f"{type(self).__name__}: eval_type is {eval_type!r}; need one of {', '.join(EVAL_TYPES)}"
            )
        self._type = eval_type

    def _check_shape(self, y_pred, y):
        """Refuses labels whose shape does not fit that of the predictions."""
        fitting = y_pred.shape
        if self._type == "classification":
            fitting = y_pred.shape[:1] + y_pred.shape[2:]
        if y.shape != fitting or y_pred.ndim < 2:
            raise ValueError(
                f"{type(self).__name__}.update: the prediction has shape {y_pred.shape}, the label {y.shape}; need "
                f"{needed_shapes(self._type)}"
            )

    def _check_value(self, y_pred, y):
        """Rejects values other than 0 and 1 where they denote classes."""
        if self._type == "multilabel" and not (is_binary(y_pred) and is_binary(y)):
            raise ValueError(
                f"{type(self).__name__}.update: the prediction or the label has other values than 0 and 1; "
                "need 0 or 1 for each class, or eval_type 'classification'"
            )

    def _prediction_and_label(self, inputs):
        prediction, label = super()._prediction_and_label(inputs)
        if self._type == "classification":
            label = class_numbers(prediction, label)
        self._check_shape(prediction, label)
        self._check_value(prediction, label)
        return prediction, label


def needed_shapes(eval_type):
    """Shapes that `EvaluationBase` accepts, for messages."""
    if eval_type == "multilabel":
        return "(N, C, ...) for both"
    return "(N, C, ...) for the prediction and (N, ...) for the label, or (N, C, ...) with a 1 at its class"


def is_binary(values) -> bool:
    return bool(((values == 0) | (values == 1)).all())


def class_numbers(prediction, label):
    """The label as numbers of classes, also where it has a 1 at its class and 0 elsewhere."""
    if prediction.ndim == label.ndim > 1 and is_binary(label) and (label.sum(axis=1) == 1).all():
        return label.argmax(axis=1)
    return label
