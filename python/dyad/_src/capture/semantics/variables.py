"""Names of the captured program: variables and imports."""

from dyad._src.capture.errors import rejection
from dyad._src.capture.semantics.values import UNBOUND, OneOf


class Variables:
    """Reads, binds and deletes names of the frame that is worked on."""

    def read_name(self, name, position=None):
        """The value of a name; NameError of the program where it has none, also on some paths only."""
        value = self.asked(self.names.read, self.frame, name)
        if isinstance(value, OneOf) and any(v is UNBOUND for v in value.alternatives.values()):
            if position is not None:
                self.at(position)
            value = self.split(value, lambda chosen: self._bound_value(name, chosen))
            self.names.write(self.frame, name, value)
        return value

    def _bound_value(self, name, value):
        if value is UNBOUND:
            self.throw(
                UnboundLocalError(
                    f"cannot access local variable {name!r} where it is not associated with a value"
                )
            )
        return value

    def write_name(self, name, value, position):
        """Binds a name; at STRICT a graph binds no names of the program around it."""
        if self.strict and self.frame.holder_of(name) is None:
            self.at(position)
            raise rejection(
                self.place,
                f"name {name!r} of the program around the graph is assigned, which needs the Python object when "
                "the graph runs",
                "Return the new value, or use jit(fullgraph=False).",
                kind=TypeError,
            )
        self.names.write(self.frame, name, value)

    def delete_name(self, name):
        self.asked(self.names.delete, self.frame, name)

    # ---- imports

    def import_module(self, name, names=(), level=0):
        """The module that `import name` or, with `names`, `from name import names` finds first."""
        if not names:
            return self.guarded(__import__, name, self.frame.namespace)
        return self.guarded(__import__, name, self.frame.namespace, None, names, level)

    def import_from(self, module, name):
        """What `from module import name` binds."""
        return self.guarded(_imported, module, name)


def _imported(module, name):
    try:
        return getattr(module, name)
    except AttributeError:
        raise ImportError(
            f"cannot import name {name!r} from {module.__name__!r}", name=module.__name__
        ) from None
