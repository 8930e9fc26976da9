"""Transforms of arrays of any kind, and compositions of transforms."""

from dyad.dataset.transforms.arrays import (
    Concatenate,
    Duplicate,
    Fill,
    Mask,
    OneHot,
    PadEnd,
    Plugin,
    Relational,
    Slice,
    TypeCast,
    Unique,
)
from dyad.dataset.transforms.composition import Compose, RandomApply, RandomChoice, RandomOrder, not_random

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "Plugin",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TypeCast",
    "Unique",
    "not_random",
]

from dyad.dataset.transforms import transforms  # noqa: F401, spellings of programs
