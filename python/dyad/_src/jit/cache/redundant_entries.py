"""Which graphs of a callable are no longer needed, because a new one with open sizes serves their calls."""

import weakref

from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE


class MadeGraphs:
    """The sizes that the entries of one callable were made for."""

    def __init__(self):
        self._sizes = weakref.WeakKeyDictionary()  # entry -> (place -> sizes)

    def note(self, entry, sizes):
        """Remembers a new entry."""
        self._sizes[entry] = sizes

    def superseded(self, entry, others, open_only):
        """Those of `others` whose calls the entry serves too; with `open_only` just those that have open sizes."""
        sizes = self._sizes[entry]
        if not _is_open(sizes):
            return []
        found = [
            other
            for other in others
            if other is not entry
            and other in self._sizes
            and (_is_open(self._sizes[other]) or not open_only)
            and _covers(sizes, self._sizes[other])
        ]
        return [other for other in found if _differ_in_sizes_only(entry, other)]


def _is_open(sizes):
    return any(isinstance(size, str) for shape in sizes.values() for size in shape)


def _covers(general, special):
    """Whether every call with the special sizes has the general ones."""
    if general.keys() != special.keys():
        return False
    met: dict = {}
    for place, shape in general.items():
        if len(shape) != len(special[place]):
            return False
        for wanted, given in zip(shape, special[place], strict=True):
            if not isinstance(wanted, str):
                if wanted != given:
                    return False
            elif met.setdefault(wanted, given) != given or (
                isinstance(given, int) and given < SMALLEST_OPEN_SIZE
            ):
                return False
    return True


def _differ_in_sizes_only(entry, other):
    """Whether both demand the same but for the sizes that are open in one."""
    if (entry.positional, tuple(entry.keywords)) != (other.positional, tuple(other.keywords)):
        return False
    demands = entry.tree.describe(), other.tree.describe()
    opened = {line.partition(":")[0] for lines in demands for line in lines if _is_about_size(line)}
    return _others(demands[0], opened) == _others(demands[1], opened)


def _is_about_size(line):
    return " at axis " in line


def _others(lines, opened):
    return {
        line
        for line in lines
        if not _is_about_size(line) and not (" of shape (" in line and line.partition(":")[0] in opened)
    }
