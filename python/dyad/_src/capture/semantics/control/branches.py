"""Branches whose course is known only when the graph runs: both paths are captured, and joined where they meet."""

from dyad._src.capture.errors import BudgetSpent, Dead, Rejected, Thrown
from dyad._src.capture.semantics.control.completion import is_raised
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf, Raised, container_of, contents_choice_of


class Arm:
    """One path of a branch: what it gives, what it changes, and the graph function that computes it."""

    def __init__(self, function, value, changes, dead, end):
        self.end = end  # the place where it ends
        self.function = function
        self.value = value
        self.changes = changes
        self.dead = dead

    def after(self, change):
        """Contents of a container at the end of this arm."""
        own = self.changes.get(id(change.container))
        return own.after if own is not None else change.before


class Branches(Part):
    """Builds `if` nodes. Paths are callables; what a path changes is undone before the next one is captured."""

    def branch(self, condition, when_true, when_false, exact=None):
        """Captures both paths; gives what the one taken gives, as far as that can be said now.

        `exact`: whether a tensor that was there before stays itself, as one of several values.
        """
        if isinstance(condition, bool):
            return when_true() if condition else when_false()
        moment, position = self.heap.clock, self.interpreter.position
        arms = [self.capture_arm("if_true", when_true), self.capture_arm("if_false", when_false)]
        if position is not None:
            self.interpreter.at(position)  # what follows, errors too, belongs to the condition
        if arms[0].dead and arms[1].dead:
            self.graph.add_if(condition, arms[0].function, [], arms[1].function, [])
            raise Dead
        dead = next((number for number, arm in enumerate(arms) if arm.dead), None)
        if dead is not None:
            return self.interpreter.completions.resume(
                self.interpreter.joins.join_with_dead(condition, arms, dead, moment)
            )
        if exact is None:
            exact = self.interpreter.aliases.site in self.interpreter.aliases.exact_sites
        raised = [isinstance(arm.value, Raised) for arm in arms]
        if any(raised) and not all(raised):
            return self.interpreter.completions.go_on_beside(
                condition, arms, raised.index(True), moment, exact
            )
        return self.interpreter.completions.resume(
            self.interpreter.joins.join_arms(condition, arms, moment, exact)
        )

    def split(self, value, use):
        """Applies `use` to the alternative that is chosen when the graph runs."""
        if not isinstance(value, OneOf):
            return use(value)
        tags = list(value.alternatives)
        first = tags[0]
        if len(tags) == 1:
            return use(value.alternatives[first])
        return self.branch(
            value.tag == first,
            lambda: use(value.alternatives[first]),
            lambda: self.split(value.without(first), use),
            exact=bool(self.interpreter.aliases.exact_sites) or None,
        )

    def with_decided_contents(self, container, use):
        """Applies `use`, which works on a container; where its contents are one of several, to each of them."""
        container = container_of(container)
        undecided = contents_choice_of(container)
        if undecided is None:
            return use()

        def with_contents(chosen):
            self.heap.replace(container, chosen)
            return use()

        return self.split(undecided.choice, with_contents)

    def trial(self, path):
        """Returns the result of a path without its effects; None if it cannot be captured or raises."""
        self.heap.push()
        self.graph.begin("trial")
        try:
            value = self.run_path(path)
            if isinstance(value, OneOf):
                value = value.without(*value.tags_of(is_raised))
            return None if isinstance(value, Raised) else value
        except BudgetSpent:
            raise
        except (Dead, Rejected):
            return None
        finally:
            self.graph.suspend()
            self.heap.pop()

    def capture_arm(self, name, path):
        """One path as a function of the graph; what it changed of the heap is undone and kept in the Arm."""
        self.heap.push()
        self.graph.begin(name)
        value, dead = None, False
        try:
            value = self.run_path(path)
        except Dead:
            dead = True
        except BaseException:
            self.graph.suspend()
            self.heap.pop()
            raise
        function = self.graph.suspend()
        return Arm(function, value, self.heap.pop(), dead, self.interpreter.place)

    def run_path(self, path):
        """Runs a path; an exception of the program becomes a node that raises, and the path is dead.

        Where the program sees the exception, it becomes the path's value.
        """
        if self.interpreter.completions.caught:
            value = self.interpreter.completions.bounded(path)
            if isinstance(value, Raised):
                self.interpreter.completions.require_not_awaited(value[0])
            return value
        try:
            return path()
        except Thrown as thrown:
            self.interpreter.completions.require_not_awaited(thrown.error)
            self.interpreter.throwing.raise_in_graph(thrown)
            raise Dead from None
