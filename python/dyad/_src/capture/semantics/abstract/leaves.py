"""Flat lists of leaves, as they travel through the graph.

An abstract value flattens a value into `Leaves` and unflattens it again from a `LeafReader`. Unlike a pytree, a value
may hold one list under two names: it is flattened once and is one list again afterwards.
"""

from dyad._src.capture.semantics.abstract.errors import CannotJoin

_SPLIT_IDENTITY = "two names hold one container on one path and two on another"


class Leaves:
    """The leaves of values that are being flattened, in order. A list that two names hold is flattened once.

    The leaves of such a container stand together in a section: where it comes first as one that is not there, it may
    come later with a value.
    """

    def __init__(self):
        self._collected: list = []
        self._open = self._collected  # the section that leaves go to
        self._sections = {}  # id of an abstract value -> its section
        self._avals = {}  # id of a container -> the abstract value it was flattened by

    def forget_containers(self):
        """Lets containers be others from here on: what a path gives back leaves the names that held it behind."""
        self._avals = {}

    def append(self, leaf):
        self._open.append(leaf)

    def __iter__(self):
        return _in_order(self._collected)

    def __len__(self):
        return sum(1 for _ in self)

    def container(self, aval, collect, container=None, may_split=False):
        """Collects the leaves of a container with `collect`, unless they are there; None stands for its zeros.

        One abstract value is one container afterwards, two are two: CannotJoin where that would tear a container in
        two, unless it `may_split`, or make one of two.
        """
        section = self._sections.get(id(aval))
        if section is None:
            section = self._sections[id(aval)] = _Section(aval, self._open)
            self._open.append(section)
        else:
            if section.parent is self._open and not any(section is held for held in self._open):
                self._open.append(section)  # what it stands in is collected anew
            if container is None or section.container is container:
                return
            if section.container is not None:
                raise CannotJoin(_SPLIT_IDENTITY)
        if container is not None:
            if not may_split:
                self._require_one_aval(aval, container)
            section.container = container
        outer, self._open = self._open, section
        section.clear()
        collect()
        self._open = outer

    def _require_one_aval(self, aval, container):
        if self._avals.setdefault(id(container), aval) is not aval:
            raise CannotJoin(_SPLIT_IDENTITY)


class _Section(list):
    """The leaves of one container."""

    def __init__(self, aval, parent):
        super().__init__()
        self.aval = aval  # kept, as it is found by its id
        self.parent = parent  # the section it stands in
        self.container = None


def _in_order(leaves):
    for leaf in leaves:
        if isinstance(leaf, _Section):
            yield from _in_order(leaf)
        else:
            yield leaf


class LeafReader:
    """Hands out leaves in order while values are unflattened. A list that two names hold is built once.

    `note` is told of every container that is built: what the program changes of it later must be seen.
    """

    def __init__(self, leaves, note=None):
        self._leaves = iter(leaves)
        self._note = note
        self._built = {}  # id of an abstract value -> what was built of it

    def __next__(self):
        return next(self._leaves)

    def __iter__(self):
        return self

    def once(self, aval, build, noted=True):
        """Returns `build(...)` for the abstract value; it is called the first time only."""
        if id(aval) not in self._built:
            built = self._built[id(aval)] = build()
            if self._note is not None and noted:
                self._note(built)
        return self._built[id(aval)]
