"""The facts of the CPython that runs."""

import sys

from dyad._src.bytecode import minor_3_11, minor_3_12, minor_3_13

MINOR = sys.version_info[:2]
_KNOWN = {(3, 11): minor_3_11, (3, 12): minor_3_12, (3, 13): minor_3_13}


def facts():
    """The module of facts of this Python; TypeError if its code is not known."""
    if MINOR not in _KNOWN:
        raise TypeError(f"the code of Python {MINOR[0]}.{MINOR[1]} is not known")
    return _KNOWN[MINOR]
