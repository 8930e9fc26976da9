"""Several processes on one device: two at once give right results, and one that is killed leaves the device usable.

python3 tests/gpu/processes.py [TURNS]
"""

import signal
import subprocess
import sys

import numpy as np


def work(turns, seed):
    """Products, reductions and a sort, each against NumPy; says when it has begun."""
    import dyad
    from dyad import Tensor, ops

    dyad.set_device("GPU", 0)
    rng = np.random.default_rng(seed)
    for turn in range(turns):
        x = rng.normal(size=(96, 96)).astype(np.float32)
        made = (Tensor(x) @ Tensor(x)).asnumpy()
        assert np.abs(made - x.astype(np.float64) @ x).max() < 1e-3
        assert np.array_equal(ops.sort(Tensor(x), 1)[0].asnumpy(), np.sort(x, 1))
        assert abs(float(ops.softmax(Tensor(x), 0).sum().asnumpy()) - 96) < 1e-2
        if turn == 0:
            print("begun", flush=True)
    print("right", flush=True)


def start(turns, seed):
    command = [sys.executable, __file__, "work", str(turns), str(seed)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ends_well(process):
    out, errors = process.communicate(timeout=50)
    if process.returncode != 0 or "right" not in out:
        print(errors[-2000:])
        return False
    return True


def main(turns):
    pair = [start(turns, seed) for seed in (1, 2)]
    both = all([ends_well(process) for process in pair])
    print(f"processes: two at once {'right' if both else 'WRONG'}")
    victim = start(1_000_000, 3)
    began = victim.stdout.readline() == "begun\n"
    victim.send_signal(signal.SIGKILL)
    victim.communicate(timeout=50)
    killed = began and victim.returncode == -signal.SIGKILL
    after = ends_well(start(turns, 4))
    print(
        f"processes: one killed {'at work' if killed else 'NOT AT WORK'}, afterwards {'right' if after else 'WRONG'}"
    )
    good = both and killed and after
    print("processes: passed" if good else "processes: FAILED")
    sys.exit(not good)


if __name__ == "__main__":
    if sys.argv[1:2] == ["work"]:
        work(int(sys.argv[2]), int(sys.argv[3]))
    else:
        main(int(sys.argv[1]) if sys.argv[1:] else 100)
