"""Runs a program call after call in one form and tells what each call gave, printed, wrote and left behind."""

import contextlib
import functools
import io
import signal
import zlib
from dataclasses import dataclass
from typing import Any

from described import Describer, agrees
from program import UNSAID, Program, Raises
from sourceless import without_source

import dyad
from dyad import nn

SECONDS_ALLOWED = 30


class InCell(nn.Cell):
    """Graph mode compiles Cells: this one makes a Cell of a function."""

    def __init__(self, function):
        super().__init__()
        self.function = function

    def construct(self, *arguments, **keywords):
        return self.function(*arguments, **keywords)


def dynamic(function):
    return function


def graph_mode(function):
    return in_graph_mode(function if isinstance(function, nn.Cell) else InCell(function))


def in_graph_mode(function):
    def call(*arguments, **keywords):
        dyad.set_context(mode=dyad.GRAPH_MODE)
        try:
            return function(*arguments, **keywords)
        finally:
            dyad.set_context(mode=dyad.PYNATIVE_MODE)

    return call


def graph_mode_strict(function):
    """Graph mode with STRICT as the level of the context."""
    call = graph_mode(function)

    def call_at_strict(*arguments, **keywords):
        before = dyad.get_context("jit_syntax_level")
        dyad.set_context(jit_syntax_level=dyad.STRICT)
        try:
            return call(*arguments, **keywords)
        finally:
            dyad.set_context(jit_syntax_level=before)

    return call_at_strict


def jit(function):
    return dyad.jit(function)


def kernel_by_kernel(function):
    """Without what makes a graph fast: only what it needs to run."""
    return dyad.jit(function, jit_level="O0")


def bytecode(function):
    """Read from the code object, without its source."""
    return dyad.jit(function, capture_mode="bytecode")


def bytecode_without_source(function):
    """Read from a code object that names no file, so that there is nothing else to read."""
    return dyad.jit(without_source(function), capture_mode="bytecode")


def strict(function):
    return dyad.jit(function, fullgraph=True)


def trace(function):
    return dyad.jit(function, capture_mode="trace")


def construct(function):
    """A network with one compiled Cell in it: `construct` is replaced on this instance only."""
    function.construct = dyad.jit(function.construct)
    return function


def chosen_for_level(name: str) -> bool:
    """True if a test runs at another jit_level: every third one, by its name. `--jit-level` runs all of them."""
    return zlib.crc32(name.encode()) % 3 == 0


def forms_of(program: Program):
    yield graph_mode
    yield jit
    yield bytecode
    if chosen_for_level(str(program)):
        yield kernel_by_kernel
    if program.strict is not False:
        yield strict
    if program.trace:
        yield trace


@dataclass
class Ran:
    outcomes: list[tuple]
    raised: list[BaseException | None]
    callable: Any
    complaints: list[str]  # where a call did not give what is written beside the program


def run(program: Program, form, **alike) -> Ran:
    """`alike` says which objects are not told apart, see Describer."""
    dyad.set_seed(11)
    scene = program.build()
    called = form(scene.function) if scene.transform is None else form(scene.function, scene.transform)
    describer, ran = Describer(**alike), Ran([], [], called, [])
    describer.name(scene.watch(), "state")
    results = []
    for number, (call, expected) in enumerate(_plan(program, scene)):
        arguments, keywords = call.fresh()
        describer.name((arguments, keywords), f"argument{number}")
        printed = io.StringIO()
        result, error = None, None
        with contextlib.redirect_stdout(printed), _limited(str(program)):
            try:
                result = called(*arguments, **keywords)
            except Exception as raised:
                error = raised
        ran.raised.append(error)
        describer.begin_call()
        ran.complaints += _complaint(number, expected, result, error)
        ran.outcomes.append(
            (
                ("result", describer.tell(result, f"result{number}")),
                ("raised", _tell_error(error, program.same_text)),
                ("printed", printed.getvalue()),
                ("arguments", describer.tell((arguments, keywords), f"argument{number}")),
                ("state", describer.tell(scene.watch(), "state")),
                ("after", describer.tell(_after(scene, result, arguments, error), f"after{number}")),
            )
        )
        describer.end_call(number)
        results.append(result)
    # What an earlier call returned must still be there: later calls may not write into it.
    final = tuple(describer.tell(result, f"result{number}") for number, result in enumerate(results))
    ran.outcomes.append((("all results at the end", final),))
    return ran


@functools.lru_cache(maxsize=1)
def truth_of(program: Program, form=dynamic, **alike) -> Ran:
    """The dynamic graph's answers; kept for the next form of the same program."""
    return run(program, form, **alike)


def _plan(program, scene):
    """The calls in order, each with what is written beside the program about it."""
    first, second, *others = program.calls
    yield first, program.expect
    yield second, program.again
    for other in others:
        yield other, UNSAID
    if scene.change is not None:
        scene.change()
        yield first, program.changed
    elif others:
        yield first, UNSAID


def _after(scene, result, arguments, error):
    return scene.after(result, *arguments) if scene.after is not None and error is None else None


def _tell_error(error, with_text):
    if error is None:
        return None
    if not with_text:
        return (type(error).__qualname__,)
    return (type(error).__qualname__, str(error), Describer().tell(error.args, "error"), *_held(error))


def _held(error):
    """Attributes and notes of an exception, without the note of the line of an operator's error."""
    held = {name: value for name, value in vars(error).items() if name != "__notes__"}
    notes = [note for note in getattr(error, "__notes__", ()) if not note.startswith("  File ")]
    behind = [
        None if link is None else _tell_error(link, True) for link in (error.__cause__, error.__context__)
    ]
    return (notes, Describer().tell(held, "error"), *behind, error.__suppress_context__)


def _complaint(number, expected, result, error):
    gave = result if error is None else error
    if expected is UNSAID:
        right = True
    elif isinstance(expected, Raises):
        right = isinstance(error, expected.kind) and expected.text in str(error)
    else:
        right = error is None and agrees(result, expected)
    return [] if right else [f"call {number}: expected {expected!r}, got {gave!r}"]


@contextlib.contextmanager
def _limited(what):
    """Turns a loop that does not end into a failure of its program. Who catches the error gets it again and again."""

    def stop(number, frame):
        raise TimeoutError(f"{what}: a call took more than {SECONDS_ALLOWED} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_ALLOWED, 1)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
