"""Rates of a binary classification: functions of true and false positives, true and false negatives."""

from dyad._src.base import lazy_numpy as numpy


class Counts:
    """The four numbers, arrays of one shape, and basic rates; one without samples is NaN."""

    def __init__(self, tp, fp, tn, fn):
        self.tp, self.fp, self.tn, self.fn = tp, fp, tn, fn
        self.p, self.n = tp + fn, fp + tn

    @property
    def tpr(self):
        return ratio(self.tp, self.p)

    @property
    def tnr(self):
        return ratio(self.tn, self.n)

    @property
    def ppv(self):
        return ratio(self.tp, self.tp + self.fp)

    @property
    def npv(self):
        return ratio(self.tn, self.tn + self.fn)


def ratio(part, whole):
    """part / whole, and NaN where `whole` is 0."""
    whole = numpy.asarray(whole, dtype=float)
    with numpy.errstate(invalid="ignore", divide="ignore"):
        return numpy.where(whole != 0, part / whole, numpy.nan)


def prevalence_threshold(c):
    return ratio(numpy.sqrt(c.tpr * (1 - c.tnr)) + c.tnr - 1, c.tpr + c.tnr - 1)


def matthews(c):
    spread = (c.tp + c.fp) * (c.tp + c.fn) * (c.tn + c.fp) * (c.tn + c.fn)
    return ratio(c.tp * c.tn - c.fp * c.fn, numpy.sqrt(spread))


RATES = {
    "tpr": lambda c: c.tpr,
    "tnr": lambda c: c.tnr,
    "ppv": lambda c: c.ppv,
    "npv": lambda c: c.npv,
    "fnr": lambda c: ratio(c.fn, c.p),
    "fpr": lambda c: ratio(c.fp, c.n),
    "fdr": lambda c: ratio(c.fp, c.tp + c.fp),
    "for": lambda c: ratio(c.fn, c.tn + c.fn),
    "pt": prevalence_threshold,
    "ts": lambda c: ratio(c.tp, c.tp + c.fn + c.fp),
    "acc": lambda c: ratio(c.tp + c.tn, c.p + c.n),
    "ba": lambda c: (c.tpr + c.tnr) / 2,
    "f1": lambda c: ratio(2 * c.tp, 2 * c.tp + c.fn + c.fp),
    "mcc": matthews,
    "fm": lambda c: numpy.sqrt(c.ppv * c.tpr),
    "bm": lambda c: c.tpr + c.tnr - 1,
    "mk": lambda c: c.ppv + c.npv - 1,
}

# Other names of a rate.
_ALSO = {
    "tpr": ("sensitivity", "recall", "hit_rate", "true_positive_rate"),
    "tnr": ("specificity", "selectivity", "true_negative_rate"),
    "ppv": ("precision", "positive_predictive_value"),
    "npv": ("negative_predictive_value",),
    "fnr": ("miss_rate", "false_negative_rate"),
    "fpr": ("fall_out", "false_positive_rate"),
    "fdr": ("false_discovery_rate",),
    "for": ("false_omission_rate",),
    "pt": ("prevalence_threshold",),
    "ts": ("threat_score", "critical_success_index", "csi"),
    "acc": ("accuracy",),
    "ba": ("balanced_accuracy",),
    "f1": ("f1_score",),
    "mcc": ("matthews_correlation_coefficient",),
    "fm": ("fowlkes_mallows_index",),
    "bm": ("informedness", "bookmaker_informedness"),
    "mk": ("markedness", "deltap"),
}
RATE_OF = {name: rate for rate, names in _ALSO.items() for name in (rate, *names)}
