"""Errors of user functions as strings: the stage, the error and the traceback."""

import traceback


class RemoteError(Exception):
    """An exception of a worker process, as a string: its message, and the traceback from the user's first frame on."""

    def __init__(self, said, shown):
        super().__init__(said)
        self.said, self.shown = said, shown


def described(error):
    """An exception's message, and its traceback from the user's first frame on; the latter is empty if
    there is none.
    """
    trace = _users_part(error.__traceback__)
    shown = "" if trace is None else "".join(traceback.format_exception(type(error), error, trace))
    return (f"{type(error).__name__}: {error}" if shown else str(error)), shown


def explained(stage):
    """A function that returns the message of the RuntimeError for an exception raised in `stage`."""

    def explain(error):
        remote = isinstance(error, RemoteError)
        said, shown = (error.said, error.shown) if remote else described(error)
        if not shown:
            return f"{stage.partition(':')[0]}: {said}"
        return f"{stage} raised {said}{' in a worker process' if remote else ''}\n\n{shown}"

    return explain


def _users_part(trace):
    """The traceback from the user's first frame on, or None where all of it is ours."""
    while trace is not None and _is_ours(trace):
        trace = trace.tb_next
    return trace


def _is_ours(trace):
    return trace.tb_frame.f_globals.get("__name__", "").startswith("dyad.dataset.")


def name_of(function):
    """The name of a callable in messages."""
    return getattr(function, "__name__", type(function).__name__)
