"""Runs a framework in its own process; requests and answers are lines of JSON."""

from __future__ import annotations

import atexit
import contextlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

THREADS = int(os.environ.get("BENCH_THREADS", "2"))  # of a framework


def on_gpu() -> bool:
    """True if the frameworks compute on the GPU."""
    return os.environ.get("BENCH_DEVICE") == "gpu"


class WorkerEnded(Exception):
    """The process ended instead of answering."""


class Worker:
    """Runs `script framework`, a script next to this file, until it is closed or this process ends.

    Between an answer and the next question it stands still: threads of one framework that wait by spinning would take
    the cores from the next one.
    """

    def __init__(
        self,
        script: str,
        framework: str,
        python: str = sys.executable,
        variables: dict[str, str] | None = None,
        folder: Path | None = None,
        threads: int | None = THREADS,  # None: as many as the framework chooses
    ) -> None:
        counted = {"BENCH_THREADS": str(threads), "OMP_NUM_THREADS": str(threads)} if threads else {}
        self.process = subprocess.Popen(
            [python, str(Path(__file__).with_name(script)), framework],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            # Modules that an earlier process has compiled are found compiled, as in an installation.
            env={**os.environ, "PYTHONDONTWRITEBYTECODE": "", **counted, **(variables or {})},
            cwd=folder,
        )
        atexit.register(
            self._signal, signal.SIGCONT
        )  # it ends by itself, which it cannot while it stands still

    def _signal(self, number: signal.Signals) -> None:
        with contextlib.suppress(ProcessLookupError):
            self.process.send_signal(number)

    def ask(self, **request) -> dict:
        try:
            return self.try_to_ask(**request)
        except WorkerEnded as ended:
            sys.exit(f"bench: {ended}")

    def try_to_ask(self, **request) -> dict:
        self.send(**request)
        return self.receive()

    def send(self, **request) -> None:
        """Sends a request without waiting for the answer."""
        self._request = request
        self._signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):  # an ended process answers nothing
            self.process.stdin.write(json.dumps(request) + "\n")
            self.process.stdin.flush()

    def receive(self) -> dict:
        """Answer to the request sent before."""
        answer = self.process.stdout.readline()
        if not answer:
            raise WorkerEnded(f"the worker ended with status {self.process.wait()} on {self._request}")
        self._signal(signal.SIGSTOP)
        return json.loads(answer)

    def close(self) -> None:
        self._signal(signal.SIGCONT)
        with contextlib.suppress(BrokenPipeError):
            self.process.stdin.close()
        self.process.wait()


def warn_if_busy() -> str:
    """Prints a warning about a busy machine and returns a sentence for the page; empty on a quiet machine."""
    load = os.getloadavg()[0]
    if load <= 0.5:
        return ""
    print(f"bench: the machine is busy (load {load:.1f}); times will mean little", file=sys.stderr)
    return f"The machine was busy with other work (load {load:.1f}): compare rows only roughly."
