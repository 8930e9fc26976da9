"""`super()` inside a captured method."""


class Super:
    """Attributes of the classes behind `cls` in the order of the instance's class."""

    def __init__(self, interpreter, cls, instance):
        self._interpreter = interpreter
        self._super = super(cls, instance)

    def read(self, name):
        return self._interpreter.native(getattr, self._super, name)
