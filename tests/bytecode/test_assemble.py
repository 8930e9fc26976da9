"""Code objects taken apart and put together again are the same programs."""

import dis
import importlib
import types

import pytest

from dyad._src.bytecode.assemble import assemble
from dyad._src.bytecode.instructions import Position, instructions_of
from dyad._src.bytecode.ops import Goes, Op, ops_of

MODULES = (
    *(
        "argparse",
        "ast",
        "asyncio.base_events",
        "asyncio.tasks",
        "bisect",
        "calendar",
        "cmd",
        "codecs",
        "collections",
    ),
    *(
        "configparser",
        "contextlib",
        "copy",
        "csv",
        "dataclasses",
        "datetime",
        "decimal",
        "difflib",
        "dis",
        "doctest",
    ),
    *(
        "email.message",
        "enum",
        "fractions",
        "functools",
        "heapq",
        "html.parser",
        "inspect",
        "ipaddress",
        "json.decoder",
    ),
    *(
        "logging",
        "optparse",
        "pickle",
        "pickletools",
        "random",
        "shutil",
        "statistics",
        "string",
        "subprocess",
    ),
    *(
        "tarfile",
        "textwrap",
        "threading",
        "tokenize",
        "traceback",
        "typing",
        "unittest.mock",
        "uuid",
        "zipfile",
    ),
)


def codes_in(holder):
    for each in holder:
        if isinstance(each, types.CodeType):
            yield each
            yield from codes_in(each.co_consts)


def codes_of(name):
    module = importlib.import_module(name)
    with open(module.__file__, encoding="utf-8") as file:
        return [*codes_in([compile(file.read(), module.__file__, "exec", dont_inherit=True)])]


def told(code):
    decoded = instructions_of(code)
    raises_to = {}
    for handler in decoded.handlers:
        for number in range(handler.first, handler.last + 1):
            raises_to[number] = (handler.target, handler.depth, handler.keeps_place)
    return [
        (each.name, each.target if each.target is not None else each.arg, each.position, each.has_place,
         raises_to.get(each.number))
        for each in decoded.all
    ]  # fmt: skip


@pytest.mark.parametrize("name", MODULES)
def test_modules_come_out_as_they_went_in(name):
    for code in codes_of(name):
        made = assemble(ops_of(code), code)
        assert told(made) == told(code), code
        assert made.co_stacksize in (code.co_stacksize, code.co_stacksize + 1), code


def remade(code):
    inner = tuple(remade(each) if isinstance(each, types.CodeType) else each for each in code.co_consts)
    return assemble(ops_of(code), code).replace(co_consts=inner)


def module_made_again(name):
    source = importlib.import_module(name).__file__
    module = types.ModuleType(f"remade_{name}")
    module.__file__ = source
    with open(source, encoding="utf-8") as file:
        exec(remade(compile(file.read(), source, "exec", dont_inherit=True)), vars(module))
    return module


def test_modules_run():
    statistics = module_made_again("statistics")
    assert statistics.stdev([1, 2, 3, 4.5]) == pytest.approx(1.4930394055974097)
    wrapped = module_made_again("textwrap").fill("the quick brown fox jumps over the lazy dog", 20)
    assert wrapped == "the quick brown fox\njumps over the lazy\ndog"
    json = module_made_again("json.decoder")
    with pytest.raises(ValueError, match="line 1 column 5"):
        json.JSONDecoder().decode('{"a"}')


def looped(x):
    total = 0
    while x > 0:
        total += x
        x -= 1
    return total


def swapped(function, change):
    ops = ops_of(function.__code__)
    return types.FunctionType(assemble(change(ops), function.__code__), function.__globals__)


def test_long_jumps_get_wider_arguments():
    def stretched(ops):
        """Much that does nothing between the test of the loop and its body."""
        return [each for op in ops for each in (op, *(Op("NOP") for _ in range(4_000)))]

    function = swapped(looped, stretched)
    assert function(5) == 15
    assert "EXTENDED_ARG" in {each.opname for each in dis.get_instructions(function.__code__)}


def test_a_test_that_jumps_backwards():
    def counted_down(ops):
        """`x` becomes smaller by one, again and again, until a conditional jump does not lead back."""
        one = looped.__code__.co_consts.index(1)
        minus = next(op for op in reversed(ops) if op.name == "BINARY_OP")
        start = Op("LOAD_FAST", 0)
        body = [
            start,
            Op("LOAD_CONST", one),
            Op("BINARY_OP", minus.arg),
            Op("STORE_FAST", 0),
            Op("LOAD_FAST", 0),
        ]
        truth = [Op("TO_BOOL")] if "TO_BOOL" in dis.opmap else []
        end = [Op("POP_JUMP_IF_TRUE", target=start), Op("LOAD_FAST", 0), Op("RETURN_VALUE")]
        return [op for op in ops if op.name == "RESUME"] + body + truth + end

    assert swapped(looped, counted_down)(7) == 0


def test_new_handlers_and_positions():
    def guarded(ops):
        caught = [Op("POP_TOP"), Op("LOAD_FAST", 0), Op("RETURN_VALUE")]
        for op in ops:
            op.handler = Goes(caught[0], 0, False)
        return [*ops, *caught]

    function = swapped(looped, guarded)
    assert function("no number") == "no number"
    assert function(4) == 10

    def elsewhere(ops):
        for op in ops:
            op.position = Position(77, 78, 3, 9)
        return ops

    with pytest.raises(TypeError) as error:
        swapped(looped, elsewhere)("no number")
    assert error.traceback[-1].lineno + 1 == 77


def test_free_variables_are_appended():
    code = looped.__code__
    ops = ops_of(code)
    place = code.co_nlocals
    ops = [op for op in ops if op.name == "RESUME"] + [Op("LOAD_DEREF", place), Op("RETURN_VALUE")]
    made = assemble(ops, code, co_freevars=(".given",))
    function = types.FunctionType(made, globals(), "given", None, (types.CellType("what was given"),))
    assert function(1) == "what was given"
