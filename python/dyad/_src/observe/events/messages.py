"""Events as bytes: the messages `Event` and `Summary` of TensorBoard.

Event   { double wall_time = 1; int64 step = 2; string file_version = 3; bytes graph_def = 4; Summary summary = 5 }
Summary { repeated Value value = 1 }
Value   { string tag = 1; float simple_value = 2; Image image = 4; HistogramProto histo = 5; TensorProto tensor = 8;
          SummaryMetadata metadata = 9 }
Image   { int32 height = 1; int32 width = 2; int32 colorspace = 3; bytes encoded_image_string = 4 }
HistogramProto { double min = 1, max = 2, num = 3, sum = 4, sum_squares = 5;
                     repeated double bucket_limit = 6, bucket = 7;
                     ours: int64 nan_count = 101, pos_inf_count = 102, neg_inf_count = 103 }
TensorProto { DataType dtype = 1; Shape tensor_shape = 2; bytes tensor_content = 4; repeated bytes string_val = 8 }
Shape   { repeated Dim dim = 2 }, Dim { int64 size = 1 }
SummaryMetadata { PluginData plugin_data = 1 }, PluginData { string plugin_name = 1 }
"""

import struct

from dyad._src.base.protobuf.wire import bytes_field, double_field, float_field, number_field
from dyad._src.observe.events import png
from dyad._src.observe.events.histogram import histogram_of

LEFT_OUT = (
    101,
    102,
    103,
)  # elements of a histogram outside of all buckets; far from the fields that TensorBoard reads
_STRING = 7
_TYPES = {  # the number of a dtype, by NumPy's name of it
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "complex64": 8, "int64": 9, "bool": 10,
    "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


def first_event(wall_time):
    """The event that every file starts with."""
    return double_field(1, wall_time) + bytes_field(3, "brain.Event:2")


def summary_event(wall_time, step, values):
    """The event of a step, with some values."""
    summary = b"".join(bytes_field(1, value) for value in values)
    return double_field(1, wall_time) + number_field(2, step) + bytes_field(5, summary)


def graph_event(wall_time, step, definition):
    """The event that a graph, a GraphDef, is shown from."""
    return double_field(1, wall_time) + number_field(2, step) + bytes_field(4, definition)


def scalar_value(tag, array):
    """The only element of an array."""
    return bytes_field(1, tag) + float_field(2, _within_float32(float(array.reshape(-1)[0].real)))


def _within_float32(number):
    try:
        struct.pack("<f", number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
    return number


def image_value(tag, array):
    """Images [count, 1 or 3 channels, height, width], side by side in one."""
    picture = png.grid(array)
    height, width, channels = picture.shape
    parts = (
        number_field(1, height),
        number_field(2, width),
        number_field(3, channels),
        bytes_field(4, png.encode(picture)),
    )
    return bytes_field(1, tag) + bytes_field(4, b"".join(parts))


def histogram_value(tag, array):
    """Histogram of the elements of an array."""
    found = histogram_of(array)
    numbers = (found.low, found.high, found.number, found.sum, found.sum_squares)
    parts = [double_field(field, number) for field, number in enumerate(numbers, 1)]
    for field, several in ((6, found.limits), (7, found.counts)):
        parts.append(bytes_field(field, struct.pack(f"<{len(several)}d", *several)))
    left_out = (found.nans, found.positive_infinities, found.negative_infinities)
    for field, number in zip(LEFT_OUT, left_out, strict=True):
        parts.append(number_field(field, number))
    return bytes_field(1, tag) + bytes_field(5, b"".join(parts))


def tensor_value(tag, array):
    """All elements of an array."""
    little_endian = array.astype(array.dtype.newbyteorder("<"), copy=False)
    shape = b"".join(bytes_field(2, number_field(1, size)) for size in array.shape)
    tensor = number_field(1, _TYPES[array.dtype.name]) + bytes_field(2, shape)
    return _with_plugin(tag, tensor + bytes_field(4, little_endian.tobytes()), "tensors")


def text_value(tag, text):
    """A string, which may be Markdown."""
    tensor = number_field(1, _STRING) + bytes_field(2, b"") + bytes_field(8, text)
    return _with_plugin(tag, tensor, "text")


def _with_plugin(tag, tensor, plugin):
    metadata = bytes_field(1, bytes_field(1, plugin))
    return bytes_field(1, tag) + bytes_field(8, tensor) + bytes_field(9, metadata)
