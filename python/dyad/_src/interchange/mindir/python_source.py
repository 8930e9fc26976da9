"""Functions of a file written as Python.

Every function that is called becomes a `def`. The functions that it ends with are written into it: branches as `if`,
functions that call themselves as `while`, so that a loop needs no stack, runs in the dynamic graph, and is captured
like any program. If the flow of control has no such form, functions call each other.

Only the numbers of functions and values of the file get into the text: names are generated here, and constants and
operators are globals.
"""

import itertools
import linecache
import os
import weakref
from typing import Any

from dyad._src.interchange.mindir.flow import Branch, ClosureReader, FlowGraph, Jump, Return, ending_of
from dyad._src.interchange.mindir.functions import FunctionReference, Value
from dyad._src.interchange.mindir.messages import MalformedGraph
from dyad._src.interchange.mindir.operators import Known
from dyad._src.interchange.mindir.structural import FUNCTIONS, snapshot

_INDENT = "    "
_LITERALS = (bool, int, type(None))
_WIDEST_LITERAL = 1 << 63
_TUPLE, _LIST, _ITEM = FUNCTIONS["maketuple"], FUNCTIONS["makelist"], FUNCTIONS["tuplegetitem"]


class Unstructured(Exception):
    """The flow of control has no form with `if` and `while`."""


class PythonSource:
    """The text of a program and the globals that it refers to."""

    def __init__(self, functions, takes_snapshots):
        self.globals = {"snapshot": snapshot, "partial_of": _partial_of}
        self.takes_snapshots = takes_snapshots
        self._functions = functions
        self._names = {}
        self._endings = {}
        self._waiting = []
        self._texts = []

    def write(self, root):
        """Writes the text; `root` is the first function of it."""
        self.name_of_function(root)
        while self._waiting:
            name = self._waiting.pop()
            try:
                lines = _Definition(self, name, structured=True).lines
            except Unstructured:
                lines = _Definition(self, name, structured=False).lines
            self._texts.append("\n".join(lines))
        return "\n\n\n".join(self._texts) + "\n"

    def function(self, name):
        """The function of that name."""
        return self._functions[name]

    def ending(self, name):
        """(steps, how it ends) of a function."""
        if name not in self._endings:
            self._endings[name] = ending_of(self.function(name))
        return self._endings[name]

    def name_of_function(self, name):
        """The name of a function in the text; it will be written."""
        key = FunctionReference(name)
        if key not in self._names:
            self._names[key] = f"f{len(self._names)}"
            self._waiting.append(name)
        return self._names[key]

    def variable(self, value):
        """The variable of a value."""
        return self._names.setdefault(value, f"v{len(self._names)}")

    def shown(self, given):
        """The expression for an input."""
        if isinstance(given, Value):
            return self.variable(given)
        if isinstance(given, FunctionReference):
            return self.name_of_function(given.name)
        value = given.value if isinstance(given, Known) else given
        if type(value) in _LITERALS and not (type(value) is int and abs(value) >= _WIDEST_LITERAL):
            return repr(value)
        return self.global_of("k", value)

    def global_of(self, letter, value):
        """The global that holds a constant or an operator."""
        key = (letter, id(value))
        if key not in self._names:
            self._names[key] = f"{letter}{len(self._names)}"
            self.globals[self._names[key]] = value
        return self._names[key]


def _partial_of(function, *first):
    return lambda *rest: function(*first, *rest)


class _Loop:
    def __init__(self, header, exit):
        self.header = header
        self.exit = exit


class _Definition:
    """One `def`: a function and, if it is `structured`, all that it reaches by the calls it ends with."""

    def __init__(self, source, name, structured):
        self._source = source
        self._root = name
        self._written = set()
        self._flow: Any = FlowGraph(name, lambda block: source.ending(block)[1]) if structured else None
        parameters = ", ".join(map(source.variable, source.function(name).inputs))
        body = self._block(name, FlowGraph.exit, ()) if structured else self._plain_block(name)
        self.lines = [f"def {source.name_of_function(name)}({parameters}):", *_indented(body)]

    # One block after the other; `until` is the block that comes next anyway, `loops` are the enclosing ones,
    # innermost last.

    def _block(self, name, until, loops):
        lines = []
        while name is not until:
            if name in self._written:
                raise Unstructured
            if name in self._flow.loops and not any(loop.header == name for loop in loops):
                lines += self._loop(name, loops)
                name = self._flow.exit_of(name)
                if name is FlowGraph.exit:
                    return lines + self._return("out", loops)
                if loops and name in (loops[-1].header, loops[-1].exit):
                    return lines + self._leave(name, loops)
                continue
            self._written.add(name)
            steps, ending = self._source.ending(name)
            lines += self._steps(self._source.function(name), steps)
            more, name = self._ending(name, ending, until, loops)
            lines += more
            if name is FlowGraph.exit:
                break
        return lines

    def _loop(self, header, loops):
        inner = (*loops, _Loop(header, self._flow.exit_of(header)))
        self._written.discard(header)
        steps, ending = self._source.ending(header)
        self._written.add(header)
        body = self._steps(self._source.function(header), steps)
        more, name = self._ending(header, ending, header, inner)
        body += more
        if name is not FlowGraph.exit and name != header:
            body += self._block(name, header, inner)
        return ["while True:", *_indented(body)]

    def _ending(self, block, ending, until, loops):
        """(lines, the block to continue with or None)."""
        if isinstance(ending, Return):
            return self._return(self._source.shown(ending.value), loops), FlowGraph.exit
        if isinstance(ending, Jump):
            return self._jump(ending, until, loops)
        join = self._flow.joins.get(block, FlowGraph.exit)
        meets = join is not FlowGraph.exit and join != until
        if meets and loops and join in (loops[-1].header, loops[-1].exit):
            meets = False
        lines = self._branch(ending, join if meets else until, loops)
        return lines, join if meets else FlowGraph.exit

    def _branch(self, ending, until, loops):
        yes, no = (self._way(way, until, loops) for way in (ending.yes, ending.no))
        lines = [f"if {self._condition(ending)}:", *_indented(yes or ["pass"])]
        if not no:
            return lines
        if _leaves(yes):
            return lines + no
        return [*lines, "else:", *_indented(no)]

    def _way(self, way, until, loops):
        if isinstance(way, Branch):
            return self._branch(way, until, loops)
        lines, name = self._ending(None, way, until, loops)
        return lines if name is FlowGraph.exit else lines + self._block(name, until, loops)

    def _jump(self, jump, until, loops):
        lines = self._assign(jump)
        if jump.target == until:
            return lines, FlowGraph.exit
        if loops and jump.target in (loops[-1].header, loops[-1].exit):
            return lines + self._leave(jump.target, loops), FlowGraph.exit
        return lines, jump.target

    def _leave(self, target, loops):
        return ["continue" if target == loops[-1].header else "break"]

    def _return(self, value, loops):
        if not loops:
            return [f"return {value}"]
        if loops[-1].exit is not FlowGraph.exit:
            raise Unstructured
        return ["break"] if value == "out" else [f"out = {value}", "break"]

    def _assign(self, jump):
        pairs = [
            (self._source.variable(target), self._source.shown(given))
            for target, given in zip(self._targets(jump), jump.arguments, strict=True)
        ]
        pairs = [(target, given) for target, given in pairs if target != given]
        if not pairs:
            return []
        targets, given = zip(*pairs, strict=True)
        return [f"{', '.join(targets)} = {', '.join(given)}"]

    def _targets(self, jump):
        inputs = self._source.function(jump.target).inputs
        if len(inputs) != len(jump.arguments):
            raise MalformedGraph(
                f"function {jump.target} takes {len(inputs)} arguments; it is called with {len(jump.arguments)}"
            )
        return inputs

    # Without a structure: what a function ends with is a call.

    def _plain_block(self, name):
        steps, ending = self._source.ending(name)
        lines = self._steps(self._source.function(name), steps)
        return lines + self._plain_ending(ending, "return {}")

    def _plain_ending(self, ending, form):
        if isinstance(ending, Return):
            return [form.format(self._source.shown(ending.value))]
        if isinstance(ending, Jump):
            self._targets(ending)
            return [form.format(self._call(self._source.name_of_function(ending.target), ending.arguments))]
        yes, no = (self._plain_ending(way, form) for way in (ending.yes, ending.no))
        return [f"if {self._condition(ending)}:", *_indented(yes), "else:", *_indented(no)]

    def _condition(self, branch):
        shown = self._source.shown(branch.condition)
        return shown if branch.place is None else f"{shown} == {branch.place}"

    # Steps.

    def _steps(self, function, steps):
        closures = ClosureReader(function)
        plain = _values_in_use(function, steps)
        lines = []
        for step in steps:
            lines += self._step(step, closures, plain)
        return lines

    def _step(self, step, closures, plain):
        target = self._source.variable(step.output)
        if step.kind == "call":
            ways = closures.ways(step.callee, step.inputs)
            if ways is not None:
                return self._plain_ending(ways, f"{target} = {{}}")
            return [f"{target} = {self._call(self._source.shown(step.callee), step.inputs)}"]
        if step.kind in ("partial", "switch", "switchlayer") and step.output not in plain:
            return []
        return [f"{target} = {self._expression(step)}"]

    def _expression(self, step):
        shown = [*map(self._source.shown, step.inputs)]
        if step.kind == "partial":
            return f"partial_of({', '.join(shown)})"
        if step.kind == "switch":
            return f"{shown[1]} if {shown[0]} else {shown[2]}"
        if step.kind == "switchlayer":
            return f"{shown[1]}[{shown[0]}]"
        if step.kind == "snapshot":
            return f"snapshot({shown[0]})" if self._source.takes_snapshots else shown[0]
        return self._operation(step.callee, step.inputs, shown)

    def _operation(self, operator, inputs, shown):
        if operator.function is _TUPLE:
            return f"({', '.join(shown)}{',' if len(shown) == 1 else ''})"
        if operator.function is _LIST:
            return f"[{', '.join(shown)}]"
        if operator.function is _ITEM and len(shown) == 2 and isinstance(inputs[0], Value):
            return f"{shown[0]}[{shown[1]}]"
        positional, keywords = operator.place(inputs)
        name = self._source.global_of("p", operator.function)
        return self._call(name, positional, keywords)

    def _call(self, name, positional, keywords=()):
        given = [*map(self._source.shown, positional)]
        given += [f"{key}={self._source.shown(keywords[key])}" for key in keywords]
        return f"{name}({', '.join(given)})"


def _values_in_use(function, steps):
    """The values that are used as they are: not only to find out which function is called."""
    used = {function.result}
    for step in steps:
        if step.kind in ("operator", "call", "snapshot"):
            used.update(given for given in step.inputs if isinstance(given, Value))
    for step in reversed(steps):
        if step.kind == "call" and ClosureReader(function).ways(step.callee, step.inputs) is None:
            used.add(step.callee)
        if step.kind == "partial":
            used.update(given for given in step.inputs[1:] if isinstance(given, Value))
        if step.output in used:
            used.update(given for given in step.inputs if isinstance(given, Value))
    return used


def _leaves(lines):
    """Returns whether code after these lines is never reached from them."""
    return bool(lines) and lines[-1].split(" ")[0] in ("return", "break", "continue")


def _indented(lines):
    return [_INDENT + line for line in lines]


_numbers = itertools.count(1)


def python_function(path, text, globals_, owner_name):
    """The first function of a text, whose source is available as long as the function exists."""
    filename = f"<{os.path.basename(path)} {next(_numbers)}>"
    namespace = {**globals_, "__name__": owner_name, "__builtins__": {"range": range}}
    try:
        exec(compile(text, filename, "exec"), namespace)
    except (SyntaxError, RecursionError, MemoryError, ValueError) as error:
        raise MalformedGraph(f"its control flow is too deep: {error}") from None
    function = namespace["f0"]
    linecache.cache[filename] = (len(text), None, text.splitlines(keepends=True), filename)
    weakref.finalize(function, linecache.cache.pop, filename, None)
    return function
