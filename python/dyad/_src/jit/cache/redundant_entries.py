"""Finds the graphs of a callable that a new one with dynamic sizes makes redundant."""

import weakref

from dyad._src.jit.options.options import SMALLEST_OPEN_SIZE


class RedundantEntries:
    """Remembers the sizes that the entries of one callable were compiled for."""

    def __init__(self):
        self._sizes: weakref.WeakKeyDictionary = weakref.WeakKeyDictionary()  # entry -> (place -> sizes)

    def note(self, entry, sizes):
        """Remembers a new entry."""
        self._sizes[entry] = sizes

    def redundant(self, entry, others, dynamic_only):
        """Those of `others` whose calls the entry serves too; with `dynamic_only` those that have dynamic sizes."""
        sizes = self._sizes[entry]
        if not _is_dynamic(sizes):
            return []
        found = [
            other
            for other in others
            if other is not entry
            and other in self._sizes
            and (_is_dynamic(self._sizes[other]) or not dynamic_only)
            and _covers(sizes, self._sizes[other])
        ]
        return [other for other in found if _differ_in_sizes_only(entry, other)]


def _is_dynamic(sizes):
    return any(isinstance(size, str) for shape in sizes.values() for size in shape)


def _covers(general, special):
    """Returns whether every call with the special sizes fits the general ones."""
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
    """Returns whether both have the same guards except for the sizes that are dynamic in one."""
    if (entry.positional, tuple(entry.keywords)) != (other.positional, tuple(other.keywords)):
        return False
    demands = entry.tree.demands(), other.tree.demands()
    dynamic = {subject for guards in demands for kind, subject, _ in guards if kind == "size"}
    return _others(demands[0], dynamic) == _others(demands[1], dynamic)


def _others(guards, dynamic):
    return {
        (kind, subject, expected)
        for kind, subject, expected in guards
        if kind != "size" and not (kind == "tensor" and subject in dynamic)
    }
