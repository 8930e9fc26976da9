"""Locks in a process that may fork."""

import os
import threading
from typing import Any


def new_lock():
    """A lock that is free in a child of fork, whichever thread of the parent held it."""
    lock: Any = threading.Lock()
    os.register_at_fork(after_in_child=lock._at_fork_reinit)
    return lock
