"""Optimizers with PyTorch's arguments."""

from dyad.experimental.optim.adam import Adam, AdamW
from dyad.experimental.optim.sgd import SGD

# A path below this module leads to names that are kept elsewhere.
__path__: list[str] = []
__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]


class FusedAdamW(AdamW):
    """AdamW under its other name: every step here is one fused call."""
