"""The members of a dict or set while a `for` statement goes through them."""

from dyad._src.capture.semantics.values import contents_choice_of

_EMPTY: dict[str, int] = {}
_WATCHED = (dict, set, type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()))


def is_watched(iterable):
    """Whether Python raises where the iterable changes its size between two turns."""
    return type(iterable) in _WATCHED


class Members:
    """The members as they were when the loop began. Where there are more or fewer before a turn, it raises."""

    def __init__(self, interpreter, container):
        self._interpreter = interpreter
        self._container = container
        self._items = list(interpreter.iteration.items_of(container))

    def __len__(self):
        """How many there are, asked before each turn."""
        self._require_known()
        if len(self._container) != len(self._items):
            what = "Set" if isinstance(self._container, set) else "dictionary"
            self._interpreter.throwing.throw(RuntimeError(f"{what} changed size during iteration"))
        return len(self._items)

    def __getitem__(self, number):
        return self._items[number]

    def _require_known(self):
        if contents_choice_of(self._container) is not None:
            raise self._interpreter.rejection(
                "for: whether a dict changes its size while it is iterated is known only when the graph runs",
                "Iterate over a list of its keys.",
            )
