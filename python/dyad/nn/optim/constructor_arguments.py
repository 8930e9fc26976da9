"""Records the constructor arguments of an optimizer, from which programs construct another one."""

import functools
import inspect

__all__ = ["opt_init_args_register"]


def opt_init_args_register(fn):
    """Decorates `__init__` of an optimizer: records its arguments, defaults included, on the object.

    `init_params` is {"params": ...}, `init_learning_rate` the rate or None, and `init_args` a dict of all other
    arguments.
    """
    signature = inspect.signature(fn)

    @functools.wraps(fn)
    def noting(self, *args, **kwargs):
        bound = signature.bind(self, *args, **kwargs)
        bound.apply_defaults()
        given = dict(list(bound.arguments.items())[1:])
        noted = {
            "init_params": {"params": given.pop("params", None)},
            "init_learning_rate": given.pop("learning_rate", None),
            "init_args": given,
        }
        fn(self, *args, **kwargs)
        # Plain records: Parameters and Cells among the arguments are registered where the optimizer itself keeps
        # them.
        self.__dict__.update(noted)

    noting.__signature__ = signature  # getfullargspec does not follow __wrapped__
    return noting
