"""Communication with the names and arguments of PyTorch: results are written into argument tensors.

There is one process, rank 0 of 1, so results are copies of this process's tensors.
"""

from dyad.mint.distributed import groups, objects, store, tensors
from dyad.mint.distributed.groups import *  # noqa: F403
from dyad.mint.distributed.objects import *  # noqa: F403
from dyad.mint.distributed.store import *  # noqa: F403
from dyad.mint.distributed.tensors import *  # noqa: F403

__all__: list[str] = [*groups.__all__, *objects.__all__, *store.__all__, *tensors.__all__]
