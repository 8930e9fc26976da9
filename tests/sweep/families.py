"""The families of cases, and the case of a number."""

from . import convolutions, innermost, known, layers
from .case import Case, Draw

FAMILIES = {
    "convolution": convolutions.convolution,
    "transposed": convolutions.transposed,
    "stack": convolutions.stack,
    "innermost": innermost.convolution,
    "pool": layers.pool,
    "norm": layers.norm,
    "product": layers.product,
    "batched": layers.batched,
    "attention": layers.attention,
    "along": layers.along,
    "embedding": layers.embedding,
    "entropy": layers.entropy,
}


def case_of(seed: int, number: int, families: list[str]) -> Case:
    """Numbers go through the families in turn; the family `known` is a list."""
    if families == ["known"]:
        return known.CASES[number]()
    name = families[number % len(families)]
    return FAMILIES[name](Draw(seed, number, list(FAMILIES).index(name)))
