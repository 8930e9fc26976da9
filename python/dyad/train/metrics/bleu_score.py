"""BLEU: similarity of a translation to reference translations."""

import math
from collections import Counter

from dyad._src.base import lazy_numpy as numpy
from dyad._src.base.argument_checks import require_bool, require_int
from dyad.train.metrics.metric import Metric, rearrange_inputs

__all__ = ["BleuScore"]


def phrases(words, longest):
    """Count of each phrase of one to `longest` words in a sentence."""
    return Counter(
        tuple(words[start : start + length])
        for length in range(1, longest + 1)
        for start in range(len(words) - length + 1)
    )


class BleuScore(Metric):
    """BLEU: how many phrases of up to `n_gram` words are those of a reference, less where sentences are too short.

    With `smooth` one phrase more of each length counts as found.
    """

    def __init__(self, n_gram: int = 4, smooth: bool = False) -> None:
        super().__init__()
        self.n_gram = require_int("BleuScore", "n_gram", n_gram, low=1)
        if n_gram > 4:
            raise ValueError(f"BleuScore: n_gram is {n_gram}; need an int from 1 to 4")
        self.smooth = require_bool("BleuScore", "smooth", smooth)
        self.clear()

    def clear(self) -> None:
        """Forgets what was seen."""
        self._found = numpy.zeros(self.n_gram)
        self._said = numpy.zeros(self.n_gram)
        self._length = 0
        self._reference_length = 0
        self._is_update = False

    @rearrange_inputs
    def update(self, *inputs) -> None:
        """Counts the phrases of sentences, lists of words, and of the references that each of them has."""
        self._require_inputs(inputs, ("candidates", "references"))
        candidates, references = inputs
        for name, given in (("candidates", candidates), ("references", references)):
            if not isinstance(given, (tuple, list)):
                raise TypeError(f"BleuScore.update: {name} is {given!r}; need a list")
        if len(candidates) != len(references):
            raise ValueError(
                f"BleuScore.update: there are {len(candidates)} candidates and {len(references)} lists of references; "
                "need as many"
            )
        for sentence, translations in zip(candidates, references, strict=True):
            self._count(sentence, translations)
        self._is_update = True

    def _count(self, sentence, translations):
        if not translations:
            raise ValueError("BleuScore.update: a candidate has no references; need one or more")
        self._length += len(sentence)
        self._reference_length += min(map(len, translations), key=lambda length: abs(length - len(sentence)))
        said = phrases(sentence, self.n_gram)
        known: Counter = Counter()
        for translation in translations:
            known |= phrases(translation, self.n_gram)
        for counter, totals in ((said & known, self._found), (said, self._said)):
            for phrase, times in counter.items():
                totals[len(phrase) - 1] += times

    def eval(self) -> float:
        """The score, from 0 to 1; RuntimeError before any sentence was seen."""
        self._require_seen(self._is_update)
        if not self._found.all():
            return 0.0
        one_more = 1.0 if self.smooth else 0.0
        precisions = (self._found + one_more) / (self._said + one_more)
        shortness = max(0.0, self._reference_length / self._length - 1)
        return math.exp(numpy.log(precisions).mean() - shortness)
