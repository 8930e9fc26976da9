"""`raise`, `assert` and `try`, by how their blocks complete."""

from dyad._src.capture.errors import Thrown, rejection
from dyad._src.capture.semantics.completion import is_normal, is_raised
from dyad._src.capture.semantics.exceptions import state_of
from dyad._src.capture.semantics.values import UNBOUND, OneOf, depends_on_run


class TryStatements:
    # ---- raising

    def execute_Raise(self, statement):
        if statement.exc is None:
            return self._raise_again(self.handled)
        error = self.evaluate(statement.exc)
        cause = self.evaluate(statement.cause) if statement.cause is not None else None
        self.at(statement)
        return self._raise(error, cause, statement)

    def _raise_again(self, handled):
        if isinstance(handled, OneOf) and handled.tags_of(is_normal):
            return self.split(handled, self._raise_again)
        if handled is None:
            self.throw(RuntimeError("No active exception to reraise"))
        raise Thrown(handled)

    def _raise(self, error, cause, statement):
        if isinstance(error, OneOf):
            return self.split(error, lambda chosen: self._raise(chosen, cause, statement))
        if isinstance(error, type) and issubclass(error, BaseException):
            error = self.call(error, (), {})
        if not isinstance(error, BaseException):
            self.throw(TypeError("exceptions must derive from BaseException"))
        if statement.cause is not None:
            self._set_cause(error, cause)
        return self.throw(error)

    def _set_cause(self, error, cause):
        if isinstance(cause, type) and issubclass(cause, BaseException):
            cause = self.call(cause, (), {})
        if cause is not None and not isinstance(cause, (BaseException, OneOf)):
            self.throw(TypeError("exception causes must derive from BaseException"))
        if not self.is_own_exception(error):
            raise self._changed_outside(error)
        self.write_exception(error, "__cause__", cause)

    def _changed_outside(self, error):
        return rejection(
            self.place,
            f"raise: a {type(error).__name__} from outside of the graph gets another cause or context",
            "Make the exception inside of the compiled function.",
        )

    def throw(self, error, by_operator=False):
        """Raises an exception of the program here."""
        if self.handled is not None and self.handled is not error and not self.is_own_exception(error):
            raise self._changed_outside(error)
        self.adopt_exception(error)
        self.note_context(error)
        thrown = Thrown(error)
        thrown.by_operator = by_operator
        raise thrown

    def execute_Assert(self, statement):
        def fail():
            self.at(statement)
            arguments = () if statement.msg is None else (self.evaluate(statement.msg),)
            self.throw(AssertionError(*arguments))

        self.branch(self.test(statement.test), lambda: None, fail)

    # ---- try

    def execute_Try(self, statement):
        if not statement.finalbody:
            return self._with_handlers(statement)
        completion = self.checked_completion(
            "finally", statement.body, lambda: self._with_handlers(statement)
        )
        last = self.handling(self._raised_in(completion), lambda: self.execute_block(statement.finalbody))
        self.at(statement)
        # Only where `finally` itself goes on is what came before it in force.
        return self.select(last, is_normal, lambda _: self.resume(completion), _same)

    def _raised_in(self, completion):
        """The exception that a completion stands for: one, none, or a choice."""
        if is_raised(completion):
            return completion[0]
        if not isinstance(completion, OneOf) or not completion.tags_of(is_raised):
            return self.handled
        return OneOf(
            completion.tag,
            {tag: way[0] if is_raised(way) else self.handled for tag, way in completion.alternatives.items()},
        )

    def handling(self, error, path):
        """Runs a path in which `error` is the exception being handled."""
        before, self.handled = self.handled, error
        try:
            return path()
        finally:
            self.handled = before

    def _with_handlers(self, statement):
        if not statement.handlers:
            return self.execute_block(statement.body)
        completion = self.checked_completion(
            "try", statement.body, lambda: self.execute_block(statement.body)
        )
        self.at(statement)
        if not statement.orelse:
            return self.select(completion, is_raised, lambda way: self._handle(statement, way), _same)
        return self.select(
            completion,
            is_raised,
            lambda way: self._handle(statement, way),
            lambda ways: self.select(ways, is_normal, lambda _: self.execute_block(statement.orelse), _same),
        )

    def note_checks(self, before, statement):
        """Remembers the innermost statement that an operator belongs to which may raise when the graph runs."""
        count = self.graph.checking_count
        if count != before and (not self.checks or self.checks[-1][0] < count):
            self.checks.append((count, self.frame.place(statement)))

    def checked_completion(self, what, body, path):
        """How a block completes; refused if an operator in it may raise when the graph runs, unseen by the program.

        The framework's own handlers are for what is wrong with arguments, which is known while capturing.
        """
        before = self.graph.checking_count
        completion = self.completion_of(path)
        if self.graph.checking_count != before and self.frame.is_program:
            place = next((place for count, place in self.checks if count > before), None)
            raise rejection(
                place or self.frame.place(body[0]),
                f"{what}: an operator in this block checks its data when the graph runs, and what it raises then would "
                f"not be seen by {what}",
                "Take the operator out of the block, or the statement out of the compiled function.",
            )
        return completion

    def _handle(self, statement, way):
        errors = (
            [alternative[0] for alternative in way.alternatives.values()] if isinstance(way, OneOf) else None
        )
        error = way[0] if errors is None else OneOf(way.tag, dict(zip(way.alternatives, errors, strict=True)))
        return self._try_handlers(statement.handlers, self.flat_choice(error))

    def flat_choice(self, error):
        """A choice without choices inside it."""
        while isinstance(error, OneOf) and any(isinstance(e, OneOf) for e in error.alternatives.values()):
            error = self.split(error, _same)
        return error

    def _try_handlers(self, handlers, error):
        """Lets the first handler that takes the exception work on it; each is captured once."""
        if not handlers:
            raise Thrown(error)
        handler, others = handlers[0], handlers[1:]
        accepted = BaseException if handler.type is None else self.evaluate(handler.type)
        if handler.type is not None:
            self.at(handler.type)
            self._require_classes(accepted)
        return self.select(
            error,
            lambda one: isinstance(one, accepted),
            lambda taken: self._run_handler(handler, taken),
            lambda rest: self._try_handlers(others, rest),
        )

    def _require_classes(self, accepted):
        for one in accepted if isinstance(accepted, tuple) else (accepted,):
            if isinstance(one, tuple):
                self._require_classes(one)
            elif depends_on_run(one):
                raise rejection(
                    self.place, "except: which exceptions are caught is known only when the graph runs"
                )
            elif not (isinstance(one, type) and issubclass(one, BaseException)):
                self.throw(
                    TypeError("catching classes that do not inherit from BaseException is not allowed")
                )

    def _run_handler(self, handler, error):
        if not handler.name:
            return self.handling(error, lambda: self.execute_block(handler.body))
        self.names.write(self.frame, handler.name, error)
        completion = self.completion_of(
            lambda: self.handling(error, lambda: self.execute_block(handler.body))
        )
        self.names.write(self.frame, handler.name, UNBOUND)
        return self.resume(completion)

    def shown_exception(self, error):
        """Whether the text of an exception is known only when the graph runs."""
        return isinstance(error, BaseException) and depends_on_run(tuple(state_of(error).values()))


def _same(value):
    return value
