"""A rate of the confusion matrix of each class."""

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_choice
from dyad._src.base.missing import suggested
from dyad.train.metrics.confusion_rates import RATE_OF, RATES, Counts
from dyad.train.metrics.metric import Metric, is_binary, rearrange_inputs

__all__ = ["ConfusionMatrixMetric"]


def _mean(table, known, axis):
    return table.sum(axis) / numpy.maximum(known.sum(axis), 1), known.sum(axis)


def _mean_of_means(table, known):
    """The mean over samples of the means over classes; samples without one are left out."""
    by_sample, known_of_sample = _mean(table, known, 1)
    return _mean(by_sample, (known_of_sample > 0).astype(float), 0)


# From a rate for each sample and class, 0 where it is not known, to what is kept of them and how many are known.
_DECREASES = {
    "none": lambda table, known: (table, known),
    "mean": _mean_of_means,
    "sum": lambda table, known: (table.sum(), known.sum()),
    "mean_batch": lambda table, known: _mean(table, known, 0),
    "sum_batch": lambda table, known: (table.sum(0), known.sum(0)),
    "mean_channel": lambda table, known: _mean(table, known, 1),
    "sum_channel": lambda table, known: (table.sum(1), known.sum(1)),
}
_BY_SAMPLE = ("none", "mean_channel", "sum_channel")


class ConfusionMatrixMetric(Metric):
    """A rate of the numbers of true and false positives and negatives, for example 'sensitivity' or 'f1_score'.

    Predictions and labels have shape (N, C, ...) and a 1 for each class that applies. By default the four numbers of
    all positions, classes and samples are added before the rate is computed. With `calculation_method` the rate is
    computed for each class of each sample, and `decrease` names the ones that are averaged or added: all of them,
    those of a class ('..._batch') or those of a sample ('..._channel'); rates per sample of several batches are
    concatenated. Without `skip_channel` class 0 is left out if there are others.
    """

    def __init__(
        self,
        skip_channel: bool = True,
        metric_name="sensitivity",
        calculation_method: bool = False,
        decrease: str = "mean",
    ) -> None:
        super().__init__()
        owner = "ConfusionMatrixMetric"
        self.skip_channel = require_bool(owner, "skip_channel", skip_channel)
        self.calculation_method = require_bool(owner, "calculation_method", calculation_method)
        self.decrease = require_choice(owner, "decrease", decrease, tuple(_DECREASES))
        self.metric_name = metric_name
        self._rate = RATES[_rate_name(metric_name)]
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._totals = numpy.zeros(4)
        self._sum, self._known = None, None

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the classes of a prediction and a label of the same shape."""
        prediction, label = self._prediction_and_label(inputs)
        four = self._four_numbers(prediction, label)
        if self._takes_rates_first(prediction.shape):
            rates = self._rate(Counts(*four))
            self._add(
                *_DECREASES[self.decrease](numpy.nan_to_num(rates), (~numpy.isnan(rates)).astype(float))
            )
        else:
            self._totals += [number.sum() for number in four]

    def _takes_rates_first(self, shape):
        """Returns whether rates come before sums; a single position per sample and class has no rate of its own."""
        return self.calculation_method and not (len(shape) == 2 or (len(shape) == 3 and shape[-1] == 1))

    def _four_numbers(self, prediction, label):
        """True and false positives, true and false negatives, for each sample and class."""
        if prediction.ndim < 2 or prediction.shape != label.shape or not is_binary(label):
            raise ValueError(
                f"ConfusionMatrixMetric.update: the prediction has shape {prediction.shape}, the label {label.shape}; "
                "need (N, C, ...) for both, and labels of 0 and 1"
            )
        first = 1 if not self.skip_channel and prediction.shape[1] > 1 else 0
        told, there = (
            values[:, first:].reshape(len(values), values.shape[1] - first, -1).astype(float)
            for values in (prediction, label)
        )
        tp = (told + there == 2).sum(axis=2)
        tn = (told + there == 0).sum(axis=2)
        p = there.sum(axis=2)
        return tp, there.shape[2] - p - tn, tn, p - tp

    def _add(self, values, known):
        weighted = values * known
        if self._sum is None:
            self._sum, self._known = weighted, known
        elif self.decrease in _BY_SAMPLE:
            self._sum = numpy.concatenate([self._sum, weighted])
            self._known = numpy.concatenate([self._known, known])
        else:
            self._sum, self._known = self._sum + weighted, self._known + known

    def eval(self):
        """The rate; NaN for a class without samples. RuntimeError where nothing is known of any."""
        if self._sum is not None:
            self._require_seen(numpy.any(self._known))
            with numpy.errstate(invalid="ignore"):
                return self._sum / self._known
        self._require_seen(self._totals.any())
        return self._rate(Counts(*self._totals.reshape(4, 1)))


def _rate_name(given):
    if not isinstance(given, str):
        raise TypeError(
            f"ConfusionMatrixMetric: metric_name is {given!r} of type {type(given).__name__}; need a str"
        )
    name = given.replace(" ", "_").lower()
    if name not in RATE_OF:
        raise NotImplementedError(
            f"ConfusionMatrixMetric: there is no rate {given!r}{suggested('rate', name, RATE_OF)}"
        )
    return RATE_OF[name]
