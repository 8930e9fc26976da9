"""Information about functions whose bytecode is captured."""

import functools
import gc
import weakref

import pytest

import dyad
from dyad import Tensor, clear_compile_cache, explain, ir, jit, nn, ops
from dyad._c_expression import (
    function_id,
    get_code_extra,
    jit_mode_pi_compile,
    jit_mode_pi_disable,
    jit_mode_pi_enable,
)
from dyad.common._pijit_context import PIJitCaptureContext, Unsupported

X = Tensor([1.0, 2.0])


def new_program():
    def program(x, n=1):
        return x * n

    return program


def captured(function, **options):
    return jit(function, capture_mode="bytecode", **options)


def counts(target):
    told = get_code_extra(target)
    return told["compile_count_"], told["break_count_"], told.get("code", {}).get("call_count_")


def test_what_was_never_jitted():
    function = new_program()
    assert get_code_extra(function) is None
    jit(function)(X)
    assert get_code_extra(function) is None, "the source was read, not the bytecode"
    assert get_code_extra(len) is None and get_code_extra(3) is None


def test_states_of_a_function():
    compiled = captured(new_program())
    assert get_code_extra(compiled) == {
        "stat": "GRAPH_CANDIDATE", "compile_count_": 0, "break_count_": 0, "breaks_": [],
    }  # fmt: skip
    compiled(X)
    told = get_code_extra(compiled)
    assert told["stat"] == "GRAPH_CALLABLE" and told["code"]["phase_"]
    assert told["code"]["compiled_code_"] is compiled.__wrapped__.__code__
    assert any("argument x" in line for line in told["code"]["guard_"])


def test_the_state_while_a_graph_is_made(monkeypatch):
    compiled, seen = captured(new_program()), []
    compiler = compiled.__jit_compiler__
    compile_call = compiler.capture.compile_call

    def look(*args):
        seen.append(get_code_extra(compiled)["stat"])
        return compile_call(*args)

    monkeypatch.setattr(compiler.capture, "compile_call", look)
    compiled(X)
    assert seen == ["GRAPH_BUILDING"]


def test_the_state_of_what_is_compiled_and_not_run():
    compiled = captured(new_program())
    dyad.set_context(precompile_only=True)
    assert compiled(X) is None
    assert get_code_extra(compiled)["stat"] == "GRAPH_CAPTURED"
    dyad.set_context(precompile_only=False)
    assert compiled(X).tolist() == [1.0, 2.0]
    assert get_code_extra(compiled)["stat"] == "GRAPH_CALLABLE"


def test_counts_are_those_of_the_graph_used_last():
    compiled = captured(new_program())
    compiled(X)
    compiled(X)
    assert counts(compiled) == (1, 0, 2)
    compiled(Tensor([1, 2]))
    assert counts(compiled) == (2, 0, 1)
    compiled(X)
    assert counts(compiled) == (2, 0, 3)


def test_a_function_that_python_runs_in_part():
    def program(x):
        y = x * 2.0
        open(__file__).close()
        return y + 1.0

    compiled = captured(program)
    for _ in range(3):
        assert compiled(X).tolist() == [3.0, 5.0]
    told = get_code_extra(program)
    line = program.__code__.co_firstlineno + 2
    assert told["stat"] == "GRAPH_CALLABLE" and told["break_count_"] == 1
    assert told["breaks_"] == [("unsupported function", f"{__file__}:{line}")]
    assert told["code"]["phase_"] and told["code"]["compiled_code_"] is not program.__code__
    assert counts(program) == (1, 1, 3)


def test_a_function_decorated_again_shares_its_graphs():
    function = new_program()
    compiled = captured(function)
    compiled(X)
    again = captured(function)
    again(X)
    assert counts(function) == (1, 0, 2)
    other = captured(function, loop_unrolling=False)
    assert other is not compiled and counts(function) == (0, 0, None), "other options, other graphs"


class Net(nn.Cell):
    def construct(self, x):
        return x + 1.0


def _method():
    class Net(nn.Cell):
        @jit(capture_mode="bytecode")
        def construct(self, x):
            return x + 1.0

    net = Net()
    return net, (net, net.construct, Net, Net.construct, Net.construct.__wrapped__)


def _cell():
    net = Net()
    compiled = jit(net, capture_mode="bytecode")
    return compiled, (compiled, net, net.construct, Net.construct.__code__)


def _function():
    function = new_program()
    compiled = captured(function)

    @functools.wraps(compiled)
    def around(*args):
        return compiled(*args)

    return compiled, (compiled, function, function.__code__, around)


@pytest.mark.parametrize("make", [_method, _cell, _function])
def test_where_it_is_found(make):
    call, targets = make()
    assert [get_code_extra(target)["stat"] for target in targets] == ["GRAPH_CANDIDATE"] * len(targets)
    call(X)
    assert [counts(target) for target in targets] == [(1, 0, 1)] * len(targets)


def test_it_lives_as_long_as_the_function():
    function = new_program()
    captured(function)(X)
    gc.collect()
    assert counts(function) == (1, 0, 1)
    code = function.__code__
    gone = weakref.ref(function)
    del function
    gc.collect()
    assert gone() is None and get_code_extra(code) is None


def test_one_decorator_for_several_functions():
    decorator = PIJitCaptureContext(jit_config={"loop_unrolling": False})
    first, second = decorator(new_program()), decorator(lambda x: x - 1.0)
    assert first(X).tolist() == [1.0, 2.0] and second(X).tolist() == [0.0, 1.0]
    assert counts(first) == counts(second) == (1, 0, 1)
    assert not first.__jit_compiler__.options.bytecode.loop_unrolling
    assert PIJitCaptureContext(fullgraph=True)(new_program()).__jit_compiler__.options.fullgraph


@pytest.fixture
def switched_on():
    yield
    jit_mode_pi_enable()


@pytest.mark.usefixtures("switched_on")
class TestTheSwitch:
    def test_off_runs_python_and_on_again_has_the_graphs(self):
        compiled = captured(new_program())
        compiled(X)
        assert jit_mode_pi_disable()
        served = compiled.hits
        for _ in range(3):
            assert compiled(X).tolist() == [1.0, 2.0]
            assert compiled(Tensor([1.0, 2.0, 3.0])).shape == (3,)
        assert compiled.hits == served and counts(compiled)[:2] == (1, 0) and not compiled.entries
        assert jit_mode_pi_enable()
        compiled(X)
        assert compiled.hits == served + 1 and counts(compiled) == (1, 0, 2)

    def test_a_function_that_was_never_called(self):
        compiled = captured(new_program())
        jit_mode_pi_disable()
        assert compiled(X).tolist() == [1.0, 2.0]
        assert counts(compiled)[0] == 0
        jit_mode_pi_enable()
        compiled(X)
        assert counts(compiled)[0] == 1

    def test_a_function_that_python_runs_in_part(self):
        opened = []

        def program(x):
            y = x * 2.0 + 1.0
            opened.append(open("/dev/null").close())
            return y * 3.0 - y

        compiled = captured(program)
        for number in range(6):
            if number == 3:
                jit_mode_pi_disable()
                assert compiled.python_form is program
            assert compiled(X).tolist() == [6.0, 10.0] and len(opened) == number + 1
        jit_mode_pi_enable()
        assert compiled(X).tolist() == [6.0, 10.0] and compiled.python_form is not program

    def test_fullgraph_raises_only_while_it_is_on(self):
        compiled = captured(lambda x: (open("/dev/null").close(), x)[1], fullgraph=True)
        with pytest.raises(Unsupported):
            compiled(X)
        jit_mode_pi_disable()
        assert compiled(X) is X
        jit_mode_pi_enable()
        with pytest.raises(Unsupported):
            compiled(X)

    def test_a_compiled_cell_runs_while_bytecode_capture_is_disabled(self):
        net = jit(Net(), capture_mode="bytecode")
        expected = net(X).tolist()
        jit_mode_pi_disable()
        assert net(X).tolist() == expected
        jit_mode_pi_enable()
        assert net(X).tolist() == expected

    def test_clearing_while_it_is_off(self):
        compiled = captured(new_program())
        compiled(X)
        jit_mode_pi_disable()
        clear_compile_cache(compiled)
        jit_mode_pi_enable()
        assert not compiled.entries
        compiled(X)
        assert counts(compiled)[0] == 2

    def test_to_decorate_is_to_switch_on(self):
        compiled = captured(new_program())
        jit_mode_pi_disable()
        with PIJitCaptureContext():
            compiled(X)
        jit_mode_pi_disable()
        other = captured(new_program())
        compiled(X), other(X)
        assert counts(compiled) == (1, 0, 2) and counts(other) == (1, 0, 1)


def test_compiling_without_a_decorator():
    function = new_program()
    assert jit_mode_pi_compile(function, {"loop_unrolling": False})
    assert get_code_extra(function)["stat"] == "GRAPH_CANDIDATE"
    with pytest.warns(UserWarning, match="is a generator function and stays as it is"):
        assert not jit_mode_pi_compile(_generator)


def test_one_id_for_a_function_and_its_methods():
    assert function_id(Net.construct) == function_id(Net().construct) == id(Net.construct)
    assert function_id(tuple.__getitem__) == function_id(().__getitem__) == id(tuple.__getitem__)
    assert function_id(list.append) == function_id([].append) != function_id(list.pop)
    assert function_id(Net) == id(Net) and function_id(len) == id(len)


def _generator():
    yield 1


def test_explain_and_ir_of_a_function_with_a_break():
    def report(x):
        y = ops.relu(x) * 2
        z = y.asnumpy()
        return Tensor(z) + x

    compiled = jit(report, capture_mode="bytecode")
    x = Tensor([1.0, -2.0])
    for _ in range(3):
        compiled(x)
    explained = explain(compiled)(x)
    graph = next(piece for piece in explained.pieces if piece.is_graph)
    assert any(line.startswith("argument x: ") for line in graph.guards)
    assert any("LOAD_DEREF .part_" in line for line in explained.rewritten)
    text = str(explained)
    assert "What Python runs" in text and "Guards of the graph of line" in text
    listing = str(ir(compiled)(x))
    assert "z = y.asnumpy()" in listing and "relu(%x)" in listing
