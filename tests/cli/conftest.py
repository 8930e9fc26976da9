import subprocess
import sys

import pytest


@pytest.fixture(scope="session")
def run_dyad():
    """Runs `python -m dyad` with arguments and returns what it printed."""

    def run(*arguments, **options):
        command = [sys.executable, "-m", "dyad", *map(str, arguments)]
        return subprocess.run(command, capture_output=True, text=True, **options)

    return run
