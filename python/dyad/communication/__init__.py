"""Communication between processes. There is one: rank 0 of 1, which already has what it sends to all."""

from dyad._src.base.missing import missing_attribute
from dyad.communication import comm_func as comm_func
from dyad.communication import management
from dyad.communication.management import *  # noqa: F403

__all__ = management.__all__


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
