"""`try`, by how its blocks complete."""

from typing import NamedTuple

from dyad._src.base.break_reasons import EXCEPTION, UNKNOWN
from dyad._src.capture.errors import Thrown, rejection
from dyad._src.capture.semantics.control.completion import is_normal, is_raised
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import UNBOUND, OneOf, depends_on_run


class Handler(NamedTuple):
    """One `except`: `classes()` gives what it takes (None for all), `body()` the completion of its block.

    The exception is bound to `name` while the block runs, if there is one.
    """

    classes: object
    position: object
    name: str | None
    body: object


class TryBlocks(Part):
    """Runs blocks whose exceptions the program sees. Blocks are callables that give completions."""

    def __init__(self, interpreter):
        super().__init__(interpreter)
        self.checks = []  # (how many operators may raise, place of the last of them)

    def try_finally(self, body, finalbody, position, body_position):
        """`try: body() finally: finalbody()`; what the body completes with holds where `finally` itself goes on."""
        completion = self.checked_completion("finally", body_position, body)
        last = self.interpreter.throwing.handling(self._raised_in(completion), finalbody)
        self.interpreter.at(position)
        return self.interpreter.completions.select(
            last, is_normal, lambda _: self.interpreter.completions.resume(completion), _same
        )

    def try_except(self, body, handlers, orelse, position, body_position):
        """`try: body() except ...: ... else: orelse()`; `orelse` is None if there is none."""
        completion = self.checked_completion("try", body_position, body)
        self.interpreter.at(position)
        if orelse is None:
            return self.interpreter.completions.select(
                completion, is_raised, lambda way: self._handle(handlers, way), _same
            )
        return self.interpreter.completions.select(
            completion,
            is_raised,
            lambda way: self._handle(handlers, way),
            lambda ways: self.interpreter.completions.select(ways, is_normal, lambda _: orelse(), _same),
        )

    def _raised_in(self, completion):
        """The exception that a completion stands for: one, none, or a choice."""
        if is_raised(completion):
            return completion[0]
        if not isinstance(completion, OneOf) or not completion.tags_of(is_raised):
            return self.interpreter.throwing.handled
        return OneOf(
            completion.tag,
            {
                tag: way[0] if is_raised(way) else self.interpreter.throwing.handled
                for tag, way in completion.alternatives.items()
            },
        )

    def note_checks(self, before, position):
        """Remembers where the innermost statement is with an operator that may raise when the graph runs."""
        count = self.graph.checking_count
        if count != before and (not self.checks or self.checks[-1][0] < count):
            self.checks.append((count, self.interpreter.frame.place(position)))

    def checked_completion(self, what, position, path):
        """Returns the completion of a block; refuses one in which an operator may raise, unseen, when the graph runs.

        The framework's own handlers are for what is wrong with arguments, which is known while capturing.
        """
        before = self.graph.checking_count
        completion = self.interpreter.completions.completion_of(path)
        if self.graph.checking_count != before and self.interpreter.frame.is_program:
            place = next((place for count, place in self.checks if count > before), None)
            raise rejection(
                EXCEPTION if what in ("try", "with") else UNKNOWN,
                place or self.interpreter.frame.place(position),
                f"{what}: an operator in this block checks its data when the graph runs, and what it raises then would "
                f"not be seen by {what}",
                "Take the operator out of the block, or the statement out of the compiled function.",
            )
        return completion

    def _handle(self, handlers, way):
        return self._try_handlers(handlers, self.raised_error(way))

    def raised_error(self, way):
        """The exception that a block completed with: one, or a choice."""
        if isinstance(way, OneOf):
            errors = {tag: alternative[0] for tag, alternative in way.alternatives.items()}
            return self._flat_choice(OneOf(way.tag, errors))
        return self._flat_choice(way[0])

    def _flat_choice(self, error):
        """A choice without choices inside it."""
        while isinstance(error, OneOf) and any(isinstance(e, OneOf) for e in error.alternatives.values()):
            error = self.interpreter.branches.split(error, _same)
        return error

    def _try_handlers(self, handlers, error):
        """Lets the first handler that takes the exception work on it; each is captured once."""
        if not handlers:
            raise Thrown(error)
        handler, others = handlers[0], handlers[1:]
        accepted = BaseException
        if handler.classes is not None:
            accepted = handler.classes()
            self.interpreter.at(handler.position)
            self.require_classes(accepted)
        return self.interpreter.completions.select(
            error,
            lambda one: isinstance(one, accepted),
            lambda taken: self._run_handler(handler, taken),
            lambda rest: self._try_handlers(others, rest),
        )

    def require_classes(self, accepted):
        """Refuses what `except` takes, unless it is known and a class of exceptions, or a tuple of them."""
        for one in accepted if isinstance(accepted, tuple) else (accepted,):
            if isinstance(one, tuple):
                self.require_classes(one)
            elif depends_on_run(one):
                raise self.interpreter.rejection(
                    EXCEPTION,
                    "except: which exceptions are caught is known only when the graph runs",
                )
            elif not (isinstance(one, type) and issubclass(one, BaseException)):
                self.interpreter.throwing.throw(
                    TypeError("catching classes that do not inherit from BaseException is not allowed")
                )

    def _run_handler(self, handler, error):
        if handler.name is None:
            return self.interpreter.throwing.handling(error, handler.body)
        self.interpreter.names.write(self.interpreter.frame, handler.name, error)
        completion = self.interpreter.completions.completion_of(
            lambda: self.interpreter.throwing.handling(error, handler.body)
        )
        self.interpreter.names.write(self.interpreter.frame, handler.name, UNBOUND)
        return self.interpreter.completions.resume(completion)


def _same(value):
    return value
