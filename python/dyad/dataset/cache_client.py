"""`DatasetCache`: accepted by datasets, so that programs which ask for a cache run."""

from dyad._src.base.argument_checks import require_bool, require_int

__all__ = ["DatasetCache"]


class DatasetCache:
    """What a program asks a cache server for. There is none here: the rows are made anew, the same, in every epoch.

    Args:
        session_id (int): the session that the server would have given out.
        size (int): memory in MB; 0 for no limit.
        spilling (bool): whether what is too much would go to a disk.
        hostname (str), port (int): where the server would be.
        num_connections (int), prefetch_size (int): accepted.
    """

    def __init__(
        self,
        session_id,
        size=0,
        spilling=False,
        hostname=None,
        port=None,
        num_connections=None,
        prefetch_size=None,
    ):
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
