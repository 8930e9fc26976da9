"""Room on Python's own stack while a program is captured.

A call that is captured takes many calls of the interpreter that captures it. How deep a program may call is limited
by `max_call_depth`; Python's limit must not be met before.
"""

import contextlib
import sys

from dyad._src.base.fork_lock import new_lock

_FRAMES_PER_CALL = 60
_lock = new_lock()
_raised: list = []  # the limits that captures in progress need
_before = 0


@contextlib.contextmanager
def room_for_calls(depth):
    """Inside, Python lets calls be as deep as capturing `depth` nested calls needs."""
    global _before
    needed = depth * _FRAMES_PER_CALL
    with _lock:
        if not _raised:
            _before = sys.getrecursionlimit()
        _raised.append(needed)
        sys.setrecursionlimit(max(_before, *_raised))
    try:
        yield
    finally:
        with _lock:
            _raised.remove(needed)
            sys.setrecursionlimit(max(_before, *_raised, 0))
