"""Adaptive softmax for a very large number of classes, most of which are rare."""

from typing import Any, NamedTuple

from dyad import ops
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int, require_positive
from dyad.nn.cell import Cell
from dyad.nn.containers import CellList, SequentialCell
from dyad.nn.dense import Dense

__all__ = ["AdaptiveLogSoftmaxWithLoss"]


class _Likelihood(NamedTuple):
    """The logarithm of the probability of each target, and the mean of their negatives."""

    output: Any
    loss: Any


class AdaptiveLogSoftmaxWithLoss(Cell):
    """Adaptive softmax: log-likelihoods of classes sorted by falling frequency and split into clusters at `cutoffs`.

    The head scores the classes before the first cutoff and one entry per further cluster. The scores within a cluster
    come from a projection that is `div_value` times narrower than that of the previous cluster. `head_bias` adds a
    bias to the head. The log-likelihood of a class that does not exist is NaN.
    """

    def __init__(
        self, in_features: int, n_classes: int, cutoffs, div_value=4.0, head_bias: bool = False
    ) -> None:
        super().__init__()
        owner = "AdaptiveLogSoftmaxWithLoss"
        self.in_features = require_int(owner, "in_features", in_features, low=1)
        self.n_classes = require_int(owner, "n_classes", n_classes, low=2)
        self.cutoffs = _require_cutoffs(owner, cutoffs, self.n_classes)
        self.div_value = require_positive(owner, "div_value", float(div_value))
        self.shortlist_size, self.n_clusters = self.cutoffs[0], len(self.cutoffs) - 1
        self.head_size = self.shortlist_size + self.n_clusters
        self.head = Dense(in_features, self.head_size, has_bias=require_bool(owner, "head_bias", head_bias))
        self.tail = CellList(
            [
                SequentialCell(
                    Dense(in_features, width, has_bias=False), Dense(width, last - first, has_bias=False)
                )
                for width, first, last in self._clusters()
            ]
        )

    def _clusters(self):
        """Width of the projection, first class and the class after the last, of each cluster but the head."""
        for number in range(self.n_clusters):
            width = max(1, int(self.in_features // self.div_value ** (number + 1)))
            yield width, self.cutoffs[number], self.cutoffs[number + 1]

    def construct(self, input: Tensor, target: Tensor) -> tuple:
        """(N, in_features) and (N,) classes, or one row and one class, to the log-likelihoods and the loss."""
        scores = ops.log_softmax(self.head(input), -1)
        output = _picked(scores, target, 0, self.shortlist_size)
        for number, tail in enumerate(self.tail):
            first, last = self.cutoffs[number], self.cutoffs[number + 1]
            own = _picked(ops.log_softmax(tail(input), -1), target, first, last)
            inside = ops.logical_and(target >= first, target < last)
            output = ops.where(inside, scores[..., self.shortlist_size + number] + own, output)
        known = ops.logical_and(target >= 0, target < self.n_classes)
        output = ops.where(known, output, float("nan"))
        return _Likelihood(output, -output.mean())

    def log_prob(self, input) -> Tensor:
        """(N, in_features) to the logarithms of the probabilities of all classes, (N, n_classes)."""
        scores = ops.log_softmax(self.head(input), -1)
        parts = [scores[..., : self.shortlist_size]]
        for number, tail in enumerate(self.tail):
            cluster = self.shortlist_size + number
            parts.append(scores[..., cluster : cluster + 1] + ops.log_softmax(tail(input), -1))
        return ops.cat(parts, -1)

    def predict(self, input) -> Tensor:
        """(N, in_features) to the likeliest class of each row, (N,)."""
        return self.log_prob(input).argmax(-1)


def _picked(scores, target, first, last):
    """The scores of the targets among the classes from `first` on; of another class, for those not among them."""
    place = ops.clamp(target - first, 0, last - first - 1)
    return ops.gather_elements(scores, -1, place.expand_dims(-1)).squeeze(-1)


def _require_cutoffs(owner, cutoffs, n_classes):
    found = [require_int(owner, "a cutoff", cutoff, low=1) for cutoff in cutoffs]
    if not found or found != sorted(set(found)) or found[-1] >= n_classes:
        raise ValueError(f"{owner}: cutoffs is {cutoffs!r}; need rising numbers below n_classes, {n_classes}")
    return [*found, n_classes]
