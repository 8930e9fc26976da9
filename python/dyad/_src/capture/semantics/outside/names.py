"""Globals of modules and cells of closures, as the program reads and writes them."""

import builtins
import contextlib

from dyad._src.capture.semantics.calls.frameworks import is_framework_module, is_trusted_module
from dyad._src.capture.semantics.memory.heap import is_container
from dyad._src.capture.semantics.values import UNBOUND


class Names:
    """Reads names of modules and closures; every read is guarded."""

    def __init__(self, external):
        self._external = external
        self._tree = external.tree
        self._globals = {}  # (id of a namespace, name) -> what the program sees

    def release(self):
        """Lets go of what was read."""
        self._globals.clear()

    def read_global(self, namespace, name, always=False):
        """A global as the program sees it; raises KeyError if there is none. `always` guards a library's too."""
        written = self._external.overlays.entry(namespace, name)
        if written is not None:
            if written[0] is UNBOUND:
                raise KeyError(name)
            return written[0]
        key = (id(namespace), name)
        if key in self._globals:
            return self._globals[key]
        module = namespace.get("__name__", "")
        is_fixed = is_framework_module(module) or not is_container(namespace.get(name))
        if not always and is_fixed and is_trusted_module(module):
            return namespace[name]
        node = self._tree.object(namespace)
        if name not in namespace:
            self._tree.missing_item(node, name)
            raise KeyError(name)
        value = self._external.meet(namespace[name], self._tree.item(node, name))
        self._globals[key] = value
        return value

    def read_builtin(self, namespace, name):
        """One of Python's own names as the program sees it from that namespace; raises KeyError if there is none."""
        held = vars(builtins)
        is_fixed = is_trusted_module(namespace.get("__name__", ""))
        if is_fixed and self._external.overlays.entry(held, name) is None:
            return held[name]
        return self.read_global(held, name, always=True)

    def read_attribute(self, module, name):
        """`module.name` as the program sees it: of a library it must stay the very object; raises KeyError."""
        namespace = vars(module)
        value, key = self.read_global(namespace, name), (id(namespace), name)
        is_library = is_trusted_module(namespace.get("__name__", ""))
        if is_library and key not in self._globals and self._external.overlays.entry(namespace, name) is None:
            self._globals[key] = value
            self._tree.check_identity(
                self._tree.attribute(self._external.node_of(module), name), value, weak=False
            )
        return value

    def write_global(self, namespace, name, value):
        """Writes a global; UNBOUND deletes it."""
        external = self._external
        overlay = external.overlays.of(namespace, self._tree.object(namespace), "item")
        if name not in overlay.entries and name in namespace and external.heap.depth:
            external.heap.seed(overlay.entries, name, self.read_global(namespace, name))
        external.overlays.write(overlay, name, value)

    def read_cell(self, cell):
        """Returns the contents of a cell of a closure; raises KeyError if it is empty."""
        written = self._external.overlays.entry(cell, "cell_contents")
        if written is not None:
            return written[0]
        try:
            value = cell.cell_contents
        except ValueError:
            raise KeyError("cell") from None
        return self._external.meet(value, self._tree.cell_contents(self._tree.object(cell)))

    def write_cell(self, cell, value):
        """Lets a cell of a closure hold another value."""
        external = self._external
        overlay = external.overlays.of(cell, self._tree.object(cell), "attribute")
        if not overlay.entries and external.heap.depth:
            with contextlib.suppress(KeyError):
                external.heap.seed(overlay.entries, "cell_contents", self.read_cell(cell))
        external.overlays.write(overlay, "cell_contents", value)
