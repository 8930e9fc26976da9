"""`with`: what is entered is left on every path, once, with what Python would tell it."""

import contextlib

from dyad._src.autodiff.recording import RecordingSwitch
from dyad._src.base.break_reasons import EXCEPTION
from dyad._src.capture.errors import Thrown
from dyad._src.capture.semantics.attributes.attributes import is_user_class
from dyad._src.capture.semantics.calls.frameworks import is_framework_module, module_of
from dyad._src.capture.semantics.control.completion import is_raised
from dyad._src.capture.semantics.control.exceptions import TRACEBACK
from dyad._src.capture.semantics.control.generator_managers import GeneratorManager
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import OneOf

# They only look at what they are given.
_MODELLED = (contextlib.nullcontext, contextlib.suppress)


class WithBlocks(Part):
    """Runs blocks inside of context managers."""

    def with_block(self, manager, body, position, body_position):
        """`with manager as value: body(value)`; the body gives a completion."""
        if isinstance(manager, OneOf):
            return self.interpreter.branches.split(
                manager, lambda chosen: self.with_block(chosen, body, position, body_position)
            )
        if isinstance(manager, RecordingSwitch):
            return self.interpreter.gradients.with_recording_switched(manager, lambda: body(manager))
        if isinstance(manager, GeneratorManager):
            return self.interpreter.generator_managers.with_generator(manager, body_position, body)
        self._require_modelled(manager)
        exit_method = self.interpreter.attributes.class_method(manager, "__exit__")
        value = self.interpreter.calls.call(
            self.interpreter.attributes.class_method(manager, "__enter__"), (), {}
        )
        completion = self.interpreter.try_blocks.checked_completion(
            "with", body_position, lambda: body(value)
        )
        self.interpreter.at(position)

        def leave(completion):
            self.interpreter.calls.call(exit_method, (None, None, None), {})
            return completion

        return self.interpreter.completions.select(
            completion, is_raised, lambda way: self._leave_by_exception(exit_method, way), leave
        )

    def _leave_by_exception(self, exit_method, way):
        """`__exit__` with the exception: what it gives says whether the program goes on."""
        if isinstance(way, OneOf):
            return self.interpreter.branches.split(
                way, lambda chosen: self._leave_by_exception(exit_method, chosen)
            )
        error = way[0]
        if isinstance(error, OneOf):
            return self.interpreter.branches.split(
                error, lambda one: self._leave_by_exception(exit_method, (one,))
            )
        kept = self.interpreter.throwing.handling(error, lambda: self._exit_keeps(exit_method, error))

        def go_on_raising():
            raise Thrown(error)

        return self.interpreter.branches.branch(kept, lambda: None, go_on_raising)

    def _exit_keeps(self, exit_method, error):
        """Returns whether `__exit__` keeps the exception from going on."""
        manager = exit_method.__self__
        if isinstance(manager, contextlib.nullcontext):
            return False
        if isinstance(manager, contextlib.suppress):
            return isinstance(error, vars(manager)["_exceptions"])
        return self.interpreter.operators.truth(
            self.interpreter.calls.call(exit_method, (type(error), error, TRACEBACK), {})
        )

    def _require_modelled(self, manager):
        """Refuses managers whose work Python itself would do, once, while capturing."""
        cls = type(manager)
        if is_user_class(cls) or cls in _MODELLED or is_framework_module(module_of(cls)):
            return
        if not hasattr(cls, "__enter__") or not hasattr(cls, "__exit__"):
            return  # Python says what is missing
        raise self.interpreter.rejection(
            EXCEPTION,
            f"with: a {cls.__qualname__} of {module_of(cls)} is entered, which is done by Python when the program runs",
            "Enter it around the call of the compiled function.",
        )
