"""Streams and events: queues of a device's work, and marks in them.

The CPU has one queue and an operator is done when it returns. So all work so far is always finished, and every stream
is that queue. On a GPU they are the driver's.
"""

import time
from typing import Any

from dyad import _core
from dyad._src.base.host_only import host_only

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "set_cur_stream",
]


def _on_gpu():
    return _core.get_device_target() == "GPU"


class Event:
    """A mark in a stream; with `enable_timing`, two of them measure the time between.

    A thread that waits for a `blocking` one sleeps in the meantime.
    """

    def __init__(self, enable_timing=False, blocking=False):
        for name, value in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(value, bool):
                raise TypeError(f"Event: {name} is {value!r} of type {type(value).__name__}; need a bool")
        self._timed = enable_timing
        self._blocking = blocking
        self._at: Any = None
        self._mark = None  # the driver's event, created at the first record on a GPU

    def __repr__(self):
        recorded = self._at is not None
        return f"Event(enable_timing={self._timed}, blocking={self._blocking}, recorded={recorded})"

    @host_only
    def record(self, stream=None):
        """Marks this point of the stream, by default of the current one."""
        stream = _given_or_current("Event.record", stream)
        if stream._queue is not None:
            if self._mark is None:
                self._mark = _core.DeviceEvent(stream._queue, self._timed, self._blocking)
            self._mark.record(stream._queue)
        self._at = time.perf_counter()

    @host_only
    def wait(self, stream=None):
        """Makes the stream, by default the current one, wait for the mark."""
        stream = _given_or_current("Event.wait", stream)
        if self._mark is not None and stream._queue is not None:
            self._mark.hold_back(stream._queue)

    @host_only
    def synchronize(self):
        """Waits until the work before the mark is done; errors of that work on the device are raised here."""
        if self._mark is not None:
            self._mark.synchronize()

    @host_only
    def query(self):
        """Returns whether the work before the mark is done."""
        return self._mark is None or self._mark.query()

    @host_only
    def elapsed_time(self, other_event):
        """Milliseconds from this mark to the other. On a GPU both must be reached: synchronize before."""
        if not isinstance(other_event, Event):
            raise TypeError(
                f"Event.elapsed_time: other_event is of type {type(other_event).__name__}; need an Event"
            )
        for event in (self, other_event):
            if not event._timed or event._at is None:
                raise RuntimeError(
                    f"Event.elapsed_time: {event!r} has no time; need Event(enable_timing=True) that was recorded"
                )
        marks: tuple[Any, Any] = (self._mark, other_event._mark)
        if None in marks:
            return (other_event._at - self._at) * 1e3
        return marks[0].milliseconds_to(marks[1])


class Stream:
    """A queue of work. On a GPU work of several streams may run at the same time.

    A stream with a lower `priority` runs first, if the device has several. `stream` makes another object for an
    existing stream.
    """

    def __init__(self, priority=0, **kwargs):
        if not isinstance(priority, int) or isinstance(priority, bool):
            raise TypeError(
                f"Stream: priority is {priority!r} of type {type(priority).__name__}; need an int"
            )
        if kwargs.keys() - {"stream", "stream_id"}:
            raise TypeError(
                f"Stream() got an unexpected keyword argument {sorted(kwargs)[0]!r}; need one of priority, stream"
            )
        given = kwargs.get("stream")
        _require_stream("Stream", given)
        if given is not None:
            self._set_queue(given._queue)
        else:
            self._set_queue(_core.open_stream(priority) if _on_gpu() else None)

    def _set_queue(self, queue):
        self._queue = queue  # the driver's; None on the CPU
        self.id = 0 if queue is None else queue.number
        self.device_name = "CPU" if queue is None else "GPU"
        self.device_id = 0 if queue is None else queue.device

    def __repr__(self):
        return f"Stream(device_name={self.device_name}, device_id={self.device_id}, stream_id={self.id})"

    def _key(self):
        return self.device_name, self.device_id, self.id

    def __eq__(self, other):
        return isinstance(other, Stream) and self._key() == other._key()

    def __hash__(self):
        return hash(self._key())

    @host_only
    def record_event(self, event=None):
        """Marks this point of the stream; returns the event."""
        event = Event() if event is None else _require_event("Stream.record_event", event)
        event.record(self)
        return event

    @host_only
    def wait_event(self, event):
        """Makes work that is added to this stream from now on wait for the event."""
        _require_event("Stream.wait_event", event).wait(self)

    @host_only
    def wait_stream(self, stream):
        """Makes work that is added to this stream from now on wait for all work of the other one; on the CPU it is
        done.
        """
        _require_stream("Stream.wait_stream", stream)
        if stream is not None and stream._queue is not None and self._queue is not None:
            mark = _core.DeviceEvent(stream._queue, False, False)
            mark.record(stream._queue)
            mark.hold_back(self._queue)

    @host_only
    def synchronize(self):
        """Waits until the stream's work is done; errors of that work on the device are raised here."""
        if self._queue is not None:
            self._queue.synchronize()

    @host_only
    def query(self):
        """Returns whether the stream's work is done."""
        return self._queue is None or self._queue.query()


def _with_queue(queue):
    stream = Stream.__new__(Stream)
    stream._set_queue(queue)
    return stream


class StreamCtx:
    """`with StreamCtx(stream):` adds work to that stream; the end of the block restores the previous one."""

    def __init__(self, ctx_stream):
        _require_stream("StreamCtx", ctx_stream)
        self._stream = ctx_stream
        self._before = []

    def __enter__(self):
        if self._stream is not None:
            self._before.append(current_stream())
            _choose("StreamCtx", self._stream)

    def __exit__(self, *raised):
        if self._stream is not None:
            _choose("StreamCtx", self._before.pop())


@host_only
def current_stream():
    """The stream that operators of this thread are given to."""
    return _with_queue(_core.current_stream()) if _on_gpu() else _only


@host_only
def default_stream():
    """The stream that every thread starts with."""
    return _with_queue(_core.default_stream()) if _on_gpu() else _only


communication_stream = default_stream  # one process does not communicate


@host_only
def set_cur_stream(stream):
    """Operators of this thread are given to this stream from now on."""
    _require_stream("set_cur_stream", stream)
    if stream is not None:
        _choose("set_cur_stream", stream)


def _choose(caller, stream):
    if stream._queue is not None:
        _core.set_current_stream(stream._queue)
    elif _on_gpu():
        raise ValueError(
            f"{caller}: {stream!r} was made for the CPU; need a Stream that is made after the GPU is chosen"
        )


def _given_or_current(caller, stream):
    _require_stream(caller, stream)
    return current_stream() if stream is None else stream


def _require_stream(caller, stream):
    if stream is not None and not isinstance(stream, Stream):
        raise TypeError(f"{caller}: stream is of type {type(stream).__name__}; need a Stream or None")


def _require_event(caller, event):
    if not isinstance(event, Event):
        raise TypeError(f"{caller}: event is of type {type(event).__name__}; need an Event")
    return event


_only = Stream()  # the CPU's
