"""Runs a graph in several forms and says where one differs from the dynamic graph.

What only exact operators lead to must agree to the bit (any NaN is as good as another). The rest is bounded by the
program itself: it is run in float64, and again with every value that may be rounded in more than one way changed by a
few units in the last place of its dtype; by as much as that moves a result, times `MARGIN`, the forms may differ.
"""

import functools
import warnings

import numpy as np

import dyad
from dyad import Tensor, _core, nn, ops, value_and_grad
from dyad._src.capture.entry import compile_call
from dyad._src.jit.dynamic_shapes.dynamic_sizes import tensors_in_call
from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE, JitOptions, OpenShape

from .graph import ROUNDING, SMALLEST, Graph, Noise, wide_function
from .values import FLOATS, NAMES, array_of

MARGIN = 32
NOISY_RUNS = 5


class Difference(Exception):
    """A form of a graph differs from the dynamic graph; the text says where and how."""


def check(graph: Graph, forms=None) -> int:
    """Compares the graph in each of the forms and raises Difference at the first that differs.

    Gives the number of forms that refused the graph because a size is open.
    """
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        wanted = _outcome(graph, _as_it_is)
        for name, run in FORMS if forms is None else forms:
            if name == "trace" and graph.has_branches:
                continue  # it keeps the branch of its first call
            found = _outcome(graph, functools.partial(run, made_for=graph))
            if name == "open" and isinstance(found, _core.SymbolicDimError | _core.CaptureError):
                refused += 1
                continue
            _compare(graph, name, found, wanted)
            if name == "open":
                _check_grown(graph, run)
    return refused


def _check_grown(graph, run):
    """The graph that was made for one size, called with another."""
    for size in _symbolic_dims(graph)[:1]:
        grown = _grown(graph, size)
        wanted = _outcome(grown, _as_it_is)
        if not isinstance(wanted, Exception):  # otherwise other arguments fix this size
            _compare(grown, "open", _outcome(grown, functools.partial(run, made_for=graph)), wanted)


def _outcome(graph, form):
    """(results of a first call, of a second, inputs and Parameters afterwards), or the error.

    Between the calls the Parameters change: what a graph has prepared from them is to be prepared again.
    """
    inputs, parameters = graph.tensors()
    program = graph.function(parameters)
    if graph.differentiated:
        program = _gradient_of(program, graph.differentiable)
    try:
        called = form(program, inputs)
        first = called(*inputs)
        _change(parameters)
        inputs = graph.tensors()[0]
        second = called(*inputs)
    except Exception as error:
        return error
    return first, second, inputs, parameters


def _change(parameters):
    for parameter in parameters:
        ops.assign(parameter, parameter * 2)


def _gradient_of(program, positions):
    gradient = value_and_grad(program, positions)

    def differentiated(*inputs):
        return gradient(*inputs)

    return differentiated


def _as_it_is(program, inputs):
    return program


def _jitted(name, **options):
    def form(program, inputs, made_for):
        return dyad.jit(program, **options)

    return name, form


def _graph_mode(program, inputs, made_for):
    cell = _InCell(program)

    def call(*arguments):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return cell(*arguments)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


class _InCell(nn.Cell):
    """Graph mode compiles Cells: a Cell of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *arguments):
        return self.function(*arguments)


def _open(program, inputs, made_for):
    """The program with every dimension of one size open."""
    size = (_symbolic_dims(made_for) or [None])[0]
    templates = {
        place: OpenShape(tuple("n" if found == size else found for found in words.shape))
        for place, words in _words_in_call(made_for, inputs).items()
        if size in words.shape
    }

    def refuse(*_):
        raise AssertionError("the graph with a symbolic dimension does not fit")

    compiled = functools.update_wrapper(_core.CompiledFunction(refuse), program)
    first = made_for.tensors()[0]
    options = JitOptions(templates=templates, jit_level="O1")
    compiled.add(compile_call(compiled, program, tuple(first), {}, options))
    return compiled


def _words_in_call(graph, inputs):
    places = tensors_in_call(tuple(inputs), {})
    return {place: graph.arguments[name] for place, name in zip(places, graph.inputs, strict=True)}


def _symbolic_dims(graph):
    sizes = {size for name in graph.inputs for size in graph.arguments[name].shape}
    return sorted(size for size in sizes if size >= SMALLEST_OPEN_SIZE)


def _grown(graph, size):
    arguments = {
        name: argument if argument.parameter else argument.grown(size)
        for name, argument in graph.arguments.items()
    }
    return Graph(
        arguments, graph.statements, graph.results, graph.dtypes, graph.inexact, graph.differentiated
    )


FORMS = [
    _jitted("O0", jit_level="O0"),
    _jitted("O1", jit_level="O1"),
    ("open", _open),
    _jitted("bytecode", capture_mode="bytecode"),
    _jitted("trace", capture_mode="trace"),
    ("graph_mode", _graph_mode),
]
BY_NAME = {form[0]: form for form in FORMS}


def _compare(graph, form, found, wanted):
    if isinstance(found, Exception) or isinstance(wanted, Exception):
        if type(found) is not type(wanted) or _first_line(found) != _first_line(wanted):
            raise Difference(f"{form}: gives {_shown(found)}; the dynamic graph gives {_shown(wanted)}")
        return
    bounds = None
    for number, (place, ours, theirs) in enumerate(_pairs(graph, found, wanted)):
        fault = _unlike(ours, theirs)
        if not fault and not _same(ours, theirs):
            exact = not graph.differentiated and _is_exact(graph, place)
            bounds = bounds or (_bounds(graph, wanted) if not exact else None)
            allowed = None if exact else bounds[number]
            fault = _beyond(ours, theirs, allowed)
        if fault:
            raise Difference(f"{form}: {place}: {fault}")


def _shown(outcome):
    return repr(outcome) if isinstance(outcome, Exception) else "results"


def _first_line(outcome):
    return str(outcome.args[0]).split("\n")[0] if isinstance(outcome, Exception) and outcome.args else ""


def _is_exact(graph, place):
    return place.split()[-1] not in graph.inexact


def _pairs(graph, found, wanted):
    """(place, tensor of the form, tensor of the dynamic graph)."""
    results = list(graph.results)
    if graph.differentiated:
        results += [f"gradient {at}" for at in graph.differentiable]
    kinds = ("first result", "result", "input", "Parameter")
    names = (results, results, graph.inputs, graph.parameters)
    for kind, called, ours, theirs in zip(kinds, names, found, wanted, strict=True):
        for name, one, other in zip(called, _flat(ours), _flat(theirs), strict=True):
            yield f"{kind} {name}", one, other


def _flat(value):
    if isinstance(value, Tensor):
        return [value]
    return [tensor for item in value for tensor in _flat(item)]


def _unlike(ours, theirs):
    if ours.dtype != theirs.dtype:
        return f"dtype {ours.dtype}, the dynamic graph gives {theirs.dtype}"
    if tuple(ours.shape) != tuple(theirs.shape):
        return f"shape {tuple(ours.shape)}, the dynamic graph gives {tuple(theirs.shape)}"
    return ""


def _same(ours, theirs):
    """True if both are equal to the bit, except for the kind of NaN."""
    one, other = array_of(ours), array_of(theirs)
    if one.dtype.kind != "f":
        return np.array_equal(one, other)
    return np.array_equal(one, other, equal_nan=True) and np.array_equal(
        np.signbit(one[~np.isnan(one)]), np.signbit(other[~np.isnan(other)])
    )


def _beyond(ours, theirs, allowed):
    """Where the difference is more than allowed, as text."""
    one, other = array_of(ours), array_of(theirs)
    if allowed is None or one.dtype.kind != "f":
        with np.errstate(invalid="ignore"):
            wrong = (one != other) | (
                np.signbit(one) != np.signbit(other) if one.dtype.kind == "f" else False
            )
            wrong &= ~((one != one) & (other != other))
        return _place(one, other, wrong, 0) if wrong.any() else ""
    one, other = one.astype(np.float64), other.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        same = (one == other) | (np.isnan(one) & np.isnan(other))
        wrong = ~same & ~(np.abs(one - other) <= allowed) & ~np.isposinf(allowed)
    return _place(one, other, wrong, allowed) if wrong.any() else ""


def _place(one, other, wrong, allowed):
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    limit = float(np.broadcast_to(allowed, one.shape)[at])
    return (
        f"{one[at]!r} at {at}, the dynamic graph gives {other[at]!r}; "
        f"{int(wrong.sum())} of {wrong.size} differ by more than {limit:.3g}"
    )


def _bounds(graph, wanted):
    """For each tensor that is compared, by how much two right answers may differ; infinite where any will do."""
    exact = _wide_outcome(graph, None)
    noisy = [_wide_outcome(graph, Noise(seed)) for seed in range(NOISY_RUNS)]
    places, narrow = zip(
        *((place, theirs) for place, _, theirs in _pairs(graph, wanted, wanted)), strict=True
    )
    results = (
        centre
        for place, centre in zip(places, exact, strict=True)
        if "result " in place and " gradient " not in place
    )
    largest_result = max(map(_largest, results), default=0)
    bounds = []
    for number, centre in enumerate(exact):
        dtype = NAMES[narrow[number].dtype]
        with np.errstate(invalid="ignore", over="ignore"):
            moved = np.zeros(centre.shape)
            for run in noisy:
                moved = np.maximum(moved, np.nan_to_num(np.abs(run[number] - centre), nan=np.inf))
            size = np.abs(centre)
            if graph.differentiated:
                # The noise does not reach into the walk back: the largest counts for all. What is nothing but
                # rounding, as the gradient of a softmax's sum, has the size of what is summed.
                size = size + 4 * _largest(centre)
                if " gradient " in places[number]:
                    size = size + largest_result
            least = ROUNDING.get(dtype, 0) * size + SMALLEST.get(dtype, 0)
            bound = MARGIN * (moved + least)
            # Where only one of the widths overflows, nothing is said about what comes of it.
            theirs = array_of(narrow[number]).astype(np.float64)
            overflows = np.isfinite(centre) != np.isfinite(theirs)
            limit = {"float16": 3e4, "float32": 1e38, "bfloat16": 1e38}.get(dtype, 1e307)
            overflows |= np.isfinite(centre) & (np.abs(centre) >= limit)
            bounds.append(np.where(overflows, np.inf, bound))
    return bounds


def _largest(numbers):
    size = np.abs(numbers)
    return np.max(size, initial=0, where=np.isfinite(size))


def _wide_outcome(graph, noise):
    inputs, parameters = graph.tensors(wide=True)
    program = wide_function(graph, parameters, noise)
    if graph.differentiated:
        program = value_and_grad(program, graph.differentiable)
    first = program(*inputs)
    _change(parameters)
    inputs = graph.tensors(wide=True)[0]
    outcome = first, program(*inputs), inputs, parameters
    return [array_of(ours).astype(np.float64) for _, ours, _ in _pairs(graph, outcome, outcome)]


assert set(ROUNDING) == set(FLOATS)
