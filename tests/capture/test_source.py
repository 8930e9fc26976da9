"""Finding the text of functions."""

import ast
import functools
import linecache
import subprocess
import sys
import types

import pytest

from dyad._src.capture.readers.ast.source import source_of


def plain(x, y=1, *rest, flag=False, **named):
    return x + y


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        return 2 * function(*args)

    return wrapper


@doubled
@doubled
def decorated(x):
    return x


# fmt: off
class Odd:
    def method(self, x):
    # a comment that is not indented as the code is
        text = """
no indentation at all
"""
        return x, text

    @staticmethod
    def without_receiver(x): return x + 1

    def private(self, __name): return __name


first, second = (lambda x: x + 1), (lambda x: x + 2)
same_left, same_right = (lambda x: x * 3), (lambda x: x * 3)
nested = lambda x: lambda y: x - y  # noqa: E731
über = "ä", lambda größe: größe + 1
spread = functools.partial(
    lambda x,
    y: x
    + y,
    1,
)
# fmt: on


def text_of(function):
    source = source_of(function)
    return ast.unparse(source.node.body) if isinstance(source.node, ast.Lambda) else source.node.name


def test_a_function_of_a_file():
    source = source_of(plain)
    assert isinstance(source.node, ast.FunctionDef) and source.node.name == "plain"
    assert source.filename == __file__
    assert source.first_line == plain.__code__.co_firstlineno == source.node.lineno
    assert source.lines[0] == "def plain(x, y=1, *rest, flag=False, **named):\n"
    assert source.line(source.first_line + 1) == "    return x + y"
    assert source.line(1) == ""


def test_places_are_those_of_the_file():
    statement = source_of(plain).node.body[0]
    with open(__file__) as text:
        line = text.readlines()[statement.lineno - 1]
    assert line[statement.col_offset : statement.end_col_offset] == "return x + y"


def test_the_answer_is_kept():
    assert source_of(plain) is source_of(plain) is source_of(plain.__code__)


def test_decorators_belong_to_the_function_and_are_not_looked_through():
    inner = decorated.__wrapped__.__wrapped__
    source = source_of(inner)
    assert source.lines[0] == "@doubled\n" and source.node.name == "decorated"
    assert text_of(decorated) == "wrapper"


def test_methods_with_odd_indentation():
    assert text_of(Odd.method) == text_of(Odd().method) == "method"
    assert source_of(Odd.method).lines[-1] == "        return x, text\n"
    assert text_of(Odd.without_receiver) == "without_receiver"
    assert text_of(Odd.private) == "private"


def test_lambdas_on_one_line():
    assert text_of(first) == "x + 1"
    assert text_of(second) == "x + 2"
    assert text_of(nested) == "lambda y: x - y"
    assert text_of(nested(1)) == "x - y"
    assert text_of(über[1]) == "größe + 1"
    assert text_of(spread.func) == "x + y"


def test_lambdas_that_read_the_same_are_told_apart():
    left, right = source_of(same_left).node, source_of(same_right).node
    assert left.col_offset < right.col_offset


def made_from(text, name, filename):
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    names = {}
    exec(compile(text, filename, "exec"), names)
    return names[name]


def without_columns(function):
    """As Python compiles with PYTHONNODEBUGRANGES."""
    table = bytearray()
    code = function.__code__
    # One entry: every instruction belongs to the first line, with no column.
    units = len(code.co_code) // 2
    while units:
        part = min(units, 8)
        table += bytes([0x80 | (13 << 3) | (part - 1), 0])
        units -= part
    bare = code.replace(co_linetable=bytes(table))
    return types.FunctionType(bare, function.__globals__, closure=function.__closure__)


def test_without_columns_lambdas_are_told_apart_by_what_they_compile_to():
    text = "a, b = (lambda x: x + 1), (lambda x: x + 2)\n"
    assert text_of(without_columns(made_from(text, "b", "<compiled>"))) == "x + 2"


def test_without_columns_lambdas_over_variables_of_a_function_are_ambiguous():
    text = "def pair(k):\n    return (lambda x: x + k), (lambda x: x - k)\na, b = pair(1)\n"
    function = without_columns(made_from(text, "a", "<ambiguous>"))
    with pytest.raises(
        TypeError, match="2 lambdas on line 2 of <ambiguous> cannot be told apart; write each"
    ):
        source_of(function)


def test_without_columns_lambdas_that_read_the_same_are_taken():
    text = "a, b = (lambda x: x + 1), (lambda x: x + 1)\n"
    assert text_of(without_columns(made_from(text, "a", "<alike>"))) == "x + 1"


def test_generated_code_with_a_text_in_linecache():
    function = made_from("def made(x):\n    return x * 7\n", "made", "<ipython-input-1-abc>")
    assert source_of(function).lines == ("def made(x):\n", "    return x * 7\n")


def test_a_text_that_has_changed():
    function = made_from("def made(x):\n    return x\n", "made", "<changed>")
    linecache.cache["<changed>"] = (1, None, ["\n", "def made(x):\n", "    return 2\n"], "<changed>")
    with pytest.raises(OSError, match="made is not found in line 1 of <changed>; the text has changed"):
        source_of(function)
    linecache.cache["<changed>"] = (1, None, ["def made(\n"], "<changed>")
    with pytest.raises(OSError, match="<changed> can no longer be parsed"):
        source_of(function)


def test_lambdas_of_one_line_whose_bodies_are_constants():
    pair = (lambda e: 0.9, lambda e: 0.5)
    assert [source_of(function).node.body.value for function in pair] == [0.9, 0.5]


def test_code_without_text():
    names = {}
    exec("def made(x):\n    return x\n", names)
    with pytest.raises(OSError, match=r"there is no text of made \(<string>, line 1\); put it into a file"):
        source_of(names["made"])


def test_only_functions_have_a_source():
    with pytest.raises(
        TypeError, match="source: <built-in function len> is of type builtin_function_or_method"
    ):
        source_of(len)


def test_code_typed_at_a_prompt(monkeypatch):
    typed = [
        "x = 5",
        "def typed(x):",
        "    return x - 1",
        "typed(3)",
        "@staticmethod",
        "def other():",
        "  pass",
        "g = 1",
    ]
    history = types.SimpleNamespace(
        get_current_history_length=lambda: len(typed), get_history_item=lambda number: typed[number - 1]
    )
    monkeypatch.setitem(sys.modules, "readline", history)
    names = {}
    exec(compile("def typed(x):\n    return x - 1\n\n", "<stdin>", "single"), names)
    exec(compile("@staticmethod\ndef other():\n  pass\n\n", "<stdin>", "single"), names)
    assert source_of(names["typed"]).lines == ("def typed(x):\n", "    return x - 1\n")
    assert source_of(names["other"].__func__).lines[0] == "@staticmethod\n"
    exec(compile("def typed(x):\n    return x - 2\n\n", "<stdin>", "single"), names)
    with pytest.raises(OSError, match="there is no text of typed"):
        source_of(names["typed"])


def test_code_of_the_command_line():
    program = "\n".join(
        (
            "from dyad._src.capture.readers.ast.source import source_of",
            "def given(x):",
            "    return x",
            "print(source_of(given).lines)",
        )
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout == "('def given(x):\\n', '    return x\\n')\n"


def commented(x):
    # @jit.cond: True
    if x:
        y = x + 1  # @jit.typing: () -> tensor_type[float32]
        # @jit.typing: () -> int
        # another remark
        z = y
    return "# @jit.cond: False", z


def test_comments_for_the_compiler():
    source = source_of(commented)
    start = source.first_line
    assert source.conditions == {start + 2: True}
    assert source.typings == {start + 3: "() -> tensor_type[float32]", start + 6: "() -> int"}


def test_a_condition_that_is_none():
    function = made_from("def f(x):\n    if x:  # @jit.cond: maybe\n        return 1\n", "f", "<maybe>")
    with pytest.raises(RuntimeError, match="the value is 'maybe'; need True or False") as caught:
        source_of(function)
    assert 'File "<maybe>", line 2' in str(caught.value)
