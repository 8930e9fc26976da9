"""Compares many random graphs: python -m tests.fuzz --count 20000 --seed 1"""

import argparse
import sys
import time

from .searching import search


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1, help="another seed gives other graphs")
    parser.add_argument("--start", type=int, default=0, help="number of the first graph")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument(
        "--forms", nargs="*", default=[], help="O0, O1, open, bytecode, trace, graph_mode; all unless named"
    )
    chosen = parser.parse_args()
    began = time.monotonic()
    tally = search(
        chosen.count, chosen.seed, chosen.start, chosen.workers, every=True, forms=chosen.forms, show=_show
    )
    seconds = time.monotonic() - began
    print(f"{tally.compared} graphs, {len(tally.faults)} faults, {tally.refused} refused, {seconds:.0f} s")
    return 1 if tally.faults else 0


def _show(fault):
    print(f"{fault}\n{'-' * 80}", flush=True)


if __name__ == "__main__":
    sys.exit(main())
