"""Operands of the nodes in a graph's text: values, numbers, sizes, and the functions that they enter."""

import dataclasses
import re

from dyad._src.interchange.graph_text.sizes import Size, combined

_TOKEN = re.compile(
    r'\s*(?:(?P<value>%[\w#.?]+)|(?P<function>@[\w#.<>]+)|(?P<text>"(?:[^"\\]|\\.)*")'
    r"|(?P<number>-?(?:\d+\.?\d*(?:e[+-]?\d+)?|inf\b|nan\b))|(?P<word>[A-Za-z_][\w.#]*)|(?P<mark>//|[-()\[\]{},=*+%]))"
)
_WORDS = {"none": None, "true": True, "false": False}


@dataclasses.dataclass(frozen=True)
class Operand:
    """A value that the node reads, by its name with `%`."""

    name: str


@dataclasses.dataclass(frozen=True)
class Dtype:
    """A dtype by its name."""

    name: str


@dataclasses.dataclass(frozen=True)
class Operation:
    """A parsed node. `arguments` are Operands, lists of them, literals, Dtypes, or lists of ints and Sizes.

    For "if" the condition comes first; for "while" the variables come first, then `captured` additional arguments. Of
    a node that calls Python, "host", `name` is its function.
    """

    kind: str
    name: str
    arguments: tuple
    functions: tuple = ()
    captured: int = 0


class _Reader:
    def __init__(self, text):
        self._tokens = []
        position = 0
        while position < len(text.rstrip()):
            found = _TOKEN.match(text, position)
            if found is None:
                raise ValueError(f"graph: cannot read {text[position : position + 40]!r}")
            self._tokens.append((found.lastgroup, found[found.lastgroup or 0]))
            position = found.end()
        self._place = 0

    @property
    def ahead(self):
        return self._tokens[self._place] if self._place < len(self._tokens) else (None, None)

    def next(self):
        token = self.ahead
        if token[0] is None:
            raise ValueError("graph: the line ends too early")
        self._place += 1
        return token

    def expect(self, mark):
        if self.next()[1] != mark:
            raise ValueError(f"graph: need {mark!r}")

    def accept(self, mark):
        if self.ahead[1] != mark:
            return False
        self._place += 1
        return True

    def separated(self, close, read):
        members: list = []
        while not self.accept(close):
            if members:
                self.expect(",")
            members.append(read())
        return members

    def arguments(self):
        self.expect("(")
        return self.separated(")", self._named)

    def _named(self):
        if self.ahead[0] == "word" and self._tokens[self._place + 1 : self._place + 2] == [("mark", "=")]:
            self._place += 2
        return self.argument()

    def argument(self):
        kind, text = self.ahead
        if kind == "value":
            self.next()
            return Operand(text)
        if kind == "text":
            self.next()
            return re.sub(r"\\(.)", lambda match: "\n" if match[1] == "n" else match[1], text[1:-1])
        if text == "[":
            self.next()
            return self.separated("]", self.size)
        if text == "(":
            return self._parenthesised()
        if kind == "word":
            return self._word()
        return self._number()

    def _parenthesised(self):
        """A list of values, or the expression of a size."""
        inside = self._tokens[self._place + 1 : self._place + 2]
        if inside and (inside[0][0] == "value" or inside[0][1] in (")", "none")):
            self.next()
            return tuple(self.separated(")", self.argument))
        return self.size()

    def _word(self):
        text = self.next()[1]
        if text in _WORDS:
            return _WORDS[text]
        if text == "floats":
            self.expect("[")
            return tuple(self.separated("]", self._number))
        if text == "complex":
            self.expect("(")
            return complex(*self.separated(")", self._number))
        return Dtype(text)

    def _number(self):
        kind, text = self.next()
        if kind != "number":
            raise ValueError(f"graph: {text!r} stands where a number is needed")
        return float(text) if re.search(r"[.enai]", text) else int(text)

    def size(self):
        kind, text = self.ahead
        if kind == "number":
            return self._number()
        self.next()
        if kind == "word" and self.accept("("):
            return combined(text, *self.separated(")", self.size))
        if kind == "word":
            return Size(text)
        left = self.size()
        operator = self.next()[1]
        right = self.size()
        self.expect(")")
        return combined(operator, left, right)

    def function(self):
        kind, text = self.next()
        if kind != "function":
            raise ValueError(f"graph: {text!r} stands where a function is needed")
        return text[1:]

    def elements(self):
        """The elements of a constant tensor."""
        return self.separated("}", self._element)

    def _element(self):
        return self._word() if self.ahead[0] == "word" else self._number()


def read_operation(node):
    """The Operation of a Node. ValueError if its text is malformed."""
    if node.kind == "host":
        return Operation("host", node.body.split('"')[1], tuple(map(Operand, node.operands)))
    reader = _Reader(node.body)
    if node.kind == "operator":
        name = reader.next()[1]
        return Operation("operator", name, tuple(reader.arguments()))
    reader.next()
    if node.kind == "constant":
        is_tensor = reader.accept("{")
        return Operation("constant", "constant", (reader.elements() if is_tensor else reader.argument(),))
    if node.kind == "call":
        callee = reader.function()
        return Operation("call", "call", tuple(reader.arguments()), (callee,))
    if node.kind == "if":
        condition = reader.argument()
        reader.expect("then")
        yes = reader.function()
        reader.expect("else")
        no = reader.function()
        return Operation("if", "if", (condition, *reader.arguments()), (yes, no))
    return _while(reader)


def _while(reader):
    condition = reader.function()
    reader.expect("do")
    body = reader.function()
    variables = reader.arguments()
    reader.expect("with")
    captured = reader.arguments()
    return Operation("while", "while", (*variables, *captured), (condition, body), len(captured))


def read_type(text):
    """(whether it is a number, name of the dtype, sizes) of a type; the sizes of a number are ()."""
    number = text.startswith("number ")
    name, _, sizes = text.removeprefix("number ").partition("[")
    if number or not sizes:
        return number, name, ()
    reader = _Reader(sizes)
    return False, name, tuple(reader.separated("]", reader.size))


def results_and_updates(function):
    """(names of the results, {name of a parameter: name of its new version}) of a Function."""
    results, updates = [], {}
    for text in function.results:
        if text.startswith("state "):
            parameter, _, value = text.removeprefix("state ").partition(" = ")
            updates[parameter] = value
        else:
            results.append(text)
    return results, updates
