"""Training with fewer or larger steps."""

from dyad._src.missing import missing_attribute
from dyad.boost import grad_accumulation as grad_accumulation
from dyad.boost.grad_accumulation import GradientAccumulation

__all__ = ["GradientAccumulation"]


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
