"""The samples of the operator table on the device, against what NumPy expects of them."""

from comparison import difference, expected
from faces import canonical, materialise, refused_by_the_rules
from samples import expand

from dyad import _core


def table_entries(*names):
    """The entries of these operators, in the order of the names."""
    entries = {op["name"]: op for op in _core.op_table()}
    return [entries[name] for name in names]


def cases_of(op, most_cases):
    """Cases of the samples of an operator, at most so many of each sample, with their arguments on the device."""
    for text in op["samples"]:
        cases = expand(op, text)
        for case in cases[:: max(1, len(cases) // most_cases)]:
            yield case, {name: materialise(value) for name, value in case.arguments.items()}


def faults_of(op, most_cases=24, left_out=lambda arguments: False):
    """Faults of an operator's samples, as strings; tries at most `most_cases` cases of each sample."""
    faults = []
    for case, arguments in cases_of(op, most_cases):
        if left_out(arguments):
            continue
        try:
            result = canonical(op, arguments)
        except Exception as error:
            if not refused_by_the_rules(case, error):
                faults.append(f"{case}: {type(error).__name__}: {error}")
            continue
        results = result if isinstance(result, (tuple, list)) else (result,)
        for one, wanted in zip(results, expected(op, case), strict=True):
            faults += [f"{case}: {fault}" for fault in [difference(op, one, wanted)] if fault]
    return faults
