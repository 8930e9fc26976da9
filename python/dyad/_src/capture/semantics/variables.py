"""Names of the captured program: variables and imports."""

from dyad._src.capture.semantics.part import Part
from dyad._src.capture.semantics.values import UNBOUND, OneOf


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
                f"name {name!r} of the program around the graph is assigned, which needs the Python object when "
                "the graph runs",
                "Return the new value, or use jit(fullgraph=False).",
                kind=TypeError,
            )
        self.interpreter.names.write(self.interpreter.frame, name, value)

    def delete_name(self, name):
        """`del name`."""
        self.interpreter.host.asked(self.interpreter.names.delete, self.interpreter.frame, name)

    # ---- imports

    def import_module(self, name, names=(), level=0):
        """The module that `import name` or, with `names`, `from name import names` finds first."""
        if not names:
            return self.interpreter.host.guarded(__import__, name, self.interpreter.frame.namespace)
        return self.interpreter.host.guarded(
            __import__, name, self.interpreter.frame.namespace, None, names, level
        )

    def import_from(self, module, name):
        """What `from module import name` binds."""
        return self.interpreter.host.guarded(_imported, module, name)


def _imported(module, name):
    try:
        return getattr(module, name)
    except AttributeError:
        raise ImportError(
            f"cannot import name {name!r} from {module.__name__!r}", name=module.__name__
        ) from None
