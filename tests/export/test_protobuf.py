"""Messages by tables: what is written is read again, and what is no message is said to be none."""

import contextlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dyad._src.base.protobuf.message import Message, decode, encode
from dyad._src.base.protobuf.wire import MalformedMessage


class Leaf(Message, fields={1: ("number", "int"), 2: ("text", "string"), 3: ("yes", "bool")}):
    """A message of scalars."""


class Tree(
    Message,
    fields={
        1: ("leaves", "Leaf*"),
        2: ("child", "Tree"),
        3: ("numbers", "int*"),
        4: ("single", "float"),
        5: ("doubles", "double*"),
        6: ("content", "bytes"),
    },
):
    """A message of messages."""


LEAVES = st.builds(
    Leaf,
    number=st.none() | st.integers(-(2**63), 2**63 - 1),
    text=st.none() | st.text(),
    yes=st.none() | st.booleans(),
)
TREES = st.builds(
    Tree,
    leaves=st.lists(LEAVES, max_size=3),
    numbers=st.lists(st.integers(-(2**63), 2**63 - 1), max_size=4),
    single=st.none() | st.floats(width=32, allow_nan=False),
    doubles=st.lists(st.floats(allow_nan=False), max_size=3),
    content=st.none() | st.binary(),
    child=st.none() | st.builds(Tree, numbers=st.lists(st.integers(0, 5))),
)


def fields(message):
    """The fields of a message as plain values."""
    if isinstance(message, Message):
        return {name: fields(value) for name, value in vars(message).items()}
    if isinstance(message, list):
        return [fields(member) for member in message]
    return bytes(message) if isinstance(message, memoryview) else message


@settings(deadline=None)
@given(TREES)
def test_what_is_written_is_read(tree):
    assert fields(decode(Tree, encode(tree))) == fields(tree)


def test_known_bytes():
    assert encode(Leaf(number=150)) == b"\x08\x96\x01"
    assert encode(Leaf(text="testing")) == b"\x12\x07testing"
    assert encode(Leaf(number=-1)) == b"\x08" + b"\xff" * 9 + b"\x01"


def test_packed_numbers_and_unknown_fields():
    message = decode(Tree, b"\x1a\x03\x01\x02\x03" + b"\x7a\x02hi" + b"\x18\x04")
    assert message.numbers == [1, 2, 3, 4]


@pytest.mark.parametrize(
    "data",
    [b"\x08", b"\x08\xff", b"\x12\x05ab", b"\x0b", b"\x12\x01\xff", b"\x0d\0\0\0\0", b"\x08" + b"\xff" * 11],
)
def test_decode_rejects_bytes_that_are_not_a_message(data):
    with pytest.raises(MalformedMessage):
        decode(Leaf, data)


def test_depth_is_bounded():
    data = b""
    for _ in range(2000):
        tree = b"\x12" + _length(len(data)) + data
        data = tree
    with pytest.raises(MalformedMessage, match="in one another"):
        decode(Tree, data)


def _length(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


@settings(deadline=None)
@given(st.binary(max_size=60))
def test_any_bytes_are_a_message_or_none(data):
    with contextlib.suppress(MalformedMessage):
        decode(Tree, data)


def test_unknown_fields_cannot_be_set():
    with pytest.raises(TypeError, match="no field other"):
        Leaf(other=1)
