"""Names of the captured program: variables and imports."""

import builtins
import importlib.util
import sys
import types

from dyad._src.base.break_reasons import FREE_VARIABLE, UNKNOWN
from dyad._src.capture.errors import NEEDS_PYTHON
from dyad._src.capture.semantics.attributes.attributes import is_user_class
from dyad._src.capture.semantics.calls.frameworks import is_framework_module
from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import MISSING, UNBOUND, OneOf

_IMPORT = builtins.__import__


class Variables(Part):
    """Reads, binds and deletes names of the frame that is worked on."""

    def read_name(self, name, position=None):
        """The value of a name; NameError of the program where it has none, also on some paths only."""
        value = self.interpreter.host.asked(self.interpreter.names.read, self.interpreter.frame, name)
        if type(value) is OneOf and any(v is UNBOUND for v in value.alternatives.values()):
            if position is not None:
                self.interpreter.at(position)
            value = self.interpreter.branches.split(value, lambda chosen: self._bound_value(name, chosen))
            self.interpreter.names.write(self.interpreter.frame, name, value)
        return value

    def _bound_value(self, name, value):
        if value is UNBOUND:
            self.interpreter.throwing.throw(
                UnboundLocalError(
                    f"cannot access local variable {name!r} where it is not associated with a value"
                )
            )
        return value

    def write_name(self, name, value, position):
        """Binds a name; at STRICT a graph binds no names of the program around it."""
        if self.strict and self.interpreter.frame.holder_of(name) is None:
            self.interpreter.at(position)
            raise self.interpreter.rejection(
                FREE_VARIABLE,
                f"name {name!r} of the program around the graph is assigned, which needs the Python object when "
                "the graph runs",
                "Return the new value, or use jit(fullgraph=False).",
                error=TypeError,
            )
        self.interpreter.names.write(self.interpreter.frame, name, value)

    def delete_name(self, name):
        """`del name`."""
        self.interpreter.host.asked(self.interpreter.names.delete, self.interpreter.frame, name)

    # ---- imports

    def import_module(self, name, names=(), level=0):
        """The module that `import name` or, with `names`, `from name import names` finds first.

        A module that is loaded is read from `sys.modules`, which is guarded; loading one runs its code, so Python does
        that.
        """
        find = self.interpreter.names.read_global(self.interpreter.frame, "__import__")
        if find is not _IMPORT:
            raise self._import_rejection(name, "__import__ is a function of the program")
        if level:
            package = self.interpreter.host.guarded(_package_of, self.interpreter.frame.namespace)
            name = self.interpreter.host.guarded(importlib.util.resolve_name, "." * level + name, package)
        found = self._loaded(name)
        return found if names or level else self._loaded(name.partition(".")[0])

    def _loaded(self, name):
        """A module from `sys.modules`."""
        tree = self.external.tree
        if name not in sys.modules:
            if not self._is_library(name):
                raise self._import_rejection(name, "it is not loaded yet")
            self.interpreter.host.guarded(importlib.import_module, name)
        module = sys.modules[name]
        if isinstance(module, types.ModuleType) and is_framework_module(vars(module).get("__name__", "")):
            return module
        node = tree.item(tree.object(sys.modules), name)
        if module is None:
            tree.check_identity(node, None)
            return self.interpreter.host.guarded(importlib.import_module, name)  # says that it is halted
        return self.external.adopt(module, node)

    def _is_library(self, name):
        """Returns whether a module that is not loaded is Python's own or the framework's: loading has no effect."""
        top = name.partition(".")[0]
        known = sys.modules.get(top)
        return top in sys.stdlib_module_names or (known is not None and is_framework_module(known.__name__))

    def _import_rejection(self, name, why):
        return self.interpreter.rejection(UNKNOWN, f"import {name}: {why}", NEEDS_PYTHON)

    def import_from(self, module, name):
        """The value that `from module import name` binds: an attribute, or a module inside of the package."""
        value = self.interpreter.host.catching(
            AttributeError, lambda: self.interpreter.attributes.read_attribute(module, name)
        )
        if value is not MISSING:
            return value
        if isinstance(module, types.ModuleType):
            inside = f"{vars(module).get('__name__')}.{name}"
            if inside in sys.modules:
                return self._loaded(inside)
        if is_user_class(type(module)):
            raise self._import_rejection(
                name, "Python asks methods of the program for the words of its error"
            )
        if not isinstance(module, types.ModuleType):
            return self.interpreter.host.guarded(_imported, module, name)
        if hasattr(module, "__path__") and not is_framework_module(module.__name__):
            raise self._import_rejection(inside, "it is not loaded yet")
        return self.interpreter.host.guarded(_imported, module, name)


def _package_of(namespace):
    """The package that relative imports of a module begin at."""
    package, spec = namespace.get("__package__"), namespace.get("__spec__")
    if package is None and spec is not None:
        return spec.parent
    if package is None:
        package = namespace["__name__"]
        return package if "__path__" in namespace else package.rpartition(".")[0]
    return package


def _imported(module, name):
    """`from module import name` as Python does it, with its error."""
    space = {"__builtins__": {"__import__": lambda *_: module}}
    exec(f"from module import {name} as value", space)
    return space["value"]
