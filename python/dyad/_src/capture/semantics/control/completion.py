"""Completions of blocks, and how the program continues where they are known only when the graph runs.

A block completes normally (None), by `return` (a Returned), by BREAK, by CONTINUE, or by an exception (a Raised), and
with a OneOf of these where it depends on the run. `try`, `with` and loops are made of three steps over completions:

- `completion_of(path)` runs a path; an exception that leaves it is a value from there on.
- `select(completion, chosen, then, otherwise)` goes on in two ways, each captured once.
- `resume(completion)` goes on as the completion says: an exception is thrown again.

Inside of `completion_of` an exception on one path of a branch ends only that path. All that follows belongs to the
other path: its arm stays open until the block that is left is over, and only there are the two joined.
"""

import contextlib

from dyad._src.base.break_reasons import CONDITION, EXCEPTION
from dyad._src.capture.errors import Dead, Thrown
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import CONTINUE, OneOf, Raised


def is_normal(completion):
    return completion is None


def is_raised(completion):
    return isinstance(completion, Raised)


def goes_on(completion):
    """Returns whether a turn of a loop that completes so is followed by the next one."""
    return completion is None or completion is CONTINUE


class OpenArm:
    """An arm that what follows belongs to, and the one beside it, which has ended with an exception."""

    def __init__(self, condition, arms, raising, moment, exact):
        self.condition = condition
        self.arms = arms
        self.raising = raising
        self.moment = moment
        self.exact = exact  # whether tensors that were there before are told apart


class Completions(Part):
    """The part of the interpreter that goes on behind blocks that may have been left."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.caught = 0  # blocks being captured whose exceptions are seen by the program
        self._open_arms = []
        self._sealed = False
        self.awaited = ()  # exceptions that Python's own functions take for an answer, such as StopIteration

    # ---- running

    def completion_of(self, path):
        """Returns the completion of the path, with exceptions that leave it as values."""
        sealed, self._sealed = self._sealed, False
        transforms, self.interpreter.gradients.transforms = self.interpreter.gradients.transforms, []
        awaited, self.awaited = self.awaited, ()
        self.caught += 1
        try:
            return self.bounded(path)
        finally:
            self.caught -= 1
            self.interpreter.gradients.transforms = transforms
            self.awaited = awaited
            self._sealed = sealed

    def bounded(self, path):
        """Returns the result of the path, or a Raised; branches that were left open in it are closed."""
        depth = len(self._open_arms)
        try:
            value, dead = path(), False
        except Thrown as thrown:
            value, dead = Raised((thrown.error,)), False
            self.interpreter.exceptions.note_raised_at(thrown)
        except Dead:
            value, dead = None, True
        except BaseException:
            while len(self._open_arms) > depth:
                self._open_arms.pop()
                self.graph.suspend()
                self.heap.pop()
            raise
        while len(self._open_arms) > depth:
            value, dead = self._close_arm(self._open_arms.pop(), value, dead)
        if dead:
            raise Dead
        return value

    def require_not_awaited(self, error):
        """Refuses an exception on one path that a function of Python takes for an answer."""
        if self.awaited and isinstance(error, self.awaited):
            raise self.interpreter.rejection(
                CONDITION,
                f"{type(error).__name__}: whether it is raised, which ends an iteration or says that something is not "
                "there, is known only when the graph runs",
                "Decide it by a value known while compiling.",
            )

    @contextlib.contextmanager
    def sealed(self):
        """Inside: functions of the graph that no arm may be left open across."""
        before, self._sealed = self._sealed, True
        try:
            yield
        finally:
            self._sealed = before

    # ---- open arms

    def go_on_beside(self, condition, arms, raising, moment, exact):
        """Arm `raising` ended with an exception: what follows belongs to the other one. Gives its value."""
        self._require_unsealed()
        alive = arms[1 - raising]
        self.graph.resume(alive.function)
        self.heap.reopen(alive.changes)
        self._open_arms.append(OpenArm(condition, arms, raising, moment, exact))
        return self.resume(alive.value)

    def _require_unsealed(self):
        if self._sealed or self.interpreter.gradients.transforms:
            raise self.interpreter.rejection(
                EXCEPTION,
                "try: whether an exception is raised inside of a transform is known only when the graph runs, so it "
                "cannot be caught around it",
                "Catch it inside the function that is transformed, or outside of the compiled function.",
            )

    def _close_arm(self, opened, value, dead):
        alive = opened.arms[1 - opened.raising]
        alive.value, alive.dead, alive.end = value, dead, self.interpreter.place
        alive.function = self.graph.suspend()
        alive.changes = self.heap.pop()
        opened.arms[opened.raising].changes = self.heap.still_reached(opened.arms[opened.raising].changes)
        if dead:
            return self.interpreter.joins.join_with_dead(
                opened.condition, opened.arms, 1 - opened.raising, opened.moment
            ), False
        exact = opened.exact or self.interpreter.aliases.site in self.interpreter.aliases.exact_sites
        return self.interpreter.joins.join_arms(opened.condition, opened.arms, opened.moment, exact), False

    def held_by_other_arms(self):
        """Yields values held by paths that have ended with an exception: the path that continues does not find them."""
        for opened in self._open_arms:
            arm = opened.arms[opened.raising]
            for change in arm.changes.values():
                for held in (change.before, change.after):
                    yield held.values() if isinstance(held, dict) else held

    # ---- going on

    def resume(self, completion):
        """Goes on as the completion says; gives it back unless it is an exception."""
        if isinstance(completion, Raised):
            raise Thrown(completion[0])
        if not isinstance(completion, OneOf):
            return completion
        raised = completion.tags_of(is_raised)
        if not raised:
            return completion
        if len(raised) == len(completion.alternatives):
            errors = {tag: raised[0] for tag, raised in completion.alternatives.items()}
            raise Thrown(OneOf(completion.tag, errors))
        return self.interpreter.branches.branch(
            completion.is_among(raised, self.interpreter.operators.either),
            lambda: self.resume(completion.only(raised)),
            lambda: completion.without(*raised),
        )

    def select(self, completion, chosen, then, otherwise):
        """`then` of the completion where it is chosen, `otherwise` of it where not."""
        if not isinstance(completion, OneOf):
            return then(completion) if chosen(completion) else otherwise(completion)
        tags = completion.tags_of(chosen)
        if not tags:
            return otherwise(completion)
        if len(tags) == len(completion.alternatives):
            return then(completion)
        return self.interpreter.branches.branch(
            completion.is_among(tags, self.interpreter.operators.either),
            lambda: then(completion.only(tags)),
            lambda: otherwise(completion.without(*tags)),
        )

    def go_on_where_normal(self, completion, rest):
        """`rest()` on the paths that completed normally, the others as they completed."""
        normal = completion.tags_of(is_normal)
        if not normal:
            return completion
        return self.interpreter.branches.branch(
            completion.tag == normal[0], rest, lambda: completion.without(normal[0])
        )
