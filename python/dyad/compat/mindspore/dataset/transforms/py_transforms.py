"""MindSpore 1 name: the transforms that were written in Python."""

from dyad.dataset._operation import PyTensorOperation
from dyad.dataset.transforms.arrays import OneHot
from dyad.dataset.transforms.composition import Compose, RandomApply, RandomChoice, RandomOrder, not_random

OneHotOp = OneHot

__all__ = [
    "Compose",
    "OneHotOp",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "not_random",
]
