"""Limits of the work that capturing may take."""

import collections

from dyad._core import CaptureError
from dyad._src.base.break_reasons import CONDITION, UNKNOWN
from dyad._src.capture.errors import BudgetSpent
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf

# Statements that may be captured inside of branches and loops that depend on the run, attempts included.
WORK_ALLOWED = 20_000
# Turns of one loop that may be captured inside of others that are written out or tried again.
NESTED_TURNS_ALLOWED = 256


class Budget(Part):
    """Counts the statements of paths that depend on the run: where they multiply, capturing must have an end."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.work = 0  # statements captured on paths that depend on the run
        self._around = 0  # how many loops have a turn under way
        # identity of a loop -> its turns since the outermost one began
        self._turns: collections.Counter = collections.Counter()
        self._left_by_data = set()  # identities of loops that a turn left on some paths only

    def spend(self):
        """Counts one statement; BudgetSpent if there were too many."""
        self.work += 1
        if self.work > WORK_ALLOWED:
            self.refuse(
                f"more than {WORK_ALLOWED} statements are captured on paths that are known only when the graph runs",
                CONDITION,
            )

    def refuse(self, what, kind=UNKNOWN):
        """Raises BudgetSpent."""
        raise BudgetSpent(
            kind,
            CaptureError(
                f"{what}\n{self.interpreter.place.text()}\nNest fewer loops that are written out turn by turn, let "
                "lists have one length on all paths, or move a part into a compiled function of its own."
            ),
        )

    def begin_loop(self):
        """Call before a loop; turns are counted from the begin of the outermost one."""
        if not self._around:
            self._turns.clear()
            self._left_by_data.clear()

    def turn(self, loop, in_graph=False):
        """Captures one turn of a loop; BudgetSpent if that was done too often.

        Turns are counted where they multiply: inside of another loop, on a path that depends on the run, if data has
        decided before whether the loop is left, or if the loop is one of the graph.
        """
        if self._around and self.heap.depth and (in_graph or loop.identity in self._left_by_data):
            self._turns[loop.identity] += 1
            if self._turns[loop.identity] > NESTED_TURNS_ALLOWED:
                self.refuse(
                    f"more than {NESTED_TURNS_ALLOWED} turns of a loop are captured inside of other loops, and only "
                    "the running graph knows when it ends"
                )
        self._around += 1
        try:
            leaving = loop.body()
        finally:
            self._around -= 1
        if isinstance(leaving, OneOf):
            self._left_by_data.add(loop.identity)
        return leaving
