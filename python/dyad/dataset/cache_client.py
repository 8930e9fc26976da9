"""`DatasetCache`: accepted by datasets, so that programs which ask for a cache run."""

from dyad._src.base.argument_checks import require_bool, require_int

__all__ = ["DatasetCache"]


class DatasetCache:
    """Settings of a cache server. They have no effect: there is no server, and every epoch computes its rows.

    Args:
        session_id (int): the session of the server.
        size (int): memory in MB; 0 for no limit.
        spilling (bool): whether the server would use a disk.
        hostname (str), port (int): address of the server.
        num_connections (int), prefetch_size (int): no effect.
    """

    def __init__(
        self,
        session_id: int,
        size: int = 0,
        spilling: bool = False,
        hostname=None,
        port=None,
        num_connections=None,
        prefetch_size=None,
    ) -> None:
        self.session_id = require_int("DatasetCache", "session_id", session_id, 1)
        self.size = require_int("DatasetCache", "size", size, 0)
        self.spilling = require_bool("DatasetCache", "spilling", spilling)
        self.hostname = hostname
        for name, value in (
            ("port", port),
            ("num_connections", num_connections),
            ("prefetch_size", prefetch_size),
        ):
            setattr(self, name, value if value is None else require_int("DatasetCache", name, value, 1))
