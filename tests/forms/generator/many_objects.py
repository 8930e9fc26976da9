"""Compares many random programs over objects: python tests/forms/generator/many_objects.py --count 2000 [--seed 3]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator import objects
from generator.comparing import FORMS, Tally, compare, survey, tell


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--form", choices=FORMS, default="jit", help="what is held against the dynamic graph")
    parser.add_argument("--survey", action="store_true", help="go on where programs differ")
    chosen = parser.parse_args()
    form, sources = FORMS[chosen.form], objects.sources_of(chosen.seed, chosen.count)
    if chosen.survey:
        tally = survey(sources, objects.as_program, form)
    else:
        tally = Tally()
        for source in sources:
            compare(source, tally, objects.as_program, form)
    tell(tally)


if __name__ == "__main__":
    main()
