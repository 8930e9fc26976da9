"""Streams and events: queues of a device's work, and marks in them.

The CPU has one queue and an operator is done when it returns. So all work given so far is finished whenever a program
asks, and every stream is that queue.
"""

import time

from dyad._src.host_only import host_only

__all__ = [
    "Event",
    "Stream",
    "StreamCtx",
    "communication_stream",
    "current_stream",
    "default_stream",
    "set_cur_stream",
]


class Event:
    """A mark in a stream; with `enable_timing`, two of them tell the time between."""

    def __init__(self, enable_timing=False, blocking=False):
        for name, value in (("enable_timing", enable_timing), ("blocking", blocking)):
            if not isinstance(value, bool):
                raise TypeError(f"Event: {name} is {value!r} of type {type(value).__name__}; need a bool")
        self._timed = enable_timing
        self._blocking = blocking
        self._at = None

    def __repr__(self):
        return (
            f"Event(enable_timing={self._timed}, blocking={self._blocking}, recorded={self._at is not None})"
        )

    @host_only
    def record(self, stream=None):
        """Marks this point of the stream."""
        _require_stream("Event.record", stream)
        self._at = time.perf_counter()

    @host_only
    def wait(self, stream=None):
        """Lets the stream go on after the mark."""
        _require_stream("Event.wait", stream)

    @host_only
    def synchronize(self):
        """Returns when the work before the mark is done."""

    @host_only
    def query(self):
        """Whether the work before the mark is done."""
        return True

    @host_only
    def elapsed_time(self, other_event):
        """Milliseconds from this mark to the other."""
        if not isinstance(other_event, Event):
            raise TypeError(
                f"Event.elapsed_time: other_event is of type {type(other_event).__name__}; need an Event"
            )
        for event in (self, other_event):
            if not event._timed or event._at is None:
                raise RuntimeError(
                    f"Event.elapsed_time: {event!r} has no time; need Event(enable_timing=True) that was recorded"
                )
        return (other_event._at - self._at) * 1e3


class Stream:
    """A queue of work."""

    def __init__(self, priority=0, **kwargs):
        if not isinstance(priority, int) or isinstance(priority, bool):
            raise TypeError(
                f"Stream: priority is {priority!r} of type {type(priority).__name__}; need an int"
            )
        if kwargs.keys() - {"stream", "stream_id"}:
            raise TypeError(
                f"Stream: unexpected keyword {sorted(kwargs)[0]!r}; accepted are priority, stream"
            )
        self.id = 0
        self.device_name = "CPU"
        self.device_id = 0

    def __repr__(self):
        return f"Stream(device_name={self.device_name}, device_id={self.device_id}, stream_id={self.id})"

    def __eq__(self, other):
        return isinstance(other, Stream) and self.id == other.id

    def __hash__(self):
        return hash(self.id)

    @host_only
    def record_event(self, event=None):
        """Marks this point of the stream; returns the event."""
        event = Event() if event is None else event
        event.record(self)
        return event

    @host_only
    def wait_event(self, event):
        """What is added to this stream from now on waits for the event."""
        event.wait(self)

    @host_only
    def wait_stream(self, stream):
        """What is added to this stream from now on waits for all that the other one holds; on the CPU it is done."""
        _require_stream("Stream.wait_stream", stream)

    @host_only
    def synchronize(self):
        """Returns when the stream's work is done."""

    @host_only
    def query(self):
        """Whether the stream's work is done."""
        return True


_only = Stream()


class StreamCtx:
    """`with StreamCtx(stream):` gives the work inside to that stream."""

    def __init__(self, ctx_stream):
        _require_stream("StreamCtx", ctx_stream)

    def __enter__(self):
        return None

    def __exit__(self, *raised):
        return None


@host_only
def current_stream():
    """The stream that operators are given to."""
    return _only


default_stream = communication_stream = current_stream


@host_only
def set_cur_stream(stream):
    """Operators are given to this stream from now on."""
    _require_stream("set_cur_stream", stream)


def _require_stream(caller, stream):
    if stream is not None and not isinstance(stream, Stream):
        raise TypeError(f"{caller}: stream is of type {type(stream).__name__}; need a Stream or None")
