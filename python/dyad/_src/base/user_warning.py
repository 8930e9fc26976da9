"""Warnings that point at the user's line, however deep in the package they arise."""

import sys
import warnings


def warn_user(text):
    """Warn at the first line on the way out that is not part of the package."""
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").partition(".")[0] == "dyad":
        frame, level = frame.f_back, level + 1
    warnings.warn(text, stacklevel=level)
