"""Tracebacks as Python would have made them: of lines of the program that a graph stands for."""

import functools


def raise_in(lines, error):
    """Raises an exception as if from the last of the lines, (file, line, function), called from those before."""
    go = functools.partial(exec, _line_of(*lines[-1], "raise error"), {"error": error})
    for line in reversed(lines[:-1]):
        go = functools.partial(exec, _line_of(*line, "go()"), {"go": go})
    go()


def caught_from(lines, error):
    """The exception as if it had been raised there and caught in the first of the lines."""
    links = error.__cause__, error.__context__, error.__suppress_context__
    try:
        raise_in(lines, error)
    except BaseException as caught:
        if caught is not error:
            raise  # an interruption
        caught.__traceback__ = caught.__traceback__.tb_next  # without the frame of this function
        caught.__traceback__ = caught.__traceback__.tb_next  # and that of `raise_in`
    error.__cause__, error.__context__, error.__suppress_context__ = links
    return error


@functools.lru_cache(maxsize=1024)
def _line_of(filename, line, function, does):
    """Code that does something as if it stood in that line of the program: a traceback shows it."""
    code = compile("\n" * (line - 1) + does, filename, "exec")
    return code.replace(co_name=function, co_qualname=function)
