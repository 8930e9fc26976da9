"""Compares many random programs: python tests/forms/generator/many.py --count 5000 [--seed 3]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.comparing import compare_many, search
from generator.programs import written_with_blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--plain", action="store_true", help="the stream of the tests: nothing is shrunk")
    parser.add_argument("--gradients", action="store_true", help="compare the gradients of the programs")
    parser.add_argument(
        "--blocks", action="store_true", help="programs with try, with and nested loops; none is shrunk"
    )
    chosen = parser.parse_args()
    if chosen.blocks:
        tally = compare_many(chosen.count, chosen.seed, writing=written_with_blocks)
    else:
        run = compare_many if chosen.plain else search
        tally = run(chosen.count, chosen.seed, chosen.gradients)
    print(f"{tally.agreed} programs agree, {tally.refused.total()} are refused")
    for reason, times in tally.refused.most_common(20):
        print(f"{times:6} {reason}")


if __name__ == "__main__":
    main()
