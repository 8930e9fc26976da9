"""Compares many random programs: python tests/forms/generator/many.py --count 5000 [--seed 3] [--form bytecode]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.comparing import FORMS, compare_many, search, survey, tell
from generator.programs import sources_of, written_with_blocks


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--form", choices=FORMS, default="jit", help="what is held against the dynamic graph")
    parser.add_argument("--plain", action="store_true", help="the stream of the tests: nothing is shrunk")
    parser.add_argument("--survey", action="store_true", help="go on where programs differ")
    parser.add_argument("--gradients", action="store_true", help="compare the gradients of the programs")
    parser.add_argument("--blocks", action="store_true", help="programs with try, with and nested loops")
    chosen = parser.parse_args()
    form, writing = FORMS[chosen.form], written_with_blocks if chosen.blocks else None
    if chosen.survey:
        tally = survey(sources_of(chosen.seed, chosen.count, writing=writing), form=form)
    elif chosen.blocks:
        tally = compare_many(chosen.count, chosen.seed, writing=writing, form=form)
    else:
        run = compare_many if chosen.plain else search
        tally = run(chosen.count, chosen.seed, chosen.gradients, form=form)
    tell(tally)


if __name__ == "__main__":
    main()
