"""Runs tests on the device, or every kernel under a tool of compute-sanitizer, in processes side by side.

    python3 tests/gpu/side_by_side.py LOGS tests FOLDER...
    python3 tests/gpu/side_by_side.py LOGS memcheck|racecheck|synccheck

Work is cut into shares by the names of tests, or of operators. Each share has a log below LOGS. A verdict comes last:
how many tests passed, or how many operators were reached, and what failed. `--seconds` is the time for all of it; a
share that is not done by then has failed, and the last line of its log tells where it stood.
"""

import argparse
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
SANITIZERS = ("memcheck", "racecheck", "synccheck")
NOTHING_TO_DO = 5  # pytest's status where a share has no test
REACHED = re.compile(r"^every kernel: (\d+) of (\d+) operators", re.M)
OUTCOMES = re.compile(r"(\d+) (passed|failed|skipped|xfailed|errors?)\b")
WRONG = re.compile(
    r"^(?:(?:FAILED|ERROR) \S+.*|=+ (?:Invalid|Error:|Race|Potential).*|=+ .*(?:hazard|ERROR SUMMARY: [1-9]).*)",
    re.M,
)


@dataclass
class Share:
    """One process: its command, its log, and how it ended; `status` is None while it runs or when time was up."""

    name: str
    command: list
    log: Path
    process: subprocess.Popen | None = None
    status: int | None = None

    def start(self, environment):
        with self.log.open("wb") as out:
            self.process = subprocess.Popen(
                self.command,
                cwd=ROOT,
                env=environment,
                stdout=out,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )

    def text(self):
        return self.log.read_text(errors="replace") if self.log.exists() else ""


def run_all(shares, at_once, seconds):
    """Runs them, so many at once, until all are done or the time is up."""
    cores = len(os.sched_getaffinity(0))
    environment = {"OMP_NUM_THREADS": str(max(1, cores // at_once)), **os.environ}
    waiting, running, end = list(shares), [], time.monotonic() + seconds
    while (waiting or running) and time.monotonic() < end:
        while waiting and len(running) < at_once:
            running.append(waiting.pop(0))
            running[-1].start(environment)
        time.sleep(0.1)
        for share in list(running):
            share.status = share.process.poll()
            if share.status is not None:
                running.remove(share)
    for share in running:
        os.killpg(share.process.pid, signal.SIGKILL)
        share.process.wait()


def ended_well(share):
    return share.status in (0, NOTHING_TO_DO)


def tell_wrong(share):
    """Describes the failure of a share in a few lines."""
    text = share.text()
    how = (
        "was not started"
        if share.process is None
        else "was not done in time"
        if share.status is None
        else None
    )
    print(f"{share.name}: {how or f'ended with status {share.status}'}")
    found = WRONG.findall(text) or text.splitlines()[-3:]
    print("\n".join(f"    {line}" for line in found[:20]))


def tests(folders, logs, shares):
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-v",
        "--tb=short",
        "-p",
        "no:cacheprovider",
        "--device",
        "GPU",
    ]
    return [
        Share(
            f"{folder} {k}/{shares}",
            [*command, "--share", f"{k}/{shares}", folder],
            logs / f"{Path(folder).name}-{k}.log",
        )
        for k in range(1, shares + 1)
        for folder in folders
    ]


def kernels(tool, logs, shares):
    if not shutil.which("compute-sanitizer"):
        sys.exit(f"{tool}: FAILED: compute-sanitizer was not found")
    command = [
        "compute-sanitizer",
        "--tool",
        tool,
        "--error-exitcode",
        "9",
        sys.executable,
        str(HERE / "every_kernel.py"),
    ]
    return [
        Share(
            f"{tool} {k}/{shares}", [*command, "--once", "--part", f"{k}/{shares}"], logs / f"{tool}-{k}.log"
        )
        for k in range(1, shares + 1)
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("logs", type=Path)
    parser.add_argument("what", choices=("tests", *SANITIZERS))
    parser.add_argument("folders", nargs="*")
    parser.add_argument(
        "--shares", type=int, default=8, help="of each folder; of the operators, as many as run at once"
    )
    parser.add_argument("--at-once", type=int, default=max(1, len(os.sched_getaffinity(0)) - 2))
    parser.add_argument("--seconds", type=float, default=540)
    options = parser.parse_args()
    options.logs.mkdir(parents=True, exist_ok=True)
    begin = time.monotonic()
    if options.what == "tests":
        shares = tests(options.folders, options.logs, options.shares)
    else:
        shares = kernels(options.what, options.logs, options.at_once)
    run_all(shares, options.at_once, options.seconds)
    wrong = [share for share in shares if not ended_well(share)]
    for share in wrong:
        tell_wrong(share)
    if options.what == "tests":
        counts = Counter()
        for share in shares:
            last = share.text().splitlines()[-1:] or [""]
            counts.update({name.rstrip("s"): int(number) for number, name in OUTCOMES.findall(last[0])})
        told = ", ".join(f"{number} {name}" for name, number in sorted(counts.items()))
    else:
        pairs = [tuple(map(int, pair)) for share in shares for pair in REACHED.findall(share.text())]
        reached, all_of_them = sum(pair[0] for pair in pairs), max((pair[1] for pair in pairs), default=0)
        told = f"{reached} of {all_of_them} operators"
        if not wrong and not 0 < all_of_them <= reached:
            wrong = shares
    verdict = "FAILED" if wrong else "passed"
    print(
        f"{' '.join([options.what, *options.folders])}: {verdict}: {told}, {time.monotonic() - begin:.0f} s"
    )
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
