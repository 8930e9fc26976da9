"""Settings that change nothing say so once, with the reason."""

import pathlib
import re

import pytest

import dyad
from dyad import JitConfig, Tensor, explain, jit, nn, runtime
from dyad._src.base import no_effect
from dyad._src.context.keys import KEYS
from dyad._src.context.settings import _ACTED_UPON, _WRITTEN_TO_CORE

X = Tensor([1.0, 2.0])


@pytest.fixture(autouse=True)
def nothing_was_said(monkeypatch):
    monkeypatch.setattr(no_effect, "_said", set())


def program(x):
    return x * 2.0


class Marked(nn.Cell):
    def __init__(self):
        super().__init__()


OTHER_VALUES = {
    "pynative_synchronize": True,
    "inter_op_parallel_num": 3,
    "debug_level": 1,
    "reserve_class_name_in_scope": False,
    "graph_kernel_flags": "--enable_expand_ops=Add",
    "memory_optimize_level": "O1",
    "enable_compile_cache": True,
    "compile_cache_path": "folder",
    "device_id": 1,
}


def _set(key):
    before = dyad.get_context(key)
    dyad.set_context(**{key: OTHER_VALUES[key]})
    dyad.set_context(**{key: OTHER_VALUES[key]})
    dyad.set_context(**{key: "O0" if key == "memory_optimize_level" else before})


USES = {
    **{f"context:{key}": (lambda key=key: _set(key), f"set_context: {key} ") for key in OTHER_VALUES},
    "jit(expand_graph_input=)": (
        lambda: jit(program, capture_mode="bytecode", expand_graph_input=False),
        "jit: expand_graph_input ",
    ),
    "mindspore.runtime.StreamLimitCtx": (
        lambda: dyad.runtime.StreamLimitCtx(dyad.runtime.default_stream(), 8, 8),
        "runtime.StreamLimitCtx ",
    ),
    "mindspore.runtime.set_stream_limit": (
        lambda: dyad.runtime.set_stream_limit(dyad.runtime.default_stream(), 8, 8),
        "runtime.set_stream_limit ",
    ),
    "mindspore.runtime.reset_stream_limit": (
        lambda: dyad.runtime.reset_stream_limit(dyad.runtime.default_stream()),
        "runtime.reset_stream_limit ",
    ),
    "mindspore.runtime.set_device_limit": (
        lambda: dyad.runtime.set_device_limit(0, 8, 8),
        "runtime.set_device_limit ",
    ),
    "mindspore.runtime.set_kernel_launch_capture": (
        lambda: dyad.runtime.set_kernel_launch_capture(True, ["matmul"]),
        "runtime.set_kernel_launch_capture ",
    ),
    "jit(exec_order=)": (lambda: jit(program, exec_order="bfs"), "jit: exec_order "),
    "jit(infer_boost=)": (lambda: jit(program, infer_boost="off"), "jit: infer_boost "),
    "jit(ge_options=)": (lambda: jit(program, ge_options={"global": {}}), "jit: ge_options "),
    "jit(disable_format_transform=)": (
        lambda: jit(program, disable_format_transform=True),
        "jit: disable_format_transform ",
    ),
    "JitConfig(exc_mode=)": (lambda: JitConfig(exc_mode="sink"), "JitConfig: exc_mode='sink' "),
    "JitConfig(debug_level=)": (lambda: JitConfig(debug_level="DEBUG"), "JitConfig: debug_level='DEBUG' "),
    "JitConfig(infer_boost=)": (lambda: JitConfig(infer_boost="on"), "JitConfig: infer_boost='on' "),
    "mindspore.common.jit_begin_end._jit_begin": (
        lambda: (dyad.jit_begin("section"), dyad.jit_end()),
        "jit_begin ",
    ),
    "set_ps_context(config_file_path=)": (
        lambda: dyad.set_ps_context(config_file_path="servers.json"),
        "set_ps_context: config_file_path ",
    ),
    "set_ps_context(enable_ssl=)": (
        lambda: dyad.set_ps_context(enable_ssl=False),
        "set_ps_context: enable_ssl ",
    ),
    "mindspore.no_inline": (lambda: dyad.no_inline(program), "no_inline "),
    "mindspore.lazy_inline": (lambda: dyad.lazy_inline(Marked.__init__), "lazy_inline "),
}


@pytest.mark.parametrize("name", USES)
def test_each_is_said_once(name, logged):
    use, shown = USES[name]
    use()
    use()
    assert logged == [f"{shown}has no effect: {no_effect.NO_EFFECT[name]}"]


def test_a_key_of_bytecode_capture_with_its_default_needs_no_word(logged):
    jit(program, mode="PIJit", jit_config={"expand_graph_input": True, "strict_trace": True})
    assert not logged


def test_functions_of_the_runtime(logged):
    before = {key: dyad.get_context(key) for key in ("pynative_synchronize", "inter_op_parallel_num")}
    runtime.launch_blocking()
    runtime.dispatch_threads_num(2)
    runtime.set_memory(optimize_level="O1")
    dyad.set_context(memory_optimize_level="O0", **before)
    said = {line.partition(" ")[0] for line in logged}
    assert {"runtime.launch_blocking", "runtime.dispatch_threads_num", "runtime.set_memory"} <= said


def test_variables_of_the_environment(logged, monkeypatch):
    monkeypatch.setenv("MS_COMPILER_CACHE_PATH", "folder")
    jit(program)
    jit(program)
    assert logged == [
        "the environment variable MS_COMPILER_CACHE_PATH has no effect: "
        + no_effect.NO_EFFECT["MS_COMPILER_CACHE_PATH"]
    ]


def test_a_default_needs_no_word(logged):
    dyad.set_context(**{key: dyad.get_context(key) for key in OTHER_VALUES if key != "memory_optimize_level"})
    JitConfig()
    jit(program)(X)
    assert not logged


def test_every_key_works_or_is_in_the_table():
    package = pathlib.Path(dyad.__file__).parent
    texts = [path.read_text() for path in package.rglob("*.py")]
    read = {name for text in texts for name in re.findall(r'settings\.read\("(\w+)"\)', text)}
    works = read | set(_WRITTEN_TO_CORE) | set(_ACTED_UPON)
    unread = {key for key in KEYS if key not in works}
    in_table = {name.partition(":")[2] for name in no_effect.NO_EFFECT if name.startswith("context:")}
    assert unread <= in_table, f"nobody reads {unread - in_table}"


def test_explain_says_what_is_read():
    made = explain(jit(program, capture_mode="bytecode"))(X)
    assert "captured from its bytecode" in str(made)
