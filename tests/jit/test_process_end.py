"""Exit and fork of a process while other threads run compiled functions."""

import subprocess
import sys
import textwrap

import pytest

START = """
import os, sys, threading, time
import numpy as np
import dyad
from dyad import Tensor, ops

sys.setswitchinterval(1e-5)
x = Tensor(np.ones((64, 64), np.float32))
started = threading.Event()

@dyad.jit
def loop(x, turns):
    at = x.sum() * 0
    while at < turns:
        x = ops.tanh(x @ x) * 0.01
        at = at + 1
    return x
"""

WORK = {
    "a loop that never ends": "started.set(); loop(x, Tensor(1e30))",
    "calls": "\n    while True: loop(x, Tensor(3.0)); started.set()",
    "compiling": "\n    while True: dyad.jit(lambda x: ops.tanh(x * 2) + x.sum())(x); started.set()",
    "gradients": """
    gradient = dyad.jit(dyad.grad(lambda x: loop(x, Tensor(3.0)).sum()))
    while True: gradient(x); started.set()""",
    "operators": "\n    big = Tensor(np.ones((600, 600), np.float32))\n    while True: big @ big; started.set()",
}


def run(program, timeout=120):
    return subprocess.run(
        [sys.executable, "-c", START + textwrap.dedent(program)],
        capture_output=True,
        text=True,
        timeout=timeout,
    )


@pytest.mark.parametrize("work", WORK)
@pytest.mark.parametrize("threads", [1, 3])
def test_interpreter_ends_while_daemon_threads_work(work, threads):
    body = f"def work():\n    {WORK[work]}\n"
    ended = run(
        body
        + textwrap.dedent(f"""
        for _ in range({threads}):
            threading.Thread(target=work, daemon=True).start()
        started.wait(60)
        time.sleep(0.05)
        import atexit
        atexit.register(lambda: loop(x, Tensor(2.0)))  # the thread that ends the process may still compute
        print("last line")
        """)
    )
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "last line\n"
    assert "terminate" not in ended.stderr


CHILD = """
@dyad.jit
def compiled(x):
    for turn in range(40):
        x = ops.tanh(x * x + turn) * 0.5
        if x.sum() > 1000:
            x = x * 2
    return x

@dyad.jit
def other(x):
    return ops.relu(x * 2 + 1)

thread = threading.Thread(target=lambda: compiled(x))
thread.start()
time.sleep({delay})
child = os.fork()
if child == 0:
    start = time.monotonic()
    {called}(x)
    os._exit(0 if time.monotonic() - start < 5 else 3)
_, status = os.waitpid(child, 0)
thread.join()
print("child", os.waitstatus_to_exitcode(status))
"""


@pytest.mark.parametrize("called", ["compiled", "other"])
@pytest.mark.parametrize("delay", [0.0, 0.01, 0.04])
def test_a_child_does_not_wait_for_threads_of_its_parent(called, delay):
    """The first compilation is under way in another thread when the process forks."""
    ended = run(CHILD.format(called=called, delay=delay))
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "child 0\n"


WORKING = """
image = Tensor(np.ones((2, 8, 64, 64), np.float32))
def work():
    size = 0
    while True:
        size = size % 30 + 3
        weight = Tensor(np.ones((8, 8, 3, 3), np.float32))
        ops.conv2d(image[:, :, :, : size + 30], weight)
        started.set()
for _ in range(2):
    threading.Thread(target=work, daemon=True).start()
started.wait(60)
for turn in range(10):
    time.sleep(0.003)
    child = os.fork()
    if child == 0:
        ops.conv2d(image, Tensor(np.ones((4 + turn, 8, 3, 3), np.float32)))
        Tensor(np.ones((1000, 1000), np.float32)) + 1
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert status == 0, status
print("children are done")
"""


def test_children_compute_while_threads_of_their_parent_do():
    """Locks of the library that other threads hold at the fork are free in the child."""
    ended = run(WORKING)
    assert ended.returncode == 0, ended.stderr
    assert ended.stdout == "children are done\n"
