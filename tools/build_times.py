"""Shows which files take longest to compile, from Ninja's log of the last build: build_times.py [BUILD FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path


def read_times(log: str) -> dict[str, float]:
    """Seconds that each object file last took; the log may hold several builds of one file, the last one counts."""
    times = {}
    for line in log.splitlines()[1:]:
        start, end, _, output, _ = line.split("\t")
        if output.endswith(".o"):
            times[output] = (int(end) - int(start)) / 1000
    return times


def main() -> None:
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "build/release")
    times = read_times((folder / ".ninja_log").read_text())
    for output, seconds in sorted(times.items(), key=lambda entry: -entry[1])[:10]:
        print(f"{seconds:6.1f} s  {output.split('.dir/')[-1].removesuffix('.o')}")
    print(f"{sum(times.values()):6.1f} s  all {len(times)} files")


if __name__ == "__main__":
    main()
