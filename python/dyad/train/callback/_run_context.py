"""The state of a run that callbacks receive, and the request to stop it."""

from dyad._core import Tensor


class InternalCallbackParam(dict):
    """The state of a run, read and written as attributes. A missing one raises KeyError."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name not in self:
            raise KeyError(f"original_args: there is no {name!r}; there are {', '.join(sorted(self))}")
        return self[name]

    def __setattr__(self, name, value):
        self[name] = value


class RunContext:
    """The argument of callbacks: the state of the run, and the request to stop it."""

    def __init__(self, original_args):
        if not isinstance(original_args, dict):
            raise TypeError(
                f"RunContext: original_args is of type {type(original_args).__name__}; need a dict"
            )
        self._original_args, self._stop_requested = original_args, False

    def original_args(self):
        """The state of the run: `cur_epoch_num`, `cur_step_num`, `batch_num`, `net_outputs` and others."""
        return self._original_args

    def request_stop(self):
        """The run ends after this step."""
        self._stop_requested = True

    def get_stop_requested(self):
        """Returns whether a callback requested a stop."""
        return self._stop_requested


def loss_of(outputs):
    """The loss among what a step returned: the mean of the first Tensor, as a float; what is not a Tensor as it is."""
    first = outputs[0] if isinstance(outputs, (tuple, list)) and outputs else outputs
    if not isinstance(first, Tensor):
        return first
    return float(first.item() if first.size == 1 else first.asnumpy().mean())


def _handle_loss(loss):
    """The loss as callbacks of programs read it: the mean of a Tensor as a float; of a tuple the first Tensor."""
    if isinstance(loss, (tuple, list)):
        return loss[0] if loss and isinstance(loss[0], Tensor) else loss
    return loss_of(loss)


def step_in_epoch(run):
    """The number of the step within its epoch, from 1 on."""
    return int((run["cur_step_num"] - 1) % run["batch_num"] + 1)
