"""Results of calls that give one."""

import enum


class MSRStatus(enum.IntEnum):
    """Whether a call did what was asked."""

    SUCCESS = 0
    FAILED = 1
