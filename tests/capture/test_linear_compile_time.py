"""The work of a first call grows no faster than the program: counted, never timed."""

import functools
import signal
import weakref

import numpy as np
import pytest

import dyad
from dyad import Tensor, _core
from dyad._src.bytecode.flow import Flow
from dyad._src.bytecode.instructions import instructions_of
from dyad._src.capture import entry, memories
from dyad._src.capture.semantics.abstract.join import Joiner
from dyad._src.capture.semantics.control import budget
from dyad._src.jit.graph_break.bytecode.regions import Regions
from dyad._src.jit.graph_break.source.partition import Partition

MODES = ("ast", "bytecode")

TURNS = {
    "branches": "if x.sum() > {i}.0:\n    x = x + 1.0\nelse:\n    x = x * 0.5",
    "returns": "if x.sum() > {i}e9:\n    return x + {i}\nx = x + 1.0",
    "loops": "for item in (1.0, 2.0):\n    if x.sum() > {i}.0:\n        break\n    x = x + item",
    "tries": "try:\n    x = x + 1.0\nexcept ValueError:\n    x = x + 2.0",
    "managers": "with manager(x) as y:\n    x = x + y",
    "writes": "if x.sum() > {i}.0:\n    held['a{i}'] = x + 1.0\nelse:\n    held['a{i}'] = x * 0.5",
    "numbers": "if x.sum() > {i}.0:\n    k{i} = 1\nelse:\n    k{i} = 2\nx = x + k{i}",
    "host": "x = x * 1.5 + {i}\nh{i} = float(np.sin(x.asnumpy()).sum())\nx = x * 0.5 + h{i}",
}
X = Tensor(np.array([0.1, 0.2], np.float32))


def program(tmp_path, name, lines):
    path = tmp_path / f"{name}.py"
    path.write_text("\n".join(["def program(x):", "    held = {}", *lines, "    return x", ""]))
    space = {"np": np}
    exec(compile(path.read_text(), str(path), "exec"), space)
    return space["program"]


def row(tmp_path, kind, count):
    turns = (TURNS[kind].format(i=i).splitlines() for i in range(count))
    return program(tmp_path, f"{kind}_{count}", ["    " + line for turn in turns for line in turn])


def counting(monkeypatch, owner, name):
    """A list that grows with each call of a function."""
    calls = []
    function = getattr(owner, name)

    def counted(*args, **kwargs):
        calls.append(1)
        return function(*args, **kwargs)

    monkeypatch.setattr(owner, name, counted)
    return calls


@pytest.mark.parametrize("kind", [kind for kind in TURNS if kind != "host"])
def test_instructions_are_visited_once_for_all_branches(tmp_path, kind):
    instructions = instructions_of(row(tmp_path, kind, 60).__code__)
    flow = Flow(instructions)
    for number in range(len(instructions)):
        if len(flow.successors[number]) == 2 and flow.names[number] != "FOR_ITER":
            flow.merge_of(number, frozenset())
    assert flow.visited <= 3 * len(instructions)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["branches", "writes", "returns"])
def test_memories_are_compared_only_after_writes(tmp_path, monkeypatch, kind, mode):
    asked = counting(monkeypatch, memories, "_state_of")
    compared = counting(monkeypatch, _core, "shares_storage")
    found = []
    for count in (10, 40):
        asked.clear()
        compared.clear()
        given = row(tmp_path, kind, count)
        assert (dyad.jit(given, capture_mode=mode, fullgraph=True)(X) == given(X)).all()
        found.append((len(asked), len(compared)))
    assert all(many <= 5 * few + 20 for few, many in zip(*found, strict=True))


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("kind", ["numbers", "writes"])
def test_where_paths_meet_only_what_differs_is_joined(tmp_path, monkeypatch, kind, mode):
    joined = counting(monkeypatch, Joiner, "join")
    found = []
    for count in (10, 40):
        joined.clear()
        given = row(tmp_path, kind, count)
        assert (dyad.jit(given, capture_mode=mode, fullgraph=True)(X) == given(X)).all()
        found.append(len(joined))
    assert found[1] <= 5 * found[0]


def test_a_write_in_place_is_listed():
    graph = memories.MemoryGraph("graph")
    graph.activate()
    try:
        tensor, other = graph.add_input(X), graph.add_input(X)
        numbers = [graph.memory(each) for each in (tensor, other)]
        assert graph.take_written() == []
        tensor.add_(other)
        assert graph.take_written() == numbers[:1]
        other[:1].add_(1.0)
        assert graph.take_written() == numbers[1:]
        assert graph.take_written() == []
    finally:
        graph.deactivate()
        graph.discard()


@pytest.mark.parametrize("mode", MODES)
def test_lines_that_need_python_are_captured_twice_each_at_most(tmp_path, monkeypatch, mode):
    captures = counting(monkeypatch, entry, "_capture_once")
    owner, name = (Partition, "_fits_graph") if mode == "ast" else (Regions, "_is_worth_a_part")
    visits = counting(monkeypatch, owner, name)
    found = []
    for count in (16, 64):
        captures.clear()
        visits.clear()
        given = row(tmp_path, "host", count)
        np.testing.assert_allclose(
            dyad.jit(given, capture_mode=mode)(X).asnumpy(), given(X).asnumpy(), rtol=1e-5
        )
        assert len(captures) <= 3 * count + 2
        found.append(len(visits))
    assert found[1] <= 6 * found[0]


def test_more_lines_that_need_python_than_python_may_nest_calls(tmp_path):
    given = row(tmp_path, "host", 150)
    compiled = dyad.jit(given)
    for _ in range(2):
        np.testing.assert_allclose(compiled(X).asnumpy(), given(X).asnumpy(), rtol=1e-5)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("header", ["for i{i} in range(2):", "while x.sum() < {limit}.0:"])
def test_turns_of_nested_loops_are_captured_so_often_and_no_more(tmp_path, monkeypatch, header, mode):
    lines, depth = [], 7
    for i in range(depth):
        lines.append("    " * (i + 1) + header.format(i=i, limit=i + 3))
    lines.append("    " * (depth + 1) + "x = x + 1.0")
    for i in reversed(range(depth)):
        lines += ["    " * (i + 2) + f"if x.sum() > {i + 5}.0:", "    " * (i + 3) + "break"]
    given = program(tmp_path, f"nested_{header[:5].strip()}_{depth}", lines)
    monkeypatch.setattr(budget, "NESTED_TURNS_ALLOWED", 16)
    turns = counting(monkeypatch, budget.Budget, "turn")
    assert (dyad.jit(given, capture_mode=mode)(X) == given(X)).all()
    assert len(turns) <= 16 * depth * depth


@pytest.mark.parametrize("mode", MODES)
def test_a_while_that_begins_with_another_while_is_read_as_two_loops(monkeypatch, mode):
    def program(x):
        while x.sum() < 30.0:
            while x.sum() < 20.0:
                x = x + 1.0
                if x.max() > 7.0:
                    break
            x = x + 2.0
            if x.max() > 12.0:
                break
        return x

    turns = counting(monkeypatch, budget.Budget, "turn")
    compiled = dyad.jit(program, capture_mode=mode, fullgraph=True)
    for given in (X, X * 50.0, X * 100.0, X - 9.0):
        assert (compiled(given) == program(given)).all()
    assert len(turns) < 60


class Interrupt(Exception):
    """Raised by a signal handler; the program does not handle it."""


class Handler:
    def __call__(self, number, frame):
        raise Interrupt


def on_alarm(number, frame):
    raise Interrupt


def interrupt_here():
    signal.raise_signal(signal.SIGALRM)


def interrupt_in_callback():
    class Known:
        pass

    known = Known()
    reference = weakref.ref(known, lambda _: interrupt_here())
    del known
    assert reference() is None


@pytest.fixture
def handled():
    """Sets the handler of alarms, for the time of the test."""
    before = signal.getsignal(signal.SIGALRM)
    yield functools.partial(signal.signal, signal.SIGALRM)
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


def many_turns(tmp_path, depth=9):
    lines = ["    " * (i + 1) + f"for i{i} in range(6):" for i in range(depth)]
    lines.append("    " * (depth + 1) + "x = x + 1.0")
    for i in reversed(range(depth)):
        lines += ["    " * (i + 2) + f"if x.sum() > {i + 5}.0:", "    " * (i + 3) + "break"]
    return program(tmp_path, "many_turns", lines)


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    ("handler", "error"),
    [
        (on_alarm, Interrupt),
        (Handler(), Interrupt),
        (functools.partial(on_alarm), Interrupt),
        (signal.default_int_handler, KeyboardInterrupt),
    ],
    ids=["function", "object", "partial", "keyboard"],
)
@pytest.mark.parametrize("interrupt", [interrupt_here, interrupt_in_callback])
def test_a_signal_ends_capture_at_once(tmp_path, monkeypatch, handled, handler, error, interrupt, mode):
    handled(handler)
    turn, turns = budget.Budget.turn, []

    def interrupted(*args, **kwargs):
        turns.append(1)
        if len(turns) == 20:
            interrupt()
        return turn(*args, **kwargs)

    monkeypatch.setattr(budget.Budget, "turn", interrupted)
    given = many_turns(tmp_path)
    with pytest.raises(error):
        dyad.jit(given, capture_mode=mode)(X)
    assert len(turns) <= 21
    assert _core.current_graph() is None


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("moment", [0.01, 0.03, 0.06, 0.1, 0.15])
def test_an_alarm_during_capture_reaches_the_caller(tmp_path, handled, moment, mode):
    handled(on_alarm)
    compiled = dyad.jit(many_turns(tmp_path), capture_mode=mode)
    with pytest.raises(Interrupt):
        signal.setitimer(signal.ITIMER_REAL, moment)
        compiled(X)
    assert _core.current_graph() is None


def first_of(names, wanted):
    for i, name in enumerate(names):
        if name == wanted:
            return i
    return -1


@pytest.mark.parametrize("mode", MODES)
def test_loops_that_known_values_end_do_not_multiply_in_a_branch_on_data(mode):
    def search(x):
        if x.sum() > 0:
            for _ in range(130):
                x = x + first_of(("a", "b", "c"), "c")
        return x

    compiled = dyad.jit(search, capture_mode=mode)
    assert compiled(X).tolist() == search(X).tolist()
    assert not dyad.explain(compiled)(X).runs_in_python
