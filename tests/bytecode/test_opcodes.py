"""Every instruction that the running Python's compiler writes is met by a function that runs as it does in Python."""

import dis
import sys
import types

import opcode_corpus
import pytest
from opcode_corpus import FUNCTIONS, MODULES, argument

from dyad import Tensor, jit

# Instructions that no compiled function has, with the reason.
NEVER_IN_A_FUNCTION = {
    "CACHE": "room for the interpreter behind an instruction; dis leaves it out",
    "RESERVED": "the number is kept free",
    "PRINT_EXPR": "of the interactive prompt, which compiles no functions with it",
    "IMPORT_STAR": "`from m import *` is refused in functions",
    "SETUP_ANNOTATIONS": "of modules and classes with annotations",
    "INTERPRETER_EXIT": "of the interpreter's own entry frame",
    "EXIT_INIT_CHECK": "of the frame that the interpreter puts around a specialised call of `__init__`",
    "ENTER_EXECUTOR": "written by the interpreter where it has compiled a trace",
    "JUMP": "replaced by a jump with a direction when code is assembled",
    "JUMP_NO_INTERRUPT": "replaced by a jump with a direction when code is assembled",
    "LOAD_CLOSURE": "replaced by LOAD_FAST when code is assembled (3.13)",
    "LOAD_METHOD": "replaced by LOAD_ATTR when code is assembled (3.12)",
    "LOAD_SUPER_METHOD": "replaced by LOAD_SUPER_ATTR when code is assembled",
    "LOAD_ZERO_SUPER_ATTR": "replaced by LOAD_SUPER_ATTR when code is assembled",
    "LOAD_ZERO_SUPER_METHOD": "replaced by LOAD_SUPER_ATTR when code is assembled",
    "STORE_FAST_MAYBE_NULL": "replaced by STORE_FAST when code is assembled",
    "POP_BLOCK": "replaced by entries of the exception table when code is assembled",
    "SETUP_CLEANUP": "replaced by entries of the exception table when code is assembled",
    "SETUP_FINALLY": "replaced by entries of the exception table when code is assembled",
    "SETUP_WITH": "replaced by entries of the exception table when code is assembled",
}
# What is left out above and yet is an instruction of older minors.
WRITTEN_BEFORE = {"LOAD_METHOD": (3, 12), "LOAD_CLOSURE": (3, 13)}


def written_by_the_compiler():
    """The names of the instructions to be met."""
    names = {name for name in dis.opmap if not name.startswith("INSTRUMENTED_")}
    left_out = {n for n in NEVER_IN_A_FUNCTION if sys.version_info >= WRITTEN_BEFORE.get(n, (3, 0))}
    return names - left_out


def codes_of(code):
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes_of(constant)


def instructions_of(functions):
    found = set()
    for function in functions:
        for code in codes_of(function.__code__):
            found |= {each.opname for each in dis.get_instructions(code)}
    return found


def methods():
    """The functions of the corpus's classes: what they hold is met when the functions call them."""
    kinds = [each for each in vars(opcode_corpus).values() if isinstance(each, type)]
    here = opcode_corpus.__name__
    members = [m for kind in kinds if kind.__module__ == here for m in vars(kind).values()]
    return [m for m in members if isinstance(m, types.FunctionType) and m.__module__ == here]


def test_every_instruction_is_met():
    met = instructions_of([*FUNCTIONS, *methods()])
    assert written_by_the_compiler() - met == set()


def test_what_is_left_out_is_in_no_function():
    met = instructions_of([*FUNCTIONS, *methods()])
    left_out = set(NEVER_IN_A_FUNCTION) - {
        n for n, until in WRITTEN_BEFORE.items() if sys.version_info < until
    }
    # Classes inside of functions are code of their own, and have annotations.
    assert met & left_out <= {"SETUP_ANNOTATIONS"}


@pytest.mark.parametrize("text", MODULES)
def test_modules_are_python(text):
    """The code of a module is not captured: no function has it."""
    code = compile(text, "<module>", "exec")
    assert {each.opname for each in dis.get_instructions(code)}
    exec(code, {})


def plain(value):
    if isinstance(value, Tensor):
        return "Tensor", str(value.dtype), value.asnumpy().tolist()
    if isinstance(value, dict):
        return [(plain(key), plain(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return type(value).__name__, [plain(item) for item in value]
    if isinstance(value, opcode_corpus.Point):
        return "Point", plain(value.x), plain(value.y)
    return value


@pytest.mark.parametrize("with_source", [True, False], ids=["with_source", "without_source"])
@pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.__name__)
def test_it_runs_as_in_python(function, with_source, capsys):
    expected = plain(function(argument()))
    printed = capsys.readouterr().out
    if not with_source:
        function = without_source(function)
    compiled = jit(function, capture_mode="bytecode")
    for _ in range(6):  # cold, warm, and behind the call in which parts are timed
        assert plain(compiled(argument())) == expected
        assert capsys.readouterr().out == printed


def without_source(function):
    made = types.FunctionType(
        hidden(function.__code__), function.__globals__, function.__name__, function.__defaults__
    )
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def hidden(code):
    inside = tuple(hidden(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return code.replace(co_filename="<nowhere>", co_consts=inside)


@pytest.mark.parametrize("kind", ["generator", "coroutine", "async generator"])
def test_what_suspends_stays_a_function_of_its_kind(kind):
    def generator(x):
        yield x * 2
        yield x + 1

    async def coroutine(x):
        return x * 2

    async def async_generator(x):
        yield x * 2

    function = {"generator": generator, "coroutine": coroutine, "async generator": async_generator}[kind]
    with pytest.warns(UserWarning, match="and stays as it is"):
        compiled = jit(function, capture_mode="bytecode")
    for _ in range(3):
        assert consumed(compiled(argument())) == consumed(function(argument()))


def consumed(running):
    if isinstance(running, types.GeneratorType):
        return [plain(each) for each in running]
    if isinstance(running, types.CoroutineType):
        try:
            running.send(None)
        except StopIteration as ended:
            return plain(ended.value)
    return consumed(_first(running))


async def _first(running):
    async for each in running:
        return plain(each)
