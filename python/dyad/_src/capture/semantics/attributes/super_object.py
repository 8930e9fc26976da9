"""`super()` inside a captured method."""

from dyad._src.capture.semantics.values import UNBOUND


class Super:
    """Attributes of the classes behind `cls` in the order of the instance's class."""

    def __init__(self, cls, instance):
        super(cls, instance)  # says why that cannot be
        self._cls = cls
        self._instance = instance

    def read(self, interpreter, name):
        instance = self._instance
        is_class = isinstance(instance, type) and issubclass(instance, self._cls)
        start = instance if is_class else type(instance)
        order = start.__mro__[start.__mro__.index(self._cls) + 1 :]
        for base in order:
            written = interpreter.external.overlays.entry(base, name)
            if written is not None and written[0] is not UNBOUND:
                return interpreter.class_attributes.bound_entry(
                    written[0], None if is_class else instance, start, name
                )
            if written is None and name in base.__dict__:
                entry = base.__dict__[name]
                interpreter.external.attributes.read_base(base, name, entry)
                return interpreter.class_attributes.bound_super_entry(entry, instance, start, is_class)
            interpreter.external.attributes.read_base(base, name, UNBOUND)
        return interpreter.throwing.throw(AttributeError(f"'super' object has no attribute {name!r}"))
