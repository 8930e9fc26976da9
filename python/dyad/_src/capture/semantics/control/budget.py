"""How much work capturing may take."""

from dyad._core import CaptureError
from dyad._src.capture.errors import BudgetSpent
from dyad._src.capture.semantics.part import Part

# Statements that may be captured inside of branches and loops that depend on the run, attempts included.
WORK_ALLOWED = 20_000


class Budget(Part):
    """Counts the statements of paths that depend on the run: where they multiply, capturing must have an end."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.work = 0  # statements captured on paths that depend on the run

    def spend(self):
        """Counts one statement; BudgetSpent if there were too many."""
        self.work += 1
        if self.work > WORK_ALLOWED:
            place = self.interpreter.place.text()
            raise BudgetSpent(
                CaptureError(
                    f"more than {WORK_ALLOWED} statements are captured on paths that are known only when the graph "
                    f"runs\n{place}\nNest fewer loops that are written out turn by turn, let lists have one length on "
                    "all paths, or move a part into a compiled function of its own."
                )
            )
