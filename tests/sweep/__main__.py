"""Checks many layers at awkward sizes: python -m tests.sweep --count 5000 --seed 1"""

import argparse
import sys
import time

from .families import FAMILIES
from .searching import sweep


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.sweep", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other cases")
    parser.add_argument("--start", type=int, default=0, help="number of the first case")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--families", nargs="*", default=list(FAMILIES), choices=list(FAMILIES))
    chosen = parser.parse_args()
    began = time.monotonic()
    tally = sweep(chosen.count, chosen.seed, chosen.families, chosen.start, chosen.workers, _show)
    print(f"{tally.compared} cases, {len(tally.faults)} faults, {time.monotonic() - began:.0f} s")
    return 1 if tally.faults else 0


def _show(fault):
    print(f"{fault}\n{'-' * 80}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
