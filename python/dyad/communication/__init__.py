"""Communication between processes. There is one: it is rank 0 of 1, and what it sends to all it has itself."""

from dyad._src.base.missing import missing_attribute
from dyad.communication import comm_func as comm_func
from dyad.communication import management
from dyad.communication.management import *  # noqa: F403

__all__ = management.__all__


def __getattr__(name):
    raise missing_attribute(__name__, name, __all__)
