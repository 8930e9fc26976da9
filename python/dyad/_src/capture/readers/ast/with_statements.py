"""`with`: what is entered is left on every path, once, with what Python would tell it."""

import contextlib

from dyad._src.autodiff.recording import RecordingSwitch
from dyad._src.capture.errors import Thrown, rejection
from dyad._src.capture.semantics.attributes import is_user_class
from dyad._src.capture.semantics.completion import is_raised
from dyad._src.capture.semantics.exceptions import TRACEBACK
from dyad._src.capture.semantics.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.generator_managers import GeneratorManager, GeneratorManagers
from dyad._src.capture.semantics.values import OneOf


class WithStatements(GeneratorManagers):
    def execute_With(self, statement, first=0):
        if first == len(statement.items):
            return self.execute_block(statement.body)
        item = statement.items[first]
        manager = self.evaluate(item.context_expr)
        self.at(item.context_expr)
        return self._with(statement, first, manager)

    def _with(self, statement, first, manager):
        if isinstance(manager, OneOf):
            return self.split(manager, lambda chosen: self._with(statement, first, chosen))
        if isinstance(manager, RecordingSwitch):
            return self.with_recording_switched(manager, lambda: self._inside_with(statement, first, manager))
        if isinstance(manager, GeneratorManager):
            return self.with_generator(
                manager, statement.body, lambda value: self._inside_with(statement, first, value)
            )
        self._require_modelled(manager)
        exit_method = self.class_method(manager, "__exit__")
        value = self.call(self.class_method(manager, "__enter__"), (), {})
        completion = self.checked_completion(
            "with", statement.body, lambda: self._inside_with(statement, first, value)
        )
        self.at(statement.items[first].context_expr)

        def leave(completion):
            self.call(exit_method, (None, None, None), {})
            return completion

        return self.select(
            completion, is_raised, lambda way: self._leave_by_exception(exit_method, way), leave
        )

    def _inside_with(self, statement, first, value):
        target = statement.items[first].optional_vars
        if target is not None:
            self.assign(target, value)
        return self.execute_With(statement, first + 1)

    def _leave_by_exception(self, exit_method, way):
        """`__exit__` with the exception: what it gives says whether the program goes on."""
        if isinstance(way, OneOf):
            return self.split(way, lambda chosen: self._leave_by_exception(exit_method, chosen))
        error = way[0]
        if isinstance(error, OneOf):
            return self.split(error, lambda one: self._leave_by_exception(exit_method, (one,)))
        kept = self.handling(error, lambda: self._exit_keeps(exit_method, error))

        def go_on_raising():
            raise Thrown(error)

        return self.branch(kept, lambda: None, go_on_raising)

    def _exit_keeps(self, exit_method, error):
        """Whether `__exit__` keeps the exception from going on."""
        manager = exit_method.__self__
        if isinstance(manager, contextlib.nullcontext):
            return False
        if isinstance(manager, contextlib.suppress):
            return isinstance(error, manager._exceptions)
        return self.truth(self.call(exit_method, (type(error), error, TRACEBACK), {}))

    def _require_modelled(self, manager):
        """Refuses managers whose work Python itself would do, once, while capturing."""
        cls = type(manager)
        if is_user_class(cls) or cls in _MODELLED or is_framework_module(module_of(cls)):
            return
        if not hasattr(cls, "__enter__") or not hasattr(cls, "__exit__"):
            return  # Python says what is missing
        raise rejection(
            self.place,
            f"with: a {cls.__qualname__} of {module_of(cls)} is entered, which is done by Python when the program runs",
            "Enter it around the call of the compiled function.",
        )


# They only look at what they are given.
_MODELLED = (contextlib.nullcontext, contextlib.suppress)
