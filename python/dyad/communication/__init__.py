"""Communication between processes. There is one: rank 0 of 1, which already has what it sends to all."""

from dyad.communication import comm_func as comm_func
from dyad.communication import management
from dyad.communication.management import *  # noqa: F403

__all__ = management.__all__
