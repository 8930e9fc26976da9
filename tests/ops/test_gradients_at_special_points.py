"""Gradients where elements are zero, equal or at an edge: finite wherever the operator has a (sub)gradient there."""

import numpy as np
import pytest
from arrays import values_of
from counted import note_comparison
from faces import canonical, materialise
from samples import Case, expand
from test_gradients import float_places, get

import dyad
from dyad import Tensor, _core, nn, ops

# Where the true gradient is infinite or there is none.
SINGULAR = {
    "acos": "infinite at -1 and 1",
    "acosh": "infinite at 1",
    "asin": "infinite at -1 and 1",
    "atan2": "no limit at the origin",
    "betainc": "infinite at the edge of its domain",
    "betainc_slope": "infinite at the edge of its domain",
    "cond": "infinite at a singular matrix",
    "igamma": "infinite at the edge of its domain",
    "igamma_slope": "infinite at the edge of its domain",
    "lars_update": "the root of a negative sum of squares",
    "mul_no_nan": "the other factor is infinite",
    "pow": "infinite at 0 for exponents below 1",
    "power": "no real logarithm of a negative base",
    "qr": "not unique for dependent columns",
    "qr_by_flag": "not unique for dependent columns",
    "qr_factors": "not unique for dependent columns",
    "sqrt": "infinite at 0",
}
MOST_CASES = 3
SHOWN_FAULTS = 4


def is_smooth(op):
    changes = op["random"] or op["writes"] >= 0 or op["updates"]
    return op["gradient"] in ("rule", "body") and not changes and op["name"] not in SINGULAR


OPS = [pytest.param(op, id=op["name"]) for op in _core.op_table() if is_smooth(op)]


def put(arguments, place, data):
    name, at = place
    moved = get(arguments, place).like(data)
    if at is None:
        return {**arguments, name: moved}
    items = list(arguments[name])
    items[at] = moved
    return {**arguments, name: type(arguments[name])(items)}


def points(case, place):
    """Arguments with one tensor at a special point, or all of them at zero."""
    base = get(case.arguments, place).data
    yield "zeros", put(case.arguments, place, np.zeros_like(base))
    yield "ones", put(case.arguments, place, np.ones_like(base))
    if base.size:
        yield "one number", put(case.arguments, place, np.full_like(base, base.flat[0]))
        first = base.copy()
        first.flat[0] = 0
        yield "a zero", put(case.arguments, place, first)
    if base.ndim:
        row = base.copy()
        row[:1] = 0
        yield "a row of zeros", put(case.arguments, place, row)
    places = float_places(case)
    for other in places:
        if other != place and get(case.arguments, other).data.shape == base.shape:
            yield "equal", put(case.arguments, place, get(case.arguments, other).data.copy())
    zeros = case.arguments
    for other in places:
        zeros = put(zeros, other, np.zeros_like(get(case.arguments, other).data))
    yield "all zeros", zeros


def value_and_gradient(op, arguments, place):
    """Float results and the gradient by one tensor; None where nothing is differentiated."""
    given = {name: materialise(value) for name, value in arguments.items()}
    name, at = place
    mark = _core.tape_enter()
    try:
        leaf = _core.as_input(given[name] if at is None else given[name][at])
        if at is None:
            given[name] = leaf
        else:
            items = list(given[name])
            items[at] = leaf
            given[name] = type(given[name])(items)
        found = canonical(op, given)
        results = [
            x
            for x in (found if isinstance(found, tuple | list) else [found])
            if x is not None and x.dtype == _core.float64
        ]
        if not results:
            return None
        (gradient,) = _core.differentiate(results, [None] * len(results), [leaf], mark, False)
        return [values_of(x) for x in results], None if gradient is None else values_of(gradient)
    finally:
        _core.tape_exit()


@pytest.mark.parametrize("op", OPS)
def test_gradients_are_finite(op):
    faults = []
    for text in op["samples"]:
        for case in expand(op, text, dtypes=["float64"])[:MOST_CASES]:
            for place in float_places(case):
                for what, arguments in points(case, place):
                    try:
                        found = value_and_gradient(op, arguments, place)
                    except (ValueError, RuntimeError):  # outside of what the operator accepts
                        continue
                    if found is None or found[1] is None:
                        continue
                    results, gradient = found
                    note_comparison()
                    if all(np.isfinite(x).all() for x in results) and not np.isfinite(gradient).all():
                        faults.append(f"{op['name']}({Case(arguments)}) by {place[0]} at {what}")
    assert not faults, "\n" + "\n".join(faults[:SHOWN_FAULTS])


def in_both_forms(function, x):
    gradient = dyad.grad(function)
    dynamic, static = gradient(x).asnumpy(), dyad.jit(gradient)(x).asnumpy()
    np.testing.assert_allclose(static, dynamic, rtol=1e-6)
    return dynamic


ROWS = Tensor(np.array([[1.0, 2.0], [4.0, 6.0]], np.float32))
ZEROS = Tensor(np.zeros((2, 2), np.float32))


def test_distances_of_a_set_from_itself():
    found = in_both_forms(lambda t: ops.cdist(t, t), ROWS)
    np.testing.assert_allclose(found, [[-1.2, -1.6], [1.2, 1.6]], rtol=1e-6)


@pytest.mark.parametrize(
    "function",
    [
        lambda t: ops.cosine_similarity(t, ROWS) * 1e-8,
        lambda t: ops.norm(t.reshape(-1), 3),
        lambda t: ops.vector_norm(t, 0.5),
        lambda t: ops.lp_pool1d(t.reshape(1, 1, 4), 2.0, 2),
        lambda t: t.std(),
        lambda t: ops.hypot(t, t),
        lambda t: nn.Norm()(t),
        lambda t: nn.RMSELoss()(t, ZEROS),
        lambda t: nn.ClipByNorm()(t, Tensor(1.0)),
        lambda t: dyad.numpy.std(t),
    ],
)
def test_at_zero(function):
    assert np.isfinite(in_both_forms(function, ZEROS)).all()


@pytest.mark.parametrize(
    ("function", "x", "slopes"),
    [
        (ops.relu6, [-1.0, 0.0, 3.0, 6.0, 7.0], [0, 0, 1, 1, 0]),
        (lambda t: ops.leaky_relu(t, 0.2), [-1.0, 0.0, 1.0], [0.2, 0.6, 1]),
        (ops.selu, [0.0, 1.0], [1.050701, 1.050701]),
        (lambda t: ops.prelu(t.reshape(1, -1), Tensor([0.5])), [-1.0, 0.0, 1.0], [0.5, 0.5, 1]),
        (ops.logit, [0.0, 0.5, 1.0], [np.inf, 4, np.inf]),
        (lambda t: ops.logit(t, 0.25), [0.0, 0.25, 0.5, 0.75, 1.0], [0, 16 / 3, 4, 16 / 3, 0]),
        (lambda t: ops.xdivy(t, 0.0 * t), [0.0, 0.0], [0, 0]),
    ],
)
def test_slopes_at_edges(function, x, slopes):
    np.testing.assert_allclose(in_both_forms(function, Tensor(np.array(x, np.float32))), slopes, rtol=1e-5)


@pytest.mark.parametrize("form", [lambda f: f, dyad.jit], ids=["dynamic", "static"])
def test_what_replaces_a_nan_has_a_gradient(form):
    x = Tensor(np.array([np.nan, np.inf, -np.inf, np.nan, 1.0], np.float32))
    gradients = form(dyad.grad(ops.nan_to_num, (0, 1, 2, 3)))(x, Tensor(1.0), Tensor([2.0]), Tensor(3.0))
    assert [each.tolist() for each in gradients] == [[0, 0, 0, 0, 1], 2, [1], 1]
