"""Optimizers and schedulers in PyTorch's style."""

from dyad.compat.mindspore.experimental import optim as optim

__all__ = ["optim"]
