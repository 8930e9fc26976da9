"""Stand-ins for containers from outside that the program has not read (`outside/lazy_containers.py`)."""


class NeedsLook(BaseException):
    """The program is to be captured again: `stand_in` was asked for what only the container itself can tell."""

    def __init__(self, stand_in):
        super().__init__()
        self.stand_in = stand_in
        self.path = None  # of the container, where it is known


class Unread:
    """Stands for a container. It may be moved about; even `isinstance` with another class raises NeedsLook."""

    __slots__ = ()

    def __getattribute__(self, name):
        raise NeedsLook(self)


class AddingMethod(Unread):
    """Stands for a method that adds to a container which nobody has looked into."""

    __slots__ = ()


def _needs_look(self, *args):
    raise NeedsLook(self)


# Python finds these on the class, without asking for an attribute.
_ARITHMETIC = "add sub mul truediv floordiv mod divmod pow lshift rshift and or xor matmul"
_FURTHER = (
    "len length_hint iter next reversed contains getitem setitem delitem call bool hash repr str format bytes "
    "eq ne lt le gt ge neg pos abs invert int float complex index round trunc floor ceil enter exit await aiter anext "
    "setattr delattr dir sizeof reduce reduce_ex copy deepcopy fspath"
)
for _name in (
    *_FURTHER.split(),
    *(way + name for name in _ARITHMETIC.split() for way in ("", "r", "i")),
):
    setattr(Unread, f"__{_name}__", _needs_look)
