"""Variables of the process's environment: what the program reads of them is guarded one by one."""

import os

from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING, depends_on_run


class Environment(Part):
    """Gives `os.environ` its meaning where it is read by known names; what changes it or lists it is Python's."""

    def holds(self, value):
        """Returns whether a value is the environment."""
        return value is os.environ

    def call(self, name, args, kwargs):
        """A method of it; MISSING for one that does more than read one variable, or is called wrongly."""
        if not args or depends_on_run(args[:1]):
            return MISSING
        further = len(args) + len(kwargs) - 1
        if name == "get" and further <= 1 and not kwargs.keys() - {"default"}:
            return self.value_or(*args, **kwargs)
        if further or name not in ("__getitem__", "__contains__"):
            return MISSING
        return self.item(args[0]) if name == "__getitem__" else self.has(args[0])

    def item(self, key):
        """`os.environ[key]`."""
        value = self._read(key)
        return self.interpreter.throwing.throw(KeyError(key)) if value is None else value

    def has(self, key):
        """`key in os.environ`."""
        return self._read(key) is not None

    def value_or(self, key, default=None):
        """`os.environ.get(key, default)`."""
        value = self._read(key)
        return default if value is None else value

    def _read(self, key):
        """The variable as a text, or None; that it stays so is demanded of later calls."""
        encoded = self.interpreter.host.guarded(os.environ.encodekey, key)
        tree, data = self.external.tree, vars(os.environ)["_data"]
        around = tree.attribute(tree.object(os), "environ")
        tree.check_identity(around, os.environ, weak=False)
        held = tree.attribute(around, "_data")
        if encoded not in data:
            tree.missing_item(held, encoded)
            return None
        tree.check_equal(tree.item(held, encoded), data[encoded])
        return os.environ.decodevalue(data[encoded])
