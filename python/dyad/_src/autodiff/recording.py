"""Switches the recording of operators off and on, and checks that a gradient is allowed."""

import functools
import threading
from typing import Any

from dyad._core import (
    close_recording,
    set_constant,
    set_grad_enabled,
    set_pushes,
    tape_depth,
    tape_enter,
    tape_exit,
    tape_recording,
    track,
    untrack,
)


class _Switch(threading.local):
    """Switches that the program, and not the machinery, has set on this thread."""

    is_off = False
    open: Any = None  # the OpenRecording of `new_graph`


switch = _Switch()


class RecordingSwitch:
    """Context manager and decorator that switches recording."""

    _enabled: bool

    def __init__(self):
        self._before = []

    def __enter__(self):
        # A graph's intermediate results are constant in derivatives of the graph, too.
        before = (set_grad_enabled(self._enabled), set_constant(not self._enabled), switch.is_off)
        self._before.append(before)
        switch.is_off = not self._enabled
        return self

    def __exit__(self, *raised):
        enabled, constant, switch.is_off = self._before.pop()
        set_constant(constant)
        set_grad_enabled(enabled)
        return False

    def __call__(self, function):
        """The function, with recording switched while it runs."""
        switched = type(self)

        @functools.wraps(function)
        def with_recording_switched(*args, **kwargs):
            with switched():
                return function(*args, **kwargs)

        with_recording_switched.__dict__["_is_program"] = True
        return with_recording_switched


class no_grad(RecordingSwitch):
    """Context manager and decorator: operators inside are not recorded, their results count as constants."""

    _enabled = False


class enable_grad(RecordingSwitch):
    """Context manager and decorator: records again inside `no_grad`."""

    _enabled = True


def set_recording(enabled):
    """Switch recording on this thread from here on, as `no_grad` and `enable_grad` do for a block."""
    set_grad_enabled(enabled)
    set_constant(not enabled)
    switch.is_off = not enabled


def is_recording():
    """Returns whether recording is on for this thread."""
    return not switch.is_off


def require_recording_allowed(owner):
    """Raises inside `no_grad`, where there is nothing to differentiate."""
    if switch.is_off:
        raise RuntimeError(
            f"{owner}: In no_grad context, you can not calculate gradient; move it outside, or enable_grad around it"
        )


class recording_off:
    """Turns recording off for a node that the caller writes itself; gradients are still allowed inside."""

    __slots__ = ("_before",)

    def __enter__(self):
        self._before = set_grad_enabled(False)

    def __exit__(self, *raised):
        set_grad_enabled(self._before)
        return False


class Recording:
    """A transform under way on this thread; however it ends, the previous state is restored.

    `mark` is the start of its part of the tape. `is_final` means that its result is not differentiated: then its
    backward pass is not recorded, and its result has no history. With `keep` an outermost transform leaves its steps
    to be differentiated later, as long as `kept` exists. With `pushes` tangents are pushed along them.
    """

    __slots__ = ("_before", "_keep", "_pushes", "_pushes_before", "_tracked", "is_final", "kept", "mark")

    def __init__(self, keep=False, pushes=False):
        self._keep, self._pushes = keep, pushes

    def __enter__(self):
        if switch.open is not None:
            switch.open.close_if_abandoned()
        self.mark = tape_enter()
        self._before = set_grad_enabled(True)
        self._pushes_before = set_pushes(True)
        if not self._pushes:
            set_pushes(self._pushes_before)
        self._tracked = []
        self.is_final = not self._before or tape_depth() == 1
        self.kept = KeptRecording() if self._keep and tape_depth() == 1 else None
        return self

    def track(self, parameters):
        """From now on operators that use these Parameters are recorded, if they require a gradient."""
        self.track_tensors(parameter for parameter in parameters if parameter.requires_grad)

    def track_tensors(self, tensors):
        """From now on operators that use these Tensors are recorded."""
        for tensor in tensors:
            track(tensor)
            self._tracked.append(tensor)

    def begin_backward(self):
        """Starts differentiation, which is recorded only if an outer transform may differentiate it."""
        if self.is_final:
            set_grad_enabled(False)

    def __exit__(self, *raised):
        for parameter in self._tracked:
            untrack(parameter)
        set_grad_enabled(self._before)
        set_pushes(self._pushes_before)
        tape_exit(self._keep)
        return False


class KeptRecording:
    """The steps of the outermost transform under way can be differentiated while this lives, and are closed then."""

    __slots__ = ("_number",)

    def __init__(self):
        self._number = tape_recording()

    def __del__(self):
        close_recording(self._number)
