"""`LambdaCallback`: a callback from functions."""

from dyad.train.callback._callback import Callback


class LambdaCallback(Callback):
    """A callback from functions of the run context, one per event."""

    def __init__(
        self,
        on_train_epoch_begin=None,
        on_train_epoch_end=None,
        on_train_step_begin=None,
        on_train_step_end=None,
        on_train_begin=None,
        on_train_end=None,
        on_eval_epoch_begin=None,
        on_eval_epoch_end=None,
        on_eval_step_begin=None,
        on_eval_step_end=None,
        on_eval_begin=None,
        on_eval_end=None,
    ):
        given = {name: value for name, value in locals().items() if name.startswith("on_")}
        for name, function in given.items():
            if function is None:
                continue
            if not callable(function):
                raise TypeError(f"LambdaCallback: {name} is {function!r}; need a function of the run context")
            setattr(self, name, function)
