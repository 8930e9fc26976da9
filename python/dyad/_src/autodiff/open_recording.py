"""A gradient in separate calls: recording starts, the program runs, the tape runs backward.

`grad` knows at the start what it differentiates by. Here that is known at the end, so every live Parameter that
requires a gradient is tracked from the start, and every Tensor that the program passes.
"""

import dis
import sys
from types import FrameType

from dyad._core import Tensor, differentiate, grad_enabled, is_leaf, is_recorded, set_grad_enabled, tape_depth
from dyad._src.autodiff.recording import Recording, is_recording, require_recording_allowed, switch
from dyad._src.autodiff.seeds import require_seeds
from dyad._src.autodiff.structures import detached, ones_in, tensors_in
from dyad._src.tensor.parameter import Parameter, live_parameters


def _ignore(cell, args):
    pass


class OpenRecording:
    """One such gradient, from `__init__` until `gradients` or `close`."""

    def __init__(self, obj, arguments, caller):
        self._recording = Recording().__enter__()
        self._caller, self._at = caller, caller.f_lasti  # the frame that called new_graph, and where
        self._block = None
        self._watches = (
            obj._watch_calls(_ignore, self._close_after_failure) if hasattr(obj, "_watch_calls") else ()
        )
        self._error = sys.exc_info()[1]
        self.arguments = tensors_in(arguments)
        self._recording.track(live_parameters())
        self._recording.track_tensors(part for part in self.arguments if not isinstance(part, Parameter))
        self.output = None
        self.has_output = False

    def finish(self, output):
        """The program has run and this came of it."""
        self.output, self.has_output = output, True
        self._stop_watching()

    def close_if_abandoned(self):
        """Ends the recording if an exception has left the function, `try` or `with` that started it.

        A function that returns, and a block without a call of `end_graph`, may start a recording for others.
        """
        caller = self._caller
        if caller is None:
            return
        frame: FrameType | None = sys._getframe()
        while frame is not None and frame is not caller:
            frame = frame.f_back
        if frame is None:
            is_abandoned = not dis.opname[caller.f_code.co_code[caller.f_lasti]].startswith(
                ("RETURN", "YIELD")
            )
        else:
            if self._block is None:
                self._block = _block_of_recording(caller.f_code, self._at)
            is_abandoned = caller.f_lasti not in self._block
        if is_abandoned:
            self.close()

    def _close_after_failure(self, cell, args, output):
        """Ends the recording when an exception leaves the Cell that it is for."""
        if output is None and sys.exc_info()[1] is not self._error:
            self.close()

    def _stop_watching(self):
        self._caller = None
        for watch in self._watches:
            watch.remove()
        self._watches = ()

    def gradients(self, owner, leaves, sens):
        """Gradients of the output by Tensors that were tracked, and the end of the recording."""
        outputs = tensors_in(self.output)
        seeds = ones_in(self.output) if sens is None else require_seeds(owner, sens[0], self.output, outputs)
        try:
            self._recording.begin_backward()
            found = differentiate(outputs, seeds, list(leaves), self._recording.mark, False)
        finally:
            is_final = self._recording.is_final
            self.close()
        return detached(tuple(found)) if is_final else tuple(found)

    def close(self):
        self._stop_watching()
        if switch.open is self:
            switch.open = None
            self._recording.__exit__(None, None, None)


def _block_of_recording(code, at):
    """The instructions of the innermost `try` or `with` around `at`; all where it does not name `end_graph`."""
    bytecode = dis.Bytecode(code)
    entries = vars(bytecode)["exception_entries"]
    target = next((entry.target for entry in entries if entry.start <= at < entry.end), None)
    parts = [entry for entry in entries if entry.target == target]
    block = range(
        min((part.start for part in parts), default=0), max((part.end for part in parts), default=0)
    )
    ends = any(each.offset in block for each in bytecode if each.argval == "end_graph")
    return block if ends else range(len(code.co_code))


class RecordingExecutor:
    """Computes a gradient in separate calls; a thread has at most one under way.

    A program that fails between `new_graph` and `end_graph` leaves its recording open. The exception ends it if `obj`
    is a Cell; otherwise it ends when a transform starts after the function or block that called `new_graph` has
    failed, or with `clear_res` or `new_graph`.
    """

    def new_graph(self, obj, *args, **kwargs):
        """Starts recording: `obj` will be called with these arguments."""
        require_recording_allowed("new_graph")
        self.clear_res()
        switch.open = OpenRecording(obj, (args, kwargs), sys._getframe(1))

    def end_graph(self, obj, output, *args, **kwargs):
        """Ends the call of `obj`: its `output` is what `grad` differentiates."""
        self._opened("end_graph").finish(output)

    def check_run(self, grad, obj, weights, grad_position, *args, **kwargs):
        """Returns whether the program has run, so that `grad` can follow."""
        return switch.open is not None and switch.open.has_output

    def grad(self, obj, grad, weights, grad_position, *args, **kwargs):
        """Gradients of what `end_graph` was given, in the shape that the GradOperation `grad` promises.

        `weights` are Parameters, or Tensors that `requires_grad` is set of. Of the arguments all count with `get_all`,
        those of `grad_position` where it is given,
        else the first. With `sens_param` the last of `args` is the gradient of the output.
        """
        opened = self._opened("grad")
        if not opened.has_output:
            raise RuntimeError("grad: the recording has no output yet; call end_graph with it first")
        parameters = _require_leaves(weights) if grad.get_by_list else ()
        inputs = self._inputs(opened, grad, grad_position)
        sens = args[-1:] if grad.sens_param else None
        found = opened.gradients("grad", (*inputs, *parameters), sens)
        by_position = list(enumerate(found[: len(inputs)]))
        by_weight = list(zip(parameters, found[len(inputs) :], strict=True))
        return grad.arranged(by_position, by_weight, isinstance(weights, Tensor))

    @staticmethod
    def _inputs(opened, grad, grad_position):
        if grad_position is not None:
            positions = grad_position if isinstance(grad_position, tuple) else (grad_position,)
            if not all(position in range(len(opened.arguments)) for position in positions):
                raise IndexError(
                    f"grad: grad_position is {grad_position}; new_graph was given {len(opened.arguments)} Tensors"
                )
            return [opened.arguments[position] for position in positions]
        if grad.get_all:
            return opened.arguments
        return [] if grad.get_by_list else opened.arguments[:1]

    def clear_res(self):
        """Ends a recording that is under way on this thread without asking for its gradient."""
        if switch.open is not None:
            switch.open.close()

    def grad_flag(self):
        """Returns whether operators are recorded for a gradient under way."""
        return self.requires_grad()

    def requires_grad(self):
        """Returns whether operators are recorded for a gradient under way."""
        if switch.open is not None:
            switch.open.close_if_abandoned()
        return grad_enabled() and tape_depth() > 0

    def set_grad_flag(self, flag):
        """Records operators from here on for the gradient that is under way, or not; `no_grad` is not undone."""
        set_grad_enabled(bool(flag) and is_recording())

    def _opened(self, owner):
        if switch.open is None:
            raise RuntimeError(f"{owner}: nothing is being recorded on this thread; call new_graph first")
        return switch.open


def _require_leaves(weights):
    """The Tensors to differentiate by; one that was not tracked would have a gradient of zeros."""
    leaves = (weights,) if isinstance(weights, Tensor) else tuple(weights or ())
    for at, leaf in enumerate(leaves):
        if not isinstance(leaf, Tensor):
            raise TypeError(
                f"grad: weights[{at}] is of type {type(leaf).__name__}; need a Parameter or a Tensor"
            )
        if not isinstance(leaf, Parameter) and not (is_leaf(leaf) and is_recorded(leaf)):
            raise ValueError(f"grad: weights[{at}] of shape {leaf.shape} does not ask for a gradient")
    return leaves
