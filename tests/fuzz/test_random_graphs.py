"""Random graphs agree with the dynamic graph at every level; `python -m tests.fuzz` runs as many as one likes."""

import sys

from . import searching
from .comparing import Difference, check
from .generator import graph_of
from .graph import Graph, Statement, parsed
from .minimising import minimised
from .searching import search
from .values import Argument

SEED = 7
GRAPHS = 500
# A form with symbolic dimensions may ask for a known one; most graphs must get along without.
MOST_REFUSED = 0.3
# Ends the process in the middle of graph 3.
_DYING = """
import fuzz.comparing
real = fuzz.comparing.check
calls = iter(range(int(sys.argv[2]), 100))
fuzz.comparing.check = lambda *given: os._exit(11) if next(calls) == 3 else real(*given)
"""


def test_random_graphs_agree():
    tally = search(GRAPHS, SEED)
    assert not tally.faults, "\n\n".join(tally.faults[:3])
    assert tally.compared == GRAPHS
    assert tally.refused < MOST_REFUSED * GRAPHS / 2


def test_graphs_are_those_of_the_seed():
    assert parsed(repr(graph_of(SEED, 3))).script() == graph_of(SEED, 3).script()
    assert len({graph_of(SEED, number).source() for number in range(30)}) > 25


def test_the_stream_holds_what_it_promises():
    graphs = [graph_of(SEED, number) for number in range(200)]
    text = "".join(graph.source() for graph in graphs)
    for word in ("while", "if ", "assign", ".sum(", "softmax", "conv2d", "@", "gather", "concat", "astype"):
        assert word in text
    words = [argument for graph in graphs for argument in graph.arguments.values()]
    assert {argument.layout for argument in words} >= {"strided", "transposed", "repeated", "backwards"}
    assert {argument.dtype for argument in words} >= {"float16", "bfloat16", "int8", "bool_"}
    assert any(0 in argument.shape for argument in words)
    assert sum(graph.differentiated for graph in graphs) > 20
    assert sum(not graph.inexact for graph in graphs) > 40


def _made(*texts, results, inexact=()):
    words = {"a0": Argument("float32", (3, 5), seed=1)}
    statements = [
        Statement(text, (f"v{at}",), (f"v{at - 1}" if at else "a0",), exact=f"v{at}" not in inexact)
        for at, text in enumerate(texts)
    ]
    dtypes = {"a0": "float32", **{f"v{at}": "float32" for at in range(len(texts))}}
    return Graph(words, statements, results, dtypes, frozenset(inexact))


def _changed(text, by):
    """A form that gets one statement wrong: the program is compiled with another text."""

    def form(program, inputs, made_for):
        wrong = Graph(
            made_for.arguments,
            [Statement(s.text.replace(text, by), s.targets, s.reads) for s in made_for.statements],
            made_for.results,
        )
        return wrong.function([])

    return ("wrong", form)


def _fault(graph, form):
    try:
        check(graph, [form])
    except Difference as difference:
        return str(difference)
    return ""


def test_a_difference_in_the_last_place_is_found():
    graph = _made("v0 = a0 * 3", results=("v0",))
    assert "wrong: first result v0" in _fault(graph, _changed("* 3", "* 3.0000002"))
    assert not _fault(graph, _changed("* 3", "* 3.0"))


def test_a_sum_may_be_rounded_otherwise_but_not_be_wrong():
    graph = _made("v0 = a0.sum(1)", results=("v0",), inexact=("v0",))
    assert not _fault(
        graph, _changed("a0.sum(1)", "(a0[:, 0] + (a0[:, 1] + (a0[:, 2] + a0[:, 3] + a0[:, 4])))")
    )
    assert "wrong: first result v0" in _fault(graph, _changed("a0.sum(1)", "a0.sum(1) * 1.0001"))


def test_a_fault_is_made_small():
    graph = _made("v0 = a0 + 1", "v1 = ops.tanh(v0)", "v2 = v1 * 2", "v3 = ops.exp(v2)", results=("v1", "v3"))
    wrong = _changed("v1 * 2", "v1 * 2.5")
    smallest = minimised(graph, lambda tried: bool(_fault(tried, wrong)))
    assert "v2 = v1 * 2" in smallest.source()
    assert len(smallest.statements) <= 2


def test_a_crash_is_reported_with_its_graph(monkeypatch):
    """A worker that dies while it runs a graph is followed by one that goes on behind it."""
    dies = f"import os, runpy, sys\n{_DYING}\nrunpy.run_module('fuzz.work', run_name='__main__')"
    monkeypatch.setattr(searching, "_worker", lambda: [sys.executable, "-c", dies])
    monkeypatch.setattr(searching, "_CRASH_ATTEMPTS", 3)  # nothing to find: only the worker dies
    tally = search(6, SEED, forms=["O0"])
    assert tally.compared == 6
    assert [fault.split(":")[0] for fault in tally.faults] == [f"graph 3 of seed {SEED}"]
    assert "def program(" in tally.faults[0]
