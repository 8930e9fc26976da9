"""`cell_attr_register`: records the constructor arguments of a Cell."""

import functools
import inspect

__all__ = ["cell_attr_register"]


def cell_attr_register(fn=None, attrs=None):
    """Decorates `__init__` of a Cell: records its arguments in `cell_init_args`.

    With `attrs`, names of attributes, it records their values instead.
    """
    if fn is None:
        return functools.partial(cell_attr_register, attrs=attrs)
    signature = inspect.signature(fn)
    names = (attrs,) if isinstance(attrs, str) else attrs

    @functools.wraps(fn)
    def noting_init(self, *args, **kwargs):
        fn(self, *args, **kwargs)
        if names is None:
            given = dict(list(signature.bind(self, *args, **kwargs).arguments.items())[1:])
        else:
            given = {name: getattr(self, name) for name in names}
        self.cell_init_args = f"{type(self).__name__}{given}"

    noting_init.__dict__["__signature__"] = signature  # getfullargspec does not follow __wrapped__
    return noting_init
