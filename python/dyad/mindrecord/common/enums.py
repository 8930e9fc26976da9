"""Status values."""

import enum


class MSRStatus(enum.IntEnum):
    """Result of a call: success or failure."""

    SUCCESS = 0
    FAILED = 1
