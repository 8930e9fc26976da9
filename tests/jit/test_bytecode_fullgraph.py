"""`jit(capture_mode="bytecode", fullgraph=True)`: where a graph would end, the call raises and says why and where."""

import pathlib

import pytest

import dyad
from dyad import Tensor, explain, jit
from dyad._c_expression import get_code_extra
from dyad._src.base import break_reasons
from dyad.common._pijit_context import Unsupported

X = Tensor([1.0, 2.0])
LINES = pathlib.Path(__file__).read_text().splitlines()


def whole(function, **keys):
    return jit(function, capture_mode="bytecode", fullgraph=True, **keys)


def opens(x):
    open(__file__).close()
    return x + 1.0


def calls(x):
    y = x * 2.0
    return opens(y)


def calls_twice(x):
    return calls(x) + 3.0


def line_of(text):
    return next(number for number, line in enumerate(LINES, 1) if line.strip() == text)


def test_the_error_has_a_reason_a_hint_and_the_lines():
    with pytest.raises(Unsupported) as raised:
        whole(calls)(X)
    error = raised.value
    assert isinstance(error, RuntimeError) and isinstance(error.__cause__, dyad._core.CaptureError)
    outer, inner = "return opens(y)", "open(__file__).close()"
    lines = str(error).splitlines()
    assert lines[0] == "Reason: unsupported function" and lines[1].startswith("Hint: open: ")
    assert lines[2:] == [
        "From user code:",
        f"  In file {__file__}:{line_of(outer)}",
        f"    {outer}",
        f"  In file {__file__}:{line_of(inner)}",
        f"    {inner}",
    ]


def test_the_outermost_frame_comes_first():
    with pytest.raises(Unsupported) as raised:
        whole(calls_twice)(X)
    shown = [line.strip() for line in str(raised.value).splitlines()[4::2]]
    assert shown == ["return calls(x) + 3.0", "return opens(y)", "open(__file__).close()"]


@pytest.mark.parametrize("keys", [{}, {"compile_with_try": True}, {"compile_with_try": False}])
def test_every_call_raises(keys):
    compiled = whole(calls, **keys)
    for _ in range(3):
        with pytest.raises(Unsupported, match="Reason: unsupported function"):
            compiled(X)
    told = get_code_extra(compiled)
    assert told["break_count_"] == 1 and len(told["breaks_"]) == 1 and "code" not in told


def gives_back_what_it_made(x):
    class Made:
        pass

    made = Made()
    made.value = x * 2.0
    return made


@pytest.mark.parametrize("program", [opens, gives_back_what_it_made])
def test_reasons_have_fixed_names(program):
    try:
        whole(program)(X)
    except Unsupported as error:
        assert error.reason in break_reasons.ALL
        assert str(error).startswith(f"Reason: {error.reason}\n")
    else:
        assert program is not opens


def test_errors_of_the_program_are_its_own():
    def wrong(x):
        return x.no_such_method()

    def uneven(x):
        return x + Tensor([1.0, 2.0, 3.0])

    for program, kind in ((wrong, AttributeError), (uneven, ValueError)):
        with pytest.raises(kind) as expected:
            program(X)
        with pytest.raises(kind) as raised:
            whole(program)(X)
        assert str(raised.value).splitlines()[0] == str(expected.value).splitlines()[0]


def test_what_is_one_graph_runs():
    compiled = whole(lambda x: x * 2.0)
    assert compiled(X).tolist() == [2.0, 4.0] and compiled(X).tolist() == [2.0, 4.0]
    assert whole(lambda x: (x, "text"))(X)[1] == "text", "nothing is computed, and nothing had to end"


def test_changes_of_the_program_around_are_not_a_break():
    seen = []

    def program(x):
        seen.append(x.shape[0])
        return x * 2.0

    assert whole(program)(X).tolist() == [2.0, 4.0] and seen == [2]


def test_a_fault_of_capture_raises(monkeypatch):
    from dyad._src.capture.semantics.operators.operators import Operators

    def fail(self, *args):
        raise KeyError("a fault")

    monkeypatch.setattr(Operators, "binary", fail)
    compiled = whole(lambda x: x * 2.0)
    for _ in range(2):
        with pytest.raises(Unsupported, match="Reason: unknown"):
            compiled(X)


def test_explain_does_not_promise_python():
    text = str(explain(whole(calls))(X))
    assert "It cannot be captured" in text and "It is no single graph" not in text


def test_the_environment_has_no_say(monkeypatch):
    monkeypatch.setenv("MS_DEV_JIT_SYNTAX_LEVEL", "0")
    with pytest.raises(Unsupported):
        whole(calls)(X)
    assert jit(opens, capture_mode="bytecode")(X).tolist() == [2.0, 3.0]
