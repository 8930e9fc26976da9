"""Comments in a function that speak to the compiler: `# @jit.cond:` and `# @jit.typing:`."""

import io
import re
import tokenize

_COMMENT = re.compile(r"#\s*@jit\.(?P<kind>cond|typing)\s*:\s*(?P<value>.*?)\s*$")
_CONDITIONS = {"True": True, "False": False}
# In place of a type: the statement is there for what it does. Python runs every such statement, so it says nothing new.
_SIDE_EFFECT = "side_effect"
_NOT_CODE = (tokenize.COMMENT, tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT)


def comments_in(lines, first_line, filename):
    """({line: forced condition}, {line: text of a result type}) of some lines of a file.

    A comment behind code applies to its own line, one that stands alone to the next line with code.
    """
    conditions: dict = {}
    typings: dict = {}
    if not any("@jit." in line for line in lines):
        return conditions, typings
    waiting = []
    for token in _tokens(lines):
        line = token.start[0] + first_line - 1
        if token.type == tokenize.COMMENT:
            match = _COMMENT.match(token.string)
            if match is None:
                continue
            alone = not token.line[: token.start[1]].strip()
            note = (match["kind"], match["value"], line)
            if alone:
                waiting.append(note)
            else:
                _store(conditions, typings, note, line, filename)
        elif token.type not in _NOT_CODE:
            for note in waiting:
                _store(conditions, typings, note, line, filename)
            waiting.clear()
    return conditions, typings


def _tokens(lines):
    """The tokens as far as they can be read: the lines are cut out of a text and may end in the middle of it."""
    try:
        yield from tokenize.generate_tokens(io.StringIO("".join(lines)).readline)
    except (tokenize.TokenError, IndentationError):
        return


def _store(conditions, typings, note, line, filename):
    kind, value, written = note
    if kind == "typing":
        if value != _SIDE_EFFECT:
            typings[line] = value
    elif value in _CONDITIONS:
        conditions[line] = _CONDITIONS[value]
    else:
        raise RuntimeError(
            f'# @jit.cond: the value is {value!r}; need True or False\n  File "{filename}", line {written}'
        )
