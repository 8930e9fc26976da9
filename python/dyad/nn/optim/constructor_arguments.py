"""What an optimiser was made with, for programs that make another one like it."""

import functools
import inspect

__all__ = ["opt_init_args_register"]


def opt_init_args_register(fn):
    """Decorates `__init__` of an optimiser: notes its arguments, defaults included, on the object.

    `init_params` is {"params": ...}, `init_learning_rate` the rate, None where there is none, and `init_args` a dict of
    all the others.
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
        # Notes only: Parameters and Cells among the arguments are registered where the optimiser itself keeps them.
        self.__dict__.update(noted)

    noting.__signature__ = signature  # getfullargspec does not follow __wrapped__
    return noting
