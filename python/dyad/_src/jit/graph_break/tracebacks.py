"""Tracebacks of functions that Python runs in part: a part is no function of the program."""

_OURS = "dyad"


def without_part(error, frame):
    """Takes the frame of a part that Python ran out of a traceback where the function around it has the same line.

    `frame` is where the part was called from.
    """
    while frame is not None and _is_ours(frame):
        frame = frame.f_back
    before, entry = None, error.__traceback__
    while entry is not None and _is_ours(entry.tb_frame):
        before, entry = entry, entry.tb_next
    if frame is None or before is None or entry is None:
        return
    if (_place(frame), frame.f_lineno) == (_place(entry.tb_frame), entry.tb_lineno):
        before.tb_next = entry.tb_next


def _is_ours(frame):
    return frame.f_globals.get("__name__", "").partition(".")[0] == _OURS


def _place(frame):
    return frame.f_code.co_filename, frame.f_code.co_name
