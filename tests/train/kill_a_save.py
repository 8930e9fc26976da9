"""Kills saves: kill_a_save.py FOLDER FORMAT MOMENTS. Run as a program by test_checkpoint_kill.py.

A child of this process saves a new version over an old one and is killed at one of many moments, spread evenly over
what a save does in Python (every call and return), and then over the time that it takes. After each, the file must hold
one of the two versions, whole. Prints what was found as JSON.
"""

import json
import os
import signal
import sys
import time

import numpy as np

import dyad

folder, format, moments = sys.argv[1], sys.argv[2], int(sys.argv[3])
path = os.path.join(folder, f"net.{format}")
found = {"old": 0, "new": 0, "leftovers": 0}


def contents(version, size):
    return {name: dyad.Tensor(np.full(size, version, np.float32)) for name in "abcd"} | {"note": f"{version}"}


def save(version, size):
    dyad.save_checkpoint(contents(version, size), path, format=format)


def version_in_file():
    loaded = dyad.load_checkpoint(path, format=format)
    values = {float(x) for name in "abcd" for x in np.unique(loaded[name].asnumpy())} | {
        float(loaded["note"])
    }
    assert len(values) == 1, f"a mixture of the versions {values}"
    return values.pop()


def events_of(size):
    """Number of calls and returns of a save."""
    count = 0

    def tell(*_):
        nonlocal count
        count += 1

    sys.setprofile(tell)
    save(0, size)
    sys.setprofile(None)
    return count


def killed_at_event(number):
    """Installs a profile function that kills the process at that event."""

    def tell(*_):
        nonlocal number
        number -= 1
        if number < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    sys.setprofile(tell)


def one_save(version, size, at_event=None, after=None):
    child = os.fork()
    if child == 0:
        if at_event is not None:
            killed_at_event(at_event)
        save(version, size)
        os._exit(0)
    if after is not None:
        time.sleep(after)
        os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)


def version_after(old, new):
    now = version_in_file()
    assert now in (old, new), f"version {now} after a save of {new} over {old}"
    found["new" if now == new else "old"] += 1
    others = [name for name in os.listdir(folder) if name != os.path.basename(path)]
    assert len(others) <= 1, others
    found["leftovers"] += len(others)
    return now


events_of(64)  # what only the first save does, imports say, no child does
events, current = events_of(64), 0
behind = events // 20  # the last moments are behind the save
for moment in range(moments):
    one_save(moment + 1, 64, at_event=moment * (events + behind) // moments)
    current = version_after(current, moment + 1)
large, current = 2**17, moments + 1
start = time.perf_counter()
save(current, large)
took = time.perf_counter() - start
for moment in range(moments // 5):
    version = moments + 2 + moment
    one_save(version, large, after=took * moment / (moments // 5))
    current = version_after(current, version)
save(current, 1)
found["files"] = os.listdir(folder)
found["events"] = events
print(json.dumps(found))
