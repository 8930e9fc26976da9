"""Logs of bytecode capture on standard error, by channel."""

import pytest

from dyad import Tensor, jit

X = Tensor([1.0, 2.0])


def program(x, n=1):
    return x * n


@pytest.fixture
def logs_of(capsys, monkeypatch):
    def run(channels, function=program, **keys):
        if channels is not None:
            monkeypatch.setenv("MS_JIT_BYTECODE_LOGS", channels)
        compiled = jit(function, mode="PIJit", jit_config=keys, hash_args=object())  # with graphs of its own
        compiled(X)
        compiled(X, 2)
        return capsys.readouterr().err

    return run


def test_nothing_is_told_unasked(logs_of):
    assert logs_of(None) == ""


def test_channel_of_recompilations(logs_of):
    told = logs_of(" recompiles ,")
    assert "[recompiles] program, graph 2: no earlier call had 2 positional arguments" in told
    assert "[guard]" not in told


@pytest.mark.parametrize(
    ("channel", "keys", "expected"),
    [
        ("guard", {}, "[guard] argument x: contiguous Float32 Tensor of shape (2,)"),
        (None, {"print_guard": True}, "[guard] argument x: contiguous Float32 Tensor of shape (2,)"),
        ("bytecode", {}, "BINARY_OP *"),
        (None, {"print_bytecode": True}, "BINARY_OP *"),
        ("trace_source", {}, f"[trace_source] {__file__}:{program.__code__.co_firstlineno + 1}"),
        ("trace_bytecode", {}, "BINARY_OP *"),
        (None, {"LOG_PERF": True}, "[perf] program: captured and compiled in "),
        (None, {"LOG_GUARD_PERF": True}, "us for the guards"),
        (None, {"print_bb": True}, "[blocks] block 0"),
        (None, {"print_cfg": True}, "[flow] block 0 -> end"),
        ("all", {}, "[flow] block 0 -> end"),
        (None, {"print_after_all": True}, "[guard] argument x"),
    ],
)
def test_a_log_channel_writes_its_lines(logs_of, channel, keys, expected):
    assert expected in logs_of(channel, **keys)


def test_channel_of_breaks(logs_of):
    def breaks(x, n=1):
        y = x * n
        open(__file__).close()
        return y

    told = logs_of("graph_break", breaks)
    line = breaks.__code__.co_firstlineno + 2
    assert told.count("[graph_break] unsupported function: open") == 1 and f"{__file__}:{line}" in told


def test_an_unknown_channel(logs_of):
    with pytest.warns(UserWarning, match="MS_JIT_BYTECODE_LOGS names guards; need blocks, bytecode"):
        logs_of("guards")
