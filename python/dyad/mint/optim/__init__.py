"""Optimizers with PyTorch's arguments."""

from dyad.mint.optim.adam import Adam, AdamW
from dyad.mint.optim.sgd import SGD

__all__ = ["SGD", "Adam", "AdamW", "FusedAdamW"]


class FusedAdamW(AdamW):
    """AdamW under its other name: every step here is one fused call."""
