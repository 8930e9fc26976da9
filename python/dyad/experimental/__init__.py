"""Optimisers and schedulers in PyTorch's style."""

from dyad.experimental import optim as optim

__all__ = ["optim"]
