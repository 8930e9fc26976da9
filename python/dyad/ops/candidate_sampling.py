"""Classes drawn as counterexamples of a sampled softmax, and how often each class is expected among them."""

import math

from dyad import _core
from dyad._core import Tensor
from dyad._src.operators import arange, expm1, rand, topk, where
from dyad._src.primitive.primitive import Primitive

__all__ = [
    "LogUniformCandidateSampler",
    "UniformCandidateSampler",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]


class _CandidateSampler(Primitive):
    """Draws from classes 0 to range_max - 1 by the race of clocks that ring at a rate of their class's probability.

    The first to ring are draws without repetition, and the time at which the last of them rings is the number of draws
    with repetition that it would have taken.
    """

    def __init__(self, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits=False):
        super().__init__(type(self).__name__)
        least = {"num_true": 1, "num_sampled": 1, "range_max": 1, "seed": 0}
        for name, value in zip(least, (num_true, num_sampled, range_max, seed), strict=True):
            if type(value) is not int:
                raise TypeError(f"{self.name}: {name} is {value!r}; need an int")
            if value < least[name]:
                raise ValueError(f"{self.name}: {name} is {value}; need {least[name]} or more")
        for name, value in (("unique", unique), ("remove_accidental_hits", remove_accidental_hits)):
            if type(value) is not bool:
                raise TypeError(f"{self.name}: {name} is {value!r}; need a bool")
        if unique and num_sampled > range_max:
            raise ValueError(
                f"{self.name}: num_sampled is {num_sampled} and range_max {range_max}; need no more unique classes"
            )
        self.num_true, self.num_sampled, self.unique, self.range_max = (
            num_true,
            num_sampled,
            unique,
            range_max,
        )
        self.seed, self.remove_accidental_hits = seed, remove_accidental_hits

    def __call__(self, true_classes):
        self._check(true_classes)
        rates = self._probability(arange(self.range_max))
        draws = () if self.unique else (self.num_sampled,)
        fair = 1.0 - rand((*draws, self.range_max), seed=self.seed or None)
        times = -fair.log() / rates
        if self.remove_accidental_hits:
            hit = (true_classes.reshape(-1, 1) == arange(self.range_max)).any(0)
            times = where(hit, Tensor(float("inf"), times.dtype), times)
        if self.unique:
            rung, sampled = topk(times, self.num_sampled, largest=False)
            tries = rung[-1]
        else:
            sampled, tries = times.argmin(-1), None
        counts = (self._expected(classes, tries) for classes in (true_classes, sampled))
        return sampled.astype(true_classes.dtype), *counts

    def _expected(self, classes, tries):
        probability = self._probability(classes)
        return self.num_sampled * probability if tries is None else -expm1(-tries * probability)

    def _check(self, true_classes):
        if not isinstance(true_classes, Tensor):
            raise TypeError(
                f"{self.name}: true_classes is of type {type(true_classes).__name__}; need a Tensor"
            )
        if true_classes.dtype not in (_core.int32, _core.int64):
            raise TypeError(f"{self.name}: true_classes is of {true_classes.dtype}; need int32 or int64")
        if true_classes.ndim == 0 or true_classes.shape[-1] != self.num_true:
            raise ValueError(
                f"{self.name}: true_classes has shape {true_classes.shape}; need num_true, {self.num_true}, in a row"
            )

    def __reduce__(self):
        return type(self), tuple(getattr(self, name) for name in self._parameters)


class UniformCandidateSampler(_CandidateSampler):
    """Classes drawn with equal probability, and the expected counts of the true classes and of those drawn.

    `unique` draws each class once at most; `remove_accidental_hits` draws none of the true ones.

    Example:
        >>> from dyad import Tensor, ops
        >>> sampler = ops.UniformCandidateSampler(1, 3, False, 4)
        >>> sampled, true_count, sampled_count = sampler(Tensor([[1], [3]]))
        >>> print(true_count.reshape(-1))
        [0.75 0.75]
    """

    _parameters = ("num_true", "num_sampled", "unique", "range_max", "seed", "remove_accidental_hits")

    def __init__(self, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False):
        super().__init__(num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)

    def _probability(self, classes):
        return classes.astype(_core.float32) * 0.0 + 1.0 / self.range_max


class LogUniformCandidateSampler(_CandidateSampler):
    """Classes drawn with the probability of Zipf's law, log(k + 2) - log(k + 1) over log(range_max + 1).

    The expected counts of the true classes and of those drawn come with them; `unique` draws each class once at most.

    Example:
        >>> from dyad import Tensor, ops
        >>> sampler = ops.LogUniformCandidateSampler(1, 2, True, 5)
        >>> sampler(Tensor([[1], [3]]))[0].shape
        (2,)
    """

    _parameters = ("num_true", "num_sampled", "unique", "range_max", "seed")

    def __init__(self, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0):
        super().__init__(num_true, num_sampled, unique, range_max, seed)

    def _probability(self, classes):
        number = classes.astype(_core.float32)
        return (1.0 / (number + 1.0)).log1p() / math.log(self.range_max + 1)


def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits=False
):
    """`UniformCandidateSampler` as a function.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 3, False, 4)[0].shape
        (3,)
    """
    sampler = UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)
    return sampler(true_classes)


def log_uniform_candidate_sampler(true_classes, num_true=1, num_sampled=5, unique=True, range_max=5, seed=0):
    """`LogUniformCandidateSampler` as a function.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.log_uniform_candidate_sampler(Tensor([[1], [3]]), num_sampled=2)[0].shape
        (2,)
    """
    return LogUniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)(true_classes)
