"""`LearningRateScheduler`: a function sets the learning rate after each step."""

from dyad import log
from dyad._core import Tensor, float32
from dyad._src.tensor.parameter import Parameter
from dyad.train.callback._callback import Callback


def fixed_learning_rate(owner, optimizer):
    """The Parameter that holds the rate; ValueError where groups have rates of their own or each step has one."""
    rate = getattr(optimizer, "learning_rate", None)
    if not isinstance(rate, Parameter):
        raise ValueError(
            f"{owner}: learning_rate of the optimizer is of type {type(rate).__name__}; "
            "need one fixed rate, no schedule and no rates of groups"
        )
    return rate


def set_learning_rate(rate, value):
    """Returns the Parameter of a rate its new value."""
    rate.set_data(Tensor(value, float32))


class LearningRateScheduler(Callback):
    """Sets the learning rate to `learning_rate_function(rate, cur_step_num)` after each step."""

    def __init__(self, learning_rate_function):
        if not callable(learning_rate_function):
            raise TypeError(
                f"LearningRateScheduler: learning_rate_function is {learning_rate_function!r}; "
                "need a function of the rate and the step"
            )
        self.learning_rate_function = learning_rate_function

    def step_end(self, run_context):
        """Computes the next rate."""
        run = run_context.original_args()
        rate = fixed_learning_rate("LearningRateScheduler", run["optimizer"])
        # The given number: 0.1 and not the nearest float32, so that a function may compare.
        old = float(str(rate.asnumpy()))
        new = float(self.learning_rate_function(old, run["cur_step_num"]))
        if new != old:
            set_learning_rate(rate, new)
            log.info("LearningRateScheduler: the learning rate is %s after step %s", new, run["cur_step_num"])
