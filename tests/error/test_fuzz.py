"""Random Python objects given to every operator end in a result or in a clean Python error, never in a crash."""

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parent / "fuzz_operators.py"
CALLS_PER_OPERATOR = 40


@pytest.mark.parametrize("seed", [1, 2])
def test_operators_survive_random_arguments(seed):
    command = [sys.executable, str(SCRIPT), str(seed), str(CALLS_PER_OPERATOR)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=600)
    faults = [line for line in run.stdout.splitlines() if line.startswith("fault")]
    assert not faults, "\n" + "\n".join(faults[:20])
    assert run.returncode == 0, f"exit status {run.returncode} in: {run.stderr[-1500:]}"
