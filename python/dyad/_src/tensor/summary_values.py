"""Values that a program computes and hands to its SummaryRecord, from wherever it computes them.

`note` is an effect, as `print` is: a compiled graph calls it when it runs, in the order of the program.
"""

import functools
import threading

from dyad import _core


class _Inbox:
    """Values noted since the last `take`; the newest value of a kind and name replaces the previous one."""

    def __init__(self):
        self.lock = threading.Lock()
        self.owner = None  # the path of the file of the SummaryRecord that is open
        self.is_read_by_program = False
        self.values: dict = {}


_inbox = _Inbox()


def note(kind, name, value):
    """Keeps a copy of a Tensor's elements as the value of `name`; does nothing while no SummaryRecord is open.

    While a program is traced, the graph notes it as well, each time it runs.
    """
    graph = _core.current_graph()
    if graph is not None:
        graph.add_host("summary", functools.partial(note, kind, name), [value])
    if (_inbox.owner is None and not _inbox.is_read_by_program) or _core.is_symbolic(value):
        return
    array = value.asnumpy().copy()
    with _inbox.lock:
        _inbox.values.pop((kind, name), None)
        _inbox.values[kind, name] = array


def start(owner):
    """Starts keeping values for an owner, unless another one has started; returns the current owner."""
    with _inbox.lock:
        if _inbox.owner is None:
            _inbox.owner, _inbox.values = owner, {}
        return _inbox.owner


def keep_for_program():
    """Keeps values without a SummaryRecord too, for a program that reads them itself."""
    _inbox.is_read_by_program = True


def stop():
    """Forgets what was noted; nothing is kept for an owner from now on."""
    with _inbox.lock:
        _inbox.owner, _inbox.values = None, {}


def take():
    """(kind, name, array) of what was noted since the last time, in order.

    Of the kind "scalars", whose name is a tuple, each element comes as a scalar of its own.
    """
    with _inbox.lock:
        values, _inbox.values = _inbox.values, {}
    taken = []
    for (kind, name), array in values.items():
        if kind == "scalars":
            taken += [("scalar", each, number) for each, number in zip(name, array, strict=True)]
        else:
            taken.append((kind, name, array))
    return taken
