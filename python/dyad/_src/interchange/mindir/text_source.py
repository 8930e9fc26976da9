"""The text of a graph written as Python: operators are called by name, branches are `if`, loops are `while`.

Operators that write do so at their position, as the nodes of a graph do, so a write needs no other form.
"""

import operator

from dyad import _core
from dyad._src.interchange.graph_text.operands import (
    Dtype,
    Operand,
    read_operation,
    read_type,
    results_and_updates,
)
from dyad._src.interchange.graph_text.sizes import Size
from dyad._src.interchange.mindir.messages import MalformedGraph

_INDENT = "    "
_LITERALS = (bool, int, type(None))


def _tensor_of(number, dtype):
    return _core.Tensor(number, dtype)


def _window_written(base, value, window):
    """The base: the write to the window was one to its memory."""
    return base


def _same(value):
    return value


def _rounded(value, digits=None):
    return round(value) if digits is None else round(value, digits)


_FUNCTIONS = {
    "tensor_of": _tensor_of,
    "write_view": _window_written,
    "number_add": operator.add,
    "number_sub": operator.sub,
    "number_mul": operator.mul,
    "number_truediv": operator.truediv,
    "number_floordiv": operator.floordiv,
    "number_mod": operator.mod,
    "number_pow": operator.pow,
    "number_lshift": operator.lshift,
    "number_rshift": operator.rshift,
    "number_and": operator.and_,
    "number_or": operator.or_,
    "number_xor": operator.xor,
    "number_lt": operator.lt,
    "number_le": operator.le,
    "number_gt": operator.gt,
    "number_ge": operator.ge,
    "number_eq": operator.eq,
    "number_ne": operator.ne,
    "number_min": min,
    "number_max": max,
    "number_neg": operator.neg,
    "number_pos": _same,
    "number_invert": operator.invert,
    "number_abs": abs,
    "number_not": operator.not_,
    "number_bool": bool,
    "number_int": int,
    "number_float": float,
    "number_round": _rounded,
    "max": max,
    "min": min,
}


class TextSource:
    """Writes Python for the functions of a graph."""

    def __init__(self, functions, arguments, constants):
        self._functions = functions
        self._names = {name: f"f{place + 1}" for place, name in enumerate(functions)}
        self._updates = {entry["name"]: (entry["writes"], entry["updates"]) for entry in _core.op_table()}
        self._arguments = arguments
        self.globals = {f"c{place}": tensor for place, tensor in enumerate(constants)}
        self._constants = len(constants)

    def write(self, given, result, parameters):
        """The text. `given` describes the graph's inputs, `result` the value built from its results."""
        arguments = [f"a{place}" for place in range(self._arguments)]
        weights = [f"w{place}" for place in range(parameters)]
        words = {
            "input": arguments,
            "parameter": weights,
            "constant": [f"c{n}" for n in range(self._constants)],
        }
        main = next(iter(self._functions.values()))
        passed = [words[kind][place] for kind, place in given]
        passed += ["None"] * (len(main.parameters) - len(passed))
        count = len(results_and_updates(main)[0])
        shown = self._shown_result(result, words, count)
        lines = [
            f"def f0({', '.join([*arguments, *weights])}):",
            f"{_INDENT}r = {self._names[main.name]}({', '.join(passed)})",
            f"{_INDENT}return {shown}",
        ]
        return (
            "\n".join(lines) + "\n\n\n" + "\n\n\n".join(map(self._function, self._functions.values())) + "\n"
        )

    def _shown_result(self, template, words, count):
        kind, held = template
        if kind == "result":
            if held >= count:
                raise MalformedGraph(f"result {held} is asked for; there are {count}")
            return f"r[{held}]"
        if kind in words:
            return words[kind][held]
        if kind == "value":
            return self.literal(held)
        if kind == "dict":
            entries = [
                (self._shown_result(key, words, count), self._shown_result(part, words, count))
                for key, part in held
            ]
            return "{" + ", ".join(f"{key}: {part}" for key, part in entries) + "}"
        members = "".join(self._shown_result(part, words, count) + ", " for part in held)
        return f"[{members}]" if kind == "list" else f"({members})"

    def literal(self, value):
        """The expression for a value that is known."""
        if type(value) in _LITERALS:
            return repr(value)
        name = f"k{len(self.globals)}"
        self.globals[name] = value
        return name

    def _function(self, function):
        return _TextFunction(self, function).text()

    def name_of(self, function):
        """The name of a function of the graph."""
        return self._names[function]

    def operator(self, name):
        """The global that holds an operator."""
        known = f"p_{name}"
        if known not in self.globals:
            self.globals[known] = _FUNCTIONS[name] if name in _FUNCTIONS else _core.named_op(name)
        return known

    def writes(self, name):
        """(index of the argument that is written and returned, indexes of those that are updated)."""
        return self._updates.get(name, (-1, []))


class _TextFunction:
    """One function; its values are variables, and sizes are read from the shapes of its arguments."""

    def __init__(self, source, function):
        self._source = source
        self._function = function
        self._variables = {}
        self._symbols = {}

    def text(self):
        parameters = [self._variable(parameter.name) for parameter in self._function.parameters]
        for parameter, variable in zip(self._function.parameters, parameters, strict=True):
            self._note_sizes(parameter.type, variable)
        lines = [f"def {self._source.name_of(self._function.name)}({', '.join(parameters)}):"]
        for node in self._function.nodes:
            lines += [_INDENT + line for line in self._node(node, read_operation(node))]
        results, _ = results_and_updates(self._function)
        members = "".join(self._variable(name) + ", " for name in results)
        return "\n".join([*lines, f"{_INDENT}return ({members})"])

    def _variable(self, name):
        return self._variables.setdefault(name, f"v{len(self._variables)}")

    def _note_sizes(self, kind, variable):
        for axis, size in enumerate(read_type(kind)[2]):
            if isinstance(size, Size) and isinstance(size.expression, str):
                self._symbols.setdefault(size.expression, f"{variable}.shape[{axis}]")

    def _node(self, node, operation):
        targets = [self._variable(result.name) for result in node.results]
        left = f"{''.join(target + ', ' for target in targets)}= " if targets else ""
        if operation.kind == "constant":
            return [f"{targets[0]} = {self._constant(node, operation)}"]
        if operation.kind == "host":
            return [f"{target} = None" for target in targets]  # a file contains no Python calls
        if operation.kind == "call":
            return [f"{left}{self._call(operation.functions[0], operation.arguments)}"]
        if operation.kind == "if":
            yes, no = (self._call(name, operation.arguments[1:]) for name in operation.functions)
            condition = self._shown(operation.arguments[0])
            return [f"if {condition}:", f"{_INDENT}{left}{yes}", "else:", f"{_INDENT}{left}{no}"]
        if operation.kind == "while":
            return self._while(targets, left, operation)
        return self._operator(node, operation, targets, left)

    def _while(self, targets, left, operation):
        condition, body = operation.functions
        variables = len(operation.arguments) - operation.captured
        first = [self._shown(argument) for argument in operation.arguments[:variables]]
        rest = [self._shown(argument) for argument in operation.arguments[variables:]]
        names = self._source.name_of(condition), self._source.name_of(body)
        given = ", ".join([*targets, *rest])
        return [
            f"{left}({''.join(one + ', ' for one in first)})",
            f"while {names[0]}({given})[0]:",
            f"{_INDENT}{left}{names[1]}({given})",
        ]

    def _call(self, name, arguments):
        return f"{self._source.name_of(name)}({', '.join(map(self._shown, arguments))})"

    def _operator(self, node, operation, targets, left):
        given = [self._shown(argument) for argument in operation.arguments]
        if operation.name == "dim":
            return [f"{targets[0]} = {self._size(operation.arguments[0][0])}"]
        if operation.name == "number_of":
            return [f"{targets[0]} = {self._number_of(node, given[0])}"]
        if operation.name == "define_symbol":
            self._symbols[operation.arguments[1]] = given[0]
            return []
        written, updated = self._source.writes(operation.name)
        called = f"{self._source.operator(operation.name)}({', '.join(given)})"
        if updated:
            members = [member for place in updated for member in self._members(operation.arguments[place])]
            return [called, f"{left}({''.join(member + ', ' for member in members)})"]
        if written >= 0:
            return [called, f"{targets[0]} = {given[written]}"]
        return [f"{targets[0]} = {called}" if len(targets) == 1 else f"{left}{called}"]

    def _number_of(self, node, tensor):
        """The number that a Tensor holds, by the function that Python has for its type."""
        dtype = read_type(node.results[0].type)[1]
        kind = {"bool_": "bool", "int64": "int"}.get(dtype, "float")
        return f"{self._source.operator(f'number_{kind}')}({tensor})"

    def _members(self, argument):
        return [self._shown(one) for one in (argument if isinstance(argument, tuple) else (argument,))]

    def _constant(self, node, operation):
        is_number, dtype, shape = read_type(node.results[0].type)
        value = operation.arguments[0]
        if is_number:
            return self._source.literal(value)
        tensor = _core.Tensor(value, getattr(_core, dtype)).reshape(shape)
        return f"{self._source.literal(tensor)}.copy()"

    def _shown(self, argument):
        if isinstance(argument, Operand):
            return self._variable(argument.name)
        if isinstance(argument, Dtype):
            return self._source.literal(getattr(_core, argument.name))
        if isinstance(argument, list):
            return f"({''.join(self._size(size) + ', ' for size in argument)})"
        if isinstance(argument, tuple):
            return f"({''.join(self._shown(member) + ', ' for member in argument)})"
        return self._source.literal(argument)

    def _size(self, size):
        if isinstance(size, int):
            return repr(size)
        if not isinstance(size, Size):
            return self._source.literal(size)
        expression = size.expression
        if isinstance(expression, str):
            if expression not in self._symbols:
                raise MalformedGraph(f"the size {expression} is not known in function {self._function.name}")
            return self._symbols[expression]
        word, left, right = expression
        left, right = self._size(left), self._size(right)
        return (
            f"{self._source.operator(word)}({left}, {right})"
            if word in ("max", "min")
            else f"({left} {word} {right})"
        )
