"""Checks graphs in a process of its own, so that a crash is reported with the graph that brought it.

`python -m tests.fuzz.work SEED FIRST LAST EVERY [FORM ...]` writes lines of JSON before and after each graph.
"""

import faulthandler
import json
import sys

from .comparing import BY_NAME, FORMS, Difference, check
from .generator import graph_of
from .minimising import minimised

SECONDS_PER_GRAPH = 60


def forms_for(number: int, every: bool):
    """The forms a graph is tried in. In a short run each graph is fused, and takes one of the others in turn."""
    others = [form for form in FORMS if form is not BY_NAME["O1"]]
    return FORMS if every else [BY_NAME["O1"], others[number % len(others)]]


def fault_of(graph, forms) -> str:
    try:
        check(graph, forms)
    except Difference as difference:
        return str(difference)
    return ""


def report(graph, forms, fault) -> str:
    """The fault and the smallest graph that has one of the same form."""
    form = fault.split(":")[0]
    smallest = minimised(graph, lambda tried: _fails_alike(tried, forms, form))
    return f"{fault_of(smallest, forms)}\n\n{smallest.script()}"


def _fails_alike(graph, forms, form):
    try:
        return fault_of(graph, forms).startswith(f"{form}:")
    except Exception:
        return False  # no graph at all any more


def main(seed, first, last, every, named):
    faulthandler.enable()
    for number in range(first, last):
        forms = [BY_NAME[name] for name in named] or forms_for(number, every)
        faulthandler.dump_traceback_later(SECONDS_PER_GRAPH, exit=True)
        _tell("writing", number)
        graph = graph_of(seed, number)
        _tell("running", number, repr(graph))
        try:
            refused, fault = check(graph, forms), ""
        except Difference as difference:
            refused, fault = 0, str(difference)
        faulthandler.cancel_dump_traceback_later()
        if fault:
            _tell("fault", number, report(graph, forms, fault))
        else:
            _tell("agrees", number, "", refused=refused, exact=not graph.inexact)


def _tell(what, number, text="", **more):
    print(json.dumps({"what": what, "number": number, "text": text, **more}), flush=True)


if __name__ == "__main__":
    main(*(int(word) for word in sys.argv[1:5]), sys.argv[5:])
