"""How capture says no, and how exceptions of the captured program travel."""

from dyad._core import CaptureError, SymbolicDimError

__all__ = [
    "KNOWN_SIZE",
    "NEEDS_PYTHON",
    "BudgetSpent",
    "CaptureError",
    "Dead",
    "Rejected",
    "Signal",
    "SymbolicDimError",
    "Thrown",
    "rejection",
]


NEEDS_PYTHON = (
    "What needs Python itself when the graph runs is not captured; do it outside of the compiled function."
)
KNOWN_SIZE = (
    "Let the graph be compiled for this size: leave it out of the templates, or count outside of the graph."
)


class Signal(Exception):
    """What capture tells itself: never an exception that the program raises."""


class Rejected(Signal):
    """The program cannot be captured. What the user sees is `error`, whose text names file, line and expression."""

    def __init__(self, error):
        super().__init__(str(error))
        self.error = error


class BudgetSpent(Rejected):
    """Capturing takes more steps than are allowed."""


class Thrown(Signal):
    """An exception of the captured program itself, met while capturing: it belongs to the program."""

    def __init__(self, error):
        super().__init__(error)
        self.error = error
        self.place = None  # where it was raised, once that is left
        self.by_operator = False  # whether an operator raises it, not the program itself


class Dead(Signal):
    """The path being captured ends here: a node of the graph raises when it is reached."""


def rejection(place, what, advice="", kind=CaptureError):
    """The error for something at `place` that cannot be captured."""
    lines = [what]
    if place is not None:
        lines.append(place.text())
    if advice:
        lines.append(advice)
    return Rejected(kind("\n".join(lines)))
