"""Compares many programs over containers: python tests/forms/generator/many_containers.py --count 5000 [--seed 3]"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from generator.comparing import FORMS, survey, tell
from generator.containers import as_program, compare_many, sources_of


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--form", choices=FORMS, default="jit", help="what is held against the dynamic graph")
    parser.add_argument("--survey", action="store_true", help="go on where programs differ")
    parser.add_argument(
        "--steady", action="store_true", help="only programs in which no Tensor decides a branch"
    )
    chosen = parser.parse_args()
    form = FORMS[chosen.form]
    if chosen.survey:
        tell(survey(sources_of(chosen.seed, chosen.count, chosen.steady), as_program, form))
    else:
        tell(compare_many(chosen.count, chosen.seed, form, chosen.steady))


if __name__ == "__main__":
    main()
