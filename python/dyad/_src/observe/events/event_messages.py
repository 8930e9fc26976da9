"""The messages of an event file as classes, for programs that read one themselves.

A missing message reads as an empty one, as in Protocol Buffers.
"""

import dataclasses
from typing import ClassVar

from dyad._src.base.missing import missing_attribute_of
from dyad._src.base.protobuf.message import Message, decode
from dyad._src.observe.events.messages import LEFT_OUT

__all__ = ["Event", "EventHistogram", "EventImage", "EventMetadata", "EventTensor", "Summary", "SummaryValue"]


class _Readable:
    """Base class of readable messages."""

    _names: ClassVar[dict]

    def __init__(self, **fields):
        super().__init__(**fields)
        state = vars(self)
        for name, kind in self._names.items():
            if kind in _MESSAGES and state[name] is None:
                del state[name]

    def __getattr__(self, name):
        """An empty message for a missing one; Python itself looks up dunder names."""
        kind = type(self)._names.get(name)
        if kind is None:
            raise missing_attribute_of(self, name)
        return _MESSAGES[kind]()

    @classmethod
    def FromString(cls, data):
        """The message that the bytes are; MalformedMessage if they are none."""
        return decode(cls, data)

    def HasField(self, name):
        """Returns whether a field that is not repeated is present."""
        if self._names.get(name, "*")[-1] == "*":
            single = [each for each, kind in self._names.items() if kind[-1] != "*"]
            raise ValueError(f"{type(self).__name__}.HasField: {name!r} is none of {', '.join(single)}")
        return vars(self).get(name) is not None


class EventImage(
    _Readable,
    Message,
    fields={
        1: ("height", "int"),
        2: ("width", "int"),
        3: ("colorspace", "int"),
        4: ("encoded_image", "bytes"),
    },
):
    """An image in the format PNG."""


@dataclasses.dataclass(frozen=True)
class EventBucket:
    """The elements between two limits."""

    left: float
    width: float
    count: int


class EventHistogram(
    _Readable,
    Message,
    fields={
        1: ("min", "double"),
        2: ("max", "double"),
        3: ("num", "double"),
        4: ("sum", "double"),
        5: ("sum_squares", "double"),
        6: ("bucket_limit", "double*"),
        7: ("bucket", "double*"),
        LEFT_OUT[0]: ("nan_count", "int"),
        LEFT_OUT[1]: ("pos_inf_count", "int"),
        LEFT_OUT[2]: ("neg_inf_count", "int"),
    },
):
    """Histogram of the elements of an array."""

    @property
    def count(self):
        """Number of elements in the buckets."""
        return int(self.num)

    @property
    def buckets(self):
        """The buckets from the smallest elements to the largest, each with its `left`, `width` and `count`."""
        # The first bucket starts as far below its limit as the second one ends above it: all have the same width.
        limits, counts = self.bucket_limit, self.bucket
        width = limits[1] - limits[0] if len(limits) > 1 else self.max - self.min
        return [
            EventBucket(limit - width, width, int(number))
            for limit, number in zip(limits, counts, strict=True)
        ]


class EventDimension(_Readable, Message, fields={1: ("size", "int")}):
    """The size of one dimension."""


class EventShape(_Readable, Message, fields={2: ("dim", "EventDimension*")}):
    """The sizes of the dimensions."""


class EventTensor(
    _Readable,
    Message,
    fields={
        1: ("data_type", "int"),
        2: ("tensor_shape", "EventShape"),
        4: ("tensor_content", "bytes"),
        8: ("string_val", "bytes*"),
    },
):
    """All elements of an array, or a string."""


class EventPlugin(_Readable, Message, fields={1: ("plugin_name", "string")}):
    """The plugin that shows a value."""


class EventMetadata(_Readable, Message, fields={1: ("plugin_data", "EventPlugin")}):
    """Metadata for showing a value."""


class SummaryValue(
    _Readable,
    Message,
    fields={
        1: ("tag", "string"),
        2: ("scalar_value", "float"),
        4: ("image", "EventImage"),
        5: ("histogram", "EventHistogram"),
        8: ("tensor", "EventTensor"),
        9: ("metadata", "EventMetadata"),
    },
):
    """Something that was recorded, under its name."""


class Summary(_Readable, Message, fields={1: ("value", "SummaryValue*")}):
    """All that was recorded at one time."""

    Value = SummaryValue
    Image = EventImage
    Histogram = EventHistogram


class Event(
    _Readable,
    Message,
    fields={
        1: ("wall_time", "double"),
        2: ("step", "int"),
        3: ("version", "string"),
        4: ("graph_def", "bytes"),
        5: ("summary", "Summary"),
    },
):
    """One record of an event file."""


_MESSAGES = {
    cls.__name__: cls
    for cls in (EventImage, EventHistogram, EventShape, EventTensor, EventPlugin, EventMetadata, Summary)
}
