"""How bytecode becomes a graph: follows one function with a graph break and prints what each room makes of it.

python examples/follow_bytecode.py            prints the page
python examples/follow_bytecode.py --write    writes it to docs/how-bytecode-becomes-a-graph.md
"""

import contextlib
import inspect
import re
import sys
import tempfile
from pathlib import Path

import numpy as np

import dyad
from dyad import Tensor, jit, ops
from dyad._src.bytecode.flow import Flow
from dyad._src.bytecode.instructions import instructions_of
from dyad._src.bytecode.minors import CONDITIONAL, name_of
from dyad._src.capture.readers.bytecode.reader import BytecodeReader

PAGE = Path(__file__).resolve().parent.parent / "docs/how-bytecode-becomes-a-graph.md"
MINOR = ".".join(map(str, sys.version_info[:2]))
CALLS = 5  # in which it settles which instructions Python runs


def settle(x):
    y = ops.tanh(x * 0.5)
    if y.mean() > 0:
        y = y - y.mean()
    order = np.argsort(y.asnumpy())
    for _ in range(2):
        y = y * 0.9 + x
    return y, order


# --- Looking on -----------------------------------------------------------------------------------------------


@contextlib.contextmanager
def watched_reader(rows):
    """Notes what lies on the stack behind each instruction that is read of the function itself."""
    step = BytecodeReader.step

    def noting(reader, number, region):
        frame = reader.interpreter.frame
        row = [frame.flow.instructions[number], "?"]
        if frame.caller is None:
            rows.append(row)
        done = step(reader, number, region)
        row[1] = ", ".join(shown(frame.stack.slots[place]) for place in sorted(frame.stack.slots))
        return done

    BytecodeReader.step = noting
    try:
        yield
    finally:
        BytecodeReader.step = step


def shown(value):
    """A value of the stack in a word: what is known of it now."""
    if isinstance(value, Tensor):
        return f"{str(value.dtype).lower()}[{', '.join(map(str, value.shape))}]"
    name = getattr(value, "__name__", None)
    if name is not None:
        return name.rpartition(".")[2]
    return (
        repr(value) if isinstance(value, (int, float, str)) else re.sub(r"[<>]", "", str(value)).split(" ")[0]
    )


@contextlib.contextmanager
def captured_graphs(texts):
    """Collects the graphs as they are captured."""
    with tempfile.TemporaryDirectory() as folder:
        dyad.set_context(save_graphs=1, save_graphs_path=folder)
        try:
            yield
        finally:
            dyad.set_context(save_graphs=0)
        texts += [file.read_text() for file in sorted(Path(folder).rglob("*_00_captured.ir"))]


def with_lines(text):
    return re.sub(r' at ".*?":(\d+):\d+', r"  # line \1", text)


def lines_of(made):
    """The lines of the program that a graph or a part is made of."""
    if isinstance(made, str):
        return {int(line) for line in re.findall(r' at ".*?":(\d+)', made)}
    return set(range(made.first_line, made.last_line + 1))


def block(text, language="text"):
    return f"```{language}\n{text.rstrip().lstrip(chr(10))}\n```"


def listing(code):
    """The instructions, with the line where one begins."""
    lines, before = [], None
    for each in instructions_of(code).all:
        line = each.position.lineno if each.has_place else before
        lines.append(f"{'' if line == before else line:>4}  {told(each)}")
        before = line
    return "\n".join(lines)


def told(instruction):
    text = f"{instruction.number:>3} {instruction.name}"
    if instruction.target is not None:
        return f"{text} to {instruction.target}"
    value = instruction.value
    if instruction.arg is None or value is None:
        return text
    return f"{text} {value if isinstance(value, str) else repr(value)}"


# --- The page -------------------------------------------------------------------------------------------------


def written():
    source, first = inspect.getsourcelines(settle)
    numbered = "".join(f"{first + place:3}  {line}" for place, line in enumerate(source))
    return f"""
# How bytecode becomes a graph

This page follows one function through `jit(capture_mode="bytecode")`, from its code object to what runs at the second
call. Everything in it is printed by `python examples/follow_bytecode.py`, on CPython {MINOR}. Why it is built this
way is told in [0009: bytecode capture](design/0009-bytecode.md), how to use it in
[the static graph](static-graph.md#12-any-running-python-bytecode).

{block(numbered)}

The test of the `if` is a Tensor, so only the running graph knows which way to go. `np.argsort` needs the data of one:
no graph can hold that line, and the others are to be graphs all the same.

## 1. A code object becomes instructions

[`_src/bytecode`](../python/dyad/_src/bytecode) takes code objects apart, and knows nothing of capture. Caches,
`EXTENDED_ARG` and the forms that the interpreter specialises are gone; an instruction has a number, its whole argument
and its place in the source, and jumps lead to numbers (`instructions.py`). What differs between CPython 3.11, 3.12 and
3.13 is in one small table for each. No source is asked for. The column on the left is the line.

{block(listing(settle.__code__))}
"""


def flowing():
    flow = Flow(instructions_of(settle.__code__))
    forks = [number for number, name in enumerate(flow.names) if name in CONDITIONAL]
    lines = [
        f"{told(flow.instructions[number]).strip()}: goes on at "
        + f"{' or '.join(map(str, flow.successors[number]))}, the ways meet at {flow.merge_of(number, frozenset())}"
        for number in forks
    ]
    lines += [
        f"{told(flow.instructions[header]).strip()}: a loop of the instructions {min(members)} to {max(members)}, "
        + f"left to {', '.join(map(str, sorted(flow.exits(header))))}"
        for header, members in sorted(flow.loops.items())
    ]
    return f"""
## 2. Instructions have a flow

`Flow` (`flow.py`) follows all edges: how deep the stack is before each instruction, which jumps back make loops, and
where the two ways of a branch meet again. That is the nearest instruction that all paths pass which go on.

{block(chr(10).join(lines))}
"""


def read(rows):
    width = max(len(told(instruction)) for instruction, _ in rows)
    lines = [f"{told(instruction):<{width}}  | {stack}".rstrip() for instruction, stack in rows]
    refused = rows[-1][0]
    return f"""
## 3. The reader executes them on what is known

At the first call [`readers/bytecode`](../python/dyad/_src/capture/readers/bytecode) executes the instructions on a
stack of its own. What is known now is there as it is, like the module `ops` and the number 0.5. Of a Tensor only dtype
and shape are known; each operator on it becomes a node. What an instruction means is not decided here but by
[`semantics`](../python/dyad/_src/capture/README.md), which the reader of syntax trees asks as well. Behind each
instruction the stack is, the deepest value first:

{block(chr(10).join(lines))}

The jump has a condition that the graph decides. So the instructions up to the place where the ways meet are handed to
`branches.branch` as two callables: one executes the instructions of the arm, the other has none. Both leave by a jump
to the same place, so reading goes on there, with `y` joined from the two. At instruction {refused.number},
`{name_of(refused)}`, the semantics refuses: the data of a Tensor is asked for. It is a *graph break*, with its
instruction, its line and its reason.
"""


def parted(split, texts):
    chunks = []
    for shape, (name, _) in split.parts.items():
        text = next(text for text in reversed(texts) if lines_of(text) <= lines_of(shape))
        numbers = [each.number for each in shape.statements]
        variables = settle.__code__.co_varnames
        gives = ", ".join(variables[each] for each in shape.gives)
        chunks.append(
            f"**`{name}`**, the instructions {min(numbers)} to {max(numbers)}, takes "
            f"`{', '.join(shape.takes)}` and gives `{gives}`.\n\n{block(with_lines(text))}\n"
        )
    reasons = dict.fromkeys(
        f"line {cut.statement.position.lineno}: {cut.because}" for cut in split.cuts.values()
    )
    reasons = [reason for reason in reasons if not reason.endswith(": ")]
    return f"""
## 4. What is left to Python, and what becomes parts

[`_src/jit/graph_break/bytecode`](../python/dyad/_src/jit/graph_break/bytecode) leaves the refused instruction to
Python, and with it what works on things that graphs do not look at, such as the array that comes of it:

{block(chr(10).join(reasons))}

Every stretch between them that control enters in one place and leaves to one place is a *region*. Of a region a *part*
is made: a function out of those very instructions, which takes the variables and stack values that they read and gives
back those that are needed behind them. A part is jitted like any function; it is captured when it is first called, with
what really arrives.

{chr(10).join(chunks)}
The branch is a node with its two arms. The first graph also gives the other Tensor that `y` may be, and which of the
two it is: where the arm was not taken, `y` is the very object that it was. The loop has a known number of turns and is
written out.
"""


def rewritten(split):
    return f"""
## 5. The code object is put together again

The rest of the function is the code object that it was, with a call in place of each region (`host_code.py`,
`_src/bytecode/assemble.py`). Loops, `with` and `try` around a break stay Python's own instructions, so nothing has to
be entered again behind it. The parts are free variables. `.callee` gives for a function that is called between them its
compiled form, if it has one: what Python calls is captured by itself.

{block(listing(split.runnable().__code__))}
"""


def guarded(split):
    chunks = []
    for name, part in split.parts.values():
        lines = "\n".join(part.entries[0].tree.describe())
        chunks.append(f"`{name}`:\n\n{block(lines)}\n")
    return f"""
## 6. Guards

Everything that a capture read, and that a later call might find changed, is guarded: arguments, globals, the function's
own code, and the state of the process that operators depend on. Before each call of a part they are compared in C++,
without running any code of the program; where one fails the part is captured again for what arrived.

{chr(10).join(chunks)}"""


def running(split, static, x):
    def counts():
        return {name: (part.hits, part.misses) for name, part in split.parts.values()}

    before = counts()
    static(x)
    after = counts()
    lines = [
        f"{name}: {after[name][0] - before[name][0]} served by its graph, {after[name][1] - before[name][1]} captured"
        for name in after
    ]
    host = len(instructions_of(split.runnable().__code__))
    return f"""
## 7. What runs at a later call

The call of the jitted function goes straight to the function of section 5: Python executes its {host} instructions,
of which the calls of parts enter compiled graphs. From there on it is the way of
[how a line becomes machine code](how-a-line-becomes-machine-code.md). One more call:

{block(chr(10).join(lines))}

If the call is recorded for a gradient, each part leaves one step on the tape, and what Python calls between them leaves
its own. `dyad.explain(jitted)(x)` tells all of this for any function:

{block(pieces(static, x))}

With `fullgraph=True` the first break raises `Unsupported` instead, with the reason and the line.
"""


def pieces(static, x):
    text = str(dyad.explain(static)(x))
    found = text[text.index("Pieces, in order") :].partition("\n\n")[0]
    return re.sub(r", [\d.]+ us in the last call that was timed|: capture .*", "", found)


def page():
    x = Tensor(np.linspace(-1, 2, 4, dtype=np.float32))
    static, rows, texts = jit(settle, capture_mode="bytecode"), [], []
    with watched_reader(rows):
        dyad.explain(static)(x)  # captures, and runs nothing
    with captured_graphs(texts):
        for _ in range(CALLS):
            static(x)
    split = static.__jit_compiler__.split
    parts = [written(), flowing(), read(rows), parted(split, texts), rewritten(split)]
    parts += [guarded(split), running(split, static, x)]
    return "\n".join(part.strip("\n") + "\n" for part in parts)


if __name__ == "__main__":
    if "--write" in sys.argv[1:]:
        PAGE.write_text(page())
    else:
        print(page())
