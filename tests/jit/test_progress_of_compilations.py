"""Compilations that last long are reported while they go on and when they end; others are not."""

import re
import signal

import pytest

import dyad
from dyad import Tensor, grad, jit, nn, ops
from dyad._src.capture import progress
from dyad._src.capture.errors import CaptureError

X = Tensor([1.0, 2.0])


@pytest.fixture
def always(monkeypatch):
    monkeypatch.setattr(progress, "LONG", 0.0)


def lines_about(logged, name):
    return [line for line in logged if name in line]


WORDS = tuple("a" * (number % 7 + 1) for number in range(2500))


def deep(x):
    for word in WORDS:
        x = ops.sin(x) * len(word)
    return x


def test_a_short_compilation_is_not_reported(logged):
    jit(lambda x: x + 1)(X)
    assert not logged


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_a_long_compilation_is_reported_once_with_its_reason_and_once_with_its_times(always, logged, mode):
    function = jit(capture_mode=mode)(deep)
    function(X)
    begun, ended = lines_about(logged, "compiling deep (")
    assert re.search(
        r"has taken \d\.\d s so far \(graph 1, because it is the first call\); now capture of ", begun
    )
    assert re.search(r" took \d\.\d s \(graph 1, .*\): capture .*, passes .*, plan and code ", ended)
    function(X)
    assert len(lines_about(logged, "compiling deep (")) == 2
    function(Tensor([1.0, 2.0, 3.0]))
    assert "graph 2, because argument x: was" in lines_about(logged, "compiling deep (")[2]


def test_a_cell_in_graph_mode_is_reported(always, logged):
    dyad.set_context(mode=dyad.GRAPH_MODE)

    class Net(nn.Cell):
        def construct(self, x):
            return x + 1

    Net()(X)
    assert any("because it is the first call" in line for line in lines_about(logged, ".Net ("))


@pytest.mark.parametrize("mode", ["ast", "bytecode"])
def test_parts_of_a_split_function_are_reported_with_their_lines(always, logged, mode):
    @jit(capture_mode=mode)
    def split(x):
        y = ops.exp(x) * 2
        z = Tensor(y.asnumpy())
        return ops.sin(z) + y

    split(X)
    assert any("Python runs it, with graphs for parts: asnumpy" in line for line in logged)
    assert lines_about(logged, "split, line")
    text = str(dyad.explain(split)(X))
    assert re.search(
        r"graph   1 graph, called 1 time: capture .* ms, passes .* ms, plan and code .* ms", text
    )


def test_gradients_and_new_sizes_are_reported_with_their_purpose(always, logged):
    @jit(dynamic=1)
    def tangled(x):
        return ops.sin(x).sum()

    gradient = grad(tangled)
    for size in (2, 3, 4):
        gradient(ops.ones((size,)))
    assert any("the graph tangled" in line and "to record it for a gradient" in line for line in logged)
    assert any("the graph tangled" in line and "to compute its gradient" in line for line in logged)


def test_explain_counts_compilations_and_their_stages():
    function = jit(lambda x: ops.exp(x) + 1)
    function(X), function(Tensor([1.0, 2.0, 3.0]))
    explained = dyad.explain(function)(X)
    assert [list(each.stages) for each in explained.compilations] == [
        ["capture", "passes", "plan and code"]
    ] * 2
    assert re.search(r"Compiled so far: 2 times, capture .* ms \(2 attempts\), passes ", str(explained))


def test_a_failure_ends_the_compilation_that_was_under_way(always, logged):
    @jit(fullgraph=True)
    def refused(x):
        return open(str(x))

    with pytest.raises(CaptureError):
        refused(X)
    assert progress._here.progress is None


class Interrupted(Exception):
    """Raised by the handler of an alarm."""


def on_alarm(number, frame):
    raise Interrupted("alarm")


@pytest.mark.parametrize("moment", ["begin", "look", "end"])
@pytest.mark.parametrize("mode", ["ast", "bytecode", "trace"])
def test_what_a_signal_handler_raises_while_a_graph_is_compiled_reaches_the_caller(monkeypatch, mode, moment):
    before = signal.signal(signal.SIGALRM, on_alarm)
    told = getattr(progress._Observer, moment)
    alarms = []

    def interrupted(self, *arguments):
        told(self, *arguments)
        if not alarms:
            alarms.append(moment)
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(progress._Observer, moment, interrupted)

    @jit(capture_mode=mode)
    def function(x):  # made here: graphs from bytecode belong to the code, which other tests call too
        for word in WORDS:
            x = ops.sin(x) * (len(word) + len(moment))
        return x

    try:
        with pytest.raises(Interrupted):
            function(X)
    finally:
        signal.signal(signal.SIGALRM, before)
    assert alarms == [moment]
    assert progress._here.progress is None
    assert function(X).asnumpy() == pytest.approx(function.__wrapped__(X).asnumpy())


def test_an_alarm_ends_the_generation_of_code(monkeypatch):
    before = signal.signal(signal.SIGALRM, on_alarm)
    stages = []

    def interrupted(self, stage):
        stages.append(stage)
        if stage == "generate_code":
            signal.raise_signal(signal.SIGALRM)

    monkeypatch.setattr(progress._Observer, "look", interrupted)

    @jit
    def many_kernels(x):
        for number in range(200):
            x = ops.softmax(x * (1.0 + number / 7.0) + 0.25, -1)
        return x

    try:
        with pytest.raises(Interrupted):
            many_kernels(ops.ones((40, 50)))
    finally:
        signal.signal(signal.SIGALRM, before)
    assert stages[-1] == "generate_code"
