"""Modules that are imported on first use.

A fork during such an import would leave the child with a partial module whose lock is held forever, so a fork waits
until no such import is under way.
"""

import importlib
import os
import sys
import threading
from collections import Counter

_LONGEST_WAIT = 10.0  # seconds; an import that waits for the fork itself must not stop it
_changed = threading.Condition()
_importing: Counter = Counter()  # by thread


def load(name):
    """The module, imported if it is not yet."""
    module = sys.modules.get(name)
    if module is not None and not getattr(getattr(module, "__spec__", None), "_initializing", False):
        return module
    thread = threading.get_ident()
    with _changed:
        _importing[thread] += 1
    try:
        return importlib.import_module(name)
    finally:
        with _changed:
            _importing[thread] -= 1
            if not _importing[thread]:
                del _importing[thread]
            _changed.notify_all()


def _hold_imports():
    own = threading.get_ident()
    _changed.acquire()
    _changed.wait_for(lambda: all(thread == own for thread in _importing), _LONGEST_WAIT)


def _forget_threads():
    own = threading.get_ident()
    for thread in [thread for thread in _importing if thread != own]:
        del _importing[thread]
    type(_changed).__init__(_changed)


os.register_at_fork(
    before=_hold_imports, after_in_parent=lambda: _changed.release(), after_in_child=_forget_threads
)
