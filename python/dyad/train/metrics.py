"""Measures of how well a network does: cleared, updated with the outputs of each batch, evaluated at the end."""

from dyad._core import Tensor
from dyad._src import lazy_numpy as numpy
from dyad._src.missing import suggested

__all__ = ["MAE", "MSE", "Accuracy", "Loss", "Metric", "get_metric_fn", "names"]


def _array(value):
    return value.asnumpy() if isinstance(value, Tensor) else numpy.asarray(value)


class Metric:
    """Base of all metrics. A subclass has `clear`, `update` and `eval`."""

    def __init__(self):
        self._indexes = None

    @property
    def indexes(self):
        """Which of the outputs `update` is given; None for prediction and label."""
        return self._indexes

    def set_indexes(self, indexes):
        """Chooses the outputs that `update` is given, by their positions; returns the metric."""
        if not isinstance(indexes, list) or not all(isinstance(index, int) for index in indexes):
            raise TypeError(f"{type(self).__name__}: indexes is {indexes!r}; need a list of ints")
        self._indexes = indexes
        return self

    def clear(self):
        """Forgets what was seen."""
        raise NotImplementedError(f"{type(self).__name__}: clear is not written")

    def update(self, *inputs):
        """Takes the outputs of one batch into account."""
        raise NotImplementedError(f"{type(self).__name__}: update is not written")

    def eval(self):
        """The measure over all that was seen."""
        raise NotImplementedError(f"{type(self).__name__}: eval is not written")


class _Mean(Metric):
    """A mean over what was seen: a sum of `_terms`, and their number."""

    def __init__(self):
        super().__init__()
        self.clear()

    def clear(self):
        self._sum, self._number = 0.0, 0

    def update(self, *inputs):
        if len(inputs) != 2:
            raise ValueError(
                f"{type(self).__name__}: {len(inputs)} outputs were given; need 2, prediction and label"
            )
        terms = self._terms(*map(_array, inputs))
        self._sum += float(terms.sum())
        self._number += self._weight(terms)

    def _weight(self, terms):
        return terms.shape[0]

    def eval(self):
        if not self._number:
            raise RuntimeError(f"{type(self).__name__}: nothing was seen yet; call update before eval")
        return self._sum / self._number


class MAE(_Mean):
    """The mean over samples of the absolute errors of a sample, added."""

    def _terms(self, prediction, label):
        return numpy.abs(label.reshape(prediction.shape) - prediction)


class MSE(_Mean):
    """The mean over samples of the squared errors of a sample, added."""

    def _terms(self, prediction, label):
        return (label.reshape(prediction.shape) - prediction) ** 2


class Loss(_Mean):
    """The mean over batches of the loss."""

    def update(self, *inputs):
        if len(inputs) != 1:
            raise ValueError(f"Loss: {len(inputs)} outputs were given; need 1, the loss")
        self._sum += float(_array(inputs[0]).mean())
        self._number += 1


class Accuracy(_Mean):
    """The share of samples whose class is the most likely one, or with 'multilabel' whose labels are all right.

    A label is the number of a class, or has one number per class.
    """

    def __init__(self, eval_type="classification"):
        if eval_type not in ("classification", "multilabel"):
            raise ValueError(f"Accuracy: eval_type is {eval_type!r}; need 'classification' or 'multilabel'")
        self._eval_type = eval_type
        super().__init__()

    def _terms(self, prediction, label):
        if self._eval_type == "multilabel":
            if prediction.shape != label.shape:
                raise ValueError(
                    f"Accuracy: the shapes are {prediction.shape} and {label.shape}; need the same"
                )
            return (prediction == label).all(axis=1).reshape(-1)
        if prediction.ndim == label.ndim:
            label = label.argmax(axis=1)
        if prediction.ndim != label.ndim + 1:
            raise ValueError(
                f"Accuracy: the shapes are {prediction.shape} and {label.shape}; "
                "need one number per class, and a class or one number per class"
            )
        return (prediction.argmax(axis=1) == label).reshape(-1)


_BY_NAME = {
    "acc": Accuracy,
    "accuracy": Accuracy,
    "loss": Loss,
    "mae": MAE,
    "mse": MSE,
}


def names():
    """The names that `get_metric_fn` and `Model` know."""
    return sorted(_BY_NAME)


def get_metric_fn(name, *args, **kwargs):
    """A new metric by its name, made with the arguments."""
    if name not in _BY_NAME:
        raise KeyError(f"get_metric_fn: there is no metric {name!r}{suggested('metric', name, _BY_NAME)}")
    return _BY_NAME[name](*args, **kwargs)
