"""Compares many random programs about aliases: python tests/forms/generator/many_aliasing.py --count 5000 [--seed 3]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.aliasing import compare_many


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--gradients", action="store_true", help="compare the gradients of the programs")
    chosen = parser.parse_args()
    tally = compare_many(chosen.count, chosen.seed, chosen.gradients)
    print(f"{tally.agreed} comparisons agree, {tally.refused.total()} are refused")
    for reason, times in tally.refused.most_common(20):
        print(f"{times:6} {reason}")


if __name__ == "__main__":
    main()
