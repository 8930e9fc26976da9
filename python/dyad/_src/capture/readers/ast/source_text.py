"""The text a function was written in: a file, a cell of a notebook, a prompt, or the command line."""

import linecache
import sys

from dyad._src.capture.readers.ast.kept_source import keep, kept_lines

# How far back the lines typed at a prompt are searched.
_PROMPT_LINES = 2000


def text_lines(code, module_globals=None):
    """All lines of the text that a code object comes from. OSError with advice if it was not kept."""
    lines = linecache.getlines(code.co_filename, module_globals)
    if lines:
        keep(code, module_globals, lines)
    else:
        lines = kept_lines(module_globals)
    if not lines and hasattr(linecache, "_getlines_from_code"):
        lines = linecache._getlines_from_code(code)
    if not lines and code.co_filename == "<string>":
        lines = _command_lines()
    if not lines and code.co_filename == "<stdin>":
        lines = _typed_lines(code)
    if not lines:
        raise OSError(
            f"source: there is no text of {code.co_qualname} ({code.co_filename}, line {code.co_firstlineno}); "
            'put it into a file, or read it another way with capture_mode="trace"; set_context(support_binary=True) '
            "keeps the text of a module beside it"
        )
    return lines


def _command_lines():
    """The program behind `python -c`."""
    if sys.argv[:1] != ["-c"]:
        return []
    given = sys.orig_argv
    place = next((index for index, text in enumerate(given) if text == "-c"), None)
    return given[place + 1].splitlines(keepends=True) if place is not None else []


def _typed_lines(code):
    """The statement that was typed at the prompt: the latest lines that compile to this very code."""
    try:
        import readline
    except ImportError:
        return []
    length = readline.get_current_history_length()
    first = max(1, length - _PROMPT_LINES)
    history = [readline.get_history_item(number) or "" for number in range(first, length + 1)]
    for start in reversed(range(len(history))):
        if history[start][:1].isspace() or not history[start]:
            continue
        # A statement goes on as long as its lines are indented or carry on a decorator.
        for end in range(start + 1, len(history) + 1):
            lines = [line + "\n" for line in history[start:end]]
            if _compiles_to(lines, code):
                return lines
            if end < len(history) and not _goes_on(history[end - 1], history[end]):
                break
    return []


def _goes_on(line, next_line):
    return (
        line.startswith("@")
        or next_line[:1].isspace()
        or next_line[:1] in tuple(")]}")
        or line.endswith("\\")
    )


def _compiles_to(lines, code):
    try:
        compiled = compile("".join(lines) + "\n", code.co_filename, "single")
    except (SyntaxError, ValueError):
        return False
    waiting = [compiled]
    while waiting:
        current = waiting.pop()
        if current == code:
            return True
        waiting.extend(constant for constant in current.co_consts if isinstance(constant, type(code)))
    return False
