"""Compiled graphs as Python sees them: results, errors with their lines, reports, dumps, threads."""

import gc
import threading
import weakref

import numpy as np
import pytest

from dyad import Tensor, _core, ops


def capture(function, *inputs, dump=None):
    graph = _core.Graph("program")
    graph.activate()
    try:
        results = function(graph, *[graph.add_input(given) for given in inputs])
        graph.finish(list(results))
    finally:
        graph.deactivate()
    return graph.compile(verify=True, dump=dump)


def numbers(*elements):
    return Tensor(np.array(elements, np.float32))


def test_results_are_fresh_each_time():
    program = capture(lambda graph, x: [x + 1, x * 2], numbers(1, 2))
    first = program.run([numbers(1, 2)])
    second = program.run([numbers(5, 6)])
    assert first[0].asnumpy().tolist() == [2, 3]
    assert second[1].asnumpy().tolist() == [10, 12]


def test_writes_reach_the_argument():
    def add_one(graph, x):
        x.add_(1)
        x[0] = 7
        return [x + 0]

    program = capture(add_one, numbers(1, 2))
    x = numbers(1, 2)
    assert program.run([x])[0].asnumpy().tolist() == [7, 3]
    assert x.asnumpy().tolist() == [7, 3]


def test_errors_have_the_type_text_and_line_of_the_program():
    index = Tensor(np.array([0, 9]))
    x = Tensor(np.ones((3, 2), np.float32))

    def pick(graph, x, index):
        graph.set_location("net.py", 12, 4)
        return [ops.gather(x, index, 0)]

    program = capture(pick, x, Tensor(np.array([0, 1])))
    with pytest.raises(IndexError) as dynamic:
        ops.gather(x, index, 0)
    with pytest.raises(IndexError) as static:
        program.run([x, index])
    assert str(static.value) == str(dynamic.value)
    assert static.value.__notes__ == ['  File "net.py", line 12']


def test_an_error_of_the_host_keeps_its_class():
    class Stop(Exception):
        pass

    def stop(*_):
        raise Stop("enough")

    def program_that_stops(graph, x):
        y = x + 1
        x.add_(1)
        graph.set_location("net.py", 3, 0)
        graph.add_host("raise", stop, [y])
        x.add_(1)
        return [x + 0]

    x = numbers(1, 2)
    program = capture(program_that_stops, x)
    with pytest.raises(Stop, match="enough") as raised:
        program.run([x])
    assert raised.value.__notes__ == ['  File "net.py", line 3']
    assert x.asnumpy().tolist() == [2, 3]


def test_hosts_are_called_in_order_and_may_keep_what_they_see():
    seen = []

    def show(graph, x):
        y = x + 1
        graph.add_host("print", lambda t: seen.append(t), [y])
        z = y * 2
        graph.add_host("print", lambda t, n: seen.append((t, n)), [z, 3])
        return [z - 1]

    program = capture(show, numbers(1, 2))
    assert program.run([numbers(1, 2)])[0].asnumpy().tolist() == [3, 5]
    program.run([numbers(10, 20)])
    assert seen[0].asnumpy().tolist() == [2, 3]
    assert seen[1][0].asnumpy().tolist() == [4, 6]
    assert seen[1][1] == 3
    assert len(seen) == 4


def test_report_and_dumps_tell_what_was_done():
    texts = []
    program = capture(
        lambda graph, x: [(x * 2 + 1) * (x * 2 + 1)],
        numbers(*range(64)),
        dump=lambda number, stage, text: texts.append((number, stage, text)),
    )
    report = program.report
    assert report["nodes_before"] == 5
    assert report["nodes_after"] == 4  # one of the equal sums is left, in a function of its own, and a call
    assert report["steps"] == 1
    assert set(report["milliseconds"]) == {stage for _, stage, _ in texts} - {"captured"}
    assert [number for number, _, _ in texts] == list(range(len(texts)))
    assert texts[-1][2] == program.text()
    assert report["planned_bytes"] == 0  # nothing lies in memory between the input and the result


def test_wrong_inputs_are_refused():
    program = capture(lambda graph, x: [x + 1], numbers(1, 2))
    with pytest.raises(TypeError, match="Program: 0 inputs were given; it takes 1"):
        program.run([])
    with pytest.raises(TypeError, match="Program: input 0 is 'a'; it must be a Tensor or a number"):
        program.run(["a"])


def test_two_threads_run_one_program():
    def chain(graph, x):
        for _ in range(30):
            x = x * 1 + 1
        return [x]

    program = capture(chain, Tensor(np.zeros(4096, np.float32)))
    wrong = []

    def work(start):
        given = Tensor(np.full(4096, start, np.float32))
        for _ in range(100):
            if not (program.run([given])[0].asnumpy() == start + 30).all():
                wrong.append(start)

    threads = [threading.Thread(target=work, args=(start,)) for start in (1, 1000)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_programs_are_collected_with_what_they_hold():
    class Payload:
        def __call__(self, x):
            return None

    def compiled():
        payload = Payload()

        def act(graph, x):
            graph.add_host("call", payload, [x])
            return [x + 1]

        payload.program = capture(act, numbers(1, 2))
        return weakref.ref(payload)

    gone = compiled()
    gc.collect()
    assert gone() is None
