"""What an exception of Python's own operations says beside Python's words, where a call of a graph always raises it.

Python speaks of an operation as the dynamic graph knows it. The words of a static graph come behind, with the line:
who searches for either finds it. The exception that the program itself sees, in an `except` say, has Python's alone.
"""

import re

_OPERATORS = {
    "+": "add", "-": "sub", "*": "mul", "/": "div", "//": "floordiv", "%": "mod", "**": "pow", "@": "matmul",
}  # fmt: skip


def _failed_operands(found):
    symbol, one, other = found.groups()
    name = _OPERATORS.get(symbol.partition(" ")[0].removesuffix("="))
    if name is None:
        return f"For '{symbol}', only integer types are supported, but got {one} and {other}."
    return f"Failed calling {name} with ({one}, {other})."


# (class, Python's words, words of a static graph): the first that fits counts.
_WORDS = [
    (kind, re.compile(pattern), words)
    for kind, pattern, words in (
        (NameError, r"^name '(.*)' is not defined", r"The name '\1' is not defined."),
        (
            TypeError,
            r"unsupported operand type\(s\) for (.*): '(\w+)' and '(\w+)'",
            _failed_operands,
        ),
        (
            TypeError,
            r"^isinstance\(\) arg 2 must be",
            "isinstance() arg 2 must be a type or tuple of types.",
        ),
        (TypeError, r"^slice indices must be integers", "Slice indices must be integers or bool."),
        (TypeError, r"^len: a tensor of 0 dimensions", "Not support len of a 0-D tensor."),
        (
            TypeError,
            r"^map\(\) must have at least two",
            "The Map operator must have at least two arguments.",
        ),
        (
            TypeError,
            r"^(\w+)\(\) got an unexpected keyword argument '(\w+)'; accepted are",
            r"Failed calling \1: match failed because incorrect keyword name: \2.",
        ),
        (TypeError, r"^(\w+\(\) takes .* (was|were) given);", r"Failed calling: \1."),
        (
            ValueError,
            r"^bool: The truth value of an array .* of shape (\(.*\))",
            r"Only tensor which shape is that of one element can be converted to bool, but got tensor shape is \1.",
        ),
        (ValueError, r"^slice step cannot be zero", "Slice step cannot be zero."),
        (
            ValueError,
            r"^range\(\) arg 3 must not be zero",
            "For 'range', the argument 'step' could not be 0.",
        ),
        (ValueError, r"^negative shift count", "The shift count must be a non-negative integer."),
        (ValueError, r"^(tuple|list)\.index\(x\): x not in", r"What is looked for is not in the \1."),
        (IndexError, r"^pop (index out of range|from empty)", "The pop index out of range."),
        (ZeroDivisionError, r"^(integer|float) modulo", "Cannot perform modulo operation on zero."),
        (ZeroDivisionError, r"zero", "The divisor could not be zero."),
    )
]


def _of_map(found, args):
    return f"Map can only be applied to list, tuple, not to {found[1]}."


def _of_enumerate(found, args):
    return (
        f"For 'enumerate', the 'first input' should be tuple or list or tensor, but got <class '{found[1]}'>."
    )


def _start_of_enumerate(found, args):
    return f"For 'enumerate', the 'start' should be a const int number, but got {args[1]!r}."


def _of_range(found, args):
    place, wrong = next((place, value) for place, value in enumerate(args) if not isinstance(value, int))
    return f"For 'range', the {place}th input should be a int scalar but got {type(wrong).__name__}."


# The same for what a function of Python's says of its arguments in the words of any function.
_WORDS_OF_FUNCTIONS = [
    (function, re.compile(pattern), words)
    for function, pattern, words in (
        (map, r"'(\w+)' object is not iterable", _of_map),
        (enumerate, r"'(\w+)' object is not iterable", _of_enumerate),
        (enumerate, r"'(\w+)' object cannot be interpreted as an integer", _start_of_enumerate),
        (
            range,
            r"cannot be interpreted as an integer|^index: .* is no index|only integer tensors",
            _of_range,
        ),
    )
]


def add_words(thrown):
    """Adds the words of a static graph, and the line, to what Python's own operation has raised."""
    error, operation = thrown.error, thrown.operation
    if operation is None or type(error).__module__ != "builtins" or error.args != (str(error),):
        return
    words = _words_for(error, *operation)
    if words is not None:
        error.args = ("\n".join([*error.args, words, *_place(thrown.place)]),)


def _words_for(error, function, args):
    for known, pattern, words in _WORDS_OF_FUNCTIONS:
        found = pattern.search(str(error)) if known is function else None
        if found is not None:
            return words(found, args)
    for kind, pattern, words in _WORDS:
        found = pattern.search(str(error)) if type(error) is kind else None
        if found is not None:
            return words(found) if callable(words) else found.expand(words)
    return None


def _place(place):
    if place is None:
        return []
    line = place.source.line(place.line).strip()
    return [f"    {place.filename}:{place.line}, in {place.function}", *([f"        {line}"] if line else [])]
