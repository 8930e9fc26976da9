"""Files of the output of `Print` operators on devices that write it to a file.

Print { repeated Value value = 1 }, Value { string desc = 1 or TensorProto tensor = 2 }
"""

import os

from dyad._src.base.host_only import host_only
from dyad._src.base.protobuf import wire
from dyad._src.checkpoint.ckpt_file import described, tensor_or_text
from dyad._src.checkpoint.errors import CorruptFile


@host_only
def parse_print(print_file_name):
    """The strings and Tensors of such a file, in order; ValueError if it is missing, empty or malformed."""
    if not isinstance(print_file_name, str):
        raise TypeError(
            f"parse_print: print_file_name is of type {type(print_file_name).__name__}; need a str"
        )
    if not os.path.isfile(print_file_name) or os.path.getsize(print_file_name) == 0:
        raise ValueError(f"parse_print: there is no file {print_file_name!r}, or it is empty")
    with open(print_file_name, "rb") as file:
        content = memoryview(file.read())
    try:
        messages = [wire.as_bytes(message) for field, message in wire.fields(content) if field == 1]
        return [_value(*each) for message in messages for each in wire.fields(message)]
    except CorruptFile as error:
        raise ValueError(f"parse_print: {print_file_name} is not a file of prints: {error}") from None


def _value(field, content):
    if field == 1:
        return wire.as_text(content)
    return tensor_or_text("a value", *described(wire.as_bytes(content)))
