"""`Unsupported`: what `jit(capture_mode="bytecode", fullgraph=True)` raises where a graph would have to end."""

import linecache

_FILE_LINE = "  In file {}:{}"


class Unsupported(RuntimeError):
    """A function that was to be one graph is none. `reason` is the fixed name of the break."""

    def __init__(self, message, reason=""):
        super().__init__(message)
        self.reason = reason


def unsupported(refusal, function):
    """The error for a function that is refused: the reason, a hint, and the lines that lead there, outermost first."""
    lines = [f"Reason: {refusal.kind}"]
    hint = "; ".join(part.rstrip(".") for part in (refusal.because, refusal.advice) if part)
    if hint:
        lines.append(f"Hint: {hint}")
    lines.append("From user code:")
    for filename, line, text in frames_of(refusal, function):
        lines.append(_FILE_LINE.format(filename, line))
        if text:
            lines.append(f"    {text}")
    return Unsupported("\n".join(lines), refusal.kind)


def frames_of(refusal, function):
    """(file, line, text of the line) of each frame that leads to a break, the outermost first."""
    if refusal.places:
        return [
            (place.filename, place.line, place.source.line(place.line).strip()) for place in refusal.places
        ]
    code = function.__code__
    position = getattr(refusal.statement, "position", refusal.statement)
    line = getattr(position, "lineno", code.co_firstlineno)
    return [(code.co_filename, line, linecache.getline(code.co_filename, line).strip())]
