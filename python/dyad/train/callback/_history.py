"""`History`: the results of a run by epoch."""

from dyad.train.callback._callback import Callback
from dyad.train.callback._run_context import loss_of


class History(Callback):
    """Keeps the loss and the metrics of each epoch in `history`, which grows over several runs.

    `epoch` holds the numbers of the epochs of the last run.
    """

    def __init__(self):
        self.epoch: dict = {"epoch": []}
        self.history = {}

    def begin(self, run_context):
        """Clears the list of epochs."""
        self.epoch = {"epoch": []}

    def epoch_end(self, run_context):
        """Appends the results of the epoch."""
        run = run_context.original_args()
        self.epoch["epoch"].append(run.get("cur_epoch_num", 1))
        seen = {"net_output": loss_of(run["net_outputs"]), **(run.get("metrics") or {})}
        for name, value in seen.items():
            self.history.setdefault(name, []).append(value)
