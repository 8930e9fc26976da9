"""`o.__dict__` and `vars(o)` of an object from outside: its attributes as a mapping."""

_METHODS = ("get", "keys", "values", "items", "copy", "update", "pop", "setdefault", "clear", "__contains__")
_VIEWS = ("keys", "values", "items")  # they show what is written later


class AttributeView:
    """Reads and writes the attributes of `owner` itself, past its class."""

    def __init__(self, owner):
        self.owner = owner

    def snapshot(self, interpreter):
        """The attributes as a dict of their own."""
        names = interpreter.external.attributes.names_of(self.owner)
        held = {name: interpreter.external.attributes.read_instance(self.owner, name) for name in names}
        return interpreter.heap.note_birth(held)

    def read(self, interpreter, name):
        if name not in _METHODS:
            return interpreter.host.native(getattr, {}, name)
        return _Method(self, name)

    def item(self, interpreter, key):
        try:
            return interpreter.external.attributes.read_instance(self.owner, key)
        except KeyError:
            return interpreter.throwing.throw(KeyError(key))

    def write(self, interpreter, key, value):
        interpreter.external.attributes.write(self.owner, key, value)

    def replace(self, interpreter, before, after):
        """Makes the attributes those of `after`."""
        for name in before:
            if name not in after:
                interpreter.attribute_writes.delete_entry(self.owner, name)
        for name, value in after.items():
            if name not in before or before[name] is not value:
                self.write(interpreter, name, value)


class _Method:
    """A method of the mapping, which a call of the interpreter carries out."""

    __module__ = "dyad._src.capture"

    def __init__(self, view, name):
        self.view = view
        self.name = name

    def call(self, interpreter, args, kwargs):
        held = self.view.snapshot(interpreter)
        before = dict(held)
        if self.name in _VIEWS:
            interpreter.external.instance_dicts.note_view(interpreter.external.original_of(self.view.owner))
        result = interpreter.calls.call(getattr(held, self.name), args, kwargs)
        self.view.replace(interpreter, before, held)
        return result


def call_of_view(method, interpreter, args, kwargs):
    return method.call(interpreter, args, kwargs)


VIEW_METHOD = _Method
