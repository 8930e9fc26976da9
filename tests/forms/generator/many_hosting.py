"""Compares many random programs with host code: python tests/forms/generator/many_hosting.py --count 5000 [--seed 3]"""

import argparse
import re
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import session
from generator import hosting
from generator.shrinking import shrunk


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=5000)
    parser.add_argument("--seed", type=int, default=0, help="another seed gives other programs")
    parser.add_argument("--budget", type=int, default=16, help="the most statements of a program, about")
    parser.add_argument("--start", type=int, default=0, help="the number of the first program that is run")
    parser.add_argument("--keep", type=Path, help="a folder for the programs that differ, each made small")
    parser.add_argument("--seconds", type=int, default=60, help="how long a program is shrunk")
    parser.add_argument("--each", type=int, default=3, help="how many of one kind are shown")
    parser.add_argument("--form", action="append", choices=[form.__name__ for form in hosting.FORMS])
    parser.add_argument("--plain", action="store_true", help="nothing is shrunk")
    chosen = parser.parse_args()
    forms = [form for form in hosting.FORMS if not chosen.form or form.__name__ in chosen.form]
    kinds, differing, began = Counter(), 0, time.monotonic()
    for number, source in enumerate(hosting.sources_of(chosen.seed, chosen.count, chosen.budget)):
        if number < chosen.start:
            continue
        if number % 100 == 0:
            print(f"at program {number}", flush=True)
        found = hosting.difference_of(source, forms)
        if found is None:
            continue
        differing += 1
        print(f"program {number} of seed {chosen.seed}: {found}", flush=True)
        kinds[str(kind_of(found))] += 1
        if kinds[str(kind_of(found))] > chosen.each:
            continue
        small = source
        if not chosen.plain:
            small = shrunk(source, lambda text, found=found: shows(text, found), chosen.seconds)
        if chosen.keep:
            told = "".join(
                f"# {line}\n" for line in (hosting.difference_of(small, forms) or found).splitlines()
            )
            chosen.keep.mkdir(parents=True, exist_ok=True)
            (chosen.keep / f"seed{chosen.seed}_{number}.py").write_text(told + small)
        else:
            print(small, flush=True)
    count = chosen.count - chosen.start
    print(f"{count - differing} programs agree, {differing} differ; {time.monotonic() - began:.0f} s")
    sys.exit(1 if differing else 0)


def shows(source, found):
    """True if a program shows a difference of the same kind: in the same form, and of results, prints or errors."""
    form = next(form for form in hosting.FORMS if form.__name__ == kind_of(found)[0])
    session.SECONDS_ALLOWED, before = 3, session.SECONDS_ALLOWED  # what is left of a loop may not end
    try:
        now = hosting.difference_of(source, [form])
    except Exception:
        return False
    finally:
        session.SECONDS_ALLOWED = before
    return now is not None and kind_of(now) == kind_of(found)


def kind_of(found):
    """The form, what differs, and what this form raised, without its numbers."""
    form, _, rest = found.partition(",")
    raised = re.sub(r"\d+", "#", found.rpartition("this form raised ")[2])
    return form, rest.partition(":")[0].split("/")[1:2], raised


if __name__ == "__main__":
    main()
