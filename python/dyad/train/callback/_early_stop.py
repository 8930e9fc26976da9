"""`EarlyStopping`: ends training when it no longer improves."""

from dyad._core import Tensor
from dyad._src.base.argument_checks import require_bool, require_int, require_number
from dyad.train.callback._callback import Callback
from dyad.train.callback._monitored import Monitored


class EarlyStopping(Callback):
    """Ends training when `monitor` has not improved for `patience` epochs; 0 means 1.

    `monitor` is "loss", the loss of the last step of an epoch, or a result of `Model.fit`: "eval_loss" or a metric.
    `mode` is the direction of improvement, "min" or "max"; "auto" derives it from the name. An improvement is larger
    than `min_delta`, and better than `baseline` if that is given. With `restore_best_weights` the network ends with
    the weights of its best epoch.
    """

    def __init__(
        self,
        monitor="eval_loss",
        min_delta=0,
        patience=0,
        verbose=False,
        mode="auto",
        baseline=None,
        restore_best_weights=False,
    ):
        owner = "EarlyStopping"
        self._monitored = Monitored(owner, monitor, mode, min_delta)
        self.monitor, self.mode, self.min_delta = monitor, mode, abs(min_delta)
        self.patience = require_int(owner, "patience", patience, low=0)
        self.verbose = require_bool(owner, "verbose", verbose)
        self.baseline = None if baseline is None else require_number(owner, "baseline", baseline)
        self.restore_best_weights = require_bool(owner, "restore_best_weights", restore_best_weights)
        self.on_train_begin(None)

    def on_train_begin(self, run_context):
        """Resets the state of earlier runs."""
        self.wait = self.stopped_epoch = 0
        self.best = self._monitored.worst
        self.best_weights_param_dict = None

    def on_train_epoch_end(self, run_context):
        """Compares the epoch with the best one, and requests a stop after too many without an improvement."""
        run = run_context.original_args()
        value = self._monitored.value(run)
        if value is None:
            return
        self.wait += 1
        if self._monitored.improves(value, self.best):
            self.best = value
            self._keep_weights(run)
            if self.baseline is None or self._monitored.improves(value, self.baseline):
                self.wait = 0
        elif self.best_weights_param_dict is None:
            self._keep_weights(run)
        if self.wait >= max(self.patience, 1):
            self.stopped_epoch = run["cur_epoch_num"]
            run_context.request_stop()
            self._restore_weights(run)

    def _keep_weights(self, run):
        if self.restore_best_weights:
            parameters = run["train_network"].parameters_dict()
            self.best_weights_param_dict = {name: Tensor.copy(value) for name, value in parameters.items()}

    def _restore_weights(self, run):
        if self.best_weights_param_dict is None:
            return
        if self.verbose:
            print("Restoring model weights from the end of the best epoch.", flush=True)
        for name, parameter in run["train_network"].parameters_dict().items():
            if name in self.best_weights_param_dict:
                parameter.set_data(self.best_weights_param_dict[name])

    def on_train_end(self, run_context):
        """Prints the last epoch if this callback ended the run."""
        if self.stopped_epoch > 0 and self.verbose:
            print(f"Epoch {self.stopped_epoch:05d}: early stopping", flush=True)
