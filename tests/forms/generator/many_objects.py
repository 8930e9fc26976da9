"""Compares many random programs over objects: python tests/forms/generator/many_objects.py --count 2000 [--seed 3]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator import objects
from generator.comparing import Tally, compare


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    chosen = parser.parse_args()
    tally = Tally()
    for source in objects.sources_of(chosen.seed, chosen.count):
        compare(source, tally, objects.as_program)
    print(f"{tally.agreed} programs agree, {tally.refused.total()} are refused")
    for reason, times in tally.refused.most_common(20):
        print(f"{times:6} {reason}")


if __name__ == "__main__":
    main()
