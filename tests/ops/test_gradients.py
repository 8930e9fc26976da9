"""Each gradient rule against central differences in float64, along random directions."""

import numpy as np
import pytest
from arrays import Array, values_of
from counted import note_comparison
from faces import canonical, default_of, materialise
from samples import Case, expand

from dyad import _core

TABLE = [op for op in _core.op_table() if op["gradient"] == "rule" and op["writes"] < 0 and not op["random"]]
STEP = 1e-6
TOLERANCE = 1e-5
KINK = 1e-3
JUMP = 0.1
MOST_CASES = 24
# On many elements one of them is near a kink, where differences mean nothing.
MOST_ELEMENTS = 120
SHOWN_FAULTS = 4


def float_cases(op):
    for text in op["samples"]:
        yield from (case for case in expand(op, text, dtypes=["float64"]) if float_places(case))


def float_places(case: Case):
    """(parameter, position in a list or None) of each float tensor among the arguments."""
    places = []
    for name, value in case.arguments.items():
        if isinstance(value, Array) and value.dtype == "float64":
            places.append((name, None))
        elif isinstance(value, list | tuple):
            places += [
                (name, i)
                for i, item in enumerate(value)
                if isinstance(item, Array) and item.dtype == "float64"
            ]
    return places


def get(arguments, place):
    name, at = place
    return arguments[name] if at is None else arguments[name][at]


def moved(case: Case, place, direction, step) -> dict:
    """The case's arguments with one tensor moved along a direction."""
    name, at = place
    array = get(case.arguments, place)
    changed = array.like(array.data + step * direction)
    if at is None:
        return {**case.arguments, name: changed}
    items = list(case.arguments[name])
    items[at] = changed
    return {**case.arguments, name: type(case.arguments[name])(items)}


def run(op, arguments) -> list:
    result = canonical(op, {name: materialise(value) for name, value in arguments.items()})
    return list(result) if isinstance(result, tuple | list) else [result]


def is_exact(tensor):
    """True if a result has the precision that differences need."""
    return tensor.dtype == _core.float64


def full_arguments(op, case):
    """All arguments in the order of the signature."""
    given = {name: materialise(value) for name, value in case.arguments.items()}
    return [given.get(param["name"], default_of(param)) for param in op["params"]]


def by_rule(op, case, results, weights):
    """Gradients by place, as arrays; None where the rule sets none."""
    gradients = [None if w is None else Array(w, "float64").tensor() for w in weights]
    found = _core.run_gradient_rule(op["name"], full_arguments(op, case), results, gradients)
    found = dict(zip((param["name"] for param in op["params"]), found, strict=True))
    out = {}
    for name, at in float_places(case):
        gradient = found[name] if at is None or found[name] is None else found[name][at]
        out[name, at] = None if gradient is None else values_of(gradient)
    return out


def weightings(results, rng):
    """Weights of the results: all at once and, where there are several, one at a time with the others unused."""
    drawn = [rng.uniform(-1, 1, r.shape) if is_exact(r) else None for r in results]
    used = [i for i, weight in enumerate(drawn) if weight is not None]
    yield drawn
    if len(used) > 1:
        for only in used:
            yield [weight if i == only else None for i, weight in enumerate(drawn)]


def weighted(results, weights):
    with np.errstate(invalid="ignore", over="ignore"):  # infinities: no smooth point
        return sum(
            float(np.sum(values_of(r) * w)) for r, w in zip(results, weights, strict=True) if w is not None
        )


def is_smooth(behind, here, ahead):
    """True if differences are meaningful: the values neither jump nor turn within a step."""
    if not np.all(np.isfinite([behind, here, ahead])):
        return False
    before, after = here - behind, ahead - here
    size = max(1.0, abs(here))
    return max(abs(before), abs(after)) <= JUMP * size and abs(after - before) <= KINK * STEP * max(
        size, abs(before / STEP), abs(after / STEP)
    )


def faults_of(op, case: Case):
    rng = np.random.default_rng(7)
    results = run(op, case.arguments)
    if not any(is_exact(r) for r in results):
        return
    for weights in weightings(results, rng):
        try:
            gradients = by_rule(op, case, results, weights)
        except ValueError as error:
            # A factor that is not unique: the rule says so instead of giving some gradient.
            if "no derivative" in str(error):
                continue
            raise
        here = weighted(results, weights)
        for place in float_places(case):
            direction = rng.uniform(-1, 1, get(case.arguments, place).data.shape)
            ahead = weighted(run(op, moved(case, place, direction, STEP)), weights)
            behind = weighted(run(op, moved(case, place, direction, -STEP)), weights)
            if not is_smooth(behind, here, ahead):
                continue
            numeric = (ahead - behind) / (2 * STEP)
            gradient = gradients[place]
            if gradient is None and f"takes `{place[0]}` as constant" in op["doc"]:
                continue
            ours = 0.0 if gradient is None else float(np.sum(gradient * direction))
            scale = max(1.0, abs(numeric), abs(ahead))
            note_comparison()
            if not abs(ours - numeric) <= TOLERANCE * scale:
                yield f"{op['name']}({case}): gradient of {place[0]} along a line: {ours}, by differences {numeric}"


def element_count(case):
    return sum(array.data.size for array in case.arrays())


@pytest.mark.parametrize("op", TABLE, ids=lambda op: op["name"])
def test_rule_agrees_with_differences(op):
    cases = sorted(float_cases(op), key=element_count)
    small = [case for case in cases if element_count(case) <= MOST_ELEMENTS]
    cases = small or cases[:1]
    faults = [fault for case in cases[:MOST_CASES] for fault in faults_of(op, case)]
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


# They vary and are there to be taken as constant; the second is half of an optimiser's step.
TAKEN_AS_CONSTANT = {"stop_gradient", "lars_gradients"}
CONSTANT = [
    op
    for op in _core.op_table()
    if op["gradient"] == "none"
    and op["writes"] < 0
    and not op["updates"]
    and not op["random"]
    and op["name"] not in TAKEN_AS_CONSTANT
]


@pytest.mark.parametrize("op", CONSTANT, ids=lambda op: op["name"])
def test_an_operator_without_rule_does_not_vary(op):
    """An operator without a gradient is constant between its steps; every other one has a rule or a body."""
    rng = np.random.default_rng(7)
    faults = []
    for case in sorted(float_cases(op), key=element_count)[:MOST_CASES]:
        results = run(op, case.arguments)
        weights = next(weightings(results, rng))
        here = weighted(results, weights)
        for place in float_places(case):
            direction = rng.uniform(-1, 1, get(case.arguments, place).data.shape)
            ahead = weighted(run(op, moved(case, place, direction, STEP)), weights)
            behind = weighted(run(op, moved(case, place, direction, -STEP)), weights)
            if not is_smooth(behind, here, ahead):
                continue
            note_comparison()
            if ahead != behind:
                faults.append(f"{op['name']}({case}) varies with {place[0]}")
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def test_every_operator_says_how_it_is_differentiated():
    silent = [op["name"] for op in _core.op_table() if not op["gradient"]]
    assert not silent, f"neither rule nor body nor a reason for having none: {', '.join(silent)}"
