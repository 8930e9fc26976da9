"""Files with something changed: in the bytes, or in what the bytes say."""

from dyad._src.base.protobuf.message import Message, decode, encode
from dyad._src.interchange.mindir.messages import Model


def changed_bytes(random, data):
    """A few bytes replaced, removed, added or copied, or the end cut off."""
    data = bytearray(data)
    for _ in range(random.choice([1, 1, 2, 8])):
        place, length = random.randrange(len(data)), random.randrange(1, 20)
        change = random.randrange(5)
        if change == 0:
            data[place] = random.randrange(256)
        elif change == 1:
            data[place] ^= 1 << random.randrange(8)
        elif change == 2:
            del data[place : place + length]
        elif change == 3:
            data[place:place] = random.randbytes(length)
        else:
            source = random.randrange(len(data))
            data[place : place + length] = data[source : source + length]
        data = data or bytearray(b"\0")
    return bytes(data[: random.randrange(1, len(data) + 1)] if random.random() < 0.05 else data)


def changed_message(random, data):
    """A field of some message of the file changed, in a way that is still a file."""
    model = decode(Model, data)
    messages = list(_messages(model))
    for _ in range(random.choice([1, 1, 2, 4])):
        _change(random, random.choice(messages), messages)
    return encode(model)


def _messages(message):
    yield message
    for value in vars(message).values():
        for member in value if isinstance(value, list) else [value]:
            if isinstance(member, Message):
                yield from _messages(member)


def _change(random, message, messages):
    name = random.choice(list(vars(message)))
    value = getattr(message, name)
    if isinstance(value, list) and value:
        _change_list(random, value)
    elif isinstance(value, bool) or value is None or value == []:
        return
    elif isinstance(value, int):
        setattr(
            message, name, random.choice([0, -1, 1, 2, value + 1, 1 << 40, -(1 << 62), random.randrange(60)])
        )
    elif isinstance(value, Message):
        setattr(message, name, None)
    elif isinstance(value, float):
        setattr(message, name, random.choice([0.0, -1.0, 1e30, float("nan"), float("inf")]))
    else:
        alike = [getattr(other, name) for other in messages if type(other) is type(message)]
        setattr(message, name, random.choice(alike))


def _change_list(random, members):
    place, other = random.randrange(len(members)), random.randrange(len(members))
    change = random.randrange(4)
    if change == 0:
        del members[place]
    elif change == 1:
        members.insert(place, members[other])
    elif change == 2:
        members[place], members[other] = members[other], members[place]
    elif isinstance(members[place], int):
        members[place] = random.choice([0, -1, 3, 1 << 40, -(1 << 62)])
