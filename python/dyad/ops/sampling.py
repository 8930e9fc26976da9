"""Random sampling: candidate samplers, Gumbel softmax, and dropout that returns its mask."""

import math
from collections.abc import Callable

from dyad import _core
from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int
from dyad._src.operators import (
    arange,
    dropout2d,
    dropout3d,
    expm1,
    log,
    one_hot,
    ones_like,
    rand,
    rand_like,
    softmax,
    stop_gradient,
    topk,
    where,
)
from dyad._src.primitive.primitive import Primitive

__all__ = [
    "Dropout2D",
    "Dropout3D",
    "LogUniformCandidateSampler",
    "UniformCandidateSampler",
    "gumbel_softmax",
    "log_uniform_candidate_sampler",
    "uniform_candidate_sampler",
]


class _CandidateSampler(Primitive):
    """Draws from classes 0 to range_max - 1 by the race of clocks that ring at a rate of their class's probability.

    The first to ring are draws without repetition, and the time at which the last of them rings is the number of draws
    with repetition that it would have taken.
    """

    _probability: Callable[[Tensor], Tensor]

    def __init__(
        self, num_true, num_sampled, unique, range_max, seed, remove_accidental_hits: bool = False
    ) -> None:
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
    """Draws classes with equal probability; returns them with the expected counts of the true and the drawn classes.

    `unique` draws each class once at most; `remove_accidental_hits` draws none of the true ones.

    Example:
        >>> from dyad import Tensor, ops
        >>> sampler = ops.UniformCandidateSampler(1, 3, False, 4)
        >>> sampled, true_count, sampled_count = sampler(Tensor([[1], [3]]))
        >>> print(true_count.reshape(-1))
        [0.75 0.75]
    """

    _parameters = ("num_true", "num_sampled", "unique", "range_max", "seed", "remove_accidental_hits")

    def __init__(
        self, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits: bool = False
    ) -> None:
        super().__init__(num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)

    def _probability(self, classes):
        return classes.astype(_core.float32) * 0.0 + 1.0 / self.range_max


class LogUniformCandidateSampler(_CandidateSampler):
    """Draws classes by Zipf's law, P(k) = (log(k + 2) - log(k + 1)) / log(range_max + 1).

    Returns them with the expected counts of the true and the drawn classes; `unique` draws each class at most once.

    Example:
        >>> from dyad import Tensor, ops
        >>> sampler = ops.LogUniformCandidateSampler(1, 2, True, 5)
        >>> sampler(Tensor([[1], [3]]))[0].shape
        (2,)
    """

    _parameters = ("num_true", "num_sampled", "unique", "range_max", "seed")

    def __init__(self, num_true=1, num_sampled=5, unique: bool = True, range_max=5, seed=0) -> None:
        super().__init__(num_true, num_sampled, unique, range_max, seed)

    def _probability(self, classes):
        number = classes.astype(_core.float32)
        return (1.0 / (number + 1.0)).log1p() / math.log(self.range_max + 1)


def uniform_candidate_sampler(
    true_classes, num_true, num_sampled, unique, range_max, seed=0, remove_accidental_hits: bool = False
):
    """Draws classes with equal probability; see `ops.UniformCandidateSampler`.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.uniform_candidate_sampler(Tensor([[1], [3]]), 1, 3, False, 4)[0].shape
        (3,)
    """
    sampler = UniformCandidateSampler(num_true, num_sampled, unique, range_max, seed, remove_accidental_hits)
    return sampler(true_classes)


def log_uniform_candidate_sampler(
    true_classes, num_true=1, num_sampled=5, unique: bool = True, range_max=5, seed=0
):
    """Draws classes by Zipf's law; see `ops.LogUniformCandidateSampler`.

    Example:
        >>> from dyad import Tensor, ops
        >>> ops.log_uniform_candidate_sampler(Tensor([[1], [3]]), num_sampled=2)[0].shape
        (2,)
    """
    return LogUniformCandidateSampler(num_true, num_sampled, unique, range_max, seed)(true_classes)


class _ChannelDropout(Primitive):
    _parameters = ("keep_prob",)
    _drop: Callable
    _dimensions = 0

    def __init__(self, keep_prob=0.5):
        super().__init__(type(self).__name__)
        if type(keep_prob) not in (int, float):
            raise TypeError(f"{self.name}: keep_prob is {keep_prob!r}; need a float")
        if not 0 <= keep_prob <= 1:
            raise ValueError(f"{self.name}: keep_prob is {keep_prob}; need 0 to 1")
        self.keep_prob = float(keep_prob)

    def __call__(self, x):
        if not isinstance(x, Tensor):
            raise TypeError(f"{self.name}: x is of type {type(x).__name__}; need a Tensor")
        if x.ndim != self._dimensions:
            raise ValueError(f"{self.name}: x has shape {x.shape}; need {self._dimensions} dimensions")
        kept = type(self)._drop(ones_like(x, dtype=_core.float32), 1.0 - self.keep_prob) != 0
        scaled = (x / self.keep_prob).astype(x.dtype) if self.keep_prob else x
        return where(kept, scaled, Tensor(0, x.dtype)), kept

    def __reduce__(self):
        return type(self), (self.keep_prob,)


class Dropout2D(_ChannelDropout):
    """Dropout of whole channels of (N, C, H, W), x / keep_prob with probability `keep_prob`, else 0; and the mask.

    Example:
        >>> from dyad import ops
        >>> result, mask = ops.Dropout2D(keep_prob=1.0)(ops.ones((1, 2, 1, 1)))
        >>> print(mask.reshape(-1))
        [ True  True]
    """

    _drop = dropout2d
    _dimensions = 4


class Dropout3D(_ChannelDropout):
    """Dropout of whole channels of (N, C, D, H, W), x / keep_prob with probability `keep_prob`, else 0; and the mask.

    Example:
        >>> from dyad import ops
        >>> result, mask = ops.Dropout3D(keep_prob=1.0)(ops.ones((1, 2, 1, 1, 1)))
        >>> print(mask.reshape(-1))
        [ True  True]
    """

    _drop = dropout3d
    _dimensions = 5


def gumbel_softmax(logits: Tensor, tau=1.0, hard: bool = False, dim: int = -1):
    """Gumbel softmax, a differentiable sample of a class with probability softmax(logits).

        y = softmax((logits + g) / tau),  g = -log(-log(u)),  u ~ U(0, 1)

    Args:
        logits (Tensor): float16 or float32, unnormalized log-probabilities.
        tau (float): temperature above 0; a lower one is closer to one-hot. Default: 1.0.
        hard (bool): True returns one-hot samples with the gradient of the probabilities. Default: False.
        dim (int): dimension of the classes. Default: -1.

    Returns:
        Tensor with the shape and dtype of `logits`.

    Raises:
        TypeError: if `logits` is not float16 or float32, or `tau` not a float.
        ValueError: if `tau` is not finite and above 0, or `dim` is out of range.

    Example:
        >>> from dyad import Tensor, ops
        >>> print(ops.gumbel_softmax(Tensor([0.0, 1e6, 0.0]), hard=True))
        [0. 1. 0.]
    """
    if not isinstance(logits, Tensor):
        raise TypeError(f"gumbel_softmax: logits is of type {type(logits).__name__}; need a Tensor")
    if logits.dtype not in (_core.float16, _core.float32):
        raise TypeError(f"gumbel_softmax: logits is of {logits.dtype}; need float16 or float32")
    if isinstance(tau, bool) or not isinstance(tau, float):
        raise TypeError(f"gumbel_softmax: tau is {tau!r} of type {type(tau).__name__}; need a float")
    if not 0 < tau < math.inf:
        raise ValueError(f"gumbel_softmax: tau is {tau}; need a finite number above 0")
    require_bool("gumbel_softmax", "hard", hard)
    if not -logits.ndim <= require_int("gumbel_softmax", "dim", dim) < logits.ndim:
        raise ValueError(f"gumbel_softmax: dim is {dim}; need one in [{-logits.ndim}, {logits.ndim})")
    # 1 - u is never 0, and the small number keeps the outer logarithm finite where it is 1.
    drawn = -log(-log(1.0 - rand_like(logits.astype(_core.float32))) + 1e-20)
    soft = softmax((logits.astype(_core.float32) + drawn) / tau, dim).astype(logits.dtype)
    if not hard:
        return soft
    sample = one_hot(soft.argmax(dim), logits.shape[dim]).astype(logits.dtype).moveaxis(-1, dim)
    return stop_gradient(sample - soft) + soft
