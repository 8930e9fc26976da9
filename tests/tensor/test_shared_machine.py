"""Programs that share the machine with others: how they wait, and how many threads they use."""

import contextlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

PROCESS = {name: value for name, value in os.environ.items() if not name.startswith(("OMP_", "GOMP_"))}
several_cpus = pytest.mark.skipif(len(os.sched_getaffinity(0)) < 2, reason="needs two CPUs")


def start(program, **variables):
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env={**PROCESS, **variables},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,  # the scheduler shares CPUs among sessions
        text=True,
    )


def run(program, **variables):
    process = start(program, **variables)
    out, errors = process.communicate(timeout=240)
    assert process.returncode == 0, errors
    return out, errors


@pytest.mark.parametrize(
    ("variables", "looks"),
    [({}, 5000), ({"GOMP_SPINCOUNT": "123"}, 123), ({"OMP_WAIT_POLICY": "passive"}, 0)],
)
def test_the_openmp_runtime_sleeps_early_unless_the_user_says_when(variables, looks):
    _, errors = run("import dyad", OMP_DISPLAY_ENV="verbose", **variables)
    assert f"GOMP_SPINCOUNT = '{looks}'" in errors


def test_importing_leaves_the_environment_as_it_was():
    out, _ = run("""
import ctypes, os, subprocess
before = dict(os.environ)
import dyad
assert dict(os.environ) == before
getenv = ctypes.CDLL(None).getenv
getenv.restype = ctypes.c_char_p
print(getenv(b"GOMP_SPINCOUNT"), subprocess.run(["env"], capture_output=True, text=True).stdout.count("SPINCOUNT"))
""")
    assert out.split() == ["None", "0"]


FOLLOWS = """
import os, time
import numpy as np
import dyad
from dyad import Tensor

def threads():
    time.sleep(0.12)
    (x @ x).asnumpy()
    return dyad.get_context("runtime_num_threads")

x = Tensor(np.ones((200, 200), np.float32))
expected = (x @ x).asnumpy()
cpus = os.sched_getaffinity(0)
"""


@several_cpus
def test_threads_follow_the_affinity_mask():
    out, _ = run(f"""{FOLLOWS}
print(threads() == len(cpus))
os.sched_setaffinity(0, {{min(cpus)}})
print(threads() == 1)
os.sched_setaffinity(0, cpus)
print(threads() == len(cpus), np.allclose((x @ x).asnumpy(), expected))
""")
    assert out.split() == ["True"] * 4


@several_cpus
@pytest.mark.parametrize(
    ("variables", "chosen"), [({"OMP_NUM_THREADS": "2"}, ""), ({}, "(runtime_num_threads=2)")]
)
def test_a_number_of_threads_that_was_chosen_stays(variables, chosen):
    out, _ = run(
        f"""{FOLLOWS}
{f"dyad.set_context{chosen}" if chosen else ""}
os.sched_setaffinity(0, {{min(cpus)}})
print(threads())
dyad.set_context(runtime_num_threads=0)
print(threads())
""",
        **variables,
    )
    assert out.split() == ["2", "1"]


@contextlib.contextmanager
def group_with_quota():
    """A control group with a CPU quota and a function that changes it; skips the test where none can be made."""
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers and "cpu" not in controllers.split(","):
            continue
        folder = Path("/sys/fs/cgroup", controllers, path.strip("/"), f"dyad-test-{os.getpid()}")
        with contextlib.suppress(OSError):
            folder.mkdir()
            files = ("cpu.cfs_quota_us", "{}") if controllers else ("cpu.max", "{} 100000")

            def limit(cpus, folder=folder, files=files):
                (folder / files[0]).write_text(files[1].format(int(cpus * 100_000)))

            try:
                limit(1)
            except OSError:
                folder.rmdir()
                continue
            try:
                yield folder, limit
            finally:
                for _ in range(100):  # the process that was in it has ended, but the group may notice later
                    with contextlib.suppress(OSError):
                        folder.rmdir()
                        break
                    time.sleep(0.05)
            return
    pytest.skip("no control group can be made")


@several_cpus
def test_threads_follow_the_cpu_quota():
    with group_with_quota() as (group, limit):
        limit(0.5)
        process = start(f"{FOLLOWS}\nfor line in iter(input, ''): print(threads(), flush=True)")
        (group / "cgroup.procs").write_text(str(process.pid))
        found = []
        for cpus in (0.5, 2, 1.5, 1, 64):
            limit(cpus)
            process.stdin.write("how many?\n")
            process.stdin.flush()
            found.append(int(process.stdout.readline()))
        process.communicate("\n", timeout=60)
    assert found == [1, 2, 2, 1, len(os.sched_getaffinity(0))]


SIDE_BY_SIDE = """
import time
import numpy as np
import dyad
from dyad import Tensor, jit, nn

net = nn.SequentialCell(*[nn.Conv2d(32, 32, 3, has_bias=False) for _ in range(12)]).set_train(False)
x = Tensor(np.ones((1, 32, 56, 56), np.float32))
forward = jit(net)
for line in iter(input, ""):
    threads, seconds = line.split()
    dyad.set_context(runtime_num_threads=int(threads))
    for _ in range(3):
        forward(x).asnumpy()
    calls, start, used = 0, time.perf_counter(), time.process_time()
    while time.perf_counter() < start + float(seconds) or calls < 20:
        forward(x).asnumpy()
        calls += 1
    print((time.perf_counter() - start) / calls, (time.process_time() - used) / calls, flush=True)
"""


def times_per_call(processes, threads, seconds):
    """Seconds that pass in each call and seconds of CPU time, of each process, while all of them work."""
    for process in processes:
        process.stdin.write(f"{threads} {seconds}\n")
        process.stdin.flush()
    return [tuple(map(float, process.stdout.readline().split())) for process in processes]


@several_cpus
def test_two_processes_side_by_side_share_the_cpus():
    # Each gets half the CPUs. Threads that wait awake for one that has none take several times their share, and use it.
    processes = [start(SIDE_BY_SIDE) for _ in range(2)]
    try:
        _, work = times_per_call(processes[:1], 1, 0.5)[0]  # on one thread, which never waits
        alone, _ = times_per_call(processes[:1], 2, 1)[0]
        together = times_per_call(processes, 2, 2)
    finally:
        for process in processes:
            process.communicate("\n", timeout=60)
    assert max(passed for passed, _ in together) <= 5 * 2 * alone
    assert max(used for _, used in together) <= 4 * work


BUSY = """
import hashlib, threading
work = lambda: [hashlib.pbkdf2_hmac("sha256", b"", b"", 100_000) for _ in iter(int, 1)]
for _ in range({threads}): threading.Thread(target=work).start()
"""

WORKS_FOR_A_WHILE = """
import time, zlib
import numpy as np
import dyad
from dyad import Tensor, _core, grad, jit, nn, ops

def floats(*shape):
    return Tensor(np.random.default_rng(shape).standard_normal(shape, np.float32))

convolve = nn.SequentialCell(nn.Conv2d(16, 32, 3), nn.ReLU(), nn.Conv2d(32, 32, 1), nn.Conv2d(32, 8, 3, stride=2))
for weight in convolve.trainable_params():
    weight.set_data(floats(*weight.shape))
loss = lambda a, b, image: (a.T @ b).sum() * 1e-3 + (convolve(image) ** 2).sum() * 1e-3 + ops.softmax(a @ a.T).var()
forms = [grad(loss, (0, 1, 2)), jit(grad(loss, (0, 1, 2)), capture_mode="trace")]
arguments = floats(3000, 64), floats(3000, 40), floats(2, 16, 40, 40)

def bits():
    return [zlib.crc32(x.asnumpy().tobytes()) for form in forms for x in form(*arguments)]

bits()
for line in iter(input, ""):
    with_fewer, found, end = 0, {str(bits())}, time.perf_counter() + float(line)
    while time.perf_counter() < end and with_fewer < 20:
        found |= {str(bits())}
        with_fewer += _core.active_threads() < _core.get_num_threads()
    print(with_fewer > 0, len(found), flush=True)
"""


@several_cpus
def test_beside_busy_threads_fewer_work_and_results_stay_the_same():
    process = start(WORKS_FOR_A_WHILE)
    busy = subprocess.Popen(
        [sys.executable, "-c", BUSY.format(threads=max(1, len(os.sched_getaffinity(0)) // 2))],
        start_new_session=True,
    )
    try:
        process.stdin.write("20\n")
        process.stdin.flush()
        beside = process.stdout.readline().split()
    finally:
        busy.kill()
        busy.wait()
        process.communicate("\n", timeout=60)
    assert beside == ["True", "1"]


@several_cpus
def test_a_chosen_number_of_threads_works_beside_busy_ones_too():
    process = start(
        """
import time
import numpy as np
from dyad import Tensor, _core
x, end = Tensor(np.ones((300, 300), np.float32)), time.perf_counter() + 1.5
seen = set()
while time.perf_counter() < end:
    (x @ x).asnumpy()
    seen.add(_core.active_threads())
print(seen)
""",
        OMP_NUM_THREADS="2",
    )
    busy = subprocess.Popen([sys.executable, "-c", BUSY.format(threads=2)], start_new_session=True)
    try:
        out, errors = process.communicate(timeout=60)
    finally:
        busy.kill()
        busy.wait()
    assert out.strip() == "{2}", errors
