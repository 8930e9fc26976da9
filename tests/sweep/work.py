"""Checks cases in a process of its own, so that a crash is reported with the case that brought it.

`python -m tests.sweep.work SEED FIRST LAST FAMILY ...` writes lines of JSON before and after each case.
"""

import faulthandler
import json
import sys
import traceback

from .case import Difference, check
from .families import case_of

SECONDS_PER_CASE = 120


def main(seed, first, last, families):
    faulthandler.enable()
    for number in range(first, last):
        faulthandler.dump_traceback_later(SECONDS_PER_CASE, exit=True)
        case = case_of(seed, number, families)
        _tell("running", number, case.text)
        fault = ""
        try:
            check(case)
        except Difference as difference:
            fault = str(difference)
        except Exception:
            fault = traceback.format_exc()
        faulthandler.cancel_dump_traceback_later()
        _tell("fault" if fault else "agrees", number, fault and f"{case.text}\n{fault}")


def _tell(what, number, text):
    print(json.dumps({"what": what, "number": number, "text": text}), flush=True)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:4]), sys.argv[4:])
