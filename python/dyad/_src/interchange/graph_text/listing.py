"""Parses the text of a graph line by line for display. The compiler defines the meaning of a line."""

import dataclasses
import re

_LOCATION = re.compile(r' at "((?:[^"\\]|\\.)*)":(\d+):(\d+)$')
_CALLED = re.compile(r' called "((?:[^"\\]|\\.)*)"$')
_HEADER = re.compile(r"(fused )?func @([^\s(]+)\((.*)\) -> \((.*)\) \{$")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_VALUE = re.compile(r"%[\w#.?]+")
_FUNCTION = re.compile(r"@([\w#.]+)")
_KIND = re.compile(r"(constant|call|if|while|host)(?= )")


@dataclasses.dataclass(frozen=True)
class Value:
    """A parameter of a function or a result of a node: its name with `%`, its type as the graph writes it."""

    name: str
    type: str
    is_state: bool = False


@dataclasses.dataclass(frozen=True)
class Node:
    """One step. `kind` is "operator", "constant", "call", "if", "while" or "host"; `body` is its text.

    `line` is 0 if the step has no line in the program. `called` is the program's name of the operator, if it differs.
    """

    results: tuple
    kind: str
    body: str
    file: str = ""
    line: int = 0
    column: int = 0
    called: str = ""

    @property
    def name(self):
        """The operator, or the kind of another node."""
        return self.body.partition("(")[0] if self.kind == "operator" else self.kind

    @property
    def operands(self):
        """Names of the values that it reads, each once, in order."""
        return tuple(dict.fromkeys(_VALUE.findall(_QUOTED.sub("", self.body))))

    @property
    def functions(self):
        """Names of the functions that it enters: the callee, both branches, or condition and body."""
        return () if self.kind == "operator" else tuple(_FUNCTION.findall(_QUOTED.sub("", self.body)))


@dataclasses.dataclass(frozen=True)
class Function:
    """One function of a graph. `results` are as in the text: names, and `state %w = %v` for what it updates.

    The nodes of a fused function are computed together, by one kernel.
    """

    name: str
    parameters: tuple
    results: tuple
    nodes: tuple
    fused: bool = False


def read_graph(text):
    """The functions of a graph by name; the first is where it starts."""
    functions = {}
    lines = iter(text.split("\n"))
    for line in lines:
        header = _HEADER.match(line)
        if header is None:
            if line.strip():
                raise ValueError(
                    f"read_graph: {line!r} does not begin a function; need 'func @name(...) -> (...) {{'"
                )
            continue
        fused, name, parameters, results = header.groups()
        nodes = tuple(_read_node(line.strip()) for line in iter(lambda: next(lines, "}"), "}"))
        functions[name] = Function(name, _read_values(parameters), tuple(_split(results)), nodes, bool(fused))
    return functions


def _read_node(line):
    file, number, column, name = "", 0, 0, ""
    called = _CALLED.search(line)
    if called is not None:
        name = _unquoted(called[1])
        line = line[: called.start()]
    place = _LOCATION.search(line)
    if place is not None:
        file, number, column = _unquoted(place[1]), int(place[2]), int(place[3])
        line = line[: place.start()]
    results, body = line.split(" = ", 1) if line.startswith("%") else ("", line)
    kind = _KIND.match(body)
    return Node(_read_values(results), kind[1] if kind else "operator", body, file, number, column, name)


def _unquoted(text):
    return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text)


def _read_values(text):
    values = []
    for part in _split(text):
        name, kind = part.removeprefix("state ").split(": ", 1)
        values.append(Value(name, kind, part.startswith("state ")))
    return tuple(values)


def _split(text):
    """The parts between the commas outside of brackets."""
    parts, depth, start = [], 0, 0
    for position, character in enumerate(text):
        if character in "([":
            depth += 1
        elif character in ")]":
            depth -= 1
        elif character == "," and depth == 0:
            parts.append(text[start:position].strip())
            start = position + 1
    last = text[start:].strip()
    return [*parts, last] if last else parts
