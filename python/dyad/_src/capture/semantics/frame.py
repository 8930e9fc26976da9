"""Frames: one activation of a captured function."""

from dyad._src.capture.semantics.calls.frameworks import is_framework_module
from dyad._src.capture.semantics.values import UNBOUND
from dyad._src.capture.source_location import SourceLocation


class Frame:
    """The names of one activation. `enclosing` is the frame a nested function was defined in."""

    def __init__(self, name, text, namespace, scope, enclosing=None, cells=None, owner_class=None):
        self.name = name
        self.text = text  # the file it stands in
        self.namespace = namespace  # its module's globals
        self.is_program = not is_framework_module(
            namespace.get("__name__", "")
        )  # the framework has layers, too
        self.scope = scope
        self.enclosing = enclosing
        self.escapes = False  # whether its names may be looked at when it is over
        if enclosing is not None:
            enclosing.escape()
        self.cells = cells or {}  # closure cells of a function made outside
        self.owner_class = owner_class  # for super() without arguments
        self.qualname = name
        self.caller = None
        self.called_at = None  # the Position in the caller
        self.on_yield = None  # what goes on where the body yields, for the body of a context manager
        self.locals = {}

    def escape(self):
        """Notes that a function made here may outlive the frame: its names stay in reach, and those around it."""
        frame = self
        while frame is not None and not frame.escapes:
            frame.escapes = True
            frame = frame.enclosing

    @property
    def call_is_shown(self):
        """Returns whether a traceback shows the line of the call: a line of the program, not of the framework."""
        caller = self.caller
        return caller is not None and self.called_at is not None and caller.is_program and self.is_program

    def place(self, position):
        """A Position of the program as a place in this function."""
        end = position.end_col_offset if position.end_lineno == position.lineno else None
        return SourceLocation(self.text, position.lineno, position.col_offset, end, self.name)

    def function_frame(self):
        """The frame of the function around a comprehension."""
        frame = self
        while frame.scope.is_comprehension:
            frame = frame.enclosing
        return frame

    def holder_of(self, name):
        """The enclosing frame that binds a name, or None."""
        frame = self
        while frame is not None:
            if name in frame.scope.bound:
                return frame
            if name in frame.scope.global_names:
                return None
            frame = frame.enclosing
        return None

    def outermost(self):
        """The frame of the outermost function around this one."""
        frame = self
        while frame.enclosing is not None:
            frame = frame.enclosing
        return frame


class Names:
    """Reads and writes names of frames."""

    def __init__(self, external, heap):
        self._external = external
        self._heap = heap

    def read(self, frame, name):
        """The value; raises NameError as Python does."""
        holder = frame.holder_of(name)
        if holder is not None:
            value = holder.locals.get(name, UNBOUND)
            if value is UNBOUND:
                raise _unbound(frame, holder, name)
            return value
        cell = frame.outermost().cells.get(name)
        if cell is not None and name not in frame.scope.global_names:
            try:
                return self._external.names.read_cell(cell)
            except KeyError:
                raise _unbound(frame, None, name) from None
        return self.read_global(frame, name)

    def read_global(self, frame, name):
        """A name of the module or of Python's builtins; NameError as Python raises it."""
        try:
            return self._external.names.read_global(frame.namespace, name)
        except KeyError:
            pass
        try:
            return self._external.names.read_builtin(frame.namespace, name)
        except KeyError:
            raise NameError(f"name {name!r} is not defined", name=name) from None

    def write(self, frame, name, value):
        """Binds a name where the frame's scope says: local, enclosing or global."""
        if name in frame.scope.global_names:
            return self._external.names.write_global(frame.namespace, name, value)
        holder = frame.holder_of(name)
        if holder is None:
            cell = frame.outermost().cells.get(name)
            if cell is None:
                raise NameError(f"name {name!r} is not defined", name=name)
            return self._external.names.write_cell(cell, value)
        self._heap.touch(holder.locals)
        holder.locals[name] = value
        return None

    def delete(self, frame, name):
        """Unbinds a name; NameError if it is not bound."""
        self.read(frame, name)
        self.write(frame, name, UNBOUND)


def _unbound(frame, holder, name):
    if holder is frame:
        return UnboundLocalError(
            f"cannot access local variable {name!r} where it is not associated with a value"
        )
    return NameError(
        f"cannot access free variable {name!r} where it is not associated with a value in enclosing scope",
        name=name,
    )
